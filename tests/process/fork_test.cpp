// What fork() does to a job: nothing.

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "net/fd.hpp"
#include "rank_process.hpp"
#include "support/ports.hpp"
#include "support/proc_fs.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace muster::process_test {
namespace {

using namespace std::chrono_literals;
using support::hear;
using support::TempDir;
using testing::HasSubstr;

/// The status of a child that runs `body`.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

template <class T>
bool is_foreign(const Result<T>& result) {
  return !result && result.error().code == Code::invalid_state &&
         result.error().what.find("forked child") != std::string::npos;
}

/// 0 if every call of a job that is not this process's says so; else the number of the first that
/// does not.
int calls_that_work(Job& job, Group& subset) {
  const std::string_view keys[] = {"k"};
  const std::uint32_t self[] = {job.rank()};
  const bool refused[] = {
      is_foreign(job.store().set("k", as_bytes("child"))),
      is_foreign(job.store().get("k")),
      is_foreign(job.store().wait_get("k")),
      is_foreign(job.store().wait(keys)),
      is_foreign(job.store().watch("k", [](const Change&) {})),
      is_foreign(job.store().unwatch(1)),
      is_foreign(job.world().barrier()),
      is_foreign(job.world().subset(self)),
      is_foreign(subset.barrier()),
      is_foreign(job.status()),
      is_foreign(job.agree(Contract())),
      is_foreign(job.fail("child", 1)),
      is_foreign(job.leave()),
  };
  for (int i = 0; i < static_cast<int>(std::size(refused)); ++i) {
    if (!refused[i]) return i + 1;
  }
  return 0;
}

/// A job of one at `url`, whose failure is noticed although nobody calls.
int job_of_ones_own(const std::string& url) {
  if (support::thread_sanitized) return 0;
  Result<Job> own = Job::join(rank_of(url, 0, 1));
  if (!own) return 101;
  if (!own->store().set("k", as_bytes("own")) || !own->world().barrier()) return 102;
  std::promise<void> noticed;
  own->on_failure([&](const Failure&) { noticed.set_value(); });
  if (!own->fail("over", 1)) return 103;
  if (noticed.get_future().wait_for(patience) != std::future_status::ready) return 104;
  return own->leave() ? 0 : 105;
}

TEST(Fork, the_childs_copy_does_nothing_and_the_parents_job_goes_on) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url("job"), rank, 3), [&](Job& job) {
      const std::uint32_t all[] = {0, 1, 2};
      std::unique_ptr<Group> subset = *job.world().subset(all);
      if (const int status = outcome(job.store().set("k", as_bytes("here"))); status != 0) {
        return status;
      }
      const int child = in_child([&] {
        const int worked = calls_that_work(job, *subset);
        if (worked != 0) return worked;
        job.on_failure([](const Failure&) {});
        job.leave_now();
        subset.reset();
        { const Job gone = std::move(job); }
        return job_of_ones_own(dir.unix_url("child" + std::to_string(rank)));
      });
      if (child != 0) return child;
      if (const int status = outcome(subset->barrier()); status != 0) return status;
      if (const int status = outcome(job.world().barrier()); status != 0) return status;
      const auto value = job.store().get("k");
      return value && as_text(*value) == "here" ? 0 : 1;
    });
  });
  for (const Ended& one : ranks.wait()) EXPECT_TRUE(ended_well(one));
}

TEST(Fork, a_child_that_lives_on_does_not_hide_that_its_parent_has_died) {
  const TempDir dir;
  Ranks ranks(3, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 3), [&](Job& job) {
      if (rank != 1) {
        const auto verdict = job.world().barrier("work");
        if (verdict) return 1;
        return tell_error(verdict.error());
      }
      const pid_t child = ::fork();
      if (child == 0) {
        ::pause();  // longer than its parent
        return 0;
      }
      tell("child " + std::to_string(child) + " end");
      hear();
      return 2;
    });
  });
  ASSERT_TRUE(ranks[1].wait_for_out(" end"));
  const pid_t child = std::stoi(ranks[1].out().substr(ranks[1].out().find("child ") + 6));
  ranks[1].send_signal(SIGKILL);
  for (const std::uint32_t rank : {0U, 2U}) {
    const Told told = told_error(ranks[rank].wait());
    EXPECT_EQ(told.code, "rank_lost");
    EXPECT_THAT(told.text, HasSubstr("rank 1"));
  }
  EXPECT_EQ(::kill(child, 0), 0) << "the child is to live on, for this test";
  ::kill(child, SIGKILL);
}

