#include <cstring>
#include <gmock/gmock.h>
#include <stdexcept>
#include <string>

#include <muster/muster.h>

#include "c/handles.hpp"

namespace muster::c {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

/// Rank 0 of 2 of a group in which every round ends as the test wants it.
class Scripted : public Group {
 public:
  Identity identity() const override { return {}; }
  TimePoint now() const override { return Clock::now(); }
  TimePoint resolve(Deadline deadline) const override {
    return deadline.resolve(now(), std::chrono::seconds{7});
  }
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 2; }
  std::uint32_t rank_in_job(std::uint32_t rank) const override { return rank + 40; }
  Result<std::unique_ptr<Group>> subset(std::span<const std::uint32_t>, Deadline) override {
    return Error{.code = Code::unsupported, .what = "no subsets"};
  }
  Result<Parts> arrive(const Call& call, Deadline deadline) override {
    label = call.label;
    left = resolve(deadline) - now();
    if (throws) throw std::runtime_error("a group that throws");
    return parts;
  }

  Parts parts;
  bool throws = false;
  std::string label;
  Duration left{};
};

class CGroupTest : public testing::Test {
 protected:
  std::string last() { return muster_error_text(muster_last_error()); }

  Scripted scripted_;
  muster_group group_{.group = &scripted_};
};

TEST_F(CGroupTest, KnowsItsRanks) {
  EXPECT_EQ(muster_group_size(&group_), 2U);
  EXPECT_EQ(muster_group_rank_in_job(&group_, 1), 41U);
  EXPECT_EQ(muster_group_rank_in_job(&group_, 2), MUSTER_NO_RANK);
}

TEST_F(CGroupTest, LabelAndTimeGoThrough) {
  EXPECT_EQ(muster_barrier(&group_, "here", 100), MUSTER_OK);
  EXPECT_EQ(scripted_.label, "here");
  EXPECT_GT(scripted_.left, std::chrono::seconds{90});
  EXPECT_EQ(muster_barrier(&group_, nullptr, -1), MUSTER_OK);
  EXPECT_EQ(scripted_.label, "");
  EXPECT_LT(scripted_.left, std::chrono::seconds{8});
}

TEST_F(CGroupTest, PartsThatDoNotFitAreNotCopied) {
  char all[8];
  for (const auto& [one, other] : {std::pair{"ab", "c"}, std::pair{"ab", "cdefghijkl"}}) {
    std::memset(all, '-', sizeof all);
    scripted_.parts = Parts({as_bytes(one), as_bytes(other)});
    EXPECT_EQ(muster_allgather(&group_, "ab", 2, all, "x", -1), MUSTER_PROTOCOL);
    EXPECT_THAT(last(), AllOf(HasSubstr("2 bytes a rank"), HasSubstr("a part of ")));
    EXPECT_THAT(all, Each('-'));
  }
  scripted_.parts = Parts({as_bytes("ab"), as_bytes("cd")});
  EXPECT_EQ(muster_allgather(&group_, "ab", 2, all, "x", -1), MUSTER_OK);
  EXPECT_EQ(std::string_view(all, 5), "abcd-");
}

TEST_F(CGroupTest, AnAlltoallOverTheBoundIsRefusedBeforeItIsRead) {
  char all[4];
  for (const std::size_t bytes : {std::size_t{64} << 20, SIZE_MAX / 2 + 2}) {
    EXPECT_EQ(muster_alltoall(&group_, "ab", bytes, all, "x", -1), MUSTER_LIMIT);
    EXPECT_THAT(last(), HasSubstr(std::to_string(bytes)));
  }
  EXPECT_EQ(muster_alltoall(&group_, nullptr, 2, all, "x", -1), MUSTER_INVALID_ARGUMENT);
  EXPECT_THAT(last(), HasSubstr("each"));
}

TEST_F(CGroupTest, OneThatCannotStartARoundSaysSo) {
  muster_call call;
  muster_call_init(&call);
  muster_request* request = nullptr;
  EXPECT_EQ(muster_start(&group_, &call, -1, &request), MUSTER_UNSUPPORTED);
  EXPECT_EQ(request, nullptr);
  call.kind = 99;
  EXPECT_EQ(muster_start(&group_, &call, -1, &request), MUSTER_INVALID_ARGUMENT);
  EXPECT_THAT(last(), HasSubstr("kind is 99"));
}

TEST_F(CGroupTest, OneThatThrowsDoesNotThrowIntoC) {
  scripted_.throws = true;
  EXPECT_EQ(muster_barrier(&group_, "x", -1), MUSTER_SYSTEM);
  EXPECT_THAT(last(), HasSubstr("a group that throws"));
}

TEST_F(CGroupTest, AJobsOwnIsNotFreed) {
  muster_group_free(&group_);
  EXPECT_EQ(muster_barrier(&group_, "x", -1), MUSTER_OK);
}

}  // namespace
}  // namespace muster::c
