#include <functional>
#include <memory>
#include <vector>

#include <muster/key_group.hpp>

#include "conformance/served_job.hpp"
#include "conformance/thread_ranks.hpp"
#include "group/server_group.hpp"
#include "store/remote_store.hpp"
#include "store/version0_store.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;

/// How a rank of a served job comes to its group.
using Join =
    std::function<std::shared_ptr<Group>(ServedJob&, std::uint32_t rank, std::uint32_t size)>;

/// One thread a rank, each with its link.
class ServedRanks : public ThreadRanks {
 public:
  ServedRanks(Transport transport, Join join) : transport_(transport), join_(std::move(join)) {}

  void run(std::uint32_t size, const std::function<void(Group&)>& body) override {
    ServedJob job(transport_, size);
    // The links stay until all have ended: who goes without having left is lost.
    std::vector<std::shared_ptr<Group>> groups(size);
    run_all(size, [&](std::uint32_t rank) {
      groups[rank] = join_(job, rank, size);
      ASSERT_TRUE(groups[rank]);
      body(*groups[rank]);
    });
  }

 private:
  Transport transport_;
  Join join_;
};

std::shared_ptr<Group> join_world(ServedJob& job, std::uint32_t rank, std::uint32_t) {
  const auto caller = job.link_rank(rank);
  const auto mustered = caller->wait(client::muster_ticket, Clock::now() + 60s);
  EXPECT_TRUE(mustered && !mustered->failed);
  return make_world_group(caller);
}

/// A group of keys, with the store that they are in.
std::shared_ptr<Group> key_group(std::shared_ptr<Store> store, std::uint32_t rank,
                                 std::uint32_t size) {
  KeyGroupOptions options;
  options.identity.incarnation.number = 7;
  std::shared_ptr<Group> group = make_key_group(*store, rank, size, options);
  Group* raw = group.get();
  return {raw, [store, group](Group*) mutable {
            group.reset();
            store.reset();
          }};
}
std::shared_ptr<Group> join_keys(ServedJob& job, std::uint32_t rank, std::uint32_t size) {
  return key_group(make_remote_store(job.link_tool()), rank, size);
}
std::shared_ptr<Group> join_version0(ServedJob& job, std::uint32_t rank, std::uint32_t size) {
  return key_group(make_version0_store(job.link_version0()), rank, size);
}

RanksOver over(std::string name, Transport transport, Of of = Of::world, Join join = join_world) {
  return {std::move(name), of,
          [transport, join] { return std::make_unique<ServedRanks>(transport, join); }};
}

const auto worlds = testing::Values(
    over("InProcess", Transport::in_process), over("Tcp", Transport::tcp),
    over("Unix", Transport::unix_socket), over("TcpSubset", Transport::tcp, Of::subset),
    over("UnixSubset", Transport::unix_socket, Of::subset), over("Secret", Transport::secret),
    over("Tls", Transport::tls), over("Certificates", Transport::certificates));
INSTANTIATE_TEST_SUITE_P(Served, BasicGroupSuite, worlds, testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Served, GroupSuite, worlds, testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Served, MissingRankSuite, worlds, testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Keys, BasicGroupSuite,
                         testing::Values(over("Version1", Transport::tcp, Of::world, join_keys),
                                         over("Version0", Transport::tcp, Of::world,
                                              join_version0)),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
