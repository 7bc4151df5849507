#include "net/listen.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <string>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "net/address.hpp"
#include "net/connect.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

Url url(const std::string& text) {
  return Url::parse(text).value();
}

TimePoint soon() {
  return Clock::now() + 60s;
}

int option(int fd, int level, int name) {
  int value = -1;
  socklen_t length = sizeof value;
  EXPECT_EQ(::getsockopt(fd, level, name, &value, &length), 0);
  return value;
}

bool connects(const Url& to) {
  BackOff back_off(1);
  return connect(to, back_off, Clock::now() + 50ms).ok();
}

/// An empty directory that goes with what is in it.
class Listen : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/muster-listen-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    unix_ = url("unix://" + directory_ + "/job.sock");
  }
  void TearDown() override {
    ::unlink(unix_.path.c_str());
    ::rmdir(directory_.c_str());
  }

  std::string directory_;
  Url unix_;
};

TEST_F(Listen, binds_exactly_the_address_asked_for_and_says_which_port) {
  const Result<Fd> fd = listen(url("tcp://127.0.0.3:0"), soon());
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  const Url bound = bound_url(fd->get()).value();
  EXPECT_EQ(bound.host, "127.0.0.3");
  EXPECT_NE(bound.port, 0);
  EXPECT_TRUE(connects(bound));
  EXPECT_FALSE(connects(url("tcp://127.0.0.1:" + std::to_string(bound.port))));
}

TEST_F(Listen, of_a_range_the_last_free_port_is_taken) {
  Fd upper;
  Fd lower;
  PortRange both;
  for (int tries = 0; tries < 50 && !lower; ++tries) {  // the port below may be somebody's
    upper = *listen(url("tcp://127.0.0.1:0"), soon());
    const std::uint16_t port = bound_url(upper.get())->port;
    both = {static_cast<std::uint16_t>(port - 1), port};
    Result<Fd> second = listen(url("tcp://127.0.0.1:0"), both, Clock::now());
    if (second) lower = *std::move(second);
  }
  ASSERT_TRUE(lower);
  EXPECT_EQ(bound_url(lower.get())->port, both.first);

  for (const PortRange taken : {both, PortRange{both.first, both.first}}) {
    const Result<Fd> none = listen(url("tcp://127.0.0.1:0"), taken, Clock::now());
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code, Code::system);
    EXPECT_THAT(none.error().text(),
                AllOf(HasSubstr("127.0.0.1:0"),
                      HasSubstr("any port from " + std::to_string(taken.first) + " to " +
                                std::to_string(taken.last)),
                      HasSubstr("in use"), HasSubstr("allow more ports")));
  }
}

TEST_F(Listen, an_address_of_another_host_is_said_whatever_the_range) {
  const Result<Fd> elsewhere = listen(url("tcp://192.0.2.1:0"), {29400, 65535}, soon());
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_THAT(elsewhere.error().text(), HasSubstr("none of this host's addresses"));
}

TEST_F(Listen, the_socket_is_as_promised) {
  const Result<Fd> fd = listen(url("tcp://127.0.0.1:0"), soon());
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_TRUE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(::fcntl(fd->get(), F_GETFL) & O_NONBLOCK);
  EXPECT_EQ(option(fd->get(), SOL_SOCKET, SO_REUSEADDR), 1);
}

TEST_F(Listen, ipv6_listens_for_ipv6_alone) {
  const Result<Fd> fd = listen(url("tcp6://[::1]:0"), soon());
  // Some containers have no IPv6 at all; what is refused there is not ours to mend.
  if (!fd) GTEST_SKIP() << "no IPv6 loopback here: " << fd.error().text();
  EXPECT_EQ(option(fd->get(), IPPROTO_IPV6, IPV6_V6ONLY), 1);
  EXPECT_THAT(bound_url(fd->get())->text(), HasSubstr("tcp6://[::1]:"));
}

TEST_F(Listen, a_wildcard_is_bound_when_written_and_told_as_an_address_that_can_be_reached) {
  const Result<Fd> fd = listen(url("tcp://0.0.0.0:0"), soon());
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_THAT(local_text(fd->get()), HasSubstr("0.0.0.0:"));
  const Url bound = bound_url(fd->get()).value();
  EXPECT_NE(bound.host, "0.0.0.0");
  EXPECT_TRUE(connects(bound)) << bound.text();
}

TEST_F(Listen, a_name_is_looked_up) {
  const Result<Fd> fd = listen(url("tcp://localhost:0"), soon());
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_TRUE(connects(bound_url(fd->get()).value()));
}

TEST_F(Listen, an_address_in_use_is_an_error_that_says_what_to_do) {
  const Result<Fd> first = listen(url("tcp://127.0.0.1:0"), soon());
  const Url bound = bound_url(first->get()).value();
  const Result<Fd> second = listen(bound, soon());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::system);
  EXPECT_THAT(second.error().text(),
              AllOf(HasSubstr("cannot listen on " + bound.text() + ": Address already in use"),
                    HasSubstr("port 0 picks a free one")));
}

