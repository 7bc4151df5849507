#include "c/guard.hpp"

#include <gmock/gmock.h>
#include <stdexcept>
#include <string>
#include <thread>

namespace muster::c {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string last_text() {
  return muster_error_text(muster_last_error());
}

Error missing() {
  return Error{.code = Code::rank_missing,
               .phase = Phase::operation,
               .what = "1 of 2 ranks did not come",
               .advice = "look at it",
               .local = "here",
               .remote = "there",
               .ranks = {{1, "node7", 4711, "it is late"}},
               .elapsed = std::chrono::milliseconds{1500},
               .exit_code = 7};
}

TEST(Guard, AnErrorIsKeptWhole) {
  EXPECT_EQ(guarded([]() -> Result<void> { return missing(); }), MUSTER_RANK_MISSING);
  const muster_error* error = muster_last_error();
  EXPECT_EQ(muster_error_code(error), MUSTER_RANK_MISSING);
  EXPECT_EQ(last_text(), missing().text());
  EXPECT_STREQ(muster_error_what(error), "1 of 2 ranks did not come");
  EXPECT_STREQ(muster_error_advice(error), "look at it");
  EXPECT_STREQ(muster_error_phase(error), "operation");
  EXPECT_STREQ(muster_error_local(error), "here");
  EXPECT_STREQ(muster_error_remote(error), "there");
  EXPECT_DOUBLE_EQ(muster_error_elapsed(error), 1.5);
  EXPECT_EQ(muster_error_exit_code(error), 7);
  ASSERT_EQ(muster_error_rank_count(error), 1U);
  const muster_rank_name who = muster_error_rank(error, 0);
  EXPECT_EQ(who.rank, 1U);
  EXPECT_EQ(who.pid, 4711U);
  EXPECT_STREQ(who.host, "node7");
  EXPECT_STREQ(who.detail, "it is late");
  EXPECT_EQ(muster_error_rank(error, 1).rank, MUSTER_NO_RANK);
}

TEST(Guard, WhatGoesWellForgetsIt) {
  EXPECT_NE(guarded([]() -> Result<void> { return missing(); }), MUSTER_OK);
  EXPECT_EQ(guarded([]() -> Result<void> { return {}; }), MUSTER_OK);
  EXPECT_EQ(muster_last_error(), nullptr);
}

TEST(Guard, NoErrorHasAnswersToo) {
  EXPECT_EQ(muster_error_code(nullptr), MUSTER_OK);
  EXPECT_STREQ(muster_error_text(nullptr), "");
  EXPECT_EQ(muster_error_exit_code(nullptr), 0);
  EXPECT_EQ(muster_error_rank_count(nullptr), 0U);
  EXPECT_EQ(muster_error_rank(nullptr, 0).rank, MUSTER_NO_RANK);
}

TEST(Guard, EachThreadHasItsOwn) {
  EXPECT_NE(guarded([]() -> Result<void> { return missing(); }), MUSTER_OK);
  std::thread([] {
    EXPECT_EQ(muster_last_error(), nullptr);
    EXPECT_NE(guarded([]() -> Result<void> { return Error{.code = Code::busy}; }), MUSTER_OK);
  }).join();
  EXPECT_EQ(muster_error_code(muster_last_error()), MUSTER_RANK_MISSING);
}

TEST(Guard, NoExceptionGetsOut) {
  const auto throws = [](auto what) { return guarded([&]() -> Result<void> { throw what; }); };
  EXPECT_EQ(throws(std::bad_alloc()), MUSTER_SYSTEM);
  EXPECT_EQ(last_text(), "out of memory");
  EXPECT_EQ(throws(std::runtime_error("oops")), MUSTER_SYSTEM);
  EXPECT_THAT(last_text(), AllOf(HasSubstr("exception"), HasSubstr("oops")));
  EXPECT_EQ(throws(7), MUSTER_SYSTEM);
  EXPECT_THAT(last_text(), HasSubstr("no known type"));
}

TEST(Guard, StatusesHaveTheNamesOfCodes) {
  EXPECT_STREQ(muster_status_name(MUSTER_OK), "ok");
  for (int number = 1; number < 40; ++number) {
    EXPECT_STREQ(muster_status_name(static_cast<muster_status>(number)),
                 name(static_cast<Code>(number)));
  }
}

}  // namespace
}  // namespace muster::c
