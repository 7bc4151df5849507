#include "job/check_options.hpp"

#include <gmock/gmock.h>

#include "base/limits.hpp"

namespace muster {
namespace {

using testing::AllOf;
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
  EXPECT_EQ(complaint([](auto& o) { o.heartbeat = Duration::zero(); }), "nothing");
  EXPECT_THAT(complaint([](auto& o) { o.heartbeat = std::chrono::milliseconds{9}; }),
              HasSubstr("heartbeat is 0.009 s"));
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

/// The port that `instance` gets of 30000:30010, or what is said.
std::string port_of(std::uint32_t instance, const char* url = "tcp://127.0.0.1:0") {
  JoinOptions options = good();
  options.url = url;
  options.instance = instance;
  options.port_range = PortRange{30000, 30010};
  const auto checked = check_options(options);
  return checked ? std::to_string(checked->port) : checked.error().text();
}

TEST(CheckOptions, AnInstanceTakesItsPortOfTheRange) {
  EXPECT_EQ(port_of(1), "30001");
  EXPECT_EQ(port_of(10), "30010");
  EXPECT_EQ(port_of(10, "tcp://127.0.0.1:7"), "7") << "it has one";
  EXPECT_EQ(port_of(99, "unix:///x"), "0") << "it needs none";
}

TEST(CheckOptions, AnInstanceBeyondTheRangeIsAnErrorThatNamesTheVariable) {
  for (const std::uint32_t instance : {11U, 40000U, 0xffffffffU}) {
    EXPECT_THAT(port_of(instance), AllOf(HasSubstr("instance " + std::to_string(instance)),
                                         HasSubstr("30000:30010"), HasSubstr("MUSTER_PORT_RANGE")));
  }
  const auto without = complaint([](auto& o) { o.url = "tcp://127.0.0.1:0", o.instance = 1; });
  EXPECT_THAT(without, AllOf(HasSubstr("instance 1"), HasSubstr("MUSTER_PORT_RANGE")));
  const auto upside_down = complaint([](auto& o) {
    o.url = "tcp://127.0.0.1:0", o.instance = 1, o.port_range = PortRange{9, 8};
  });
  EXPECT_THAT(upside_down, HasSubstr("port_range is 9:8"));
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
