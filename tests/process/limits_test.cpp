// What a server holds out: strangers in crowds, peers that do not read, descriptors that run out.
// Each server is a process of its own, so that what it takes can be read from /proc.

#include "base/limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "net/wait.hpp"
#include "rank_process.hpp"
#include "server/driver/server.hpp"
#include "support/proc_fs.hpp"
#include "support/raw_link.hpp"
#include "support/sanitizers.hpp"
#include "wire/hello.hpp"
#include "wire/store_messages.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::RawLink;
using testing::AllOf;
using testing::HasSubstr;

/// A server process for a job of `size`; ends when its input does.
class Served {
 public:
  explicit Served(std::uint32_t size, rlim_t open_files_max = 0) {
    process_ = Process::fork([=] { return serve(size, open_files_max); });
    if (!process_.wait_for_out(" end")) return;
    const std::size_t at = process_.out().find("url ") + 4;
    url_ = process_.out().substr(at, process_.out().find(" end") - at);
  }

  const std::string& url() const { return url_; }
  Process& process() { return process_; }

 private:
  static int serve(std::uint32_t size, rlim_t open_files_max) {
    if (open_files_max != 0) {
      const rlimit both{.rlim_cur = open_files_max, .rlim_max = open_files_max};
      if (::setrlimit(RLIMIT_NOFILE, &both) != 0) return 1;
    }
    server::ServeOptions options{.url = net::Url::parse("tcp://127.0.0.1:0").value(),
                                 .bind_by = Clock::now() + support::patience};
    options.core = {.job = "demo", .incarnation = {7}, .size = size};
    options.log = log_to_stderr();
    auto server = server::Server::start(std::move(options));
    if (!server) return tell_error(server.error());
    tell("url " + (*server)->url() + " end");
    support::hear();
    return 0;
  }

  Process process_;
  std::string url_;
};

Value hello_of(std::uint32_t rank, std::uint32_t size, std::size_t ranges = 1) {
  wire::ClientHello hello;
  hello.size = size;
  hello.pid = 4711;
  hello.left_ms = 60'000;
  hello.host = "h";
  for (std::uint32_t i = 0; i < ranges; ++i) hello.ranks.push_back({rank + i, 1});
  return wire::encode(hello);
}

/// A hello of exactly `bytes`, as its length says.
Value hello_of_bytes(std::size_t bytes) {
  Value hello = hello_of(0, 200'000, 100);
  hello.resize(bytes, std::byte{0});
  hello[6] = static_cast<std::byte>(bytes & 0xFF);
  hello[7] = static_cast<std::byte>(bytes >> 8);
  return hello;
}

/// CPU time of a process, in clock ticks of 10 ms.
long cpu_ticks(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  std::istringstream after(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) after >> skipped;
  long user = 0;
  long system = 0;
  after >> user >> system;
  return user + system;
}

template <class Message>
Value frame(wire::Type type, std::uint32_t sequence, const Message& message) {
  Value out;
  const std::size_t begun = wire::begin_frame(out);
  encode(message, out);
  wire::end_frame(out, begun, type, sequence);
  return out;
}

TEST(Limits, a_hello_has_at_most_1024_bytes) {
  Served server(2);
  // Whole, so it is answered, though it makes no sense; one byte more is no hello.
  RawLink longest(server.url());
  longest.send(hello_of_bytes(1024));
  EXPECT_THAT(longest.receive(), HasSubstr("the hello cannot be read"));
  RawLink too_long(server.url());
  too_long.send(hello_of_bytes(1025));
  EXPECT_EQ(too_long.receive(), "");
  EXPECT_TRUE(too_long.closed_within());
}

TEST(Limits, a_hello_that_does_not_end_is_waited_for_no_longer_than_10_seconds) {
  Served server(2);
  const TimePoint begun = Clock::now();
  RawLink half(server.url());
  half.send(Bytes(hello_of(0, 2)).first(40));
  EXPECT_TRUE(half.closed_within());
  EXPECT_GE(Clock::now() - begun, 9s);
  EXPECT_TRUE(server.process().wait_for_err("no complete hello in time"));
}

TEST(Limits, a_stranger_costs_less_than_4_kib_until_its_hello_is_complete) {
  constexpr std::size_t strangers = 1000;
  Served server(2);
  Value begun = hello_of_bytes(1024);
  begun.resize(500);
  std::vector<RawLink> links;
  const auto come = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) links.emplace_back(server.url()).send(begun);
    // An answer to the one who comes last: all before it have been read.
    RawLink last(server.url());
    last.send("GET / HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(last.closed_within());
  };
  come(10);
  const std::size_t before = support::anonymous_bytes(server.process().pid());
  come(strangers);
  const std::size_t grown = support::anonymous_bytes(server.process().pid()) - before;
  if (!support::sanitized) {
    EXPECT_LT(grown / strangers, 4096U);
  }
}

