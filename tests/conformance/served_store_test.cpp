#include <vector>

#include "conformance/served_job.hpp"
#include "conformance/store_suite.hpp"
#include "store/remote_store.hpp"

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

INSTANTIATE_TEST_SUITE_P(Served, StoreSuite,
                         testing::Values(over("InProcess", Transport::in_process),
                                         over("Tcp", Transport::tcp),
                                         over("Unix", Transport::unix_socket)),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(ServedView, StoreSuite,
                         testing::Values(StoreOver{
                             "Tcp", [] { return std::make_unique<ServedView>(); },
                             Traits{.key_bytes_max = limits::key_bytes_max - 5}}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
