// The rounds against a slow obvious reference: every round that ever was, kept forever, in maps.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "server/core/core_fixture.hpp"
#include "server/core/reserve.hpp"

namespace muster::server {
namespace {

using Round = std::uint32_t;
using Rank = std::uint32_t;

/// What each rank was answered: its code, 0 for a good verdict.
using Answers = std::map<std::pair<Rank, Round>, int>;

class PlainGroup {
 public:
  explicit PlainGroup(std::uint32_t size) : size_(size), passed_(size) {}

  Round next(Rank rank) const { return passed_[rank] + 1; }
  bool waits(Rank rank) const {
    const auto at = rounds_.find(passed_[rank]);
    return at != rounds_.end() && !at->second.verdict && at->second.labels.contains(rank);
  }

  void arrive(Rank rank, char label, TimePoint deadline, Answers& answers) {
    const Round number = ++passed_[rank];
    Entry& round = rounds_[number];
    if (!round.verdict && broken_) round.verdict = broken_;
    if (round.verdict) {
      answers[{rank, number}] = *round.verdict;
      return;
    }
    round.labels[rank] = label;
    round.deadline = std::min(round.deadline, deadline);
    if (label != round.labels.begin()->second ||
        std::ranges::any_of(round.labels, [&](auto& each) { return each.second != label; })) {
      break_all(Code::mismatch, answers);
    } else if (round.labels.size() == size_) {
      end(number, 0, answers);
    }
  }
  void tick(TimePoint now, Answers& answers) {
    for (auto& [number, round] : rounds_) {
      if (!round.verdict && round.deadline <= now) {
        end(number, static_cast<int>(Code::rank_missing), answers);
      }
    }
  }
  void leave(Answers& answers) { break_all(is_open() ? Code::mismatch : Code::rank_left, answers); }
  void lose(Rank rank, Answers& answers) {
    for (auto& [number, round] : rounds_) round.labels.erase(rank);
    break_all(Code::rank_lost, answers);
  }
  std::optional<TimePoint> deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [number, round] : rounds_) {
      if (!round.verdict && (!next || round.deadline < *next)) next = round.deadline;
    }
    return next;
  }

 private:
  struct Entry {
    std::map<Rank, char> labels;
    TimePoint deadline = TimePoint::max();
    std::optional<int> verdict;
  };

  bool is_open() const {
    return std::ranges::any_of(rounds_, [](const auto& each) { return !each.second.verdict; });
  }
  void end(Round number, int verdict, Answers& answers) {
    Entry& round = rounds_[number];
    round.verdict = verdict;
    for (const auto& [rank, label] : round.labels) answers[{rank, number}] = verdict;
  }
  void break_all(Code code, Answers& answers) {
    const int verdict = static_cast<int>(code);
    for (auto& [number, round] : rounds_) {
      if (!round.verdict) end(number, verdict, answers);
    }
    if (!broken_) broken_ = verdict;
  }

  std::uint32_t size_;
  std::vector<Round> passed_;
  std::map<Round, Entry> rounds_;
  std::optional<int> broken_;
};

/// One random life of a group; every step is compared.
class Life {
 public:
  Life(std::uint64_t seed, std::uint32_t size)
      : random_(seed), fixture_({.on_loss = OnLoss::notify}), plain_(size) {
    fixture_.muster(size);
    for (Rank rank = 0; rank < size; ++rank) present_.insert(rank);
  }

  void run() {
    for (int i = 0; i < 400 && !present_.empty() && !::testing::Test::HasFailure(); ++i) step();
    while (!present_.empty()) go(*present_.begin(), false);
    EXPECT_EQ(fixture_.core.open_items(), 0U);
  }

 private:
  void step() {
    const auto dice = random_.below(1000);
    auto rank = present_.begin();
    std::advance(rank, random_.below(present_.size()));
    if (dice < 5) {
      go(*rank, random_.below(2) == 0);
    } else if (dice < 300) {
      pass_time(std::chrono::milliseconds{random_.below(200)});
    } else if (!plain_.waits(*rank)) {
      arrive(*rank);
    }
  }

  void arrive(Rank rank) {
    const bool odd = random_.below(300) == 0;
    const auto left_ms = static_cast<std::uint32_t>(random_.below(500));
    const Round round = plain_.next(rank);
    Answers expected;
    plain_.arrive(rank, odd ? 'y' : 'x', answer_by(fixture_.now, left_ms), expected);
    compare(expected, fixture_.ask(rank + 1, wire::Type::arrive, round,
                                   wire::Arrive{.sequence = round,
                                                .left_ms = left_ms,
                                                .label = odd ? "y" : "x",
                                                .parts = {{rank, {}}}}));
  }

  void pass_time(Duration time) {
    const TimePoint end = fixture_.now + time;
    while (fixture_.core.next_deadline() && *fixture_.core.next_deadline() <= end) {
      ASSERT_EQ(fixture_.core.next_deadline(), plain_.deadline());
      fixture_.now = std::max(fixture_.now, *plain_.deadline());
      Answers expected;
      plain_.tick(fixture_.now, expected);
      compare(expected, fixture_.step(Tick{}));
    }
    fixture_.now = end;
    Answers late;
    plain_.tick(end, late);
    EXPECT_TRUE(late.empty()) << "a deadline was missed";
  }

  /// Leaves and goes, or is lost.
  void go(Rank rank, bool leaves) {
    present_.erase(rank);
    Answers expected;
    if (leaves) {
      plain_.leave(expected);
      compare(expected,
              fixture_.ask(rank + 1, wire::Type::leave, 100'000, wire::LeaveRequest{.now = true}));
      fixture_.step(Closed{rank + 1, "closed"});
    } else {
      plain_.lose(rank, expected);
      compare(expected, fixture_.step(Closed{rank + 1, "reset"}));
    }
  }

  void compare(const Answers& expected, const std::vector<Seen>& seen) {
    Answers answers;
    for (const Seen& frame : seen) {
      if (frame.type != wire::Type::arrive) continue;
      const Rank rank = static_cast<Rank>(frame.link) - 1;
      EXPECT_TRUE(answers.emplace(std::pair{rank, frame.sequence}, frame.result).second);
      const auto [verdict, fresh] = verdicts_.emplace(frame.sequence, frame.body);
      EXPECT_EQ(verdict->second, frame.body) << "round " << frame.sequence << " has two verdicts";
    }
    EXPECT_EQ(answers, expected);
  }

  SeededRandom random_;
  CoreFixture fixture_;
  PlainGroup plain_;
  std::set<Rank> present_;
  std::map<Round, Value> verdicts_;
};

TEST(RoundsModel, DoesWhatThePlainGroupDoes) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Life life(seed, 1 + static_cast<std::uint32_t>(seed % 5));
    life.run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster::server
