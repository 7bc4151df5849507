#include "client/driver/socket_caller.hpp"

#include <gmock/gmock.h>
#include <poll.h>
#include <thread>

#include "client/driver/socket_caller_fixture.hpp"
#include "net/wait.hpp"

namespace muster::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

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
  ASSERT_EQ(failure.wait_for(60s), std::future_status::ready);
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
  ASSERT_EQ(heard.get_future().wait_for(60s), std::future_status::ready);
}

TEST_F(SocketCallerTest, ACallInFlightHearsOfDoomAtOnce) {
  const Ticket ticket = start();
  auto blocked = std::async(std::launch::async, [&] { return answer(ticket); });
  peer->doom("rank 3 is gone");
  ASSERT_EQ(heard.get_future().wait_for(60s), std::future_status::ready);
  peer->answer(ticket, "still here");
  EXPECT_EQ(blocked.get(), "still here");
}

}  // namespace
}  // namespace muster::client
