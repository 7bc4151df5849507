// A whole job whose ranks find each other by a plugin: the store's, which is always there.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <string>
#include <thread>
#include <vector>

#include <muster/job.hpp>
#include <muster/plugin_group.hpp>

#include "support/temp_dir.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class JoinByPlugin : public testing::Test {
 protected:
  JoinOptions options(std::uint32_t rank, std::uint32_t size) {
    JoinOptions options;
    options.plugin = "store";
    options.plugin_argument = const_cast<char*>(url_.c_str());
    options.rank = rank;
    options.size = size;
    options.join_timeout = 20s;
    options.operation_timeout = 20s;
    options.log = [](LogLevel, std::string_view) {};
    return options;
  }

  void run(std::uint32_t size, const std::function<void(std::uint32_t)>& body) {
    std::vector<std::jthread> ranks;
    for (std::uint32_t rank = 0; rank < size; ++rank) ranks.emplace_back([&, rank] { body(rank); });
  }

  support::TempDir directory_;
  std::string url_ = directory_.unix_url();
};

TEST_F(JoinByPlugin, Rank0ServesWhereAllCanReachIt) {
  run(3, [this](std::uint32_t rank) {
    auto job = Job::join(options(rank, 3));
    ASSERT_TRUE(job) << job.error().text();
    EXPECT_EQ(job->rank(), rank);
    EXPECT_THAT(std::string(job->url()), testing::StartsWith("tcp"));
    EXPECT_TRUE(job->world().barrier("all in"));
    const auto left = job->leave();
    EXPECT_TRUE(left) << left.error().text();
  });
}

TEST_F(JoinByPlugin, AnAddressThatIsGivenIsUsed) {
  const std::string url = directory_.unix_url("job");
  run(2, [&](std::uint32_t rank) {
    JoinOptions given = options(rank, 2);
    given.url = url;
    auto job = Job::join(given);
    ASSERT_TRUE(job) << job.error().text();
    EXPECT_EQ(job->url(), url);
    EXPECT_TRUE(job->leave());
  });
}

TEST_F(JoinByPlugin, IfRank0CannotServeAllAreToldWhy) {
  setenv("MUSTER_UID_IFNAME", "=nosuch0", 1);
  run(3, [this](std::uint32_t rank) {
    const auto job = Job::join(options(rank, 3));
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().code, Code::invalid_argument);
    EXPECT_THAT(job.error().what,
                AllOf(HasSubstr("rank 0 can't serve the job"), HasSubstr("MUSTER_UID_IFNAME")));
  });
  unsetenv("MUSTER_UID_IFNAME");
}

TEST_F(JoinByPlugin, APluginThatIsNotThereIsTheError) {
  JoinOptions wrong = options(0, 1);
  wrong.plugin = "absent";
  EXPECT_THAT(Job::join(wrong).error().what, HasSubstr("there is no plugin 'absent'"));
}

TEST_F(JoinByPlugin, ARankThatOnlySomeKnowIsRefused) {
  setenv("MUSTER_RANK", "0", 1);
  setenv("MUSTER_SIZE", "1", 1);
  JoinOptions wrong = options(3, 1);
  wrong.size.reset();
  const auto job = Job::join(wrong);
  unsetenv("MUSTER_RANK");
  unsetenv("MUSTER_SIZE");
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().what, HasSubstr("rank is 3, but plugin store"));
}

TEST_F(JoinByPlugin, TheStorePluginMakesUniqueIds) {
  setenv("MUSTER_UID_SESSION_ID", "127.0.0.1:0", 1);
  const Value id = make_plugin_id("store").value();
  unsetenv("MUSTER_UID_SESSION_ID");
  run(2, [&](std::uint32_t rank) {
    PluginOptions joining;
    joining.unique_id = id;
    joining.rank = rank;
    joining.size = 2;
    auto group = make_plugin_group("store", joining);
    ASSERT_TRUE(group) << group.error().text();
    EXPECT_TRUE((*group)->barrier("both"));
    EXPECT_TRUE((*group)->leave());
  });
}

}  // namespace
}  // namespace muster