TEST(Limits, a_rank_gets_in_among_more_strangers_than_may_wait) {
  rlimit open_files{};
  ::getrlimit(RLIMIT_NOFILE, &open_files);
  open_files.rlim_cur = open_files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &open_files);
  if (open_files.rlim_cur < limits::strangers_max + 300) GTEST_SKIP() << "too few open files";
  Served server(1);
  std::vector<RawLink> silent;
  for (std::size_t i = 0; i < limits::strangers_max + 100; ++i) silent.emplace_back(server.url());
  EXPECT_TRUE(silent.front().closed_within()) << "the oldest silent one goes first";
  Process rank = Process::fork([&] {
    JoinOptions options = rank_of(server.url(), 0, 1);
    options.serve = Serve::external;
    return join_and_leave(std::move(options));
  });
  EXPECT_TRUE(ended_well(rank));
}

TEST(Limits, who_does_not_read_is_cut_off_and_named_and_nobody_else_suffers) {
  Served server(2);
  RawLink deaf(server.url());
  deaf.send(hello_of(0, 2));
  Process other = Process::fork([&] {
    JoinOptions options = rank_of(server.url(), 1, 2);
    options.serve = Serve::external;
    return join_and(options, [](Job& job) {
      const Value large(32U << 20);
      if (auto set = job.store().set("large", large); !set) return tell_error(set.error());
      tell("large is set");
      // Goes on while the other one's answers pile up, and hears who is lost.
      for (;;) {
        auto got = job.store().get("large");
        if (!got) return tell_error(got.error());
      }
    });
  });
  ASSERT_TRUE(other.wait_for_out("large is set"));
  // Each answer shares the value; what waits is counted all the same.
  for (std::uint32_t i = 1; i <= 8; ++i) {
    deaf.send(frame(wire::Type::get, i, wire::GetRequest{"large", 0}));
  }
  const Told told = told_error(other.wait());
  EXPECT_EQ(told.code, "rank_lost");
  EXPECT_THAT(told.text, AllOf(HasSubstr("rank 0 (host h, pid 4711)"),
                               HasSubstr("it does not read what is sent to it")));
  EXPECT_TRUE(server.process().wait_for_err("it does not read what is sent to it"));
}

/// Threads of one rank ask for a value each, all at once: more than may wait for long.
int read_large_values(Job& job) {
  const Value large(limits::value_bytes_max);
  const std::vector<std::string> keys{"a", "b", "c"};
  for (const std::string& key : keys) {
    if (auto set = job.store().set(key, large); !set) return tell_error(set.error());
  }
  std::vector<std::future<Result<Value>>> answers;
  for (const std::string& key : keys) {
    answers.push_back(std::async(std::launch::async, [&] { return job.store().get(key); }));
  }
  for (auto& answer : answers) {
    const auto got = answer.get();
    if (!got) return tell_error(got.error());
    if (got->size() != large.size()) return 1;
  }
  return 0;
}

