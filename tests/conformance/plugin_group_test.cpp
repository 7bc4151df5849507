#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <muster/plugin_group.hpp>

#include "conformance/thread_ranks.hpp"
#include "support/temp_dir.hpp"

namespace muster::conformance {
namespace {

using Joined = Result<std::unique_ptr<PluginGroup>>;

/// One job: how each of its ranks comes to its group.
class PluginJob {
 public:
  virtual ~PluginJob() = default;
  virtual Joined join(const PluginOptions& options) = 0;
};

/// By the store plugin, from its file.
class StoreJob : public PluginJob {
 public:
  explicit StoreJob(std::uint32_t) {}
  Joined join(const PluginOptions& options) override {
    PluginOptions with_url = options;
    with_url.argument = const_cast<char*>(url_.c_str());
    return make_plugin_group("store", with_url);
  }

 private:
  support::TempDir directory_;
  std::string url_ = directory_.unix_url();
};

/// By a callback: ranks are threads, which meet at one table.
class CallbackJob : public PluginJob {
 public:
  explicit CallbackJob(std::uint32_t size) : size_(size), meeting_(size) {}

  Joined join(const PluginOptions& options) override {
    const auto allgather = [this, rank = *options.rank](Bytes mine, std::span<std::byte> all,
                                                        TimePoint) -> Result<void> {
      if (rank == 0) table_.resize(mine.size() * size_);
      meeting_.arrive_and_wait();
      std::ranges::copy(mine, table_.begin() + static_cast<std::ptrdiff_t>(rank * mine.size()));
      meeting_.arrive_and_wait();
      std::ranges::copy(table_, all.begin());
      meeting_.arrive_and_wait();
      return {};
    };
    return make_group_over(allgather, options);
  }

 private:
  std::uint32_t size_;
  std::barrier<> meeting_;
  Value table_;
};

template <class JobKind>
class PluginRanks : public ThreadRanks {
 public:
  void run(std::uint32_t size, const std::function<void(Group&)>& body) override {
    JobKind job(size);
    std::vector<std::unique_ptr<PluginGroup>> groups(size);
    run_all(size, [&](std::uint32_t rank) {
      PluginOptions options;
      options.rank = rank;
      options.size = size;
      auto group = job.join(options);
      ASSERT_TRUE(group) << group.error().text();
      groups[rank] = *std::move(group);
      body(*groups[rank]);
    });
    run_all(size, [&](std::uint32_t rank) {
      if (groups[rank] == nullptr) return;
      EXPECT_TRUE(groups[rank]->leave());
    });
  }
};

template <class JobKind>
RanksOver over(std::string name, Of of = Of::world) {
  return {std::move(name), of, [] { return std::make_unique<PluginRanks<JobKind>>(); }};
}

const auto groups =
    testing::Values(over<StoreJob>("Store"), over<StoreJob>("StoreSubset", Of::subset),
                    over<CallbackJob>("Callback"));
INSTANTIATE_TEST_SUITE_P(Plugin, BasicGroupSuite, groups, testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Plugin, GroupSuite, groups, testing::PrintToStringParamName());
// A callback has no deadline that it must keep: nothing there can tell who is missing.
const auto telling =
    testing::Values(over<StoreJob>("Store"), over<StoreJob>("StoreSubset", Of::subset));
INSTANTIATE_TEST_SUITE_P(Plugin, MissingRankSuite, telling, testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
