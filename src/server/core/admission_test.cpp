#include "server/core/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace muster::server {
namespace {

using ::testing::HasSubstr;

const TimePoint now = TimePoint{} + std::chrono::hours{1};

class Admission : public ::testing::Test {
 protected:
  Admission() {
    options.job = "red";
    options.incarnation.number = 7;
    options.epoch.bytes[0] = std::byte{1};
    options.host = "s";
    options.pid = 9;
    roster.set_size(3, now);
    roster.join({0}, 1, {.pid = 11, .host = "a"}, now);
  }
  Verdict ask(const wire::ClientHello& hello) { return judge(hello, options, roster, standing); }
  Verdict::Kind kind(const wire::ClientHello& hello) { return ask(hello).kind; }
  std::string reason(const wire::ClientHello& hello) { return ask(hello).failure.reason; }

  CoreOptions options;
  Roster roster;
  Standing standing;
  wire::ClientHello good{.size = 3, .pid = 12, .host = "b", .ranks = {{1, 1}}};
  wire::ClientHello tool{.role = wire::Role::tool};
};

TEST_F(Admission, WelcomesWhoSaysNothingWrong) {
  EXPECT_EQ(kind(good), Verdict::Kind::welcome);
  good.job = "red";
  good.incarnation.number = 7;
  good.epoch = options.epoch;
  EXPECT_EQ(kind(good), Verdict::Kind::welcome);
  EXPECT_EQ(kind(tool), Verdict::Kind::welcome);
}

/// Everything is wrong; what was checked is mended, one after the other.
TEST_F(Admission, ChecksInAFixedOrder) {
  wire::ClientHello hello{.version_min = 2,
                          .version_max = 3,
                          .incarnation = {6},
                          .epoch = Epoch{},
                          .size = 4,
                          .job = "blue",
                          .ranks = {{0, 1}}};
  EXPECT_EQ(check_version(hello)->reason, "this server speaks version 1, you speak 2 to 3");
  hello.version_min = 1;
  EXPECT_FALSE(check_version(hello));
  EXPECT_EQ(reason(hello), "this is job 'red', you belong to job 'blue'");
  hello.job = "red";
  EXPECT_THAT(reason(hello), HasSubstr("you belong to incarnation 0000000000000006"));
  hello.incarnation.number = 0;
  EXPECT_THAT(reason(hello), HasSubstr("the epoch of job 'red' is 0100"));
  hello.epoch.reset();
  EXPECT_THAT(reason(hello), HasSubstr("4 ranks"));
  hello.size = 3;
  EXPECT_THAT(reason(hello), HasSubstr("rank 0 is claimed twice"));
  hello.ranks = {{1, 2}};
  EXPECT_EQ(kind(hello), Verdict::Kind::welcome);
}

TEST_F(Admission, StrangersConcernThemselvesAlone) {
  good.job = "blue";
  EXPECT_EQ(kind(good), Verdict::Kind::refuse);
  tool.job = "blue";
  EXPECT_EQ(kind(tool), Verdict::Kind::refuse);
}

TEST_F(Admission, AnotherSizeDoomsAJobThatIsNotComplete) {
  good.size = 4;
  const Verdict verdict = ask(good);
  EXPECT_EQ(verdict.kind, Verdict::Kind::doom);
  EXPECT_EQ(verdict.failure.code, Code::refused);
  ASSERT_EQ(verdict.failure.who.size(), 2U);
  EXPECT_EQ(verdict.failure.who[0].text(), "rank 1 (host b, pid 12): says 4 ranks");
  EXPECT_EQ(verdict.failure.who[1].text(), "rank 0 (host a, pid 11): says 3 ranks");
  standing.complete = true;
  EXPECT_EQ(kind(good), Verdict::Kind::refuse);
}

TEST_F(Admission, ARankThatIsTakenDoomsAJobThatIsNotComplete) {
  good.ranks = {{0, 2}};
  const Verdict verdict = ask(good);
  EXPECT_EQ(verdict.kind, Verdict::Kind::doom);
  EXPECT_EQ(verdict.failure.reason,
            "rank 0 is claimed twice: by host a, pid 11, and by host b, pid 12");
  standing.complete = true;
  EXPECT_EQ(kind(good), Verdict::Kind::refuse);
}

TEST_F(Admission, ARankThatIsGoneDoesNotComeAgain) {
  good.ranks = {{0, 1}};
  standing.complete = true;
  roster.set_state({0}, State::left, now);
  EXPECT_EQ(reason(good), "rank 0 has been in the job before, as host a, pid 11, and left");
  roster.set_state({0}, State::lost, now);
  EXPECT_EQ(reason(good), "rank 0 has been in the job before, as host a, pid 11, and was lost");
}

TEST_F(Admission, NonsenseIsRefusedAlone) {
  const auto refused = [&](wire::ClientHello hello, const char* text) {
    const Verdict verdict = ask(hello);
    EXPECT_EQ(verdict.kind, Verdict::Kind::refuse) << text;
    EXPECT_THAT(verdict.failure.reason, HasSubstr(text));
  };
  refused({.size = 0, .ranks = {{1, 1}}}, "a job has 1 to 1000000 ranks, you say 0");
  refused({.size = limits::ranks_max + 1, .ranks = {{1, 1}}}, "you say 1000001");
  refused({.size = 3}, "name none");
  refused({.size = 3, .ranks = {{1, 0}}}, "empty range");
  refused({.size = 3, .ranks = {{3, 1}}}, "rank 3 does not exist in a job of 3");
  refused({.size = 3, .ranks = {{1, 0xffffffff}}}, "does not exist in a job of 3");
  refused({.size = 3, .ranks = {{1, 2}, {0, 2}}}, "overlap at rank 1");
}

TEST_F(Admission, TheLargestSizeIsGood) {
  const Roster fresh;
  const wire::ClientHello hello{.size = limits::ranks_max, .ranks = {{limits::ranks_max - 1, 1}}};
  EXPECT_EQ(judge(hello, options, fresh, standing).kind, Verdict::Kind::welcome);
}

TEST_F(Admission, ADoomedOrEndedJobTakesToolsOnly) {
  const Failure failure{.code = Code::rank_missing, .reason = "nobody came"};
  standing.failure = &failure;
  EXPECT_EQ(ask(good).failure, failure);
  EXPECT_EQ(kind(good), Verdict::Kind::refuse);
  EXPECT_EQ(kind(tool), Verdict::Kind::welcome);
  standing = {.complete = true, .over = true};
  EXPECT_EQ(reason(good), "job 'red' has ended");
  wire::ClientHello early = good;
  early.job.clear();
  early.incarnation = {};
  EXPECT_EQ(ask(early).failure.code, Code::unreachable) << "perhaps the next job is its";
  wire::ClientHello late = early;
  late.incarnation = options.incarnation;
  EXPECT_EQ(ask(late).failure.code, Code::refused);
  early.job = "red";
  EXPECT_EQ(ask(early).failure.code, Code::refused);
  EXPECT_EQ(kind(tool), Verdict::Kind::welcome);
}

}  // namespace
}  // namespace muster::server
