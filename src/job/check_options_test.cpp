#include "job/check_options.hpp"

#include <gmock/gmock.h>

#include "base/limits.hpp"

namespace muster {
namespace {

using testing::HasSubstr;

JoinOptions good() {
  JoinOptions options;
  options.url = "tcp://127.0.0.1:29400";
  options.rank = 1;
  options.size = 2;
  return options;
}

/// What is said about `good()` after `spoil` has changed it.
template <class Spoil>
std::string complaint(Spoil spoil) {
  JoinOptions options = good();
  spoil(options);
  const auto url = check_options(options);
  if (url) return "nothing";
  EXPECT_EQ(url.error().code, Code::invalid_argument);
  return url.error().text();
}

TEST(CheckOptions, GivesTheUrlBack) {
  const auto url = check_options(good());
  ASSERT_TRUE(url) << url.error().text();
  EXPECT_EQ(url->text(), "tcp://127.0.0.1:29400");
}

TEST(CheckOptions, SaysWhatIsMissing) {
  EXPECT_THAT(complaint([](auto& o) { o.url = ""; }), HasSubstr("url is not set"));
  EXPECT_THAT(complaint([](auto& o) { o.rank.reset(); }), HasSubstr("rank is not set"));
  EXPECT_THAT(complaint([](auto& o) { o.size.reset(); }), HasSubstr("size is not set"));
}

TEST(CheckOptions, RankStaysBelowSize) {
  EXPECT_EQ(complaint([](auto& o) { o.rank = 1; }), "nothing");
  EXPECT_THAT(complaint([](auto& o) { o.rank = 2; }), HasSubstr("rank is 2 in a job of 2"));
  EXPECT_THAT(complaint([](auto& o) { o.rank = 2; }), HasSubstr("expected 0 to 1"));
}

TEST(CheckOptions, SizeStaysWithinItsLimit) {
  EXPECT_EQ(complaint([](auto& o) { o.size = limits::ranks_max; }), "nothing");
  EXPECT_THAT(complaint([](auto& o) { o.size = limits::ranks_max + 1; }),
              HasSubstr("expected 1 to 1000000"));
  EXPECT_THAT(complaint([](auto& o) { o.size = 0; }), HasSubstr("size is 0"));
}

TEST(CheckOptions, TimesArePositiveAndBounded) {
  const Duration most{limits::wait_max};
  EXPECT_EQ(complaint([&](auto& o) { o.join_timeout = most; }), "nothing");
  EXPECT_THAT(complaint([&](auto& o) { o.join_timeout = most + Duration{1}; }),
              HasSubstr("join_timeout"));
  EXPECT_THAT(complaint([](auto& o) { o.operation_timeout = Duration::zero(); }),
              HasSubstr("operation_timeout is 0 s"));
}

TEST(CheckOptions, PortZeroIsForWhoCanTellTheOthers) {
  const auto with = [](auto change) {
    return complaint([&](auto& o) {
      o.url = "tcp://127.0.0.1:0";
      change(o);
    });
  };
  EXPECT_THAT(with([](auto&) {}), HasSubstr("port 0"));
  EXPECT_EQ(with([](auto& o) { o.until = Until::admitted; }), "nothing");
  EXPECT_EQ(with([](auto& o) { o.listen_fd = 5; }), "nothing");
  EXPECT_EQ(with([](auto& o) { o.size = 1, o.rank = 0; }), "nothing");
}

TEST(CheckOptions, WhatIsGivenMustBeSomething) {
  EXPECT_THAT(complaint([](auto& o) { o.listen_fd = -1; }), HasSubstr("listen_fd is -1"));
  EXPECT_THAT(complaint([](auto& o) { o.incarnation = Incarnation{}; }),
              HasSubstr("incarnation is 0"));
}

TEST(CheckOptions, UrlAndJobIdAreChecked) {
  EXPECT_THAT(complaint([](auto& o) { o.url = "http://x:1"; }), HasSubstr("http://x:1"));
  EXPECT_THAT(complaint([](auto& o) { o.job_id = "a b"; }), HasSubstr("a b"));
}

}  // namespace
}  // namespace muster
