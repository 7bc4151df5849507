// A step does a bounded amount of work, and leaves the rest of a link's requests for another.
#include <gmock/gmock.h>

#include "server/core/core_fixture.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"

namespace muster::server {
namespace {

class Budget : public ::testing::Test {
 protected:
  Budget() {
    job.muster(1);
    job.step(Opened{noisy, "10.0.0.9:1"});
    job.step(Received{noisy, wire::encode(wire::ClientHello{.role = wire::Role::tool})});
  }
  /// Gives the core all of it, in as many steps as it wants; what each left.
  std::vector<std::size_t> feed(Bytes bytes) {
    std::vector<std::size_t> left;
    while (!bytes.empty()) {
      answers += job.step(Received{noisy, bytes}).size();
      left.push_back(job.actions.untaken);
      EXPECT_LT(left.back(), bytes.size()) << "each step gets on";
      bytes = bytes.last(left.back());
    }
    return left;
  }
  void append(Value& to, const Value& frame) { to.insert(to.end(), frame.begin(), frame.end()); }

  static constexpr LinkId noisy = 9;
  CoreFixture job{CoreOptions{.size = 1}};
  std::size_t answers = 0;
};

TEST_F(Budget, ManySmallRequestsTakeSeveralSteps) {
  Value all;
  for (std::uint32_t i = 1; i <= 10'000; ++i) {
    append(all, make_frame(wire::Type::get, i, wire::GetRequest{"k", 0}));
  }
  const auto left = feed(all);
  EXPECT_GT(left.size(), 4U);
  EXPECT_LT(left.size(), 40U) << "not one request a step either";
  EXPECT_EQ(answers, 10'000U);
}

TEST_F(Budget, LargeAnswersEndAStepEarlier) {
  job.ask(noisy, wire::Type::set, 1, wire::SetRequest{"big", Value(1U << 20)});
  Value all;
  for (std::uint32_t i = 2; i <= 11; ++i) {
    append(all, make_frame(wire::Type::get, i, wire::GetRequest{"big", 0}));
  }
  EXPECT_EQ(feed(all).size(), 10U) << "one MiB a step";
  EXPECT_EQ(answers, 10U);
}

TEST_F(Budget, WaitsThatAreLookedAtInVainCount) {
  Value waits;
  for (std::uint32_t i = 1; i <= 5000; ++i) {
    append(waits, make_frame(wire::Type::wait, i, wire::WaitRequest{60'000, {"toggled", "never"}}));
  }
  feed(waits);
  Value toggles;
  for (std::uint32_t i = 5001; i <= 5100; i += 2) {
    append(toggles, make_frame(wire::Type::set, i, wire::SetRequest{"toggled", {}}));
    append(toggles, make_frame(wire::Type::remove, i + 1, wire::RemoveRequest{"toggled"}));
  }
  EXPECT_EQ(feed(toggles).size(), 100U) << "each looks at all waits";
  EXPECT_EQ(answers, 100U);
}

TEST_F(Budget, OneRequestIsToldABoundedNumberOfTimes) {
  for (std::uint32_t i = 1; i <= 100; ++i) {
    job.ask(noisy, wire::Type::watch, i, wire::WatchRequest{""});
  }
  wire::MultiSetRequest many;
  std::vector<std::string> keys;
  for (int i = 0; i < 656; ++i) keys.push_back("k" + std::to_string(i));
  for (const std::string& key : keys) many.entries.push_back({key, {}});
  const auto refused = job.ask(noisy, wire::Type::multi_set, 101, many);
  ASSERT_EQ(refused.size(), 1U) << "65,600 are too many";
  EXPECT_EQ(refused[0].failure().code, Code::limit);
  EXPECT_THAT(refused[0].failure().reason, testing::HasSubstr("told 65600 times, at most 65536"));
  many.entries.pop_back();
  EXPECT_EQ(job.ask(noisy, wire::Type::multi_set, 102, many).size(), 65'501U);
  EXPECT_EQ(job.ask(noisy, wire::Type::set, 103, wire::SetRequest{"k", {}}).size(), 101U);
}

/// So many waits for "go", of a link each thousand: links 100, 101, ...
class ManyWoken : public Budget {
 protected:
  ManyWoken() {
    for (std::uint32_t i = 0; i < count; ++i) {
      const LinkId link = 100 + i / 1000;
      if (i % 1000 == 0) {
        job.step(Opened{link, "10.0.0.9:1"});
        job.step(Received{link, wire::encode(wire::ClientHello{.role = wire::Role::tool})});
      }
      job.ask(link, wire::Type::get, 1 + i, wire::GetRequest{"go", 60'000});
    }
  }
  /// Takes the frames of `seen` that answer waits.
  void note(const std::vector<Seen>& seen) {
    for (const Seen& each : seen) {
      if (each.link >= 100 && each.type == wire::Type::get) told.push_back(each);
    }
  }
  /// The core wants to go on at once.
  bool goes_on() const {
    const auto due = job.core.next_deadline();
    return due && *due <= job.now;
  }
  /// Lets it tell all of them; what it said last.
  std::vector<Seen> finish() {
    std::vector<Seen> last;
    for (int steps = 0; goes_on() && steps < 100; ++steps) note(last = job.step(Tick{}));
    return last;
  }
  /// All were told `value`, in the order in which they came.
  void expect_all(std::string_view value) const {
    ASSERT_EQ(told.size(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(told[i].sequence, i + 1);
      ASSERT_EQ(told[i].result, 0);
      ASSERT_EQ(as_text(told[i].body), value);
    }
  }

  static constexpr std::uint32_t count = 20'000;
  std::vector<Seen> told;
};

TEST_F(ManyWoken, AreToldInSeveralStepsTheValueThatWokeThem) {
  note(job.ask(noisy, wire::Type::set, 1, wire::SetRequest{"go", as_bytes("first")}));
  EXPECT_GT(told.size(), 1000U);
  EXPECT_LT(told.size(), 5000U);
  EXPECT_TRUE(goes_on());
  const auto seen = job.ask(1, wire::Type::get, 1, wire::GetRequest{"go", 0});
  EXPECT_EQ(as_text(seen.back().body), "first") << "others are served in between";
  note(seen);
  note(job.ask(1, wire::Type::set, 2, wire::SetRequest{"go", as_bytes("second")}));
  note(job.ask(1, wire::Type::remove, 3, wire::RemoveRequest{"go"}));
  finish();
  expect_all("first");
}

TEST_F(ManyWoken, AreToldBeforeThoseWhoAreWokenLater) {
  job.ask(1, wire::Type::get, 1, wire::GetRequest{"later", 60'000});
  note(job.ask(noisy, wire::Type::set, 1, wire::SetRequest{"go", as_bytes("v")}));
  const auto seen = job.ask(noisy, wire::Type::set, 2, wire::SetRequest{"later", {}});
  EXPECT_THAT(seen, testing::Not(testing::Contains(testing::Field(&Seen::link, 1U))));
  note(seen);
  EXPECT_EQ(finish().back().link, 1U);
  expect_all("v");
}

TEST_F(ManyWoken, AreNotOvertakenByTheirTime) {
  note(job.ask(noisy, wire::Type::set, 1, wire::SetRequest{"go", as_bytes("v")}));
  job.now += std::chrono::hours{1};
  finish();
  expect_all("v");
}

TEST_F(ManyWoken, AreToldBeforeTheJobFails) {
  job.ask(noisy, wire::Type::get, 1, wire::GetRequest{"never", 60'000});
  note(job.ask(noisy, wire::Type::set, 2, wire::SetRequest{"go", as_bytes("v")}));
  note(job.step(Doom{{.code = Code::system, .reason = "over"}}));
  expect_all("v");
}

TEST_F(ManyWoken, AreForgottenWithTheirLinks) {
  const std::size_t links = count / 1000;
  const std::size_t items = job.core.open_items() - count - links;
  note(job.ask(noisy, wire::Type::set, 1, wire::SetRequest{"go", as_bytes("v")}));
  for (LinkId link = 100; link < 100 + links; ++link) job.step(Closed{link, "gone"});
  finish();
  EXPECT_LT(told.size(), count);
  EXPECT_EQ(job.core.open_items(), items);
}

TEST_F(Budget, OthersComeInBetween) {
  Value all;
  for (std::uint32_t i = 1; i <= 5000; ++i) {
    append(all, make_frame(wire::Type::add, i, wire::AddRequest{"n", 1}));
  }
  job.step(Received{noisy, all});
  const std::size_t left = job.actions.untaken;
  ASSERT_GT(left, 0U);
  EXPECT_EQ(job.ask(1, wire::Type::get, 1, wire::GetRequest{"n", 0}).size(), 1U);
  feed(Bytes(all).last(left));
  const auto seen = job.ask(1, wire::Type::add, 2, wire::AddRequest{"n", 0});
  EXPECT_EQ(seen.front().body.front(), static_cast<std::byte>(5000 & 0xFF)) << "none is lost";
}

TEST_F(Budget, AnIncompleteFrameIsTaken) {
  const Value frame = make_frame(wire::Type::set, 1, wire::SetRequest{"k", Value(100)});
  job.step(Received{noisy, Bytes(frame).first(50)});
  EXPECT_EQ(job.actions.untaken, 0U);
  EXPECT_EQ(job.step(Received{noisy, Bytes(frame).subspan(50)}).size(), 1U);
}

}  // namespace
}  // namespace muster::server
