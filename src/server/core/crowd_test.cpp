// What a core does when there is no room for one more connection: descriptors have run out, or too
// many strangers wait.
#include <gmock/gmock.h>

#include "base/limits.hpp"
#include "server/core/core_fixture.hpp"

namespace muster::server {
namespace {

using std::chrono_literals::operator""s;
using testing::HasSubstr;

class Crowd : public ::testing::Test {
 protected:
  void come(LinkId link, const std::string& address) { job.step(Opened{link, address}); }
  /// Who was turned away.
  std::vector<LinkId> closed() const {
    std::vector<LinkId> links;
    for (const Action& action : job.actions.list) {
      if (const auto* close = std::get_if<Close>(&action)) links.push_back(close->link);
    }
    return links;
  }
  std::vector<LinkId> closed_by_crowding() {
    job.step(Crowded{});
    return closed();
  }
  std::string logged() const {
    for (const Action& action : job.actions.list) {
      if (const auto* log = std::get_if<Log>(&action)) return log->line;
    }
    return {};
  }

  CoreFixture job{CoreOptions{.size = 2}};
};

TEST_F(Crowd, TheNoisySourceMakesRoomAndIsNamedOnce) {
  come(10, "10.0.0.7:1");
  for (LinkId link = 11; link <= 13; ++link) come(link, "10.0.0.9:" + std::to_string(link));
  EXPECT_EQ(closed_by_crowding(), std::vector<LinkId>{11});
  EXPECT_THAT(logged(), HasSubstr("turned 10.0.0.9:11 away: "));
  EXPECT_THAT(logged(), HasSubstr("Raise the limit of open files"));
  EXPECT_EQ(closed_by_crowding(), std::vector<LinkId>{12});
  EXPECT_EQ(logged(), "") << "one line a source";
  EXPECT_EQ(closed_by_crowding(), std::vector<LinkId>{10}) << "one each, and it came earlier";
  EXPECT_EQ(closed_by_crowding(), std::vector<LinkId>{13});
  EXPECT_TRUE(closed_by_crowding().empty());
}

TEST_F(Crowd, WhoIsInStays) {
  job.muster(2);
  come(3, "10.0.0.9:1");
  job.step(Received{3, wire::encode(wire::ClientHello{.role = wire::Role::tool})});
  come(4, "in-process");
  job.step(Vouched{4});
  EXPECT_TRUE(closed_by_crowding().empty());
  EXPECT_TRUE(job.actions.list.empty()) << "it is the driver that says so";
}

TEST_F(Crowd, WhoWaitsForItsRankStays) {
  come(3, "10.0.0.9:1");
  job.step(
      Received{3, wire::encode(wire::ClientHello{
                      .role = wire::Role::assigned, .size = 2, .left_ms = 1000, .host = "h"})});
  EXPECT_TRUE(closed_by_crowding().empty());
}

TEST_F(Crowd, AtTheLimitOfStrangersTheSameOnesGo) {
  come(1, "10.0.0.7:1");
  for (LinkId link = 2; link <= limits::strangers_max; ++link) come(link, "10.0.0.9:1");
  EXPECT_TRUE(closed().empty()) << "as many as may wait";
  job.now += 1s;
  come(limits::strangers_max + 1, "10.0.0.8:1");
  EXPECT_EQ(closed(), std::vector<LinkId>{2});
  EXPECT_THAT(logged(), HasSubstr("too many connections are waiting to be admitted"));
}

}  // namespace
}  // namespace muster::server
