#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include <muster/parts.hpp>

namespace muster {
namespace {

std::string joined(const Parts& parts) {
  std::string text;
  for (const Bytes part : parts) text += "[" + std::string(as_text(part)) + "]";
  return text;
}

TEST(Parts, NoneByThemselves) {
  const Parts none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(none, Parts(std::span<const Bytes>()));
  EXPECT_EQ(none, Parts(to_value("nothing of it is a part"), {}));
}

TEST(Parts, StandInOrder) {
  const Parts parts{as_bytes("ab"), {}, as_bytes("c")};
  EXPECT_FALSE(parts.empty());
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(as_text(parts[0]), "ab");
  EXPECT_TRUE(parts[1].empty());
  EXPECT_EQ(as_text(parts[2]), "c");
  EXPECT_EQ(joined(parts), "[ab][][c]");
  EXPECT_EQ(std::count_if(parts.begin(), parts.end(), [](Bytes part) { return part.empty(); }), 1);
  auto at = parts.begin();
  EXPECT_EQ(as_text(*at++), "ab");
  EXPECT_TRUE((*at).empty());
}

TEST(Parts, AreViewsIntoTheBufferTheyTookOver) {
  Value buffer = to_value("head:onetwo!");
  const std::byte* data = buffer.data();
  Parts parts(std::move(buffer), {5, 8, 11});
  EXPECT_EQ(joined(parts), "[one][two]");
  EXPECT_EQ(parts[1].data(), data + 8);
  const Parts moved = std::move(parts);
  EXPECT_EQ(moved[1].data(), data + 8) << "views outlive a move";
}

TEST(Parts, AreEqualByContent) {
  const Parts parts{as_bytes("ab"), as_bytes("c")};
  EXPECT_EQ(parts, Parts(to_value("..abc"), {2, 4, 5}));
  EXPECT_NE(parts, (Parts{as_bytes("a"), as_bytes("bc")})) << "the same bytes, cut elsewhere";
  EXPECT_NE(parts, (Parts{as_bytes("ab"), as_bytes("d")}));
  EXPECT_NE(parts, (Parts{as_bytes("ab"), as_bytes("c"), {}}));
  EXPECT_EQ(parts, Parts(parts)) << "a copy";
}

TEST(Parts, TheSingleOneIsTakenWithoutACopy) {
  Value buffer = to_value("head:payload");
  const std::byte* data = buffer.data();
  Value taken = Parts(std::move(buffer), {5, 12}).take_single();
  EXPECT_EQ(as_text(taken), "payload");
  EXPECT_EQ(taken.data(), data) << "the buffer itself";
  EXPECT_TRUE(Parts({Bytes{}}).take_single().empty());
}

TEST(PartsDeathTest, MisuseAsserts) {
  const Parts parts{as_bytes("a")};
  EXPECT_DEATH(static_cast<void>(parts[1]), "index < size");
  EXPECT_DEATH(static_cast<void>(Parts(to_value("abc"), {0, 4})), "offsets_");
  EXPECT_DEATH(static_cast<void>(Parts(to_value("abc"), {2, 1})), "offsets_");
  EXPECT_DEATH(static_cast<void>(Parts{}.take_single()), "size\\(\\) == 1");
}

}  // namespace
}  // namespace muster
