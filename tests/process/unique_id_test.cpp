// Jobs by unique id, of several processes: the socket of the id goes where rank 0 is, and no two
// jobs of a host get into each other's way.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "process/rank_process.hpp"

namespace muster::process_test {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

UniqueId local_id() {
  return UniqueId::create({.session_id = "127.0.0.1:0"}).value();
}

JoinOptions rank_by(const UniqueId& id, std::uint32_t rank, std::uint32_t size) {
  JoinOptions options = rank_of("", rank, size);
  options.unique_id = id;
  return options;
}

TEST(UniqueIds, the_maker_serves_and_others_join_by_the_text) {
  Process maker = Process::fork([] {
    const UniqueId id = local_id();
    tell(id.text());
    return join_and_leave(rank_by(id, 0, 2));
  });
  ASSERT_TRUE(maker.wait_for_out("\n"));
  const std::string text = maker.out().substr(0, maker.out().find('\n'));
  Process other =
      Process::fork([&] { return join_and_leave(rank_by(UniqueId::parse(text).value(), 1, 2)); });
  EXPECT_TRUE(ended_well(other));
  EXPECT_TRUE(ended_well(maker));
}

TEST(UniqueIds, rank_0_of_another_process_is_told_so) {
  const UniqueId id = local_id();
  // The child has none of the descriptors that the id's maker has.
  Process child = Process::fork([&] { return join_and_leave(rank_by(id, 0, 2)); });
  EXPECT_THAT(told_error(child.wait()).text, HasSubstr("made in another process"));
  id.release();
}

/// A parent makes the id, forks the ranks, and is none itself.
int parent_of_ranks(std::uint32_t size) {
  const UniqueId id = local_id();
  std::vector<pid_t> ranks;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(join_and_leave(rank_by(id, rank, size)));
    ranks.push_back(child);
  }
  id.release();
  int worst = 0;
  for (const pid_t rank : ranks) {
    int status = -1;
    ::waitpid(rank, &status, 0);
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 99);
  }
  return worst;
}

TEST(UniqueIds, a_forked_rank_0_takes_the_socket_of_its_parent) {
  Process parent = Process::fork([] { return parent_of_ranks(3); });
  EXPECT_TRUE(ended_well(parent));
}

/// Makes and joins jobs of two ranks, one after the other; each must find its own.
int many_jobs_by_id(std::uint32_t number, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const std::string name = "job-" + std::to_string(number) + "-" + std::to_string(round);
    const UniqueId id = UniqueId::create({.session_id = "127.0.0.1:0", .job_id = name}).value();
    int second_ended = 99;
    std::thread second([&] {
      second_ended = outcome(Job::join(rank_by(UniqueId::from_bytes(id.bytes()).value(), 1, 2)));
    });
    auto first = Job::join(rank_by(id, 0, 2));
    second.join();
    if (!first) return tell_error(first.error());
    if (second_ended != 0) return second_ended;
    if (first->id() != name) return 1;
  }
  return 0;
}

TEST(UniqueIds, sixteen_jobs_at_a_time_do_not_collide) {
  Ranks jobs(16, [](std::uint32_t number) { return many_jobs_by_id(number, 25); });
  for (const Ended& ended : jobs.wait(150s)) EXPECT_TRUE(ended_well(ended));
}

}  // namespace
}  // namespace muster::process_test
