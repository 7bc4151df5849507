#include "server/driver/server.hpp"

#include <filesystem>
#include <future>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/limits.hpp"
#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/listen.hpp"
#include "net/wait.hpp"
#include "server/driver/raw_peer.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/store_messages.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

ServeOptions options(std::string_view url) {
  ServeOptions options;
  options.url = *net::Url::parse(url);
  options.bind_by = soon();
  options.core.job = "test";
  options.core.incarnation.number = 1;
  options.core.size = 1;
  return options;
}

/// A folder of its own, which goes with what is in it. Whoever binds in one holds its lock for a
/// moment, so that it must not be one that others use.
class Folder {
 public:
  Folder() { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string socket() const { return path_ + "/job.sock"; }
  std::string unix_url() const { return "unix://" + socket(); }

 private:
  std::string path_ = testing::TempDir() + "muster-server-XXXXXX";
};

class Served : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Server> start(ServeOptions served) {
    auto server = Server::start(std::move(served));
    EXPECT_TRUE(server) << server.error().text();
    return *std::move(server);
  }
  /// The parameter, or in a folder of its own.
  std::string where() const {
    const std::string url = GetParam();
    return url == "unix" ? folder_.unix_url() : url;
  }

  Folder folder_;
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
  EXPECT_EQ(mustered.get_future().wait_for(60s), std::future_status::ready);
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

INSTANTIATE_TEST_SUITE_P(Addresses, Served,
                         testing::Values("tcp://127.0.0.1:0", "tcp6://[::1]:0", "unix"));

TEST(Server, RemovesItsSocketFile) {
  const Folder folder;
  const std::string path = folder.socket();
  auto server = Server::start(options(folder.unix_url()));
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

  const Folder folder;
  ServeOptions served = options(folder.unix_url());
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
  const auto server = Server::start(std::move(served));
  ASSERT_TRUE(server);
  for (Raw& rank : ranks) ASSERT_EQ(rank.receive(8).size(), 8U);
}

}  // namespace
}  // namespace muster::server
