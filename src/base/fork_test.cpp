#include "base/fork.hpp"

#include <fcntl.h>
#include <functional>
#include <gmock/gmock.h>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What a forked child that runs `body` ends with.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(HomeProcess, IsLeftByForking) {
  const HomeProcess home;
  EXPECT_TRUE(home.here());
  EXPECT_EQ(in_child([&] {
              if (home.here()) return 1;
              const HomeProcess own;
              if (!own.here()) return 2;
              return in_child([&] { return own.here() || home.here() ? 3 : 0; });
            }),
            0);
  EXPECT_TRUE(home.here());
}

TEST(HomeProcess, ItsErrorNamesBothProcesses) {
  const std::string text = HomeProcess().error().text();
  EXPECT_THAT(text, AllOf(HasSubstr("process " + std::to_string(::getpid())), HasSubstr("joins")));
}

TEST(OwnDescriptor, IsClosedInAChildAndNowhereElse) {
  const int fds[] = {::open("/dev/null", O_RDONLY), ::open("/dev/null", O_RDONLY),
                     ::open("/dev/null", O_RDONLY), ::open("/dev/null", O_RDONLY)};
  std::optional<OwnDescriptor> first(std::in_place, fds[0]);
  std::optional<OwnDescriptor> second(std::in_place, fds[1]);
  std::optional<OwnDescriptor> third(std::in_place, fds[2]);
  const auto open_in_child = [&] {
    return in_child([&] {
      int open = 0;
      for (int i = 0; i < 4; ++i) open |= is_open(fds[i]) ? 1 << i : 0;
      return open;
    });
  };
  EXPECT_EQ(open_in_child(), 8);
  second.reset();
  EXPECT_EQ(open_in_child(), 8 + 2);
  third.reset();
  EXPECT_EQ(open_in_child(), 8 + 4 + 2);
  first.reset();
  EXPECT_EQ(open_in_child(), 15);
  for (const int fd : fds) {
    EXPECT_TRUE(is_open(fd));
    ::close(fd);
  }
}

TEST(OwnDescriptor, AChildHasItsOwn) {
  const int fd = ::open("/dev/null", O_RDONLY);
  const OwnDescriptor parents(fd);
  EXPECT_EQ(in_child([&] {
              const int again = ::open("/dev/null", O_RDONLY);  // the number that was freed
              if (again != fd) return 1;
              const OwnDescriptor own(again);
              if (!is_open(again)) return 2;
              return in_child([&] { return is_open(again) ? 3 : 0; });
            }),
            0);
  ::close(fd);
}

TEST(HoldForks, NoForkSeesTheLockHeld) {
  std::atomic<bool> over = false;
  std::thread holder([&] {
    while (!over) const auto lock = hold_forks();
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(in_child([] {
                const auto lock = hold_forks();
                return 0;
              }),
              0);
  }
  over = true;
  holder.join();
}

}  // namespace
}  // namespace muster
