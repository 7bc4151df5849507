#include <atomic>
#include <filesystem>
#include <gmock/gmock.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <muster/muster.h>

#include "c/handles.hpp"

namespace muster::c {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string last_text() {
  return muster_error_text(muster_last_error());
}

class CInstancesTest : public testing::Test {
 protected:
  CInstancesTest() {
    std::string name = testing::TempDir() + "muster-instances-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~CInstancesTest() override {
    for (std::uint32_t id = 0; id < 8; ++id) muster_instance_finalize(id, 0);
    std::filesystem::remove_all(folder_);
  }

  /// Joins as the only rank of a job of its own.
  muster_status join(std::uint32_t id) {
    const std::string url = "unix://" + folder_ + "/" + std::to_string(id);
    muster_join_options options;
    muster_join_options_init(&options);
    options.ignore_environment = 1;
    options.url = url.c_str();
    options.rank = 0;
    options.size = 1;
    options.log = [](void* lines, int, const char* line) {
      *static_cast<std::string*>(lines) += line;
    };
    options.log_context = &log_;
    return muster_instance_join(id, &options);
  }

  std::string folder_;
  std::string log_;
};

TEST_F(CInstancesTest, AreJobsByNumber) {
  ASSERT_EQ(join(3), MUSTER_OK) << last_text();
  ASSERT_EQ(join(0), MUSTER_OK) << last_text();
  muster_job* job = muster_instance_job(3);
  ASSERT_NE(job, nullptr);
  EXPECT_NE(job, muster_instance_job(0));
  EXPECT_EQ(muster_instance_job(4), nullptr);
  EXPECT_EQ(muster_barrier(muster_job_world(job), "x", -1), MUSTER_OK);
  EXPECT_EQ(muster_instance_finalize(3, -1), MUSTER_OK);
  EXPECT_EQ(muster_instance_job(3), nullptr);
  EXPECT_NE(muster_instance_job(0), nullptr);
  EXPECT_EQ(join(3), MUSTER_OK) << "again: " << last_text();
}

TEST_F(CInstancesTest, OneThatIsThereIsWarnedOfAndWell) {
  ASSERT_EQ(join(1), MUSTER_OK) << last_text();
  muster_job* before = muster_instance_job(1);
  EXPECT_THAT(log_, Not(HasSubstr("already")));
  EXPECT_EQ(join(1), MUSTER_OK);
  EXPECT_THAT(log_, HasSubstr("instance 1 is there already"));
  EXPECT_EQ(muster_instance_job(1), before);
}

TEST_F(CInstancesTest, OneThatIsNotThereCannotBeFinalized) {
  EXPECT_EQ(muster_instance_finalize(5, -1), MUSTER_INVALID_ARGUMENT);
  EXPECT_THAT(last_text(), HasSubstr("there is no instance 5"));
  ASSERT_EQ(join(5), MUSTER_OK);
  EXPECT_EQ(muster_instance_finalize(5, -1), MUSTER_OK);
  EXPECT_EQ(muster_instance_finalize(5, -1), MUSTER_INVALID_ARGUMENT) << "twice";
}

TEST_F(CInstancesTest, NumbersBeyondTheReferences255AreNumbersToo) {
  EXPECT_EQ(join(4'000'000'000U), MUSTER_OK) << last_text();
  EXPECT_EQ(muster_instance_finalize(4'000'000'000U, -1), MUSTER_OK);
}

TEST_F(CInstancesTest, AFailedJoinLeavesItsNumberFree) {
  muster_join_options options;
  muster_join_options_init(&options);
  options.ignore_environment = 1;
  EXPECT_EQ(muster_instance_join(2, &options), MUSTER_INVALID_ARGUMENT);
  EXPECT_EQ(muster_instance_job(2), nullptr);
  EXPECT_EQ(join(2), MUSTER_OK) << last_text();
}

TEST_F(CInstancesTest, ANumberIsItsPlaceInThePortRange) {
  muster_join_options options;
  muster_join_options_init(&options);
  options.ignore_environment = 1;
  options.url = "tcp://127.0.0.1:0";
  options.rank = 0;
  options.size = 1;
  options.port_first = 30000;
  options.port_last = 30005;
  EXPECT_EQ(muster_instance_join(6, &options), MUSTER_INVALID_ARGUMENT);
  EXPECT_THAT(last_text(), AllOf(HasSubstr("instance 6"), HasSubstr("30000:30005")));
}

TEST_F(CInstancesTest, OfSeveralThreadsAreIndependent) {
  std::atomic<int> well = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t id = 0; id < 8; ++id) {
    threads.emplace_back([&, id] {
      const std::string url = "unix://" + folder_ + "/t" + std::to_string(id);
      muster_join_options options;
      muster_join_options_init(&options);
      options.ignore_environment = 1;
      options.url = url.c_str();
      options.rank = 0;
      options.size = 1;
      for (int i = 0; i < 5; ++i) {
        const bool good =
            muster_instance_join(id, &options) == MUSTER_OK &&
            muster_barrier(muster_job_world(muster_instance_job(id)), "x", -1) == MUSTER_OK &&
            muster_instance_finalize(id, -1) == MUSTER_OK;
        well += good ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(well, 8 * 5);
}

TEST_F(CInstancesTest, AForkedChildHasNone) {
  ASSERT_EQ(join(1), MUSTER_OK);
  const pid_t child = fork();
  if (child == 0) {
    if (muster_instance_job(1) != nullptr) _exit(1);
    _exit(muster_instance_finalize(1, -1) == MUSTER_INVALID_ARGUMENT ? 0 : 2);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(muster_instance_finalize(1, -1), MUSTER_OK);
}

}  // namespace
}  // namespace muster::c
