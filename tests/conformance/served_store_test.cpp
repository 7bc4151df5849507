#include <vector>

#include "conformance/served_job.hpp"
#include "conformance/store_suite.hpp"
#include "store/remote_store.hpp"
#include "store/version0_store.hpp"

namespace muster::conformance {
namespace {

class ServedStore : public StoreService {
 public:
  explicit ServedStore(Transport transport) : job_(transport, 2) {}
  std::unique_ptr<Store> connect() override { return make_remote_store(job_.link_tool()); }

 private:
  ServedJob job_;
};

/// Every client has a view, of a link of its own.
class ServedView : public StoreService {
 public:
  std::unique_ptr<Store> connect() override {
    stores_.push_back(make_remote_store(job_.link_tool()));
    return make_prefix_view(*stores_.back(), "view");
  }

 private:
  ServedJob job_{Transport::tcp, 2};
  std::vector<std::unique_ptr<Store>> stores_;
};

StoreOver over(std::string name, Transport transport) {
  return {std::move(name), [transport] { return std::make_unique<ServedStore>(transport); }};
}

INSTANTIATE_TEST_SUITE_P(
    Served, StoreSuite,
    testing::Values(over("InProcess", Transport::in_process), over("Tcp", Transport::tcp),
                    over("Unix", Transport::unix_socket), over("Secret", Transport::secret),
                    over("Tls", Transport::tls), over("Certificates", Transport::certificates)),
    testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(ServedView, StoreSuite,
                         testing::Values(StoreOver{
                             "Tcp", [] { return std::make_unique<ServedView>(); },
                             Traits{.key_bytes_max = limits::key_bytes_max - 5}}),
                         testing::PrintToStringParamName());

class ServedVersion0 : public StoreService {
 public:
  explicit ServedVersion0(Transport transport) : job_(transport, 2) {}
  std::unique_ptr<Store> connect() override { return make_version0_store(job_.link_version0()); }

 private:
  ServedJob job_;
};

StoreOver over_version0(std::string name, Transport transport) {
  return {std::move(name),
          [transport] { return std::make_unique<ServedVersion0>(transport); },
          {.list = false,
           .watch = false,
           .one_moment = false,
           .absent_is_not_empty = false,
           .limits_what_grows = false,
           .names_ranks = false,
           .owning = Code::unsupported,
           .value_bytes_max = limits::v0_sent_values_bytes_max}};
}

INSTANTIATE_TEST_SUITE_P(Version0, StoreSuite,
                         testing::Values(over_version0("Tcp", Transport::tcp),
                                         over_version0("Unix", Transport::unix_socket)),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
