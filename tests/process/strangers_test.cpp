// Field reports 1 to 4: who else comes to the port, and who else sits behind it.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <sstream>
#include <string>
#include <vector>

#include "rank_process.hpp"
#include "support/bad_peer.hpp"
#include "support/ports.hpp"
#include "support/proc_fs.hpp"
#include "support/raw_link.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"
#include "wire/hello.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::BadPeer;
using support::RawLink;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

/// A hello as rank 1 of a job of two would say it.
wire::ClientHello hello_of_rank_1() {
  wire::ClientHello hello;
  hello.size = 2;
  hello.pid = 4711;
  hello.left_ms = 60'000;
  hello.host = "elsewhere";
  hello.ranks = {{.first = 1, .count = 1}};
  return hello;
}

/// Rank 0 of a job of two, which serves at a TCP port and waits for rank 1.
class Gathering {
 public:
  explicit Gathering(const std::string& job_id = "alpha")
      : port_(support::listening_port()),
        rank_0_(Process::fork(
            [&] {
              JoinOptions options = rank_of(url(), 0, 2);
              options.job_id = job_id;
              options.listen_fd = port_.socket.get();
              return join_and_leave(std::move(options));
            },
            {port_.socket.get()})) {
    port_.socket.reset();
  }

  const std::string& url() const { return port_.url; }
  Process& rank_0() { return rank_0_; }
  Process start_rank_1() {
    return Process::fork([&] { return join_and_leave(rank_of(url(), 1, 2)); });
  }

 private:
  support::Port port_;
  Process rank_0_;
};

std::vector<std::string> lines_with(const std::string& text, const std::string& word) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(word) != line.npos) found.push_back(line);
  }
  return found;
}

/// Says it and sees that the server closes.
void say_and_be_dropped(const std::string& url, std::string_view what) {
  RawLink link(url);
  link.send(what);
  EXPECT_TRUE(link.closed_within()) << "the server goes on listening to: " << what.substr(0, 16);
}

/// Half a hello.
std::string first_half() {
  const Value whole = wire::encode(hello_of_rank_1());
  return std::string(as_text(whole).substr(0, whole.size() / 2));
}

std::string hello_of_version(std::uint16_t version) {
  wire::ClientHello hello = hello_of_rank_1();
  hello.version_min = version;
  hello.version_max = version;
  return std::string(as_text(wire::encode(hello)));
}

/// All that a port scanner and confused programs do, once. `held` keeps what the server must keep.
void disturb(const std::string& url, std::uint64_t seed, std::vector<RawLink>& held) {
  for (int i = 0; i < 20; ++i) RawLink(url).close();
  for (int i = 0; i < 20; ++i) RawLink(url).reset();
  for (int i = 0; i < 4; ++i) {
    held.emplace_back(url);
    held.back().send(first_half());
  }
  RawLink cut(url);
  cut.send(first_half());
  cut.reset();
  say_and_be_dropped(url, support::noise(1 << 20, seed));
  say_and_be_dropped(url, std::string("\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\x80", 16));
  say_and_be_dropped(url, support::http_get());
  say_and_be_dropped(url, support::tls_client_hello());
  say_and_be_dropped(url, hello_of_version(2));
  say_and_be_dropped(url, hello_of_version(0));
  // The right magic, and a length that is the largest there is.
  say_and_be_dropped(url, std::string("\x4d\x75\x01\x00\x01\x00\xff\xff", 8));
}

TEST(Strangers, a_port_scan_while_ranks_are_missing_leaves_the_job_and_its_memory_alone) {
  Gathering job;
  std::vector<RawLink> held;
  disturb(job.url(), 1, held);
  const std::size_t before = support::anonymous_bytes(job.rank_0().pid());
  for (std::uint64_t seed = 2; seed < 12; ++seed) disturb(job.url(), seed, held);
  const std::size_t after = support::anonymous_bytes(job.rank_0().pid());
  if (!support::sanitized) {
    EXPECT_LT(after, before + (1U << 20)) << "grown by " << after - before << " bytes";
  }

  Process rank_1 = job.start_rank_1();
  EXPECT_TRUE(ended_well(rank_1));
  const Ended ended_0 = job.rank_0().wait();
  EXPECT_TRUE(ended_well(ended_0));
  // Several hundred strangers of one address: a line, and another one for every ten seconds.
  EXPECT_THAT(lines_with(ended_0.err, "127.0.0.1"), SizeIs(testing::Le(7U))) << ended_0;
  EXPECT_THAT(ended_0.err, HasSubstr("turned 127.0.0.1:"));
}

TEST(Strangers, even_the_first_one_costs_less_than_a_mebibyte) {
  Gathering job;
  std::vector<RawLink> held;
  RawLink(job.url()).close();
  say_and_be_dropped(job.url(), "noise");
  const std::size_t before = support::anonymous_bytes(job.rank_0().pid());
  disturb(job.url(), 1, held);
  if (!support::sanitized) {
    EXPECT_LT(support::anonymous_bytes(job.rank_0().pid()), before + (1U << 20));
  }
}

