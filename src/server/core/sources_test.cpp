#include "server/core/sources.hpp"

#include <gtest/gtest.h>
#include <string>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

const TimePoint start = TimePoint{} + 1h;

TEST(Sources, OneLineAnInterval) {
  Sources sources;
  EXPECT_EQ(sources.allow("a", start), 0U);
  EXPECT_EQ(sources.allow("b", start), 0U);
  EXPECT_FALSE(sources.allow("a", start + 1s));
  EXPECT_FALSE(sources.allow("a", start + limits::source_line_interval - 1ns));
  EXPECT_EQ(sources.allow("a", start + limits::source_line_interval), 2U);
  EXPECT_FALSE(sources.allow("a", start + limits::source_line_interval));
}

TEST(Sources, RemembersABoundedNumberAndSwallowsTheRest) {
  Sources sources;
  for (std::size_t i = 0; i < limits::sources_max; ++i) {
    EXPECT_TRUE(sources.allow(std::to_string(i), start + std::chrono::milliseconds{i}));
  }
  EXPECT_FALSE(sources.allow("new", start + 1s));
  EXPECT_EQ(sources.size(), limits::sources_max);
  // The oldest is forgotten when it could speak again anyway.
  EXPECT_TRUE(sources.allow("new", start + limits::source_line_interval));
  EXPECT_FALSE(sources.allow("newer", start + limits::source_line_interval));
  EXPECT_EQ(sources.size(), limits::sources_max);
}

TEST(Sources, AllPortsOfAHostAreOneSource) {
  EXPECT_EQ(source_of("10.0.0.1:4711"), "10.0.0.1");
  EXPECT_EQ(source_of("[::1]:4711"), "[::1]");
  EXPECT_EQ(source_of("unix"), "unix");
  EXPECT_EQ(source_of("unix:/run/x"), "unix:/run/x");
}

}  // namespace
}  // namespace muster::server
