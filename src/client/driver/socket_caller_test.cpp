#include "client/driver/socket_caller.hpp"

#include <future>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

#include "net/wait.hpp"
#include "wire/notices.hpp"
#include "wire/prefix_messages.hpp"

namespace muster::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Long enough for anything that is to happen; nothing here waits for it when all is well.
TimePoint soon() {
  return Clock::now() + 10s;
}

/// The server's end of the link, by hand.
class Peer {
 public:
  explicit Peer(int fd) : socket_(fd) {}

  /// The next request's header; its body in `body`.
  wire::FrameHeader next() {
    std::byte head[wire::header_bytes];
    read_all({head, sizeof head});
    wire::FrameHeader header;
    EXPECT_TRUE(wire::get_header(head, header));
    body.resize(header.length);
    read_all(body);
    return header;
  }

  void answer(std::uint32_t sequence, std::string_view text) {
    send(wire::Type::get, sequence, as_bytes(text));
  }

  void send(wire::Type type, std::uint32_t sequence, Bytes bytes) {
    Value frame;
    const std::size_t begun = wire::begin_frame(frame);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    wire::end_frame(frame, begun, type, sequence);
    ASSERT_EQ(::send(socket_.get(), frame.data(), frame.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(frame.size()));
  }

  /// As much as the link takes before it is closed at the other end.
  void send_until_closed(wire::Type type, std::uint32_t sequence, Bytes bytes) {
    Value frame(wire::header_bytes);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    wire::end_frame(frame, 0, type, sequence);
    for (Bytes left = frame; !left.empty();) {
      const ssize_t sent = ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      left = left.subspan(static_cast<std::size_t>(sent));
    }
  }

  void doom(std::string reason) {
    Value failure;
    wire::encode(Failure{.code = Code::rank_lost, .reason = std::move(reason)}, failure);
    send(wire::Type::doomed, 0, failure);
  }

  void hang_up() { socket_.reset(); }

  Value body;

 private:
  void read_all(std::span<std::byte> into) {
    while (!into.empty()) {
      const ssize_t got = ::recv(socket_.get(), into.data(), into.size(), 0);
      ASSERT_GT(got, 0);
      into = into.subspan(static_cast<std::size_t>(got));
    }
  }

  net::Fd socket_;
};

class SocketCallerTest : public testing::Test {
 protected:
  SocketCallerTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    peer = std::make_unique<Peer>(ends[0]);
    Session session;
    session.server = {.rank = 0, .host = "node0", .pid = 42};
    link = SocketCaller::make(net::Fd(ends[1]), session,
                              [this](const Failure& failure) { heard.set_value(failure); }, {});
  }

  Ticket start(std::string_view body = "?") {
    Value frame;
    const std::size_t begun = wire::begin_frame(frame);
    const Bytes bytes = as_bytes(body);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    wire::end_frame(frame, begun, wire::Type::get, 0);
    auto ticket = link->start(std::move(frame));
    EXPECT_TRUE(ticket);
    return ticket ? *ticket : 0;
  }

  Ticket start_watch(OnPush on_push) {
    auto ticket = link->start_watch(client::frame(wire::Type::watch, wire::WatchRequest{}),
                                    std::move(on_push));
    EXPECT_TRUE(ticket);
    return ticket ? *ticket : 0;
  }

  std::string answer(Ticket ticket, TimePoint deadline = soon()) {
    const auto reply = link->wait(ticket, deadline);
    return reply ? std::string(as_text(reply->body)) : name(reply.error().code);
  }

  std::unique_ptr<Peer> peer;
  std::shared_ptr<SocketCaller> link;
  std::promise<Failure> heard;
};

TEST_F(SocketCallerTest, MatchesAnswersInAnyOrder) {
  const Ticket one = start("1");
  const Ticket two = start("2");
  EXPECT_EQ(peer->next().sequence, one);
  EXPECT_EQ(peer->next().sequence, two);
  peer->answer(two, "second");
  peer->answer(one, "first");
  EXPECT_EQ(answer(one), "first");
  EXPECT_EQ(answer(two), "second");
}

TEST_F(SocketCallerTest, TellsPushesInOrderToTheirWatch) {
  std::vector<std::string> told;
  const Ticket watch = start_watch([&](Bytes body) { told.emplace_back(as_text(body)); });
  const Ticket request = start();
  peer->answer(watch, "");
  for (const char* text : {"1", "2", "3"}) peer->send(wire::Type::changed, watch, as_bytes(text));
  peer->answer(request, "and a reply");
  EXPECT_EQ(answer(watch), "");
  EXPECT_EQ(answer(request), "and a reply");
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2", "3"}));
  link->end_watch(watch);
  peer->send(wire::Type::changed, watch, as_bytes("late"));
  const Ticket last = start();
  peer->answer(last, "alive");
  EXPECT_EQ(answer(last), "alive");
  EXPECT_EQ(told.size(), 3U);
}

