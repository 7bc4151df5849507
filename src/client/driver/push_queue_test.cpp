// Watches of a link: told in order, ended in time, bounded.
#include "client/driver/push_queue.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "client/driver/socket_caller_fixture.hpp"

namespace muster::client {
namespace {

using PushesOfALink = SocketCallerTest;

TEST_F(PushesOfALink, TellsPushesInOrderToTheirWatch) {
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

TEST_F(PushesOfALink, AHandlerMayCallTheLinkAndEndItsWatch) {
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

TEST_F(PushesOfALink, EndWatchWaitsForItsHandlerInAnotherThread) {
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

TEST_F(PushesOfALink, AHandlerThatLagsTooFarEndsTheLink) {
  std::promise<void> entered;
  std::promise<void> go_on;
  const Ticket watch = start_watch([&, gate = go_on.get_future().share()](Bytes) {
    entered.set_value();
    gate.wait();
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

}  // namespace
}  // namespace muster::client
