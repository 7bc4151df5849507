#include "server/core/stored.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

#include "base/limits.hpp"

namespace muster::server {
namespace {

Value letters(std::size_t count, char letter) {
  return Value(count, static_cast<std::byte>(letter));
}

TEST(Stored, GrowsFromSmallToShared) {
  Stored stored;
  stored.append(letters(Stored::shared_bytes_min - 1, 'a'));
  EXPECT_EQ(stored.shared(), nullptr);
  stored.append(letters(1, 'b'));
  ASSERT_NE(stored.shared(), nullptr);
  EXPECT_EQ(stored.bytes().size(), Stored::shared_bytes_min);
  EXPECT_EQ(stored.bytes().front(), std::byte{'a'});
  EXPECT_EQ(stored.bytes().back(), std::byte{'b'});
  stored.assign(letters(3, 'c'));
  EXPECT_EQ(stored.shared(), nullptr);
  EXPECT_EQ(as_text(stored.bytes()), "ccc");
}

TEST(Stored, KeepsNoRoomOfALongerValue) {
  const std::size_t count = 20'000;
  std::vector<Stored> values(count);
  const std::size_t before = mallinfo2().uordblks;
  for (Stored& stored : values) {
    stored.assign(letters(Stored::shared_bytes_min - 1, 'a'));
    stored.assign({});
  }
  EXPECT_LT(mallinfo2().uordblks - before, count * Stored::shared_bytes_min / 2);
}

TEST(Stored, AnAnswerOnItsWayDoesNotChange) {
  Stored stored;
  stored.assign(letters(5000, 'a'));
  const Shared answer = stored.shared();
  const Stored copy = stored;
  stored.append(letters(1, 'b'));
  EXPECT_EQ(*answer, letters(5000, 'a'));
  EXPECT_EQ(copy.bytes().size(), 5000U);
  EXPECT_EQ(stored.bytes().size(), 5001U);
}

TEST(Stored, ManyAppendsCopyLittle) {
  Stored stored;
  stored.assign(letters(Stored::shared_bytes_min, 'a'));
  const void* at = stored.bytes().data();
  int moves = 0;
  while (stored.bytes().size() + 1024 <= 4U << 20) {
    stored.append(letters(1024, 'b'));
    if (stored.bytes().data() != at) ++moves;
    at = stored.bytes().data();
  }
  EXPECT_LE(moves, 14) << "by doubling, from the smallest that is shared";
}

TEST(Stored, TheLargestValueHasNoRoomBeyondIt) {
  Stored stored;
  stored.assign(letters(limits::value_bytes_max - 1, 'a'));
  stored.append(letters(1, 'b'));
  EXPECT_EQ(stored.shared()->capacity(), limits::value_bytes_max);
}

}  // namespace
}  // namespace muster::server
