#include "wire/status_messages.hpp"

#include <gtest/gtest.h>
#include <string>

#include <muster/kind.hpp>

#include "base/limits.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

using std::chrono::milliseconds;

JobStatus sample() {
  JobStatus status;
  status.job = "train";
  status.incarnation = "00000000000000aa";
  status.size = 2;
  status.stage = JobStatus::Stage::running;
  status.joined = 1;
  status.keys = 3;
  status.age = milliseconds{5000};
  status.failure = Failure{Code::rank_lost, "x", "", {}, 1};
  status.rows = {{{0, "n0", 17, ""}, State::joined, milliseconds{9}, "get 'a'"},
                 {{1, "", 0, "?"}, State::lost, milliseconds{0}, ""}};
  status.rounds = {{0, 4, "barrier 'b'", 1, milliseconds{7}, {1}}};
  return status;
}

void expect_same(const JobStatus& given, const JobStatus& wanted) {
  EXPECT_EQ(given.job, wanted.job);
  EXPECT_EQ(given.incarnation, wanted.incarnation);
  EXPECT_EQ(given.size, wanted.size);
  EXPECT_EQ(given.stage, wanted.stage);
  EXPECT_EQ(given.joined, wanted.joined);
  EXPECT_EQ(given.keys, wanted.keys);
  EXPECT_EQ(given.age, wanted.age);
  EXPECT_EQ(given.failure, wanted.failure);
  ASSERT_EQ(given.rows.size(), wanted.rows.size());
  for (std::size_t i = 0; i < given.rows.size(); ++i) {
    EXPECT_EQ(given.rows[i].who, wanted.rows[i].who);
    EXPECT_EQ(given.rows[i].state, wanted.rows[i].state);
    EXPECT_EQ(given.rows[i].since, wanted.rows[i].since);
    EXPECT_EQ(given.rows[i].waiting_in, wanted.rows[i].waiting_in);
  }
  ASSERT_EQ(given.rounds.size(), wanted.rounds.size());
  for (std::size_t i = 0; i < given.rounds.size(); ++i) {
    EXPECT_EQ(given.rounds[i].group, wanted.rounds[i].group);
    EXPECT_EQ(given.rounds[i].sequence, wanted.rounds[i].sequence);
    EXPECT_EQ(given.rounds[i].what, wanted.rounds[i].what);
    EXPECT_EQ(given.rounds[i].arrived, wanted.rounds[i].arrived);
    EXPECT_EQ(given.rounds[i].age, wanted.rounds[i].age);
    EXPECT_EQ(given.rounds[i].missing, wanted.rounds[i].missing);
  }
}

TEST(StatusMessages, RequestBytes) {
  const Value body = body_of(StatusRequest{5, 10});
  EXPECT_EQ(body, from_spaced_hex("05000000 0a000000"));
  const auto decoded = decode_status_request(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->first_rank, 5U);
  EXPECT_EQ(decoded->rows_max, 10U);
  expect_exact(body, decode_status_request);
  survive_noise(body, decode_status_request);
}

TEST(StatusMessages, StatusBytes) {
  JobStatus status = sample();
  status.rows.resize(1);
  EXPECT_EQ(body_of(status),
            from_spaced_hex("0500 747261696e 1000 30303030303030303030303030306161"
                            "02000000 01 01000000 0300000000000000 8813000000000000"
                            "0d000000 0d00 01000000 0100 78 0000 0000"
                            "01000000"
                            "00000000 0200 6e30 11000000 0000 01 0900000000000000"
                            "0700 676574202761 27"
                            "01000000 0000000000000000 0400000000000000"
                            "0b00 62617272696572202762 27 01000000 0700000000000000"
                            "0100 01000000"));
}

TEST(StatusMessages, StatusComesBack) {
  const Value body = body_of(sample());
  const auto decoded = decode_status(body);
  ASSERT_TRUE(decoded);
  expect_same(*decoded, sample());
  expect_exact(body, decode_status);
  survive_noise(body, decode_status);

  const Value empty = body_of(JobStatus{});
  ASSERT_TRUE(decode_status(empty));
  expect_same(*decode_status(empty), JobStatus{});
  expect_exact(empty, decode_status);
}

TEST(StatusMessages, ARoundNamesAtMostTheLimitOfItsMissingRanks) {
  JobStatus status;
  status.rounds.resize(1);
  status.rounds[0].missing.resize(limits::named_ranks_max + 1, 8);
  const auto decoded = decode_status(body_of(status));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->rounds[0].missing.size(), limits::named_ranks_max);
}

TEST(StatusMessages, TextsAreCutAndPrintable) {
  JobStatus status;
  status.job = std::string(limits::text_bytes_max + 1, 'j');
  status.incarnation = "a\x1b";
  const auto decoded = decode_status(body_of(status));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->job.size(), limits::text_bytes_max);
  EXPECT_EQ(decoded->incarnation, "a?");
}

TEST(StatusMessages, UnknownStatesAndTimesWithoutMeaningAreRefused) {
  const Value good = body_of(JobStatus{});
  Value stage = good;
  stage[8] = std::byte{5};
  EXPECT_FALSE(decode_status(stage));
  Value age = good;
  age[28] = std::byte{0x80};
  EXPECT_FALSE(decode_status(age));

  JobStatus status;
  status.age = milliseconds{-5};
  status.rows.resize(1);
  EXPECT_EQ(decode_status(body_of(status))->age, milliseconds{0});
  Value state = body_of(status);
  state[state.size() - 4 - 2 - 8 - 1] = std::byte{5};
  EXPECT_FALSE(decode_status(state));
}

TEST(Names, OfKindsStatesAndStages) {
  EXPECT_STREQ(name(Kind::barrier), "barrier");
  EXPECT_STREQ(name(Kind::exchange), "exchange");
  EXPECT_STREQ(name(Kind::scatter), "scatter");
  EXPECT_STREQ(name(Kind{0}), "unknown");
  EXPECT_STREQ(name(Kind{8}), "unknown");
  EXPECT_STREQ(name(State::absent), "absent");
  EXPECT_STREQ(name(State::failed), "failed");
  EXPECT_STREQ(name(State{5}), "unknown");
  EXPECT_STREQ(name(JobStatus::Stage::gathering), "gathering");
  EXPECT_STREQ(name(JobStatus::Stage::doomed), "doomed");
  EXPECT_STREQ(name(JobStatus::Stage{5}), "unknown");
}

}  // namespace
}  // namespace muster::wire
