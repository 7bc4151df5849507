// Our client of version 0 against a scripted server: it says what the captured clients said, and
// understands what the reference's server answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>

#include <muster/digest.hpp>
#include <muster/job.hpp>

#include "net/fd.hpp"
#include "net/wait.hpp"
#include "sessions.hpp"
#include "support/ports.hpp"
#include "support/process.hpp"
#include "wire/v0.hpp"

namespace muster::version0 {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

/// Resource. Plays the server's side of `session` for one client, and keeps what that said.
class ScriptedServer {
 public:
  explicit ScriptedServer(const Session& session)
      : answers_(session.frames(false)), thread_([this] { play(); }) {}

  std::string url() const { return port_.url + "?wire=0"; }
  /// The hello and the frames that came, when the script is at its end.
  std::vector<std::string> heard() {
    thread_.join();
    return heard_;
  }

 private:
  void play() {
    if (net::wait_ready(port_.socket.get(), POLLIN, Clock::now() + support::patience) == 0) return;
    const net::Fd client(::accept(port_.socket.get(), nullptr, nullptr));
    heard_.push_back(read(client.get(), wire::v0::hello_bytes));
    say(client.get(), std::string(2, '\0'));
    for (const Session::Frame& answer : answers_) {
      const std::string head = read(client.get(), wire::header_bytes);
      if (head.size() < wire::header_bytes) return;
      wire::FrameHeader asked;
      EXPECT_TRUE(wire::get_header(as_bytes(head).data(), asked));
      heard_.push_back(read(client.get(), asked.length));
      Value frame(wire::header_bytes);
      wire::FrameHeader header = answer.header;
      header.sequence = asked.sequence;
      wire::put_header(frame.data(), header);
      say(client.get(), std::string(as_text(frame)) + std::string(as_text(answer.body)));
    }
  }

  static std::string read(int fd, std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t have = 0;
    while (have < count && net::wait_ready(fd, POLLIN, Clock::now() + support::patience) != 0) {
      const ssize_t got = ::recv(fd, bytes.data() + have, count - have, 0);
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  }
  static void say(int fd, const std::string& bytes) {
    EXPECT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  support::Port port_ = support::listening_port();
  std::vector<Session::Frame> answers_;
  std::vector<std::string> heard_;
  std::jthread thread_;
};

/// Runs `call` on a store whose server plays the session `name`; what the client said must be what
/// was captured, but for padding, rank and numbers.
template <class Call>
void expect_as_captured(std::string_view name, Call&& call) {
  const Session& captured = session(name);
  ScriptedServer server(captured);
  {
    const auto store = connect_store(server.url(), Deadline::in(support::patience)).value();
    call(*store);
  }
  const auto heard = server.heard();
  const auto frames = captured.frames(true);
  ASSERT_EQ(heard.size(), frames.size() + 1) << name;
  EXPECT_EQ(to_hex(as_bytes(heard[0])), "cc0a0000000000000000000000000000") << name;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(to_hex(as_bytes(heard[i + 1])), to_hex(frames[i].body)) << name;
  }
}

TEST(Client, SetsGetsAndRemoves) {
  expect_as_captured("SET alpha=hello",
                     [](Store& store) { EXPECT_TRUE(store.set("alpha", as_bytes("hello"))); });
  expect_as_captured("GET nokey, timeout 0 (immediate miss)", [](Store& store) {
    const auto answer = store.get("nokey");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::not_found);
    EXPECT_THAT(answer.error().what,
                AllOf(HasSubstr("get of key 'nokey'"), HasSubstr("-404 '<not exist>'")));
    EXPECT_THAT(answer.error().remote, HasSubstr("127.0.0.1"));
  });
  expect_as_captured("REMOVE alpha (exists)",
                     [](Store& store) { EXPECT_TRUE(store.remove("alpha").value()); });
  expect_as_captured("REMOVE alpha (absent)",
                     [](Store& store) { EXPECT_FALSE(store.remove("alpha").value()); });
}

TEST(Client, AddsAndAppends) {
  expect_as_captured("ADD ctr +5 (creates)",
                     [](Store& store) { EXPECT_EQ(store.add("ctr", 5).value(), 5); });
  expect_as_captured("ADD ctr -7",
                     [](Store& store) { EXPECT_EQ(store.add("ctr", -7).value(), -2); });
  expect_as_captured("APPEND blob \"AB\" (creates)", [](Store& store) {
    EXPECT_EQ(store.append("blob", as_bytes("AB")).value(), 2U);
  });
  expect_as_captured("APPEND blob \"CDE\"", [](Store& store) {
    EXPECT_EQ(store.append("blob", as_bytes("CDE")).value(), 5U);
  });
}

TEST(Client, ComparesAndSets) {
  expect_as_captured("CAS casK \"\" -> v1 (absent, succeeds)", [](Store& store) {
    const Swap swap = store.compare_set("casK", std::nullopt, as_bytes("v1")).value();
    EXPECT_TRUE(swap.swapped);
    EXPECT_FALSE(swap.before);
  });
  expect_as_captured("CAS casK v1 -> v2 (succeeds)", [](Store& store) {
    const Swap swap = store.compare_set("casK", as_bytes("v1"), as_bytes("v2")).value();
    EXPECT_TRUE(swap.swapped);
    EXPECT_EQ(as_text(*swap.before), "v1");
  });
  expect_as_captured("CAS casK wrong -> v3 (fails; result is still 0)", [](Store& store) {
    const Swap swap = store.compare_set("casK", as_bytes("wrong"), as_bytes("v3")).value();
    EXPECT_FALSE(swap.swapped);
    EXPECT_EQ(as_text(*swap.before), "v2");
  });
}

TEST(Client, AServersTimeOutIsHeardThoughTheDeadlineIsTheSame) {
  ScriptedServer server(session("GET nokey, timeout 300 ms (server-side timeout)"));
  const auto store = connect_store(server.url(), Deadline::in(support::patience)).value();
  const auto answer = store->wait_get("nokey", Deadline::in(300ms));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::timeout);
  EXPECT_THAT(answer.error().what,
              AllOf(HasSubstr("wait_get of key 'nokey'"), HasSubstr("-601 '<timeout>'")));
  EXPECT_EQ(server.heard().size(), 2U);
}

TEST(Client, APeerOfAnotherKindIsNamed) {
  for (const auto& [url, wrong] : {std::pair{"tcp://127.0.0.1:1?wire=1", "'wire=1' is no version"},
                                   std::pair{"tcp://127.0.0.1:1?tls=0", "'tls=0' is not known"}}) {
    const auto store = connect_store(url, Deadline::in(1s));
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, Code::invalid_argument);
    EXPECT_THAT(store.error().what, HasSubstr(wrong));
  }
}

}  // namespace
}  // namespace muster::version0
