#include "memory_file.hpp"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::tool {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(MemoryFile, is_read_from_its_beginning_by_each_who_opens_it) {
  const auto file = MemoryFile::make(as_bytes("a secret\n"));
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(read(file->path()), "a secret\n");
  EXPECT_EQ(read(file->path()), "a secret\n");
  struct stat found {};
  ASSERT_EQ(::stat(file->path().c_str(), &found), 0);
  EXPECT_TRUE(S_ISREG(found.st_mode));
  EXPECT_EQ(found.st_mode & 07777, 0400U);
  EXPECT_EQ(found.st_nlink, 0U) << "it is in no folder";
}

TEST(MemoryFile, is_read_by_a_child_without_any_descriptor) {
  const auto file = MemoryFile::make(as_bytes("a secret"));
  ASSERT_TRUE(file.ok());
  const std::string path = file->path();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close_range(3, ~0U, 0);
    ::_exit(read(path) == "a secret" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(MemoryFile, goes_with_its_holder_and_nobody_changes_it) {
  std::string path;
  {
    const auto file = MemoryFile::make(as_bytes("a secret"));
    ASSERT_TRUE(file.ok());
    path = file->path();
    const int writing = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // root may, whatever the mode
    if (writing >= 0) {
      EXPECT_LT(::write(writing, "x", 1), 0);
      ::close(writing);
    }
  }
  EXPECT_EQ(read(path), "");
}

}  // namespace
}  // namespace muster::tool
