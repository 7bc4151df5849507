#include "link.hpp"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

class Ear : public Receiver {
 public:
  explicit Ear(Scheduler& scheduler) : scheduler_(scheduler) {}

  void received(Bytes bytes) override {
    EXPECT_THAT(why, IsEmpty()) << "bytes after the end";
    text += as_text(bytes);
    pieces.emplace_back(as_text(bytes));
    at = scheduler_.elapsed();
  }
  void closed(std::string_view reason) override {
    EXPECT_THAT(why, IsEmpty()) << "ended twice";
    why = reason;
    closed_at = scheduler_.elapsed();
  }

  std::string text;
  std::vector<std::string> pieces;
  std::string why;
  Duration at{};
  Duration closed_at{};

 private:
  Scheduler& scheduler_;
};

class LinkTest : public testing::Test {
 protected:
  LinkTest() {
    link.attach(Side::client, &client);
    link.attach(Side::server, &server);
  }
  void run() { EXPECT_EQ(scheduler.run(100'000), Scheduler::End::quiet); }

  FiberPool pool;
  Scheduler scheduler{pool, 1};
  Dice dice{1};
  Weather down{2ms, 2ms, 0, 0};
  Weather up{5ms, 90ms, 70, 30};
  Link link{scheduler, dice, down, up};
  Ear client{scheduler};
  Ear server{scheduler};
};

TEST_F(LinkTest, BytesArriveLateInPiecesAndInOrder) {
  std::string all;
  for (int i = 0; i < 200; ++i) {
    const std::string text = "message " + std::to_string(i) + ";";
    all += text;
    link.write(Side::client, as_bytes(text));
  }
  run();
  EXPECT_EQ(server.text, all);
  EXPECT_GT(server.pieces.size(), 100U);
  EXPECT_GE(server.at, 5ms);
  EXPECT_LE(server.at, 90ms);
  EXPECT_THAT(client.text, IsEmpty());
}

TEST_F(LinkTest, TheDirectionsDoNotWaitForEachOther) {
  link.write(Side::client, as_bytes("up"));
  link.write(Side::server, as_bytes("down"));
  run();
  EXPECT_EQ(server.text, "up");
  EXPECT_EQ(client.text, "down");
  EXPECT_EQ(client.at, 2ms);
}

TEST_F(LinkTest, ACloseComesAfterWhatWasWrittenAndSilencesTheOtherDirection) {
  link.write(Side::client, as_bytes("the last words"));
  link.write(Side::server, as_bytes("nobody listens"));
  link.close(Side::client);
  link.write(Side::client, as_bytes("too late"));
  run();
  EXPECT_EQ(server.text, "the last words");
  EXPECT_EQ(server.why, "closed by the peer");
  EXPECT_GE(server.closed_at, server.at);
  EXPECT_THAT(client.pieces, IsEmpty());
  EXPECT_THAT(client.why, IsEmpty());
}

TEST_F(LinkTest, ACutLosesWhatIsOnItsWayAndEachSideIsToldInItsTime) {
  link.write(Side::client, as_bytes("lost"));
  link.cut(1ms, 30s);
  link.write(Side::client, as_bytes("lost, too"));
  run();
  EXPECT_THAT(server.text, IsEmpty());
  EXPECT_EQ(client.why, "connection reset");
  EXPECT_EQ(client.closed_at, 1ms);
  EXPECT_EQ(server.closed_at, 30s);
  EXPECT_TRUE(link.disturbed());
}

TEST_F(LinkTest, WhoHasClosedIsNotToldOfACut) {
  link.close(Side::client);
  link.cut(1ms, 1ms);
  run();
  EXPECT_THAT(client.why, IsEmpty());
  EXPECT_EQ(server.why, "connection reset");
}

TEST_F(LinkTest, AStallHoldsOneDirectionBackUntilItHeals) {
  link.write(Side::client, as_bytes("one "));
  link.stall(Side::client);
  link.write(Side::client, as_bytes("two"));
  link.write(Side::server, as_bytes("down"));
  link.close(Side::client);
  run();
  EXPECT_THAT(server.pieces, IsEmpty());
  EXPECT_THAT(server.why, IsEmpty());
  scheduler.at(Scheduler::beginning() + 10s, [&] { link.heal(); });
  run();
  EXPECT_EQ(server.text, "one two");
  EXPECT_GE(server.at, 10s);
  EXPECT_EQ(server.why, "closed by the peer");
}

TEST_F(LinkTest, PiecesThatAreDueTogetherMayArriveAsOne) {
  Weather merging{1ms, 1ms, 0, 100};
  Link merged(scheduler, dice, merging, merging);
  Ear ear{scheduler};
  merged.attach(Side::server, &ear);
  merged.write(Side::client, as_bytes("a"));
  merged.write(Side::client, as_bytes("b"));
  run();
  EXPECT_THAT(ear.pieces, SizeIs(1));
  EXPECT_EQ(ear.text, "ab");
}

TEST_F(LinkTest, WhoIsDetachedHearsNothing) {
  link.attach(Side::server, nullptr);
  link.write(Side::client, as_bytes("dropped"));
  link.close(Side::client);
  run();
  EXPECT_THAT(server.text, IsEmpty());
  EXPECT_THAT(server.why, IsEmpty());
}

}  // namespace
}  // namespace muster::sim