TEST_F(Listen, an_address_of_another_host_is_an_error_that_lists_the_own_ones) {
  const Result<Fd> fd = listen(url("tcp://192.0.2.1:0"), soon());
  ASSERT_FALSE(fd.ok());
  EXPECT_THAT(fd.error().text(),
              AllOf(HasSubstr("none of this host's addresses"), HasSubstr("127.0.0.1")));
}

TEST_F(Listen, a_socket_file_is_made_and_removed) {
  Result<Fd> fd = listen(unix_, soon());
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_EQ(bound_url(fd->get()).value(), unix_);
  EXPECT_TRUE(connects(unix_));
  remove_socket_file(fd->get());
  EXPECT_NE(::access(unix_.path.c_str(), F_OK), 0);
}

TEST_F(Listen, removing_the_file_of_a_tcp_socket_does_nothing) {
  const Result<Fd> fd = listen(url("tcp://127.0.0.1:0"), soon());
  remove_socket_file(fd->get());
  EXPECT_TRUE(connects(bound_url(fd->get()).value()));
}

TEST_F(Listen, a_stale_socket_file_is_replaced) {
  listen(unix_, soon()).value().reset();
  ASSERT_EQ(::access(unix_.path.c_str(), F_OK), 0) << "closing leaves the file";
  const Result<Fd> fd = listen(unix_, soon());
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_TRUE(connects(unix_));
}

TEST_F(Listen, of_many_that_start_at_once_over_a_stale_file_one_gets_it) {
  listen(unix_, soon()).value().reset();
  std::array<Fd, 8> listeners;
  {
    std::vector<std::jthread> threads;
    for (Fd& mine : listeners) {
      threads.emplace_back([&] {
        if (Result<Fd> fd = listen(unix_, soon())) mine = *std::move(fd);
      });
    }
  }
  EXPECT_EQ(std::ranges::count_if(listeners, [](const Fd& fd) { return static_cast<bool>(fd); }),
            1);
  EXPECT_TRUE(connects(unix_));
}

TEST_F(Listen, a_live_socket_file_is_an_error_that_names_it_and_stays) {
  const Result<Fd> first = listen(unix_, soon());
  const Result<Fd> second = listen(unix_, soon());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::system);
  EXPECT_THAT(second.error().text(),
              AllOf(HasSubstr(unix_.path), HasSubstr("another process listens there")));
  EXPECT_TRUE(connects(unix_));
}

TEST_F(Listen, a_file_that_is_no_socket_stays) {
  std::ofstream(unix_.path) << "precious";
  const Result<Fd> fd = listen(unix_, soon());
  ASSERT_FALSE(fd.ok());
  EXPECT_THAT(fd.error().what, HasSubstr("a file that is no socket is in the way"));
  EXPECT_EQ(::access(unix_.path.c_str(), F_OK), 0);
}

TEST_F(Listen, a_missing_directory_is_named) {
  const Result<Fd> fd = listen(url("unix://" + directory_ + "/none/job.sock"), soon());
  ASSERT_FALSE(fd.ok());
  EXPECT_THAT(fd.error().text(), AllOf(HasSubstr("/none/job.sock: No such file or directory"),
                                       HasSubstr("create the directory first")));
}

TEST_F(Listen, waits_for_another_that_binds_there_no_longer_than_the_deadline) {
  const Fd other(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  const TimePoint begun = Clock::now();
  const Result<Fd> fd = listen(unix_, begun + 30ms);
  EXPECT_GE(Clock::now(), begun + 30ms);
  ASSERT_FALSE(fd.ok());
  EXPECT_THAT(fd.error().what,
              HasSubstr("another process holds the lock (flock) of " + directory_));
}

TEST(BoundUrl, says_what_a_descriptor_is_that_cannot_serve) {
  const Fd datagram(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const Fd idle(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Fd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (const auto& [fd, what] : {std::pair{-1, "is no socket"},
                                 {file.get(), "is no socket"},
                                 {datagram.get(), "is no stream socket"},
                                 {idle.get(), "is a socket that does not listen"}}) {
    const Result<Url> bound = bound_url(fd);
    ASSERT_FALSE(bound.ok()) << what;
    EXPECT_EQ(bound.error().code, Code::invalid_argument);
    EXPECT_THAT(bound.error().what, HasSubstr(what));
  }
}

TEST(BoundUrl, an_abstract_unix_socket_has_no_url) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un name{.sun_family = AF_UNIX, .sun_path = ""};
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(sa_family_t)), 0);
  ASSERT_EQ(::listen(fd.get(), 1), 0);
  const Result<Url> bound = bound_url(fd.get());
  ASSERT_FALSE(bound.ok());
  EXPECT_THAT(bound.error().what, HasSubstr("without an absolute path"));
  EXPECT_THAT(local_text(fd.get()), HasSubstr("unix:@"));
}

}  // namespace
}  // namespace muster::net