TEST(Strangers, a_wrong_version_is_answered_with_the_right_one) {
  Gathering job;
  RawLink link(job.url());
  link.send(hello_of_version(2));
  EXPECT_THAT(link.receive(), HasSubstr("this server speaks version 1, you speak 2 to 2"));
}

TEST(Strangers, a_rank_of_another_job_is_refused_with_both_names_while_others_keep_silent) {
  Gathering job("alpha");
  std::vector<RawLink> silent;
  for (int i = 0; i < 16; ++i) silent.emplace_back(job.url());

  Process stranger = Process::fork([&] {
    JoinOptions options = rank_of(job.url(), 1, 2);
    options.job_id = "beta";
    return join_and_leave(std::move(options));
  });
  const Told told = told_error(stranger.wait());
  EXPECT_EQ(told.code, "refused") << told.text;
  EXPECT_EQ(told.phase, "hello");
  EXPECT_THAT(told.text,
              AllOf(HasSubstr("this is job 'alpha'"), HasSubstr("you belong to job 'beta'")));
  EXPECT_LT(told.elapsed, 30s) << "a refusal takes one round trip, not the join time-out";

  Process rank_1 = job.start_rank_1();
  EXPECT_TRUE(ended_well(rank_1)) << "the refused concerns nobody but himself";
  EXPECT_TRUE(ended_well(job.rank_0()));
}

TEST(Strangers, a_rank_of_another_start_of_the_job_is_refused_by_name) {
  Gathering job("alpha");
  Process stale = Process::fork([&] {
    JoinOptions options = rank_of(job.url(), 1, 2);
    options.incarnation = Incarnation::parse("00000000deadbeef").value();
    return join_and_leave(std::move(options));
  });
  const Told told = told_error(stale.wait());
  EXPECT_EQ(told.code, "refused") << told.text;
  EXPECT_THAT(told.text, AllOf(HasSubstr("job 'alpha'"),
                               HasSubstr("you belong to incarnation 00000000deadbeef")));
  EXPECT_TRUE(ended_well(job.start_rank_1().wait()));
}

/// What is no Muster server is told at once, though there would be a minute.
void expect_no_muster_server(BadPeer::Kind kind, std::string_view line, const char* seems) {
  BadPeer peer(kind, line);
  Process rank = Process::fork([&] { return join_and_leave(rank_of(peer.url(), 1, 2)); });
  const Ended ended = rank.wait();
  const Told told = told_error(ended);
  EXPECT_EQ(told.code, "protocol") << ended;
  EXPECT_EQ(told.phase, "hello");
  EXPECT_THAT(told.text, AllOf(HasSubstr("the peer is no Muster server"), HasSubstr(seems),
                               HasSubstr(peer.url().substr(6))));
  EXPECT_LT(told.elapsed, 30s);
}

TEST(Strangers, an_echo_server_is_no_muster_server) {
  expect_no_muster_server(BadPeer::Kind::echo, "", "it echoes what it is sent");
}

TEST(Strangers, a_web_server_is_no_muster_server) {
  expect_no_muster_server(BadPeer::Kind::web, "", "it speaks HTTP");
}

TEST(Strangers, an_ssh_server_is_no_muster_server) {
  expect_no_muster_server(BadPeer::Kind::says, "SSH-2.0-OpenSSH_9.2\r\n", "it speaks SSH");
}

TEST(Strangers, a_peer_that_announces_a_huge_length_is_no_muster_server) {
  expect_no_muster_server(BadPeer::Kind::says, std::string(64, '\xff'), "another protocol");
}

TEST(Strangers, the_server_listens_on_exactly_the_address_asked_for) {
  for (const std::string host : {"tcp://127.0.0.1:", "tcp://127.0.0.2:", "tcp6://[::1]:"}) {
    Process rank = Process::fork([&] {
      return join_and(rank_of(host + "0", 0, 1), [](Job& job) {
        tell("url " + std::string(job.url()) + " end");
        support::hear();
        return 0;
      });
    });
    ASSERT_TRUE(rank.wait_for_out(" end")) << rank.wait();
    const std::vector<std::string> listening = support::listening_addresses(rank.pid());
    ASSERT_THAT(listening, SizeIs(1));
    EXPECT_EQ(host, host.substr(0, host.find("//") + 2) +
                        listening[0].substr(0, listening[0].rfind(':') + 1));
    EXPECT_THAT(rank.out(), HasSubstr(listening[0]));
    rank.say("go on");
    EXPECT_TRUE(ended_well(rank));
  }
}

TEST(Strangers, on_a_unix_socket_the_server_listens_for_no_tcp) {
  const support::TempDir dir;
  Process rank = Process::fork([&] {
    return join_and(rank_of(dir.unix_url(), 0, 1), [](Job&) {
      support::hear();
      return 0;
    });
  });
  ASSERT_TRUE(rank.wait_for_out("joined"));
  EXPECT_THAT(support::listening_addresses(rank.pid()), testing::IsEmpty());
  rank.say("go on");
  EXPECT_TRUE(ended_well(rank));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path())) << "the socket's file is left behind";
}

}  // namespace
}  // namespace muster::process_test