TEST(Limits, who_reads_is_not_cut_off_however_much_is_on_its_way) {
  Served server(1);
  Process rank = Process::fork([&] {
    JoinOptions options = rank_of(server.url(), 0, 1);
    options.serve = Serve::external;
    return join_and(options, read_large_values);
  });
  const Ended ended = rank.wait();
  EXPECT_TRUE(ended.well()) << ended;
}

TEST(Limits, a_frame_that_does_not_end_takes_memory_only_as_its_bytes_come) {
  Served server(1);
  RawLink rank(server.url());
  rank.send(hello_of(0, 1));
  const Value whole =
      frame(wire::Type::set, 1, wire::SetRequest{"key", Value(limits::value_bytes_max)});
  const std::size_t before = support::anonymous_bytes(server.process().pid());
  rank.send(Bytes(whole).first(1U << 20));
  // Answered by the server after it has read what came before.
  RawLink noise(server.url());
  noise.send("noise");
  EXPECT_TRUE(noise.closed_within());
  if (!support::sanitized) {
    EXPECT_LT(support::anonymous_bytes(server.process().pid()) - before, 4U << 20);
  }
}

/// Takes all descriptors that `server` has, and more. The first links are to be closed by it.
std::vector<RawLink> silent_crowd(const Served& server) {
  std::vector<RawLink> crowd;
  for (int i = 0; i < 300; ++i) crowd.emplace_back(server.url());
  return crowd;
}

TEST(Limits, a_job_musters_though_strangers_hold_all_descriptors) {
  if (support::address_sanitized) {
    GTEST_SKIP()
        << "the undefined-behaviour sanitizer opens a pipe to see what memory may be read, "
           "and takes an object for none where it cannot";
  }
  constexpr std::uint32_t size = 8;
  Served server(size, limits::descriptors_reserve + size);
  const std::vector<RawLink> crowd = silent_crowd(server);
  ASSERT_TRUE(server.process().wait_for_err("Raise the limit of open files"));
  Ranks ranks(size, [&](std::uint32_t rank) {
    JoinOptions options = rank_of(server.url(), rank, size);
    options.serve = Serve::external;
    options.join_timeout = limits::hello_time_max / 2;  // no stranger has had its time yet
    return join_and_leave(std::move(options));
  });
  for (const Ended& ended : ranks.wait()) EXPECT_TRUE(ended.well()) << ended;
  server.process().say("end");
  const Ended ended = server.process().wait();
  EXPECT_TRUE(ended.well()) << ended;
  EXPECT_EQ(ended.err.find("turned 127.0.0.1"), ended.err.rfind("turned 127.0.0.1")) << ended;
}

TEST(Limits, without_descriptors_the_server_waits_says_so_and_recovers) {
  Served server(1, limits::descriptors_reserve + 1);
  Process rank = Process::fork([&] {
    JoinOptions options = rank_of(server.url(), 0, 1);
    options.serve = Serve::external;
    return join_and(options, [](Job& job) {
      if (support::hear() != "set") return 1;
      if (auto set = job.store().set("key", as_bytes("value")); !set) return 2;
      tell("still served");
      support::hear();
      return 0;
    });
  });
  ASSERT_TRUE(rank.wait_for_out("joined"));
  // Tools: they are in, so that nobody is there to be turned away.
  const Value hello = wire::encode(wire::ClientHello{.role = wire::Role::tool});
  std::vector<RawLink> crowd;
  for (int i = 0; i < 100; ++i) crowd.emplace_back(server.url()).send(hello);
  ASSERT_TRUE(server.process().wait_for_err("Raise the limit of open files"));
  const long before = cpu_ticks(server.process().pid());
  net::pause_until(Clock::now() + 1s);
  EXPECT_LT(cpu_ticks(server.process().pid()) - before, 20) << "it spins";
  rank.say("set");
  EXPECT_TRUE(rank.wait_for_out("still served"));

  crowd.clear();
  RawLink late(server.url());
  late.send("noise");
  EXPECT_TRUE(late.closed_within()) << "it accepts again";
  rank.say("go on");
  EXPECT_TRUE(ended_well(rank));
  server.process().say("end");
  const Ended ended = server.process().wait();
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = ended.err.find("cannot accept", at)) != ended.err.npos; ++at) {
    ++lines;
  }
  EXPECT_LE(lines, 6U) << "one in ten seconds\n" << ended;
}

