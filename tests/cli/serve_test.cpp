// `muster serve`, and what reaches a job from outside: `muster status`, `muster kv`.
#include <csignal>

#include <nlohmann/json.hpp>

#include "cli/cli.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Serve : public Cli {
 protected:
  /// Starts a server and reads where it listens.
  Process serve(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "serve");
    Process server = start(std::move(arguments));
    EXPECT_TRUE(server.wait_for_out("\n"));
    url_ = lines(server.out()).front();
    return server;
  }
  Process rank(int number, int size, std::vector<std::string> options = {}) {
    options.insert(options.begin(), program("hello"));
    return Process::run(options, {{"MUSTER_URL", url_},
                                  {"MUSTER_SERVE", "external"},
                                  {"MUSTER_RANK", std::to_string(number)},
                                  {"MUSTER_SIZE", std::to_string(size)}});
  }
  Ended kv(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"kv", url_});
    return muster(std::move(arguments));
  }

  std::string url_;
};

TEST_F(Serve, holds_a_job_and_ends_well_with_it) {
  Process server = serve({"tcp://127.0.0.1:0", "--size", "2"});
  EXPECT_THAT(url_, StartsWith("tcp://127.0.0.1:"));
  EXPECT_NE(url_, "tcp://127.0.0.1:0");
  Process first = rank(0, 2);
  Process second = rank(1, 2);
  EXPECT_TRUE(first.wait().well()) << first.wait();
  EXPECT_TRUE(second.wait().well()) << second.wait();
  const Ended ended = server.wait();
  EXPECT_TRUE(ended.well()) << ended;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Serve, status_says_who_waits_to_be_given_a_rank) {
  Process server = serve({"tcp://127.0.0.1:0", "--size", "2"});
  Process waits = Process::run({program("hello")}, {{"MUSTER_URL", url_},
                                                    {"MUSTER_SERVE", "external"},
                                                    {"MUSTER_RANK", "any"},
                                                    {"MUSTER_SIZE", "2"}});
  nlohmann::json seen;
  for (const TimePoint end = Clock::now() + support::patience; Clock::now() < end;) {
    seen = nlohmann::json::parse(muster({"status", url_, "--json"}).out);
    if (seen["seeking"] == 1) break;
  }
  ASSERT_EQ(seen["seeking"], 1);
  EXPECT_EQ(seen["seekers"][0]["pid"], waits.pid());
  EXPECT_THAT(muster({"status", url_}).out,
              AllOf(HasSubstr("0 of 2 ranks are in"), HasSubstr("waiting to be given a rank: 1\n"),
                    HasSubstr("pid " + std::to_string(waits.pid()) + "; the first for ")));
  Process other = rank(0, 2);
  EXPECT_TRUE(waits.wait().well()) << waits.wait();
  EXPECT_TRUE(other.wait().well()) << other.wait();
  EXPECT_TRUE(server.wait().well());
}

TEST_F(Serve, ends_with_1_and_the_reason_when_the_job_fails) {
  Process server = serve({home_.unix_url(), "--size", "2"});
  Process first = rank(0, 2);
  Process second = rank(1, 2, {"--die-rank", "1"});
  EXPECT_EQ(second.wait().signal, SIGKILL);
  EXPECT_EQ(first.wait().exit_code, 1);
  const Ended ended = server.wait();
  EXPECT_EQ(ended.exit_code, 1) << ended;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("failed: "), HasSubstr("rank 1")));
}

TEST_F(Serve, ends_with_70_when_its_ranks_do_not_agree) {
  Process server = serve({"tcp://127.0.0.1:0", "--size", "2"});
  Process first = rank(0, 2);
  Process second = rank(1, 2, {"--drift-rank", "1"});
  EXPECT_EQ(first.wait().exit_code, 70);
  EXPECT_EQ(second.wait().exit_code, 70);
  const Ended ended = server.wait();
  EXPECT_EQ(ended.exit_code, 70) << ended;
  EXPECT_THAT(ended.err, HasSubstr("learning_rate"));
}

TEST_F(Serve, ends_with_1_when_the_last_rank_goes_without_a_word) {
  Process server = serve({"tcp://127.0.0.1:0", "--size", "1"});
  EXPECT_EQ(rank(0, 1, {"--die-rank", "0"}).wait().signal, SIGKILL);
  const Ended ended = server.wait();
  EXPECT_EQ(ended.exit_code, 1) << ended;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("failed: "), HasSubstr("rank 0"), HasSubstr("lost")));
}

TEST_F(Serve, ends_with_128_and_the_signal_that_ends_it) {
  Process server = serve({home_.unix_url()});
  server.send_signal(SIGTERM);
  const Ended ended = server.wait();
  EXPECT_EQ(ended.exit_code, 128 + SIGTERM) << ended;
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Serve, keeps_on_with_the_next_job_on_request) {
  Process server = serve({home_.unix_url(), "--size", "1", "--keep"});
  for (int job = 0; job < 3; ++job) {
    Process only = rank(0, 1);
    EXPECT_TRUE(only.wait().well()) << only.wait();
  }
  server.send_signal(SIGINT);
  EXPECT_EQ(server.wait().exit_code, 128 + SIGINT);
}