TEST_F(SocketCallerTest, AHandlerMayCallTheLinkAndEndItsWatch) {
  std::string nested;
  Ticket watch = 0;
  watch = start_watch([&](Bytes) {
    const Ticket inner = start("from the handler");
    peer->answer(inner, "inner");
    nested += answer(inner);
    link->end_watch(watch);
  });
  peer->answer(watch, "");
  peer->send(wire::Type::changed, watch, as_bytes("once"));
  peer->send(wire::Type::changed, watch, as_bytes("never told"));
  EXPECT_EQ(answer(watch), "");
  const Ticket last = start();
  peer->answer(last, "alive");
  EXPECT_EQ(answer(last), "alive");
  EXPECT_EQ(nested, "inner");
}

TEST_F(SocketCallerTest, EndWatchWaitsForItsHandlerInAnotherThread) {
  std::promise<void> entered;
  std::promise<void> go_on;
  std::atomic<bool> over{false};
  const Ticket watch = start_watch([&](Bytes) {
    entered.set_value();
    go_on.get_future().wait();
    over = true;
  });
  peer->answer(watch, "");
  peer->send(wire::Type::changed, watch, {});
  std::jthread reader([&] { EXPECT_EQ(answer(watch), ""); });
  entered.get_future().wait();
  std::jthread ender([&] {
    link->end_watch(watch);
    EXPECT_TRUE(over) << "its handler runs no more";
  });
  go_on.set_value();
}

TEST_F(SocketCallerTest, AHandlerThatLagsTooFarEndsTheLink) {
  std::promise<void> entered;
  std::promise<void> go_on;
  const Ticket watch = start_watch([&, first = true](Bytes) mutable {
    if (std::exchange(first, false)) entered.set_value();
    go_on.get_future().wait();
  });
  peer->answer(watch, "");
  peer->send(wire::Type::changed, watch, {});
  std::jthread reader([&] { answer(watch); });
  entered.get_future().wait();
  const Ticket request = start();
  std::jthread sender([&] {
    const Value large(16U << 20);
    for (int i = 0; i < 9; ++i) peer->send_until_closed(wire::Type::changed, watch, large);
  });
  EXPECT_EQ(answer(request), "limit");
  go_on.set_value();
}

TEST_F(SocketCallerTest, TimesOutAndDropsTheLateAnswer) {
  const Ticket late = start();
  EXPECT_EQ(answer(late, Clock::now() + 20ms), "timeout");
  peer->answer(late, "late");
  const Ticket next = start();
  peer->answer(next, "in time");
  EXPECT_EQ(answer(next), "in time");
}

TEST_F(SocketCallerTest, AnAnswerThatHasArrivedWinsOverThePassedDeadline) {
  const Ticket ticket = start();
  peer->answer(ticket, "here");
  EXPECT_EQ(answer(ticket, Clock::now() - 1s), "here");
}

TEST_F(SocketCallerTest, TestTakesInWhatHasArrived) {
  const Ticket ticket = start();
  EXPECT_FALSE(link->test(ticket));
  peer->answer(ticket, "here");
  EXPECT_TRUE(link->test(ticket));
  EXPECT_EQ(answer(ticket), "here");
}

TEST_F(SocketCallerTest, AForgottenTicketsAnswerHurtsNobody) {
  const Ticket forgotten = start();
  link->forget(forgotten);
  peer->answer(forgotten, "for nobody");
  const Ticket next = start();
  peer->answer(next, "next");
  EXPECT_EQ(answer(next), "next");
}

TEST_F(SocketCallerTest, ALongWaitStopsNobodyElse) {
  const Ticket slow = start("slow");
  auto blocked = std::async(std::launch::async, [&] { return answer(slow); });
  for (int i = 0; i < 100; ++i) {
    const Ticket quick = start("quick");
    peer->answer(quick, "quick");
    EXPECT_EQ(answer(quick), "quick");
  }
  peer->answer(slow, "slow");
  EXPECT_EQ(blocked.get(), "slow");
}

TEST_F(SocketCallerTest, TheLeadPassesOnWhenALeaderGivesUp) {
  std::vector<std::future<std::string>> waiting;
  std::vector<Ticket> tickets;
  for (int i = 0; i < 8; ++i) tickets.push_back(start());
  for (int i = 0; i < 8; ++i) {
    const TimePoint deadline = i < 7 ? Clock::now() + 5ms * (i + 1) : soon();
    waiting.push_back(
        std::async(std::launch::async, [this, ticket = tickets[static_cast<std::size_t>(i)],
                                        deadline] { return answer(ticket, deadline); }));
  }
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(waiting[i].get(), "timeout");
  peer->answer(tickets[7], "last");
  EXPECT_EQ(waiting[7].get(), "last");
}

