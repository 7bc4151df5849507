/// \file
/// What the process tests say and hear: options for a rank, and errors that cross a pipe.
#pragma once

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <muster/job.hpp>

#include "support/process.hpp"

namespace muster::process_test {

using support::Ended;
using support::patience;
using support::Process;
using support::Ranks;
using support::tell;

/// Everything else as a user would leave it.
JoinOptions rank_of(const std::string& url, std::uint32_t rank, std::uint32_t size);

/// What a child ends with after an operation that failed, and what it tells then.
inline constexpr int failed = 40;
int tell_error(const Error& error);

/// 0 if the operation went well.
template <class T>
int outcome(const Result<T>& result) {
  return result ? 0 : tell_error(result.error());
}

/// A rank that joins, tells so, does `work` with its job and leaves.
int join_and(JoinOptions options, const std::function<int(Job&)>& work);
int join_and_leave(JoinOptions options);

/// Asks the server until `content` with what it says: what others do is seen, not waited for. 0, or
/// what tell_error() returns.
int see(Job& job, const std::function<bool(const JobStatus&)>& content);
/// Until so many ranks are in the job's one open round.
int see_arrived(Job& job, std::uint32_t count);

/// For ASSERT_TRUE, in the test: so many ranks come to be in the job served at `url`.
testing::AssertionResult are_in(const std::string& url, std::uint32_t count);

/// An error as a child told it; `code` is empty if it told none.
struct Told {
  std::string code;
  std::string phase;
  Duration elapsed{};
  TimePoint at;  ///< the clock is the same in all processes of a host
  int exit_code = 0;
  std::string text;
};
Told told_error(const Ended& ended);

/// For EXPECT_TRUE: exit code 0, in time; says what the process told otherwise.
testing::AssertionResult ended_well(const Ended& ended);
testing::AssertionResult ended_well(Process& process);

/// "pid 4711", as errors name it.
std::string pid_text(const Process& process);

/// How far apart the first and the last of the errors were.
Duration spread(const std::vector<Told>& errors);

}  // namespace muster::process_test