TEST_F(Serve, an_address_that_cannot_be_bound_is_said) {
  Process server = serve({home_.unix_url()});
  const Ended second = muster({"serve", url_});
  EXPECT_EQ(second.exit_code, 1) << second;
  EXPECT_THAT(second.err, HasSubstr(home_.file("job.sock")));
}

TEST_F(Serve, its_store_is_read_and_written_by_hand) {
  Process server = serve({"tcp://127.0.0.1:0", "--job", "demo"});
  EXPECT_TRUE(kv({"set", "color", "blue"}).well());
  EXPECT_EQ(kv({"get", "color"}).out, "blue") << "byte for byte, no newline";
  EXPECT_EQ(muster({"kv", "demo", "get", "color"}).out, "blue") << "by name";
  EXPECT_EQ(kv({"add", "count", "5"}).out, "5\n");
  EXPECT_EQ(kv({"add", "count", "-7"}).out, "-2\n");
  EXPECT_EQ(shell("exec $muster kv " + url_ + " set color - <&-").wait().exit_code, 1)
      << "a closed input is no empty value";
  EXPECT_EQ(kv({"get", "color"}).out, "blue");
  EXPECT_EQ(shell("exec $muster kv " + url_ + " add count 0 >/dev/full").wait().exit_code, 1);
  EXPECT_TRUE(kv({"set", "dashed", "--", "-x"}).well());
  EXPECT_EQ(kv({"get", "dashed"}).out, "-x");
  EXPECT_EQ(kv({"add", "count", "--", "-3"}).out, "-5\n");
  EXPECT_EQ(kv({"add", "color", "1"}).exit_code, 1) << "what is stored there is no number";
  EXPECT_TRUE(kv({"rm", "color"}).well());

  const Ended absent = kv({"get", "color"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_EQ(absent.err, "muster: no such key: 'color'\n");
  EXPECT_EQ(kv({"rm", "color"}).exit_code, 1);
  EXPECT_EQ(kv({"add", "count", "x"}).exit_code, 2);
}

TEST_F(Serve, its_store_has_every_operation_by_hand) {
  Process server = serve({home_.unix_url()});
  EXPECT_EQ(kv({"append", "log", "one,"}).out, "4\n");
  EXPECT_EQ(kv({"append", "log", "two"}).out, "7\n");
  EXPECT_EQ(kv({"get", "log"}).out, "one,two");

  EXPECT_TRUE(kv({"cas", "lock", "--absent", "me"}).well());
  const Ended held = kv({"cas", "lock", "--absent", "you"});
  EXPECT_EQ(held.exit_code, 1);
  EXPECT_EQ(held.err, "muster: not swapped: the value is 'me'\n");
  EXPECT_TRUE(kv({"cas", "lock", "me", "you"}).well());
  EXPECT_EQ(kv({"cas", "none", "a", "b"}).err, "muster: not swapped: there is no such key\n");

  EXPECT_TRUE(kv({"mset", "p/1", "a", "p/2", "b", "q", "c"}).well());
  EXPECT_EQ(kv({"mget", "p/1", "q"}).out, "p/1\ta\nq\tc\n");
  const Ended some = kv({"mget", "p/1", "absent"});
  EXPECT_EQ(some.exit_code, 1);
  EXPECT_EQ(some.out, "p/1\ta\n");
  EXPECT_THAT(some.err, HasSubstr("no such key: 'absent'"));
  EXPECT_EQ(kv({"ls", "p/"}).out, "p/1\np/2\n");
  EXPECT_EQ(kv({"ls", "-0"}).out, std::string("lock\0log\0p/1\0p/2\0q\0", 19));

  EXPECT_TRUE(kv({"wait", "p/1", "q"}).well());
  const Ended never = kv({"wait", "p/1", "never", "--wait", "0.2"});
  EXPECT_EQ(never.exit_code, 1);
  EXPECT_THAT(never.err, AllOf(HasSubstr("timeout"), HasSubstr("never")));
}

TEST_F(Serve, changes_are_told_as_they_happen) {
  Process server = serve({home_.unix_url()});
  Process watching = start({"kv", url_, "watch", "p/", "--count", "3"});
  // The watch is there when the first change is told: try until it is.
  for (const TimePoint end = Clock::now() + support::patience; Clock::now() < end;) {
    EXPECT_TRUE(kv({"set", "p/x", "1"}).well());
    if (watching.wait_for_out("set\tp/x\t1\n", std::chrono::milliseconds{100})) break;
  }
  EXPECT_TRUE(kv({"set", "other", "1"}).well());
  EXPECT_TRUE(kv({"rm", "p/x"}).well());
  kv({"add", "p/n", "5"});
  kv({"add", "p/n", "5"});
  const Ended told = watching.wait();
  EXPECT_TRUE(told.well()) << told;
  EXPECT_EQ(lines(told.out).size(), 3U);
  EXPECT_THAT(told.out, testing::StartsWith("set\tp/x\t1\n"));
}

TEST_F(Serve, an_output_that_takes_nothing_is_said_once_with_the_reason) {
  const std::string reason = "cannot write the output: No space left on device\n";
  const auto full = [&](const std::string& command) {
    const Ended ended = shell("exec $muster " + command + " >/dev/full").wait();
    EXPECT_EQ(ended.exit_code, 1) << command << ended;
    EXPECT_EQ(ended.err, "muster: system: " + reason) << command;
  };
  full("serve " + home_.unix_url("unheard"));
  EXPECT_THAT(left_behind(), IsEmpty());
  full("--help");

  Process server = serve({home_.unix_url()});
  // More than stdio holds back: the failure comes before the end.
  EXPECT_TRUE(kv({"set", "long", std::string(100'000, 'x')}).well());
  for (const char* operation : {" get long", " mget long", " ls", " add count 1"}) {
    full("kv " + url_ + operation);
  }
  full("status " + url_);
  for (const std::string& value : {std::string("short"), std::string(100'000, 'x')}) {
    Process watching = shell("exec $muster kv " + url_ + " watch w >/dev/full");
    // The watch is there when it has ended by a change: try until it has.
    for (const TimePoint end = Clock::now() + support::patience; Clock::now() < end;) {
      EXPECT_TRUE(kv({"set", "w", value}).well());
      if (watching.wait_for_err(reason, std::chrono::milliseconds{100})) break;
    }
    const Ended ended = watching.wait();
    EXPECT_EQ(ended.exit_code, 1) << ended;
    EXPECT_EQ(ended.err, "muster: system: " + reason);
  }
}

TEST_F(Serve, a_value_may_come_from_the_standard_input_and_hold_any_byte) {
  Process server = serve({home_.unix_url()});
  const std::string value("a\0\xff\n", 4);
  Process setting = start({"kv", url_, "set", "blob", "-"});
  setting.say(value);  // and a newline
  setting.end_input();
  EXPECT_TRUE(setting.wait().well());
  EXPECT_EQ(kv({"get", "blob"}).out, value + "\n");
}

TEST_F(Serve, a_key_can_be_waited_for) {
  Process server = serve({home_.unix_url()});
  Process waiting = start({"kv", url_, "get", "late", "--wait", "60"});
  EXPECT_TRUE(kv({"set", "late", "now"}).well());
  EXPECT_EQ(waiting.wait().out, "now");
  const Ended never = kv({"get", "never", "--wait", "0.2"});
  EXPECT_EQ(never.exit_code, 1);
  EXPECT_THAT(never.err, AllOf(HasSubstr("timeout"), HasSubstr("never")));
}

TEST_F(Serve, status_shows_the_job_to_people_and_programs) {
  Process server = serve({home_.unix_url(), "--job", "demo", "--size", "2"});
  Process early = rank(0, 2);
  // Joining takes a moment: ask until it is in.
  nlohmann::json status;
  for (const TimePoint end = Clock::now() + support::patience; Clock::now() < end;) {
    status = nlohmann::json::parse(muster({"status", url_, "--json"}).out);
    if (status["joined"] == 1) break;
  }
  EXPECT_EQ(status["job"], "demo");
  EXPECT_EQ(status["url"], url_);
  EXPECT_EQ(status["stage"], "gathering");
  EXPECT_EQ(status["size"], 2);
  EXPECT_EQ(status["joined"], 1);
  EXPECT_TRUE(status["failure"].is_null());
  ASSERT_EQ(status["ranks"].size(), 2U);
  EXPECT_EQ(status["ranks"][0]["state"], "joined");
  EXPECT_EQ(status["ranks"][0]["pid"], early.pid());
  EXPECT_EQ(status["ranks"][1]["state"], "absent");
  EXPECT_THAT(muster({"status", "demo"}).out,
              HasSubstr("job 'demo' is gathering: 1 of 2 ranks are in"));
}

TEST_F(Serve, status_takes_the_only_live_job_and_lists_several) {
  EXPECT_THAT(muster({"status"}).err, HasSubstr("no job is being served"));
  Process one = serve({home_.unix_url("1"), "--job", "one"});
  EXPECT_THAT(muster({"status"}).out, HasSubstr("job 'one'"));
  Process two = serve({home_.unix_url("2"), "--job", "two"});
  const Ended listed = muster({"status"});
  EXPECT_TRUE(listed.well());
  EXPECT_THAT(listed.out, AllOf(HasSubstr("one  pid"), HasSubstr("two  pid")));
  EXPECT_THAT(muster({"status"}, {{"MUSTER_URL", url_}}).out, HasSubstr("job 'two'"));
}

TEST_F(Serve, nobody_there_is_said_with_the_address) {
  const Ended status = muster({"status", "--timeout", "0.3", home_.unix_url()});
  EXPECT_EQ(status.exit_code, 1) << status;
  EXPECT_THAT(status.err, AllOf(HasSubstr("unreachable"), HasSubstr("job.sock")));
}

}  // namespace
}  // namespace muster::cli
