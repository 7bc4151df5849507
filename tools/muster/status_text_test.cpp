#include "status_text.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace muster::tool {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

RosterRow row(std::uint32_t rank, State state, std::string waiting_in = {}) {
  return {.who = {.rank = rank, .host = "node7", .pid = 4700 + rank},
          .state = state,
          .since = 90s,
          .waiting_in = std::move(waiting_in)};
}

/// Seven of eight ranks in a barrier, and rank 6 not.
JobStatus stuck() {
  JobStatus status{.job = "train-7",
                   .incarnation = "00000000000000ff",
                   .size = 8,
                   .stage = JobStatus::Stage::running,
                   .joined = 8,
                   .keys = 3,
                   .age = 3725s};
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    status.rows.push_back(row(rank, State::joined, rank == 6 ? "" : "barrier 'epoch end' #17"));
  }
  status.rounds.push_back(
      {.sequence = 17, .what = "barrier 'epoch end'", .arrived = 7, .age = 12s, .missing = {6}});
  return status;
}

TEST(StatusText, puts_ranks_that_do_the_same_into_one_line) {
  EXPECT_EQ(status_text(stuck()),
            "job 'train-7' is running: 8 of 8 ranks are in; 3 keys; 1 h 2 min old\n"
            "  ranks 0-5, 7: in barrier 'epoch end' #17 for 12 s\n"
            "  rank 6 (host node7, pid 4706): running\n"
            "open rounds:\n"
            "  barrier 'epoch end' #17: 7 have arrived, the first 12 s ago; missing: 6\n");
}

TEST(StatusText, says_who_has_not_joined) {
  JobStatus status{.job = "a", .size = 4, .joined = 2, .age = 61s};
  status.rows = {
      row(0, State::joined), row(1, State::joined), {.who = {.rank = 2}}, {.who = {.rank = 3}}};
  EXPECT_EQ(status_text(status),
            "job 'a' is gathering: 2 of 4 ranks are in; 0 keys; 1 min 1 s old\n"
            "  ranks 0-1: running\n"
            "  ranks 2-3: absent, not joined yet\n");
}

TEST(StatusText, says_why_a_job_failed_and_over_whom) {
  JobStatus status{.job = "a", .size = 2, .stage = JobStatus::Stage::doomed};
  status.failure = Failure{.code = Code::rank_lost, .reason = "rank 1 is lost", .advice = "look"};
  status.rows = {row(0, State::joined), row(1, State::lost)};
  status.rows[1].who.detail = "connection reset";
  const std::string text = status_text(status);
  EXPECT_THAT(text, HasSubstr("failed: rank 1 is lost (look)\n"));
  EXPECT_THAT(text, HasSubstr("  rank 1 (host node7, pid 4701): lost: connection reset\n"));
}

TEST(StatusText, a_size_that_nobody_has_said_is_not_shown_as_0) {
  EXPECT_THAT(status_text({.job = "a"}), HasSubstr("0 ranks are in, nobody has said of how many"));
}

TEST(StatusText, says_who_waits_for_a_rank_and_how_many_more) {
  JobStatus status{.job = "a", .size = 9, .joined = 1, .age = 61s};
  status.rows = {row(0, State::joined, "join"), {.who = {.rank = 1}}};
  status.seeking = 5;
  status.seekers = {{"node8", 71, 20s}, {"node7", 51, 12s}, {"node8", 72, 3s}};
  EXPECT_EQ(status_text(status),
            "job 'a' is gathering: 1 of 9 ranks are in; 0 keys; 1 min 1 s old\n"
            "  rank 0 (host node7, pid 4700): in join\n"
            "  rank 1: absent, not joined yet\n"
            "waiting to be given a rank: 5\n"
            "  host node7: pid 51; the first for 12 s\n"
            "  host node8: pid 71, pid 72; the first for 20 s\n"
            "  and 2 more\n");
}

TEST(StatusJson, has_every_field) {
  auto status = stuck();
  status.failure = Failure{.code = Code::rank_lost,
                           .reason = "r",
                           .advice = "a",
                           .who = {{.rank = no_rank, .detail = "d"}},
                           .exit_code = 70};
  status.seeking = 2;
  status.seekers = {{"node8", 71, 20s}};
  const auto json = nlohmann::json::parse(status_json(status, "tcp://127.0.0.1:4711"));
  EXPECT_EQ(json["job"], "train-7");
  EXPECT_EQ(json["url"], "tcp://127.0.0.1:4711");
  EXPECT_EQ(json["incarnation"], "00000000000000ff");
  EXPECT_EQ(json["stage"], "running");
  EXPECT_EQ(json["size"], 8);
  EXPECT_EQ(json["joined"], 8);
  EXPECT_EQ(json["keys"], 3);
  EXPECT_EQ(json["age_ms"], 3725000);
  EXPECT_EQ(json["failure"]["code"], "rank_lost");
  EXPECT_EQ(json["failure"]["exit_code"], 70);
  EXPECT_TRUE(json["failure"]["who"][0]["rank"].is_null());
  ASSERT_EQ(json["ranks"].size(), 8U);
  EXPECT_EQ(json["ranks"][6]["pid"], 4706);
  EXPECT_EQ(json["ranks"][6]["state"], "joined");
  EXPECT_EQ(json["ranks"][0]["waiting_in"], "barrier 'epoch end' #17");
  EXPECT_EQ(json["rounds"][0]["group"], "world");
  EXPECT_EQ(json["rounds"][0]["missing"], nlohmann::json::array({6}));
  EXPECT_EQ(json["seeking"], 2);
  ASSERT_EQ(json["seekers"].size(), 1U);
  EXPECT_EQ(json["seekers"][0]["host"], "node8");
  EXPECT_EQ(json["seekers"][0]["pid"], 71);
  EXPECT_EQ(json["seekers"][0]["since_ms"], 20000);
}

TEST(StatusJson, without_a_failure_it_is_null) {
  EXPECT_TRUE(nlohmann::json::parse(status_json(stuck(), ""))["failure"].is_null());
}

TEST(StatusJson, is_valid_whatever_a_peer_called_itself) {
  auto status = stuck();
  status.rows[0].who.host = "\xff\"\n";
  const auto json = nlohmann::json::parse(status_json(status, ""));
  EXPECT_EQ(json["ranks"][0]["host"], "\uFFFD\"\n");
}

}  // namespace
}  // namespace muster::tool
