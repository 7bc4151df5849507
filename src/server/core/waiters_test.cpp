#include "server/core/waiters.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <set>

#include "base/random.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const TimePoint start = TimePoint{} + 1h;

Waiter waiter(LinkId link, std::uint32_t sequence, std::string key, Duration wait) {
  return {{link, wire::Type::get, sequence}, {std::move(key)}, start, start + wait};
}

std::vector<std::uint32_t> sequences(const std::vector<Waiter>& waiters) {
  std::vector<std::uint32_t> list;
  for (const Waiter& each : waiters) list.push_back(each.to.sequence);
  return list;
}

/// Wakes those that wait for `key`, and takes them at once.
std::vector<Waiter> woken_by(Waiters& waiters, std::string_view key) {
  std::vector<Waiter> taken;
  for (const Waiters::Id id : waiters.wake(key)) taken.push_back(waiters.take_woken(id).value());
  return taken;
}

TEST(Waiters, WakeInTheOrderTheyCame) {
  Waiters waiters;
  waiters.add(waiter(1, 1, "a", 9s), 1);
  waiters.add(waiter(2, 2, "b", 1s), 1);
  waiters.add(waiter(1, 3, "a", 5s), 1);
  EXPECT_EQ(sequences(woken_by(waiters, "a")), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_TRUE(woken_by(waiters, "a").empty());
  EXPECT_EQ(waiters.size(), 1U);
}

TEST(Waiters, EndInTheOrderOfTheirDeadlinesAndNotBefore) {
  Waiters waiters;
  waiters.add(waiter(1, 1, "a", 3s), 1);
  waiters.add(waiter(1, 2, "a", 1s), 1);
  waiters.add(waiter(1, 3, "b", 2s), 1);
  waiters.add(waiter(1, 4, "b", 2s), 1);
  EXPECT_EQ(waiters.next_deadline(), start + 1s);
  EXPECT_TRUE(waiters.take_due(start + 1s - 1ns).empty());
  EXPECT_EQ(sequences(waiters.take_due(start + 2s)), (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(waiters.next_deadline(), start + 3s);
}

TEST(Waiters, GoWithTheirLink) {
  Waiters waiters;
  waiters.add(waiter(1, 1, "a", 3s), 1);
  waiters.add(waiter(2, 2, "a", 1s), 1);
  waiters.add(waiter(1, 3, "b", 1s), 1);
  EXPECT_EQ(waiters.keys_of(1), 2U);
  EXPECT_EQ(waiters.first_of(1)->keys[0], "a");
  waiters.drop_link(1);
  EXPECT_EQ(waiters.keys_of(1), 0U);
  EXPECT_EQ(waiters.first_of(1), nullptr);
  EXPECT_EQ(sequences(waiters.take_all()), (std::vector<std::uint32_t>{2}));
  EXPECT_FALSE(waiters.next_deadline());
}

TEST(Waiters, OfManyKeysWaitForAllAtOneMoment) {
  Waiters waiters;
  Waiter both = waiter(1, 1, "a", 9s);
  both.keys.push_back("b");
  waiters.add(both, 2);
  waiters.add(waiter(2, 2, "b", 9s), 1);
  EXPECT_EQ(waiters.keys_of(1), 2U);
  EXPECT_TRUE(woken_by(waiters, "a").empty());
  waiters.vanished("a");
  EXPECT_EQ(sequences(woken_by(waiters, "b")), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(sequences(woken_by(waiters, "a")), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(waiters.size(), 0U);
}

TEST(Waiters, OfOneKeyGoTogetherWhateverElseTheyMiss) {
  Waiters waiters;
  Waiter both = waiter(1, 1, "a", 9s);
  both.keys.push_back("b");
  waiters.add(both, 1);
  waiters.add(waiter(2, 2, "b", 9s), 1);
  EXPECT_EQ(sequences(waiters.take_key("b")), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(waiters.size(), 0U);
  EXPECT_TRUE(waiters.take_key("a").empty());
}

TEST(Waiters, WhoIsWokenHasHadItWhateverComesBeforeItIsTaken) {
  Waiters waiters;
  Waiter both = waiter(1, 1, "a", 1s);
  both.keys.push_back("b");
  waiters.add(both, 1);
  waiters.add(waiter(1, 2, "a", 1s), 1);
  waiters.add(waiter(2, 3, "a", 1s), 1);
  const Waiters::Ids woken = waiters.wake("a");
  ASSERT_EQ(woken.size(), 3U);
  waiters.vanished("a");
  waiters.vanished("b");
  waiters.add(waiter(3, 4, "a", 9s), 1);
  EXPECT_TRUE(waiters.take_due(start + 1s).empty());
  EXPECT_EQ(sequences(woken_by(waiters, "a")), (std::vector<std::uint32_t>{4}));
  EXPECT_TRUE(waiters.take_key("a").empty());
  EXPECT_TRUE(woken_by(waiters, "b").empty());
  waiters.drop_link(2);
  std::vector<std::uint32_t> taken;
  for (const Waiters::Id id : woken) {
    if (const auto one = waiters.take_woken(id)) taken.push_back(one->to.sequence);
  }
  EXPECT_EQ(taken, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(waiters.size(), 0U);
  EXPECT_EQ(waiters.keys_of(1), 0U);
  EXPECT_FALSE(waiters.next_deadline());
}

/// The slow obvious reference: a list, searched from its front, and the keys that are there.
class PlainWaiters {
 public:
  void add(Waiter each) { list_.push_back(std::move(each)); }
  template <class Which>
  std::vector<Waiter> take(Which&& which) {
    std::vector<Waiter> taken;
    std::ranges::copy_if(list_, std::back_inserter(taken), which);
    std::erase_if(list_, which);
    return taken;
  }
  std::size_t missing(const Waiter& each) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(each.keys, [&](const auto& key) { return !there.contains(key); }));
  }
  std::size_t size() const { return list_.size(); }

  std::set<std::string> there;

 private:
  std::vector<Waiter> list_;
};

/// A random step of both; what left of each.
struct TwoWaiters {
  explicit TwoWaiters(std::uint64_t seed) : random(seed) {}

  std::string any_key() { return std::string(1, static_cast<char>('a' + random.below(5))); }

  void add(std::uint32_t sequence) {
    Waiter each = waiter(random.below(5), sequence, any_key(), {});
    while (random.below(2) == 0) each.keys.push_back(any_key());
    std::ranges::sort(each.keys);
    each.keys.erase(std::unique(each.keys.begin(), each.keys.end()), each.keys.end());
    each.deadline = now + std::chrono::milliseconds{random.below(500)};
    if (plain.missing(each) == 0) return;
    waiters.add(each, plain.missing(each));
    plain.add(each);
  }

  void wake(const std::string& key) {
    const Waiters::Ids ids = waiters.wake(key);
    const auto ready = plain.take([&](const Waiter& each) { return plain.missing(each) == 0; });
    ASSERT_EQ(ids.size(), ready.size());
    auto each = ready.begin();
    for (const Waiters::Id id : ids) woken.emplace_back(id, *each++);
  }
  /// Some time after they were woken.
  void take_woken() {
    for (; !woken.empty() && random.below(4) != 0; woken.pop_front()) {
      const auto& [id, each] = woken.front();
      if (each) expected.push_back(*each);
      if (auto one = waiters.take_woken(id)) taken.push_back(*std::move(one));
    }
  }
  std::size_t size() const {
    return plain.size() + static_cast<std::size_t>(std::ranges::count_if(
                              woken, [](const auto& each) { return each.second.has_value(); }));
  }

  void step(std::uint32_t sequence) {
    const std::string key = any_key();
    const LinkId link = random.below(5);
    taken.clear(), expected.clear();
    switch (random.below(12)) {
      case 0:
      case 1:
        if (!plain.there.insert(key).second) break;
        wake(key);
        break;
      case 2:
      case 3:
        if (plain.there.erase(key) == 1) waiters.vanished(key);
        break;
      case 4:
        now += std::chrono::milliseconds{random.below(300)};
        taken = waiters.take_due(now);
        expected = plain.take([&](const Waiter& each) { return each.deadline <= now; });
        std::ranges::stable_sort(expected, {}, &Waiter::deadline);
        break;
      case 5:
        if (random.below(8) != 0) break;
        waiters.drop_link(link);
        plain.take([&](const Waiter& each) { return each.to.link == link; });
        for (auto& [id, each] : woken) {
          if (each && each->to.link == link) each.reset();
        }
        break;
      case 6:
        if (random.below(8) != 0) break;
        taken = waiters.take_key(key);
        expected = plain.take([&](const Waiter& each) {
          return std::ranges::find(each.keys, key) != each.keys.end();
        });
        break;
      default:
        add(sequence);
    }
  }

  SeededRandom random;
  Waiters waiters;
  PlainWaiters plain;
  std::deque<std::pair<Waiters::Id, std::optional<Waiter>>> woken;  ///< nothing: its link is gone
  TimePoint now = start;
  std::vector<Waiter> taken;
  std::vector<Waiter> expected;
};

TEST(Waiters, DoWhatAPlainListDoes) {
  TwoWaiters two(11);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    two.step(i);
    ASSERT_EQ(sequences(two.taken), sequences(two.expected));
    two.taken.clear(), two.expected.clear();
    two.take_woken();
    ASSERT_EQ(sequences(two.taken), sequences(two.expected));
    ASSERT_EQ(two.waiters.size(), two.size());
  }
}

}  // namespace
}  // namespace muster::server
