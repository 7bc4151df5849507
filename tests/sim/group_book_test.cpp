#include "group_book.hpp"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

TEST(GroupBook, HoldsASubsetUntilItsLastMemberHasClosedIt) {
  GroupBook book;
  book.opened(7, {2, 0});
  book.opened(8, {2});
  book.opened(7, {2, 0});
  EXPECT_EQ(book.open(), 2U);
  book.closed(7, {2});
  book.opened(7, {2, 0});
  book.closed(9, {2});
  EXPECT_EQ(book.open(), 2U) << "rank 0 has not closed it";
  book.closed(7, {0});
  EXPECT_EQ(book.open(), 1U);
}

TEST(GroupBook, WhoIsGoneKeepsNoSubset) {
  GroupBook book;
  book.opened(7, {2, 0});
  book.closed(7, {0});
  book.gone({2});
  EXPECT_EQ(book.open(), 0U);
  book.opened(8, {0, 2});
  EXPECT_EQ(book.open(), 1U);
  book.closed(8, {0});
  EXPECT_EQ(book.open(), 0U) << "rank 2 was gone before";
  book.opened(9, {2});
  EXPECT_EQ(book.open(), 0U);
}

}  // namespace
}  // namespace muster::sim
