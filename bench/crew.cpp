#include "crew.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::bench {
namespace {

/// In a child: who forked it.
pid_t parent = 0;

}  // namespace

void give_up(const std::string& why) {
  std::fprintf(stderr, "muster_bench: %s\n", why.c_str());
  if (parent != 0) kill(parent, SIGTERM);
  std::_Exit(1);
}

void limit_time(std::chrono::seconds bound) {
  alarm(static_cast<unsigned>(bound.count()));
}

void pin_to(unsigned core) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) give_up("no affinity can be read");
  unsigned wanted = core % static_cast<unsigned>(CPU_COUNT(&allowed));
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed) || wanted-- > 0) ++cpu;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof(one), &one) != 0) give_up("no affinity can be set");
}

Board::Board(std::uint32_t ranks) {
  void* room =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED || ranks > ranks_max) give_up("no shared memory");
  shared_ = new (room) Shared{};
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared_->gate, &shared, ranks + 1);
  pthread_barrierattr_destroy(&shared);
}

Board::~Board() {
  // Not destroyed as a barrier: that would wait for killed children to come out of it.
  munmap(shared_, sizeof(Shared));
}

void Board::gate() {
  pthread_barrier_wait(&shared_->gate);
}

Crew::Crew(std::uint32_t count, const std::function<void(std::uint32_t)>& body)
    : killed_(count, false) {
  const pid_t self = getpid();
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const pid_t child = fork();
    if (child < 0) give_up("no more processes");
    if (child == 0) {
      parent = self;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() == parent) body(rank);
      std::_Exit(0);
    }
    children_.push_back(child);
  }
}

Crew::~Crew() {
  for (const pid_t child : children_) ::kill(child, SIGKILL);
  for (const pid_t child : children_) waitpid(child, nullptr, 0);
}

void Crew::finish() {
  for (std::size_t rank = 0; rank < children_.size(); ++rank) {
    int status = 0;
    waitpid(children_[rank], &status, 0);
    if (status != 0 && !killed_[rank]) give_up("rank " + std::to_string(rank) + " failed");
  }
  children_.clear();
}

void Crew::kill(std::uint32_t rank) {
  killed_[rank] = true;
  ::kill(children_[rank], SIGKILL);
}

void until_asleep(pid_t process) {
  const std::string threads = "/proc/" + std::to_string(process) + "/task";
  const auto awake = [&] {
    std::error_code gone;
    for (const auto& thread : std::filesystem::directory_iterator(threads, gone)) {
      std::ifstream file(thread.path().string() + "/stat");
      std::string line;
      std::getline(file, line);
      const std::size_t name_end = line.rfind(')');
      if (name_end != std::string::npos && line.compare(name_end + 2, 1, "S") != 0) return true;
    }
    if (gone) give_up("a process is gone");
    return false;
  };
  while (awake()) pause_ms(1);
}

std::int64_t now_ns() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

void pause_ms(int milliseconds) {
  poll(nullptr, 0, milliseconds);
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

}  // namespace muster::bench
