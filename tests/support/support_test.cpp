#include <chrono>
#include <gmock/gmock.h>
#include <signal.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/listen.hpp"
#include "support/bad_peer.hpp"
#include "support/ports.hpp"
#include "support/proc_fs.hpp"
#include "support/process.hpp"
#include "support/raw_link.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace muster::support {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Process, a_forked_function_tells_hears_and_ends) {
  Process child = Process::fork([] {
    tell("ready");
    tell("heard " + hear());
    return 7;
  });
  EXPECT_TRUE(child.wait_for_out("ready\n"));
  child.say("go");
  const Ended ended = child.wait();
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.exit_code, 7) << ended;
  EXPECT_EQ(ended.out, "ready\nheard go\n");
}

TEST(Process, an_end_by_signal_or_exception_is_told_apart) {
  Process signalled = Process::fork([] { return hear().empty() ? 1 : 0; });
  signalled.send_signal(SIGTERM);
  EXPECT_EQ(signalled.wait().signal, SIGTERM);
  Process thrower = Process::fork([]() -> int { throw std::runtime_error("bang"); });
  const Ended ended = thrower.wait();
  EXPECT_EQ(ended.exit_code, 99);
  EXPECT_THAT(ended.err, HasSubstr("bang"));
}

TEST(Process, an_end_that_was_seen_while_waiting_for_output_is_in_time) {
  Process child = Process::fork([] { return 0; });
  EXPECT_FALSE(child.wait_for_out("never told"));
  EXPECT_TRUE(child.wait().well());
}

TEST(Process, a_stopped_child_stands_still_and_can_go_on) {
  Process child = Process::fork([] {
    tell(hear());
    return 0;
  });
  child.stop();
  child.say("heard");
  EXPECT_FALSE(child.wait_for_out("heard", 20ms));
  child.send_signal(SIGCONT);
  EXPECT_TRUE(child.wait_for_out("heard"));
  EXPECT_TRUE(child.wait().well());
}

TEST(Process, what_does_not_end_in_time_is_killed) {
  Process child = Process::fork([] { return ::pause(); });
  const Ended ended = child.wait(20ms);
  EXPECT_FALSE(ended.in_time);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(::kill(child.pid(), 0), -1) << "it is reaped, too";
}

TEST(Process, a_command_gets_its_words_and_environment) {
  Process shell = Process::run({"sh", "-c", "echo $WORD $1; echo oops >&2; exit 3", "sh", "b c"},
                               {{"WORD", "a"}});
  const Ended ended = shell.wait();
  EXPECT_EQ(ended.exit_code, 3) << ended;
  EXPECT_EQ(ended.out, "a b c\n");
  EXPECT_EQ(ended.err, "oops\n");
  EXPECT_EQ(Process::run({"/nowhere/at/all"}).wait().exit_code, 127);
}

TEST(Process, more_output_than_a_pipe_holds_is_taken_in) {
  Process child = Process::run({"sh", "-c", "head -c 300000 /dev/zero"});
  EXPECT_EQ(child.wait().out.size(), 300'000U);
}

TEST(Process, a_forked_child_has_only_the_descriptors_it_was_to_keep) {
  const Port kept = listening_port();
  const Port dropped = listening_port();
  const auto count = [] { return static_cast<int>(open_descriptors(::getpid())); };
  // The directory that is being read is one more.
  EXPECT_EQ(Process::fork(count, {kept.socket.get()}).wait().exit_code, 3 + 1 + 1);
  EXPECT_EQ(Process::fork(count).wait().exit_code, 3 + 1);
}

TEST(Ranks, each_knows_its_number) {
  Ranks ranks(3, [](std::uint32_t rank) {
    tell("here");
    return hear() == "end" ? static_cast<int>(rank) : -1;
  });
  EXPECT_TRUE(ranks.wait_for_out("here"));
  ranks.say("end");
  const std::vector<Ended> ended = ranks.wait();
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(ended.at(static_cast<std::size_t>(rank)).exit_code, rank);
  }
}

TEST(TempDir, goes_with_what_is_in_it) {
  std::filesystem::path path;
  {
    const TempDir dir;
    path = dir.path();
    const auto fd = net::listen(net::Url::parse(dir.unix_url()).value(), Clock::now() + patience);
    EXPECT_TRUE(std::filesystem::exists(dir.file("job.sock")));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Ports, what_listens_is_seen_in_proc) {
  const Port port = listening_port();
  const Port closed = closed_port();
  EXPECT_THAT(listening_addresses(::getpid()), ElementsAre(net::local_text(port.socket.get())));
}

TEST(Ports, a_server_may_bind_a_closed_port) {
  const Port closed = closed_port();
  const auto fd = net::listen(net::Url::parse(closed.url).value(), Clock::now() + patience);
  EXPECT_TRUE(fd.ok()) << fd.error().text();
}

TEST(Ports, a_black_hole_does_not_answer) {
  const FullPort full = black_hole();
  net::BackOff back_off(1);
  const auto fd =
      net::connect(net::Url::parse(full.port.url).value(), back_off, Clock::now() + 100ms);
  ASSERT_FALSE(fd.ok());
  EXPECT_THAT(fd.error().what, HasSubstr("no answer"));
}

TEST(BadPeer, each_kind_misbehaves_as_it_should) {
  using Kind = BadPeer::Kind;
  BadPeer echo(Kind::echo);
  RawLink to_echo(echo.url());
  to_echo.send("mirror");
  EXPECT_EQ(to_echo.receive(6), "mirror");

  BadPeer web(Kind::web);
  RawLink to_web(web.url());
  to_web.send("anything");
  EXPECT_THAT(to_web.receive(), StartsWith("HTTP/1.1 400"));

  BadPeer silent(Kind::silent);
  RawLink to_silent(silent.url());
  to_silent.send("hello?");
  EXPECT_EQ(to_silent.receive(1, 20ms), "");
  EXPECT_FALSE(to_silent.closed_within(0ms));

  BadPeer closes(Kind::closes);
  EXPECT_TRUE(RawLink(closes.url()).closed_within());
  BadPeer resets(Kind::resets);
  EXPECT_TRUE(RawLink(resets.url()).closed_within());
  BadPeer says(Kind::says, "220 ready\r\n");
  EXPECT_EQ(RawLink(says.url()).receive(11), "220 ready\r\n");
}

TEST(Noise, is_reproducible) {
  EXPECT_EQ(noise(100, 1), noise(100, 1));
  EXPECT_NE(noise(100, 1), noise(100, 2));
  EXPECT_EQ(tls_client_hello().size(), 5U + 0x2D);
}

TEST(ProcFs, sees_memory_grow) {
  Process child = Process::fork([] {
    tell("small");
    hear();
    const std::string large(8U << 20, 'x');
    tell("large");
    hear();
    return large.empty() ? 1 : 0;
  });
  ASSERT_TRUE(child.wait_for_out("small"));
  const std::size_t before = anonymous_bytes(child.pid());
  child.say("grow");
  ASSERT_TRUE(child.wait_for_out("large"));
  EXPECT_GT(anonymous_bytes(child.pid()), before + (7U << 20));
  if (!sanitized) {
    EXPECT_EQ(threads(child.pid()), 1U);
  }
}

}  // namespace
}  // namespace muster::support
