#include "socket_folder.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "own_folders_fixture.hpp"

namespace muster::tool {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class SocketFolders : public OwnFolders {
 protected:
  std::ptrdiff_t folders() const {
    return std::distance(fs::directory_iterator(root_), fs::directory_iterator());
  }
};

/// A process that makes a folder with something in it, and is killed.
void make_and_be_killed(const char* content) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = SocketFolder::make();
    if (folder) std::ofstream(fs::path(folder->socket_path()).parent_path() / content) << "";
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST_F(SocketFolders, a_folder_goes_with_its_socket) {
  std::string socket;
  {
    const auto folder = SocketFolder::make();
    ASSERT_TRUE(folder) << folder.error().text();
    socket = folder->socket_path();
    EXPECT_THAT(socket, HasSubstr(root_.string()));
    struct stat found {};
    ASSERT_EQ(::lstat(fs::path(socket).parent_path().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0700U);
    std::ofstream(socket) << "";
  }
  EXPECT_EQ(folders(), 0);
}

TEST_F(SocketFolders, a_runtime_folder_too_long_for_a_socket_is_passed_over) {
  const fs::path deep = root_ / std::string(100, 'd');
  fs::create_directory(deep);
  ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  const auto folder = SocketFolder::make();
  ASSERT_TRUE(folder) << folder.error().text();
  EXPECT_LT(folder->socket_path().size(), 108U);
}

TEST_F(SocketFolders, what_a_killed_maker_left_is_removed_by_the_next) {
  make_and_be_killed("socket");
  ASSERT_EQ(folders(), 1);
  const auto next = SocketFolder::make();
  ASSERT_TRUE(next) << next.error().text();
  EXPECT_EQ(folders(), 1) << "its own";
}

TEST_F(SocketFolders, the_folder_of_a_living_maker_stays) {
  const auto one = SocketFolder::make();
  ASSERT_TRUE(one);
  std::ofstream(one->socket_path()) << "";
  const auto other = SocketFolder::make();
  ASSERT_TRUE(other);
  EXPECT_TRUE(fs::exists(one->socket_path()));
  EXPECT_EQ(folders(), 2);
}

TEST_F(SocketFolders, what_is_not_certainly_a_dead_makers_stays) {
  make_and_be_killed("something");
  fs::create_directory(root_ / "muster-1000");
  fs::create_directory(root_ / "muster-00000000-abcdef");  // of another boot, or host
  const auto next = SocketFolder::make();
  ASSERT_TRUE(next);
  EXPECT_EQ(folders(), 4);
}

}  // namespace
}  // namespace muster::tool
