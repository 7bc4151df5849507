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
  status.seeking = 3;
  status.seekers = {{"n2", 19, milliseconds{8}}};
  return status;
}

Value without_seekers(const JobStatus& status) {
  Value body;
  encode_without_seekers(status, body);
  return body;
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
  EXPECT_EQ(given.seeking, wanted.seeking);
  ASSERT_EQ(given.seekers.size(), wanted.seekers.size());
  for (std::size_t i = 0; i < given.seekers.size(); ++i) {
    EXPECT_EQ(given.seekers[i].host, wanted.seekers[i].host);
    EXPECT_EQ(given.seekers[i].pid, wanted.seekers[i].pid);
    EXPECT_EQ(given.seekers[i].since, wanted.seekers[i].since);
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
                            "0100 01000000"
                            "03000000 0100 0200 6e32 13000000 0800000000000000"));
}

TEST(StatusMessages, StatusComesBack) {
  const Value body = body_of(sample());
  const auto decoded = decode_status(body);
  ASSERT_TRUE(decoded);
  expect_same(*decoded, sample());
  survive_noise(body, decode_status);
  Value longer = body;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_status(longer));

  const Value empty = body_of(JobStatus{});
  ASSERT_TRUE(decode_status(empty));
  expect_same(*decode_status(empty), JobStatus{});
}

TEST(StatusMessages, AnOlderServersStatusEndsBehindItsRounds) {
  JobStatus wanted = sample();
  const Value body = without_seekers(wanted);
  wanted.seeking = 0;
  wanted.seekers.clear();
  ASSERT_TRUE(decode_status(body));
  expect_same(*decode_status(body), wanted);
  expect_exact(without_seekers(JobStatus{}), [](Bytes bytes) { return decode_status(bytes); });
  // Between the two forms there is none.
  const Value whole = body_of(sample());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(decode_status(Bytes(whole).first(length)).has_value(), length == body.size())
        << length;
  }
}

TEST(StatusMessages, AtMostTheLimitOfSeekersIsNamed) {
  JobStatus status;
  status.seeking = 1000;
  status.seekers.resize(limits::named_ranks_max + 1);
  Value body = body_of(status);
  ASSERT_TRUE(decode_status(body));
  EXPECT_EQ(decode_status(body)->seekers.size(), limits::named_ranks_max);
  EXPECT_EQ(decode_status(body)->seeking, 1000U);

  const std::size_t one = 2 + 4 + 8;  // an empty host, pid, time
  const std::size_t count_at = body.size() - limits::named_ranks_max * one - 2;
  body[count_at] = static_cast<std::byte>(limits::named_ranks_max + 1);
  body.resize(body.size() + one);
  EXPECT_FALSE(decode_status(body)) << "one more than the limit";

  status.seeking = 1;
  EXPECT_FALSE(decode_status(body_of(status))) << "more names than processes";
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
  Value state = without_seekers(status);
  state[state.size() - 4 - 2 - 8 - 1] = std::byte{5};
  EXPECT_FALSE(decode_status(state));
}

TEST(Names, OfKindsStatesAndStages) {
  EXPECT_STREQ(name(Kind::barrier), "barrier");
  EXPECT_STREQ(name(Kind::exchange), "exchange");
  EXPECT_STREQ(name(Kind::scatter), "scatter");
  EXPECT_STREQ(name(Kind::alltoall), "alltoall");
  EXPECT_STREQ(name(Kind{0}), "unknown");
  EXPECT_STREQ(name(Kind{9}), "unknown");
  EXPECT_STREQ(name(State::absent), "absent");
  EXPECT_STREQ(name(State::failed), "failed");
  EXPECT_STREQ(name(State{5}), "unknown");
  EXPECT_STREQ(name(JobStatus::Stage::gathering), "gathering");
  EXPECT_STREQ(name(JobStatus::Stage::doomed), "doomed");
  EXPECT_STREQ(name(JobStatus::Stage{5}), "unknown");
}

}  // namespace
}  // namespace muster::wire
