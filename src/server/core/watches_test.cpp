#include "server/core/watches.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "base/limits.hpp"
#include "base/random.hpp"
#include "server/core/core_fixture.hpp"
#include "wire/prefix_messages.hpp"

namespace muster::server {
namespace {

using Name = std::pair<LinkId, std::uint32_t>;

ReplyTo watch(LinkId link, std::uint32_t sequence) {
  return {link, wire::Type::watch, sequence};
}

/// Who is told when `key` changes, in the order of links and numbers.
std::vector<Name> told(const Watches& watches, std::string_view key) {
  Actions actions;
  Outbox out(actions);
  watches.tell(key, nullptr, out);
  std::vector<Name> names;
  for (const Seen& frame : frames_of(actions)) {
    EXPECT_EQ(frame.type, wire::Type::changed);
    EXPECT_EQ(wire::decode_changed(frame.body)->key, key);
    names.emplace_back(frame.link, frame.sequence);
  }
  std::ranges::sort(names);
  return names;
}

using Names = std::vector<Name>;

TEST(Watches, ConcernTheirPrefixAndNothingElse) {
  Watches watches;
  watches.add(watch(1, 1), "a/");
  watches.add(watch(1, 2), "");
  watches.add(watch(2, 1), "a/");
  watches.add(watch(2, 2), "a/bc");
  EXPECT_EQ(told(watches, "a/b"), (Names{{1, 1}, {1, 2}, {2, 1}}));
  EXPECT_EQ(told(watches, "a/bcd"), (Names{{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
  EXPECT_EQ(told(watches, "a"), (Names{{1, 2}}));
  EXPECT_EQ(told(watches, "b"), (Names{{1, 2}}));
  EXPECT_TRUE(watches.remove(1, 2));
  EXPECT_FALSE(watches.remove(1, 2));
  EXPECT_FALSE(watches.remove(3, 1));
  EXPECT_EQ(told(watches, "b"), Names{});
  watches.drop_link(2);
  EXPECT_EQ(told(watches, "a/bcd"), (Names{{1, 1}}));
  EXPECT_EQ(watches.size(), 1U);
}

TEST(Watches, ALargeValueIsSharedByAllWhoAreTold) {
  Watches watches;
  for (LinkId link = 1; link <= 3; ++link) watches.add(watch(link, 1), "k");
  Stored value;
  value.assign(Value(50'000, std::byte{'v'}));
  Actions actions;
  Outbox out(actions);
  watches.tell("key", &value, out);
  EXPECT_LT(actions.bytes.size(), 100U);
  const auto frames = frames_of(actions);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(wire::decode_changed(frames[2].body)->value->size(), 50'000U);
  EXPECT_EQ(std::get<Send>(actions.list[1]).tail, value.shared());
}

TEST(Watches, TheLargestChangeFitsAFrame) {
  Watches watches;
  watches.add(watch(1, 1), "");
  Stored value;
  value.assign(Value(limits::value_bytes_max));
  Actions actions;
  Outbox out(actions);
  watches.tell(std::string(limits::key_bytes_max, 'k'), &value, out);
  EXPECT_EQ(actions.list.size(), 1U);
}

TEST(Watches, DoWhatAScanOfAllDoes) {
  SeededRandom random(5);
  Watches watches;
  std::map<Name, std::string> plain;
  const auto any_text = [&] {
    std::string text(random.below(6), 'a');
    for (char& letter : text) letter = static_cast<char>('a' + random.below(2));
    return text;
  };
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const LinkId link = random.below(4);
    const auto sequence = static_cast<std::uint32_t>(random.below(30));
    if (random.below(3) == 0) {
      EXPECT_EQ(watches.remove(link, sequence), plain.erase({link, sequence}) == 1);
    } else if (!watches.contains(link, sequence)) {
      const std::string prefix = any_text();
      watches.add(watch(link, sequence), prefix);
      plain.emplace(Name{link, sequence}, prefix);
    } else if (random.below(50) == 0) {
      watches.drop_link(link);
      std::erase_if(plain, [&](const auto& each) { return each.first.first == link; });
    }
    const std::string key = any_text();
    Names expected;
    for (const auto& [name, prefix] : plain) {
      if (key.starts_with(prefix)) expected.push_back(name);
    }
    ASSERT_EQ(told(watches, key), expected) << key;
    ASSERT_EQ(watches.size(), plain.size());
  }
}

}  // namespace
}  // namespace muster::server
