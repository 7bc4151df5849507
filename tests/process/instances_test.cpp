// Field report 27: several jobs in one process, at once and one after the other.

#include <chrono>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "net/url.hpp"
#include "rank_process.hpp"
#include "support/ports.hpp"
#include "support/proc_fs.hpp"
#include "support/temp_dir.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::TempDir;
using testing::AllOf;
using testing::HasSubstr;

/// Each call in a thread of its own; the first status that is not 0.
int in_threads(std::size_t count, const std::function<int(std::uint32_t)>& body) {
  std::vector<int> status(count, -1);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] { status[i] = body(i); });
    }
  }
  for (const int one : status) {
    if (one != 0) return one;
  }
  return 0;
}

/// All handles of one job, in order of rank; empty if one could not join, which it tells then.
std::vector<Job> whole_job(const std::string& url, std::uint32_t size) {
  std::vector<std::optional<Job>> joined(size);
  const int status = in_threads(size, [&](std::uint32_t rank) {
    Result<Job> job = Job::join(rank_of(url, rank, size));
    if (!job) return tell_error(job.error());
    joined[rank] = *std::move(job);
    return 0;
  });
  std::vector<Job> all;
  for (auto& job : joined) {
    if (status == 0) all.push_back(*std::move(job));
  }
  return all;
}

int all_leave(std::vector<Job>& job) {
  return in_threads(job.size(), [&](std::uint32_t rank) { return outcome(job[rank].leave()); });
}

int all_meet(std::vector<Job>& job) {
  return in_threads(job.size(),
                    [&](std::uint32_t rank) { return outcome(job[rank].world().barrier()); });
}

TEST(Instances, of_different_sizes_join_work_and_leave_at_once_and_again) {
  const TempDir dir;
  Process process = Process::fork([&] {
    // Each thread has an address and makes one job after the other there, of other sizes.
    return in_threads(4, [&](std::uint32_t place) {
      const std::string url = dir.unix_url("job" + std::to_string(place));
      for (const std::uint32_t size : {place + 1, 5 - place, 2U}) {
        std::vector<Job> job = whole_job(url, size);
        if (job.size() != size || job[0].size() != size) return 1;
        if (const int status = all_meet(job); status != 0) return status;
        if (const int status = all_leave(job); status != 0) return status;
      }
      return 0;
    });
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Instances, end_in_any_order_and_a_second_time_says_so) {
  const TempDir dir;
  Process process = Process::fork([&] {
    std::vector<std::vector<Job>> jobs;
    for (std::uint32_t i = 0; i < 4; ++i) {
      jobs.push_back(whole_job(dir.unix_url(std::to_string(i)), i + 1));
      if (jobs.back().size() != i + 1) return 1;
    }
    for (const std::size_t ended : {2U, 0U, 3U, 1U}) {
      if (const int status = all_leave(jobs[ended]); status != 0) return status;
      for (Job& rank : jobs[ended]) {
        const auto again = rank.leave();
        if (again || again.error().code != Code::invalid_state) return 2;
        rank.leave_now();
      }
      jobs[ended].clear();
      for (auto& other : jobs) {
        if (other.empty()) continue;
        if (const int status = all_meet(other); status != 0) return status;
      }
    }
    return 0;
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Instances, one_that_fails_takes_no_other_with_it_and_can_be_left) {
  const TempDir dir;
  Process process = Process::fork([&] {
    std::vector<Job> doomed = whole_job(dir.unix_url("doomed"), 3);
    std::vector<Job> sound = whole_job(dir.unix_url("sound"), 2);
    if (doomed.size() != 3 || sound.size() != 2) return 1;
    if (!doomed[1].fail("disk full", 7)) return 2;
    const auto told = doomed[2].world().barrier();
    if (told || told.error().code != Code::rank_failed) return 3;
    if (const int status = all_meet(sound); status != 0) return status;
    if (const int status = all_leave(doomed); status != 0) return status;
    doomed = whole_job(dir.unix_url("doomed"), 2);
    if (doomed.size() != 2) return 4;
    if (const int status = all_meet(sound); status != 0) return status;
    if (const int status = all_leave(sound); status != 0) return status;
    return all_leave(doomed);
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Instances, leave_nothing_behind_whichever_way_they_end) {
  const TempDir dir;
  Process process = Process::fork([&] {
    const auto some_jobs = [&] {
      return in_threads(3, [&](std::uint32_t way) {
        std::vector<Job> job = whole_job(dir.unix_url(std::to_string(way)), 2);
        if (job.size() != 2) return 1;
        if (way == 0) return all_leave(job);
        if (way == 1 && !job[0].fail("over", 1)) return 2;
        return 0;  // dropped
      });
    };
    if (const int status = some_jobs(); status != 0) return status;
    const std::size_t descriptors = support::open_descriptors(::getpid());
    const std::size_t threads = support::threads(::getpid());
    for (int i = 0; i < 5; ++i) {
      if (const int status = some_jobs(); status != 0) return status;
    }
    if (!support::comes_down_to(::getpid(), descriptors, threads)) return 3;
    return std::filesystem::is_empty(dir.path()) ? 0 : 4;
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Instances, take_their_ports_of_the_range_on_every_rank) {
  const support::Port port = support::closed_port();
  const std::uint16_t number = net::Url::parse(port.url)->port;
  const auto instance_of = [&](std::uint32_t rank, std::uint32_t instance) {
    JoinOptions options = rank_of("tcp://127.0.0.1:0", rank, 2);
    options.port_range = PortRange{static_cast<std::uint16_t>(number - 5), number};
    options.instance = instance;
    return options;
  };
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(instance_of(rank, 5), [&](Job& job) {
      if (job.url() != port.url) return 1;
      return outcome(job.world().barrier());
    });
  });
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));

  Process beyond = Process::fork([&] { return join_and_leave(instance_of(0, 6)); });
  const Told told = told_error(beyond.wait());
  EXPECT_EQ(told.code, "invalid_argument");
  EXPECT_THAT(told.text, AllOf(HasSubstr("instance 6"), HasSubstr("MUSTER_PORT_RANGE")));
}

}  // namespace
}  // namespace muster::process_test