TEST(Fork, nor_does_a_child_of_the_serving_rank) {
  const TempDir dir;
  Ranks ranks(2, [&](std::uint32_t rank) {
    return join_and(rank_of(dir.unix_url(), rank, 2), [&](Job& job) {
      if (rank == 1) {
        tell("rank 1 is in");
        const auto verdict = job.world().barrier("work");
        if (verdict) return 1;
        return tell_error(verdict.error());
      }
      const pid_t child = ::fork();
      if (child == 0) {
        ::pause();
        return 0;
      }
      tell("child " + std::to_string(child) + " end");
      hear();
      return 2;
    });
  });
  ASSERT_TRUE(ranks[0].wait_for_out(" end"));
  const pid_t child = std::stoi(ranks[0].out().substr(ranks[0].out().find("child ") + 6));
  // Before it is, it would look for another server, until its join time-out.
  ASSERT_TRUE(ranks[1].wait_for_out("rank 1 is in"));
  ranks[0].send_signal(SIGKILL);
  EXPECT_EQ(told_error(ranks[1].wait()).code, "server_lost");
  EXPECT_EQ(::kill(child, 0), 0) << "the child is to live on, for this test";
  ::kill(child, SIGKILL);
}

/// Whatever the parent's threads hold at the moment of the fork, the child does not wait for it.
TEST(Fork, in_the_midst_of_calls_of_other_threads) {
  if (support::address_sanitized) {
    GTEST_SKIP() << "a child may inherit the lock of the address sanitizer's allocator, held";
  }
  const TempDir dir;
  Process process = Process::fork([&] {
    Result<Job> joined = Job::join(rank_of(dir.unix_url("job"), 0, 1));
    if (!joined) return tell_error(joined.error());
    Job& job = *joined;
    std::atomic<bool> over = false;
    std::vector<std::jthread> busy;
    for (int i = 0; i < 3; ++i) {
      busy.emplace_back([&, i] {
        const std::string key = "k" + std::to_string(i);
        while (!over) {
          if (!job.store().add(key, 1) || (i == 0 && !job.world().barrier())) std::abort();
        }
      });
    }
    int status = 0;
    for (int i = 0; i < 30 && status == 0; ++i) {
      status = in_child([&] {
        ::alarm(60);  // if it hangs
        if (!is_foreign(job.world().barrier()) || !is_foreign(job.store().get("k"))) return 1;
        { const Job gone = std::move(job); }
        return job_of_ones_own(dir.unix_url("child"));
      });
    }
    over = true;
    busy.clear();
    return status != 0 ? status : outcome(job.leave());
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Fork, a_child_has_no_link_that_is_just_being_made) {
  Process process = Process::fork([&] {
    const support::Port mute = support::listening_port();
    std::jthread joining([&] {
      JoinOptions options = rank_of(mute.url, 1, 2);
      options.join_timeout = patience;
      static_cast<void>(Job::join(options));
    });
    const net::Fd peer(::accept(mute.socket.get(), nullptr, nullptr));
    char byte = 0;
    if (::recv(peer.get(), &byte, 1, 0) != 1) return 1;
    const int sockets =
        in_child([] { return static_cast<int>(support::open_sockets(::getpid())); });
    // Both that the test has opened, and standard input.
    ::_exit(sockets == 3 ? 0 : 10 + sockets);
  });
  EXPECT_TRUE(ended_well(process));
}

TEST(Fork, a_child_has_none_of_the_jobs_descriptors) {
  const TempDir dir;
  Process process = Process::fork([&] {
    std::vector<std::optional<Job>> jobs(4);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t rank = 0; rank < 4; ++rank) {
        threads.emplace_back([&, rank] {
          Result<Job> job = Job::join(rank_of(dir.unix_url(), rank, 4));
          if (job) jobs[rank] = *std::move(job);
        });
      }
    }
    for (const auto& job : jobs) {
      if (!job) return 1;
    }
    const int sockets =
        in_child([] { return static_cast<int>(support::open_sockets(::getpid())); });
    if (sockets != 1) return 10 + sockets;  // its standard input is one
    return 0;
  });
  EXPECT_TRUE(ended_well(process));
}

}  // namespace
}  // namespace muster::process_test
