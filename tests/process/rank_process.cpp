#include "rank_process.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sstream>

namespace muster::process_test {
namespace {

using std::chrono::microseconds;

std::int64_t microseconds_of(Duration time) {
  return std::chrono::duration_cast<microseconds>(time).count();
}

}  // namespace

JoinOptions rank_of(const std::string& url, std::uint32_t rank, std::uint32_t size) {
  JoinOptions options;
  options.url = url;
  options.rank = rank;
  options.size = size;
  return options;
}

int tell_error(const Error& error) {
  tell(fmt::format("ERROR {} {} {} {} {} {}", name(error.code), name(error.phase),
                   microseconds_of(error.elapsed), microseconds_of(Clock::now().time_since_epoch()),
                   error.exit_code, error.text()));
  return failed;
}

int join_and(JoinOptions options, const std::function<int(Job&)>& work) {
  Result<Job> job = Job::join(std::move(options));
  if (!job) return tell_error(job.error());
  tell("joined");
  if (const int status = work(*job); status != 0) return status;
  return outcome(job->leave());
}

int join_and_leave(JoinOptions options) {
  return join_and(std::move(options), [](Job&) { return 0; });
}

int see(Job& job, const std::function<bool(const JobStatus&)>& content) {
  for (;;) {
    const Result<JobStatus> status = job.status();
    if (!status) return tell_error(status.error());
    if (content(*status)) return 0;
  }
}

int see_arrived(Job& job, std::uint32_t count) {
  return see(job, [count](const JobStatus& status) {
    return !status.rounds.empty() && status.rounds[0].arrived == count;
  });
}

testing::AssertionResult are_in(const std::string& url, std::uint32_t count) {
  Process tool = Process::fork([&] {
    for (;;) {
      const Result<JobStatus> status = query_status(url);
      if (!status) return tell_error(status.error());
      if (status->joined == count) return 0;
    }
  });
  return ended_well(tool);
}

Told told_error(const Ended& ended) {
  Told told;
  const std::size_t at = ended.out.find("ERROR ");
  if (at == ended.out.npos) return told;
  std::istringstream words(ended.out.substr(at + 6));
  std::int64_t elapsed_us = 0;
  std::int64_t at_us = 0;
  words >> told.code >> told.phase >> elapsed_us >> at_us >> told.exit_code >> std::ws;
  std::getline(words, told.text);
  told.elapsed = microseconds(elapsed_us);
  told.at = TimePoint(microseconds(at_us));
  return told;
}

testing::AssertionResult ended_well(const Ended& ended) {
  if (ended.well()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << ended;
}

testing::AssertionResult ended_well(Process& process) {
  return ended_well(process.wait());
}

std::string pid_text(const Process& process) {
  return fmt::format("pid {}", process.pid());
}

Duration spread(const std::vector<Told>& errors) {
  const auto [first, last] = std::minmax_element(
      errors.begin(), errors.end(), [](const Told& a, const Told& b) { return a.at < b.at; });
  return last->at - first->at;
}

}  // namespace muster::process_test