TEST_F(SocketCallerTest, ManyThreadsShareTheLink) {
  constexpr int threads = 8;
  constexpr int calls = 200;
  std::thread echo([&] {
    for (int i = 0; i < threads * calls; ++i) {
      const auto header = peer->next();
      peer->answer(header.sequence, as_text(peer->body));
    }
  });
  std::vector<std::thread> callers;
  for (int t = 0; t < threads; ++t) {
    callers.emplace_back([this, t] {
      for (int i = 0; i < calls; ++i) {
        const std::string mine = std::to_string(t) + "." + std::to_string(i);
        EXPECT_EQ(answer(start(mine)), mine);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  echo.join();
}

TEST_F(SocketCallerTest, StartNeverBlocksAndTheRestLeavesWhileSomebodyWaits) {
  const std::string large(8U << 20, 'x');
  const Ticket first = start(large);
  const Ticket second = start(large);
  auto reader = std::async(std::launch::async, [&] {
    for (int i = 0; i < 2; ++i) {
      const auto header = peer->next();
      EXPECT_EQ(as_text(peer->body), large);
      peer->answer(header.sequence, "taken");
    }
  });
  EXPECT_EQ(answer(second), "taken");
  EXPECT_EQ(answer(first), "taken");
  reader.get();
}

TEST_F(SocketCallerTest, WhoSendsMuchDoesNotNeedTheLead) {
  const Ticket slow = start("slow");
  auto blocked = std::async(std::launch::async, [&] { return answer(slow); });
  const std::string large(8U << 20, 'x');
  auto sending = std::async(std::launch::async, [&] { return answer(start(large)); });
  EXPECT_EQ(peer->next().sequence, slow);
  peer->answer(peer->next().sequence, "taken");
  EXPECT_EQ(sending.get(), "taken");
  peer->answer(slow, "slow");
  EXPECT_EQ(blocked.get(), "slow");
}

TEST_F(SocketCallerTest, ALostServerEndsEveryCallAndIsNamed) {
  const Ticket answered = start();
  const Ticket open = start();
  auto blocked = std::async(std::launch::async, [&] { return link->wait(open, soon()); });
  peer->answer(answered, "before");
  peer->hang_up();
  const auto lost = blocked.get();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::server_lost);
  EXPECT_THAT(lost.error().text(), HasSubstr("rank 0 (host node0, pid 42)"));
  EXPECT_EQ(answer(answered), "before");
  EXPECT_FALSE(link->start(Value(wire::header_bytes)));
  EXPECT_EQ(heard.get_future().get().code, Code::server_lost);
}

TEST_F(SocketCallerTest, CallsEndWithTheServersLastWordsWhenItIsGone) {
  const Ticket waiting = start("waiting");
  peer->doom("rank 2 is lost");
  peer->hang_up();
  const auto reply = link->wait(waiting, soon());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::rank_lost);
  EXPECT_EQ(reply.error().what, "rank 2 is lost");
  const auto later = link->start(Value(wire::header_bytes));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, Code::rank_lost);
}

TEST_F(SocketCallerTest, CloseWakesEverybodyAndIsNotAFailure) {
  std::vector<std::future<std::string>> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(
        std::async(std::launch::async, [this, ticket = start()] { return answer(ticket); }));
  }
  link->close(Error{.code = Code::invalid_state, .what = "left"});
  for (auto& each : waiting) EXPECT_EQ(each.get(), "invalid_state");
  EXPECT_EQ(heard.get_future().wait_for(0s), std::future_status::timeout);
}

TEST_F(SocketCallerTest, NoiseClosesTheLink) {
  const Ticket ticket = start();
  peer->send(wire::Type::get, 4711, as_bytes("an answer to nothing"));
  EXPECT_EQ(answer(ticket), "protocol");
}

TEST_F(SocketCallerTest, TheHelloIsAnsweredOnceAllAreIn) {
  peer->send(wire::Type::mustered, 0, {});
  EXPECT_EQ(answer(muster_ticket), "");
}

TEST_F(SocketCallerTest, AnIdleLinkHearsOfDoom) {
  ASSERT_TRUE(SocketCaller::watch(link));
  peer->doom("rank 3 is gone");
  auto failure = heard.get_future();
  ASSERT_EQ(failure.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(failure.get().reason, "rank 3 is gone");
}

TEST_F(SocketCallerTest, AnIdleLinkHearsOfDoomAfterCallsToo) {
  ASSERT_TRUE(SocketCaller::watch(link));
  for (int i = 0; i < 3; ++i) {
    const Ticket ticket = start();
    peer->answer(ticket, "x");
    EXPECT_EQ(answer(ticket), "x");
    net::pause_until(Clock::now() + 2 * Watcher::quiet);
  }
  peer->doom("rank 3 is gone");
  ASSERT_EQ(heard.get_future().wait_for(10s), std::future_status::ready);
}

TEST_F(SocketCallerTest, ACallInFlightHearsOfDoomAtOnce) {
  const Ticket ticket = start();
  auto blocked = std::async(std::launch::async, [&] { return answer(ticket); });
  peer->doom("rank 3 is gone");
  ASSERT_EQ(heard.get_future().wait_for(10s), std::future_status::ready);
  peer->answer(ticket, "still here");
  EXPECT_EQ(blocked.get(), "still here");
}

}  // namespace
}  // namespace muster::client