TEST(Limits, a_job_that_needs_more_descriptors_than_there_are_is_told_before_it_begins) {
  constexpr auto needed = 200 + limits::descriptors_reserve;
  Served enough(200, needed);
  EXPECT_NE(enough.url(), "");
  Served too_few(200, needed - 1);
  const Told told = told_error(too_few.process().wait());
  EXPECT_EQ(told.code, "system");
  EXPECT_THAT(told.text, AllOf(HasSubstr("a job of 200 ranks needs 264 open files"),
                               HasSubstr("may have 263"), HasSubstr("ulimit -Hn")));
}

TEST(Limits, the_soft_limit_of_open_files_is_raised_to_the_hard_one) {
  Process child = Process::fork([] {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 32;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    server::ServeOptions options;
    options.core = {.job = "demo", .incarnation = {7}, .size = 200};
    auto server = server::Server::start(std::move(options));
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return server && limit.rlim_cur == limit.rlim_max ? 0 : 1;
  });
  EXPECT_TRUE(ended_well(child));
}

TEST(Limits, a_queue_shorter_than_the_job_is_warned_of) {
  std::uint32_t queue = 0;
  std::ifstream("/proc/sys/net/core/somaxconn") >> queue;
  rlimit open_files{};
  ::getrlimit(RLIMIT_NOFILE, &open_files);
  const std::uint32_t ranks = queue + 1;
  if (open_files.rlim_max < ranks + limits::descriptors_reserve) {
    GTEST_SKIP() << "so few open files that a job as large as this host's queue cannot be served";
  }
  Served server(ranks);
  EXPECT_TRUE(server.process().wait_for_err("net.core.somaxconn"));
  EXPECT_THAT(server.process().err(), AllOf(HasSubstr(fmt::format("queues {} connections", queue)),
                                            HasSubstr(fmt::format("{} ranks", ranks))));
  Served fits(queue);
  fits.process().say("end");
  EXPECT_THAT(fits.process().wait().err, testing::Not(HasSubstr("somaxconn")));
}

/// One process that serves and joins `rounds` jobs of two, one after the other, each at a port of
/// its own. Its job id is in a key of each, so that a rank of another job would be seen.
int many_jobs(std::uint32_t number, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const std::string id = fmt::format("job-{}-{}", number, round);
    JoinOptions options = rank_of("tcp://127.0.0.1:0", 0, 2);
    options.job_id = id;
    options.until = Until::admitted;
    auto zero = Job::join(options);
    if (!zero) return tell_error(zero.error());
    JoinOptions second = rank_of(std::string(zero->url()), 1, 2);
    auto one = Job::join(second);
    if (!one) return tell_error(one.error());
    if (one->id() != id) return 1;
    if (auto set = one->store().set("id", as_bytes(id)); !set) return tell_error(set.error());
    auto got = zero->store().wait_get("id");
    if (!got) return tell_error(got.error());
    if (as_text(*got) != id) return 2;
    one->leave_now();
    zero->leave_now();
  }
  return 0;
}

TEST(Ports, sixteen_jobs_at_a_time_a_hundred_times_do_not_collide) {
  Ranks jobs(16, [](std::uint32_t number) { return many_jobs(number, 100); });
  for (const Ended& ended : jobs.wait(150s)) EXPECT_TRUE(ended_well(ended));
}

}  // namespace
}  // namespace muster::process_test
