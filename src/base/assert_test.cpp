#include "base/assert.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(AssertDeathTest, EndsTheProcessAndSaysWhere) {
  const int two = 2;
  MUSTER_ASSERT(two == 2);
  EXPECT_DEATH(MUSTER_ASSERT(two == 3),
               "broken invariant: two == 3 \\(.*assert_test.cpp:[0-9]+\\)");
}

}  // namespace
}  // namespace muster
