#include "net/activation.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <string>
#include <unistd.h>

#include "net/fd.hpp"
#include "net/listen.hpp"

namespace muster::net {
namespace {

using testing::HasSubstr;

/// Has descriptor 3 for itself, whatever was there before.
class Activation : public testing::Test {
 protected:
  void SetUp() override {
    before_.reset(::fcntl(3, F_DUPFD_CLOEXEC, 10));
    Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (nothing.get() != 3) ::dup2(nothing.get(), 3);
    if (nothing.get() == 3) nothing.release();
  }
  void TearDown() override {
    ::unsetenv("LISTEN_PID");
    ::unsetenv("LISTEN_FDS");
    ::close(3);
    if (before_) ::dup2(before_.get(), 3);
  }
  static void set(const std::string& pid, const char* count) {
    ::setenv("LISTEN_PID", pid.c_str(), 1);
    ::setenv("LISTEN_FDS", count, 1);
  }
  static std::string me() { return std::to_string(::getpid()); }
  static std::string complaint() {
    const auto fd = activated_socket();
    return fd ? "none" : fd.error().text();
  }

  Fd before_;
};

TEST_F(Activation, nothing_is_taken_that_was_not_handed_to_this_process) {
  EXPECT_EQ(activated_socket().value(), std::nullopt);
  set(std::to_string(::getppid()), "1");
  EXPECT_EQ(activated_socket().value(), std::nullopt);
  set(me(), "0");
  EXPECT_EQ(activated_socket().value(), std::nullopt);
}

TEST_F(Activation, a_listening_socket_is_taken_and_not_inherited_any_further) {
  const Fd listener = listen(Url::parse("tcp://127.0.0.1:0").value(), TimePoint::max()).value();
  ASSERT_EQ(::dup2(listener.get(), 3), 3);
  ASSERT_EQ(::fcntl(3, F_GETFD) & FD_CLOEXEC, 0);
  set(me(), "1");
  EXPECT_EQ(activated_socket().value(), 3);
  EXPECT_NE(::fcntl(3, F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(Activation, what_cannot_be_served_on_is_named) {
  set(me(), "2");
  EXPECT_THAT(complaint(), HasSubstr("LISTEN_FDS is '2'"));
  set(me(), "x");
  EXPECT_THAT(complaint(), HasSubstr("LISTEN_FDS is 'x'"));
  set("x", "1");
  EXPECT_THAT(complaint(), HasSubstr("LISTEN_PID is 'x'"));
  set(me(), "1");
  EXPECT_THAT(complaint(), HasSubstr("LISTEN_FDS: descriptor 3 is no socket"));
}

}  // namespace
}  // namespace muster::net
