#include <functional>
#include <memory>
#include <string>

#include <muster/plugin_group.hpp>

#include "conformance/posted_messages.hpp"
#include "conformance/thread_ranks.hpp"
#include "mpi/tunnel.hpp"

namespace muster::conformance {
namespace {

using plugins::Carrier;
using plugins::Member;

template <Carrier carrier>
Result<std::unique_ptr<Member>> join(const plugins::Start& start) {
  auto& post = *static_cast<std::shared_ptr<PostOffice>*>(start.argument);
  return plugins::join_tunnel(std::make_unique<PostedMessages>(post, start.rank), carrier,
                              start.deadline);
}

template <Carrier carrier>
int init(const muster_plugin_start* start, muster_plugin_world* world, muster_plugin_error* error) {
  return plugins::begin(start, world, error, join<carrier>);
}

template <Carrier carrier>
const muster_plugin& table() {
  static const muster_plugin made = [] {
    muster_plugin table = plugins::group_plugin(
        "posted", plugins::group_functions | MUSTER_PLUGIN_BOUNDED | MUSTER_PLUGIN_TELLS_MISSING |
                      MUSTER_PLUGIN_ANY_THREAD | MUSTER_PLUGIN_PROGRESS);
    table.init = init<carrier>;
    return table;
  }();
  return made;
}

/// Ranks are threads; each leaves on the thread that it joined on.
template <Carrier carrier>
class TunnelRanks : public ThreadRanks {
 public:
  void run(std::uint32_t size, const std::function<void(Group&)>& body) override {
    auto post = std::make_shared<PostOffice>(size);
    run_all(size, [&](std::uint32_t rank) {
      PluginOptions options;
      options.argument = &post;
      options.rank = rank;
      options.size = size;
      auto group = make_group_over(table<carrier>(), options);
      ASSERT_TRUE(group) << group.error().text();
      body(**group);
      const auto left = (*group)->leave();
      EXPECT_TRUE(left) << left.error().text();
    });
    EXPECT_EQ(post->unclean, 0) << "a rank left, and something was on its way";
  }
};

template <Carrier carrier>
RanksOver over(std::string name, Of of = Of::world) {
  return {std::move(name), of, [] { return std::make_unique<TunnelRanks<carrier>>(); }};
}

const auto basic = testing::Values(over<Carrier::own_thread>("OwnThread"),
                                   over<Carrier::own_thread>("OwnThreadSubset", Of::subset),
                                   over<Carrier::caller>("Caller"));
INSTANTIATE_TEST_SUITE_P(Tunnel, BasicGroupSuite, basic, testing::PrintToStringParamName());
// While rank 0 is in no call nobody judges: what the rest asks is not for a caller that carries.
const auto whole = testing::Values(over<Carrier::own_thread>("OwnThread"),
                                   over<Carrier::own_thread>("OwnThreadSubset", Of::subset));
INSTANTIATE_TEST_SUITE_P(Tunnel, GroupSuite, whole, testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Tunnel, MissingRankSuite, whole, testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
