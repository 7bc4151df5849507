#include "base/regular_file.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// An empty directory that goes with what is in it.
class RegularFile : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/muster-regular-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    path_ = directory_ + "/x";
  }
  void TearDown() override {
    ::unlink(path_.c_str());
    ::rmdir(directory_.c_str());
  }
  std::string directory_;
  std::string path_;
};

std::string complaint(const std::string& path) {
  const auto good = check_regular_file(path, "the file '" + path + "'");
  if (good) return "none";
  EXPECT_EQ(good.error().exit_code, 2);
  EXPECT_THAT(good.error().text(),
              AllOf(HasSubstr(path), HasSubstr("expected the path of a file")));
  return good.error().what;
}

TEST_F(RegularFile, is_what_it_says_and_anything_else_is_called_what_it_is) {
  EXPECT_THAT(complaint(path_), HasSubstr("No such file"));
  std::ofstream(path_) << "text";
  EXPECT_EQ(complaint(path_), "none");
  EXPECT_THAT(complaint(path_ + "/y"), HasSubstr("Not a directory"));
  EXPECT_THAT(complaint(directory_), HasSubstr("is no regular file, but a directory"));
  EXPECT_THAT(complaint("/dev/zero"), HasSubstr("is no regular file, but a device"));
  ::unlink(path_.c_str());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(complaint(path_), HasSubstr("is no regular file, but a FIFO"));
}

TEST_F(RegularFile, a_socket_is_none) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(complaint(path_), HasSubstr("is no regular file, but a socket"));
  ::close(fd);
}

}  // namespace
}  // namespace muster
