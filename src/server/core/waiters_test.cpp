#include "server/core/waiters.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/random.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const TimePoint start = TimePoint{} + 1h;

Waiter waiter(LinkId link, std::uint32_t sequence, std::string key, Duration wait) {
  return {{link, wire::Type::get, sequence}, std::move(key), start, start + wait};
}

std::vector<std::uint32_t> sequences(const std::vector<Waiter>& waiters) {
  std::vector<std::uint32_t> list;
  for (const Waiter& each : waiters) list.push_back(each.to.sequence);
  return list;
}

TEST(Waiters, WakeInTheOrderTheyCame) {
  Waiters waiters;
  waiters.add(waiter(1, 1, "a", 9s));
  waiters.add(waiter(2, 2, "b", 1s));
  waiters.add(waiter(1, 3, "a", 5s));
  EXPECT_EQ(sequences(waiters.take_key("a")), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_TRUE(waiters.take_key("a").empty());
  EXPECT_EQ(waiters.size(), 1U);
}

TEST(Waiters, EndInTheOrderOfTheirDeadlinesAndNotBefore) {
  Waiters waiters;
  waiters.add(waiter(1, 1, "a", 3s));
  waiters.add(waiter(1, 2, "a", 1s));
  waiters.add(waiter(1, 3, "b", 2s));
  waiters.add(waiter(1, 4, "b", 2s));
  EXPECT_EQ(waiters.next_deadline(), start + 1s);
  EXPECT_TRUE(waiters.take_due(start + 1s - 1ns).empty());
  EXPECT_EQ(sequences(waiters.take_due(start + 2s)), (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(waiters.next_deadline(), start + 3s);
}

TEST(Waiters, GoWithTheirLink) {
  Waiters waiters;
  waiters.add(waiter(1, 1, "a", 3s));
  waiters.add(waiter(2, 2, "a", 1s));
  waiters.add(waiter(1, 3, "b", 1s));
  EXPECT_EQ(waiters.count_of(1), 2U);
  EXPECT_EQ(waiters.first_of(1)->key, "a");
  waiters.drop_link(1);
  EXPECT_EQ(waiters.count_of(1), 0U);
  EXPECT_EQ(waiters.first_of(1), nullptr);
  EXPECT_EQ(sequences(waiters.take_all()), (std::vector<std::uint32_t>{2}));
  EXPECT_FALSE(waiters.next_deadline());
}

/// The slow obvious reference: a list, searched from its front.
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
  std::size_t size() const { return list_.size(); }

 private:
  std::vector<Waiter> list_;
};

TEST(Waiters, DoWhatAPlainListDoes) {
  SeededRandom random(11);
  Waiters waiters;
  PlainWaiters plain;
  TimePoint now = start;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const LinkId link = random.below(5);
    const std::string key(1, static_cast<char>('a' + random.below(4)));
    std::vector<Waiter> taken;
    std::vector<Waiter> expected;
    switch (random.below(8)) {
      case 0:
        taken = waiters.take_key(key);
        expected = plain.take([&](const Waiter& each) { return each.key == key; });
        break;
      case 1:
        now += std::chrono::milliseconds{random.below(300)};
        taken = waiters.take_due(now);
        expected = plain.take([&](const Waiter& each) { return each.deadline <= now; });
        std::ranges::stable_sort(expected, {}, &Waiter::deadline);
        break;
      case 2:
        if (random.below(8) != 0) break;
        waiters.drop_link(link);
        plain.take([&](const Waiter& each) { return each.to.link == link; });
        break;
      default:
        Waiter each = waiter(link, i, key, {});
        each.deadline = now + std::chrono::milliseconds{random.below(500)};
        waiters.add(each);
        plain.add(each);
    }
    ASSERT_EQ(sequences(taken), sequences(expected));
    ASSERT_EQ(waiters.size(), plain.size());
  }
}

}  // namespace
}  // namespace muster::server
