#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <muster/plugin_group.hpp>

#include "conformance/group_suite.hpp"
#include "support/temp_dir.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;

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
class PluginRanks : public Ranks {
 public:
  void run(std::uint32_t size, const std::function<void(Group&)>& body) override {
    JobKind job(size);
    std::vector<std::unique_ptr<PluginGroup>> groups(size);
    std::vector<std::jthread> ranks;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] {
        PluginOptions options;
        options.rank = rank;
        options.size = size;
        auto group = job.join(options);
        ASSERT_TRUE(group) << group.error().text();
        groups[rank] = *std::move(group);
        body(*groups[rank]);
      });
    }
    ranks.clear();
    join_beside();
    for (auto& group : groups) {
      if (group) ranks.emplace_back([&group] { EXPECT_TRUE(group->leave()); });
    }
  }

  void beside(std::function<void()> also) override {
    const std::lock_guard lock(mutex_);
    beside_.emplace_back(std::move(also));
  }

  void wait_until(const std::function<bool()>& condition) override {
    std::unique_lock lock(mutex_);
    while (!condition()) look_again_.wait_for(lock, 1ms);
  }

 private:
  void join_beside() {
    std::vector<std::jthread> threads;
    const std::lock_guard lock(mutex_);
    threads.swap(beside_);
  }

  std::mutex mutex_;
  std::condition_variable look_again_;
  std::vector<std::jthread> beside_;
};

template <class JobKind>
RanksOver over(std::string name, Of of = Of::world, bool tells_missing = true) {
  return {std::move(name), of, [] { return std::make_unique<PluginRanks<JobKind>>(); },
          tells_missing};
}

const auto groups =
    testing::Values(over<StoreJob>("Store"), over<StoreJob>("StoreSubset", Of::subset),
                    over<CallbackJob>("Callback", Of::world, false));
INSTANTIATE_TEST_SUITE_P(Plugin, BasicGroupSuite, groups, testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Plugin, GroupSuite, groups, testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
