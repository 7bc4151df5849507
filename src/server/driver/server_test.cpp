#include "server/driver/server.hpp"

#include <future>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/limits.hpp"
#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/listen.hpp"
#include "net/wait.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/many_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TimePoint soon() {
  return Clock::now() + 10s;
}

ServeOptions options(std::string_view url) {
  ServeOptions options;
  options.url = *net::Url::parse(url);
  options.core.job = "test";
  options.core.incarnation.number = 1;
  options.core.size = 1;
  return options;
}

/// A peer that speaks raw bytes.
class Raw {
 public:
  explicit Raw(net::Fd fd) : socket(std::move(fd)) {}

  void send(Bytes bytes) {
    while (!bytes.empty()) {
      net::wait_ready(socket.get(), POLLOUT, soon());
      const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ASSERT_GT(sent, 0);
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }

  /// Exactly `count` bytes; fewer if the server closes.
  Value receive(std::size_t count) {
    Value bytes(count);
    std::size_t have = 0;
    while (have < count && net::wait_ready(socket.get(), POLLIN, soon()) != 0) {
      const ssize_t got = ::recv(socket.get(), bytes.data() + have, count - have, 0);
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  }

  /// The next frame's header and body.
  wire::FrameHeader frame() {
    wire::FrameHeader header;
    const Value head = receive(wire::header_bytes);
    EXPECT_EQ(head.size(), wire::header_bytes);
    EXPECT_TRUE(head.size() == wire::header_bytes && wire::get_header(head.data(), header));
    body = receive(header.length);
    return header;
  }

  void say_hello(wire::Role role = wire::Role::rank) {
    wire::ClientHello hello;
    hello.role = role;
    hello.size = role == wire::Role::rank ? 1 : 0;
    hello.left_ms = 10'000;
    hello.host = "here";
    hello.pid = 1;
    if (role == wire::Role::rank) hello.ranks = {{.first = 0, .count = 1}};
    send(wire::encode(hello));
    const Value first = receive(8);
    const auto length =
        static_cast<std::size_t>(first.at(4)) + (static_cast<std::size_t>(first.at(5)) << 8);
    receive(length - first.size());
    EXPECT_EQ(frame().type, wire::Type::welcome);
  }

  bool closed() { return receive(1).empty(); }

  net::Fd socket;
  Value body;
};

Raw dial(const std::string& url) {
  net::BackOff back_off(1);
  auto fd = net::connect(*net::Url::parse(url), back_off, soon());
  EXPECT_TRUE(fd) << fd.error().text();
  return Raw(*std::move(fd));
}

template <class Message>
void append(Value& to, wire::Type type, std::uint32_t sequence, const Message& message) {
  const std::size_t begun = wire::begin_frame(to);
  encode(message, to);
  wire::end_frame(to, begun, type, sequence);
}

class Served : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Server> start(ServeOptions served) {
    auto server = Server::start(std::move(served));
    EXPECT_TRUE(server) << server.error().text();
    return *std::move(server);
  }
  /// The parameter, made unique to this process.
  static std::string where() {
    const std::string url = GetParam();
    return url.starts_with("unix") ? url + std::to_string(getpid()) : url;
  }
};

TEST_P(Served, WelcomesAndMusters) {
  std::promise<void> mustered;
  ServeOptions served = options(where());
  served.on_event = [&](const JobEvent& event) {
    if (std::holds_alternative<Mustered>(event)) mustered.set_value();
  };
  const auto server = start(std::move(served));
  Raw peer = dial(server->url());
  peer.say_hello();
  EXPECT_EQ(peer.frame().type, wire::Type::mustered);
  EXPECT_EQ(mustered.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_EQ(server->status().joined, 1U);
}

TEST_P(Served, StopTellsWhoIsStillThere) {
  const auto server = start(options(where()));
  Raw peer = dial(server->url());
  peer.say_hello();
  peer.frame();
  server->stop(1s);
  EXPECT_EQ(peer.frame().type, wire::Type::server_leaving);
  EXPECT_TRUE(peer.closed());
  server->stop(1s);
}

TEST_P(Served, ClosesOnNoise) {
  const auto server = start(options(where()));
  Raw peer = dial(server->url());
  peer.send(as_bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(peer.closed());
}

TEST_P(Served, WritesAnAnswerLargerThanTheSocketTakes) {
  const auto server = start(options(where()));
  Raw peer = dial(server->url());
  peer.say_hello(wire::Role::tool);
  const Value large(16U << 20, std::byte{7});
  Value request;
  std::size_t begun = wire::begin_frame(request);
  encode(wire::SetRequest{.key = "k", .value = large}, request);
  wire::end_frame(request, begun, wire::Type::set, 1);
  peer.send(request);
  EXPECT_EQ(peer.frame().result, 0);
  for (std::uint32_t sequence = 2; sequence < 5; ++sequence) {
    Value get;
    begun = wire::begin_frame(get);
    encode(wire::GetRequest{.key = "k"}, get);
    wire::end_frame(get, begun, wire::Type::get, sequence);
    peer.send(get);
  }
  for (std::uint32_t sequence = 2; sequence < 5; ++sequence) {
    EXPECT_EQ(peer.frame().sequence, sequence);
    EXPECT_EQ(peer.body, large);
  }
}

TEST_P(Served, ARankThatHasMuchDoneKeepsNobodyWaiting) {
  const auto server = start(options(GetParam()));
  Raw noisy = dial(server->url());
  noisy.say_hello(wire::Role::tool);
  constexpr std::uint32_t waits = 30'000;
  constexpr std::uint32_t toggles = 100;
  Value asked;
  for (std::uint32_t i = 1; i <= waits; ++i) {
    append(asked, wire::Type::wait, i, wire::WaitRequest{60'000, {"toggled", "never"}});
  }
  for (std::uint32_t i = waits; i < waits + 2 * toggles; i += 2) {
    append(asked, wire::Type::set, i + 1, wire::SetRequest{"toggled", {}});
    append(asked, wire::Type::remove, i + 2, wire::RemoveRequest{"toggled"});
  }
  noisy.send(asked);
  EXPECT_EQ(noisy.frame().sequence, waits + 1) << "the server is at it";

  Raw other = dial(server->url());
  other.say_hello(wire::Role::tool);
  Value get;
  append(get, wire::Type::get, 1, wire::GetRequest{"key", 0});
  other.send(get);
  EXPECT_EQ(other.frame().type, wire::Type::get);
  // All of that is answered, in order, but not before the other one was.
  std::uint32_t answered = 1;
  while (net::wait_ready(noisy.socket.get(), POLLIN, TimePoint{}) != 0 && answered < 2 * toggles) {
    EXPECT_EQ(noisy.frame().sequence, waits + ++answered);
  }
  EXPECT_LT(answered, 2 * toggles) << "the other one had to wait for all of it";
  while (answered < 2 * toggles) ASSERT_EQ(noisy.frame().sequence, waits + ++answered);
}

TEST_P(Served, WhatALinkSaidBeforeItsEndCounts) {
  const auto server = start(options(GetParam()));
  Value asked;
  for (std::uint32_t i = 1; i <= 20'000; ++i) {
    append(asked, wire::Type::add, i, wire::AddRequest{"count", 1});
  }
  {
    Raw noisy = dial(server->url());
    noisy.say_hello(wire::Role::tool);
    noisy.send(asked);
    ::shutdown(noisy.socket.get(), SHUT_WR);
    noisy.receive(20'000 * (wire::header_bytes + 8));
  }
  Raw other = dial(server->url());
  other.say_hello(wire::Role::tool);
  Value get;
  append(get, wire::Type::get, 1, wire::GetRequest{"count", 0});
  other.send(get);
  other.frame();
  EXPECT_EQ(as_text(other.body), "20000");
}

INSTANTIATE_TEST_SUITE_P(Addresses, Served,
                         testing::Values("tcp://127.0.0.1:0", "tcp6://[::1]:0",
                                         "unix:///tmp/muster-server-test-"));

TEST(Server, RemovesItsSocketFile) {
  const std::string path = "/tmp/muster-server-file-" + std::to_string(getpid());
  auto server = Server::start(options("unix://" + path));
  ASSERT_TRUE(server) << server.error().text();
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  server->reset();
  EXPECT_NE(stat(path.c_str(), &info), 0);
}

TEST(Server, AnAddressInUseIsAnErrorThatNamesIt) {
  auto first = Server::start(options("tcp://127.0.0.1:0"));
  ASSERT_TRUE(first);
  auto second = Server::start(options((*first)->url()));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::system);
  EXPECT_THAT(second.error().text(), HasSubstr((*first)->url()));
}

TEST(Server, ServesAPairInProcess) {
  ServeOptions served = options("tcp://127.0.0.1:0");
  served.url.reset();
  auto server = Server::start(std::move(served));
  ASSERT_TRUE(server);
  EXPECT_EQ((*server)->url(), "");
  auto end = (*server)->connect_in_process();
  ASSERT_TRUE(end);
  Raw peer(*std::move(end));
  peer.say_hello();
  EXPECT_EQ(peer.frame().type, wire::Type::mustered);
}

TEST(Server, DoomIsHeardByAll) {
  ServeOptions served = options("tcp://127.0.0.1:0");
  served.core.size = 2;
  auto server = Server::start(std::move(served));
  ASSERT_TRUE(server);
  Raw peer = dial((*server)->url());
  wire::ClientHello hello;
  hello.size = 2;
  hello.left_ms = 10'000;
  hello.host = "here";
  hello.ranks = {{.first = 0, .count = 1}};
  peer.send(wire::encode(hello));
  const auto head = peer.receive(8);
  peer.receive(static_cast<std::size_t>(head.at(4)) - head.size());
  EXPECT_EQ(peer.frame().type, wire::Type::welcome);
  (*server)->doom(Failure{.code = Code::rank_missing, .reason = "rank 1 will not come"});
  EXPECT_EQ(peer.frame().type, wire::Type::doomed);
}

/// As many as wait to be accepted at all: one more than may be strangers at a time.
TEST(ServerBurst, WhoHasSaidItsHelloIsNoSilentStranger) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 3 * limits::strangers_max) GTEST_SKIP() << "too few open files";

  ServeOptions served = options("unix://" + testing::TempDir() + "burst.sock");
  served.listen_fd = *net::listen(*served.url, soon());
  served.core.size = limits::strangers_max + 1;
  std::vector<Raw> ranks;
  wire::ClientHello hello{.size = served.core.size, .left_ms = 60'000, .ranks = {{0, 1}}};
  for (; hello.ranks[0].first < hello.size; ++hello.ranks[0].first) {
    net::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    served.url->path.copy(at.sun_path, sizeof at.sun_path - 1);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) break;
    ranks.emplace_back(std::move(socket)).send(wire::encode(hello));
  }
  ::unlink(served.url->path.c_str());
  const auto server = Server::start(std::move(served));
  ASSERT_TRUE(server);
  for (Raw& rank : ranks) ASSERT_EQ(rank.receive(8).size(), 8U);
}

}  // namespace
}  // namespace muster::server
