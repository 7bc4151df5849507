#include "net/connect.hpp"

#include <chrono>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "net/address.hpp"
#include "net/listen.hpp"
#include "net/resolve.hpp"
#include "net/wait.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Url url(const std::string& text) {
  return Url::parse(text).value();
}

Result<Fd> connect_within(const Url& to, Duration time) {
  BackOff back_off(1);
  return connect(to, back_off, Clock::now() + time);
}

/// A TCP address at which nobody listens, kept from others by a bound socket.
struct ClosedPort {
  ClosedPort() : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    at = url("tcp://" + local_text(fd.get()));
  }
  Fd fd;
  Url at;
};

TEST(Connect, gives_a_socket_as_promised) {
  const Fd listener = listen(url("tcp://127.0.0.1:0"), TimePoint::max()).value();
  const Url at = bound_url(listener.get()).value();
  const Result<Fd> fd = connect_within(at, 10s);
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_TRUE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(::fcntl(fd->get(), F_GETFL) & O_NONBLOCK);
  int no_delay = 0;
  socklen_t length = sizeof no_delay;
  ::getsockopt(fd->get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &length);
  EXPECT_NE(no_delay, 0);
  EXPECT_EQ("tcp://" + remote_text(fd->get()), at.text());
  EXPECT_THAT(local_text(fd->get()), StartsWith("127.0.0.1:"));
}

TEST(Connect, a_closed_port_takes_the_whole_deadline_and_no_more) {
  const ClosedPort closed;
  const TimePoint begun = Clock::now();
  const Result<Fd> fd = connect_within(closed.at, 500ms);
  const Duration took = Clock::now() - begun;
  EXPECT_GE(took, 500ms);
  EXPECT_LT(took, 30s);
  ASSERT_FALSE(fd.ok());
  EXPECT_EQ(fd.error().code, Code::unreachable);
  EXPECT_EQ(fd.error().phase, Phase::connect);
  EXPECT_GE(fd.error().elapsed, 500ms);
  EXPECT_EQ("tcp://" + fd.error().remote, closed.at.text());
  EXPECT_THAT(fd.error().text(),
              AllOf(HasSubstr("cannot connect to " + closed.at.text() + ": Connection refused"),
                    HasSubstr("times)"), HasSubstr("[while: connect]"),
                    HasSubstr("is the job's server started")));
}

TEST(Connect, a_deadline_that_has_passed_still_tries_once) {
  const ClosedPort closed;
  const Result<Fd> refused = connect_within(closed.at, -1s);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().what, HasSubstr("(tried 1 time)"));
  const Fd listener = listen(url("tcp://127.0.0.1:0"), TimePoint::max()).value();
  EXPECT_TRUE(connect_within(bound_url(listener.get()).value(), -1s).ok());
}

TEST(Connect, a_server_that_comes_late_is_reached) {
  const ClosedPort closed;
  std::jthread server([&] {
    pause_until(Clock::now() + 50ms);
    ::listen(closed.fd.get(), 1);
  });
  const Result<Fd> fd = connect_within(closed.at, 60s);
  EXPECT_TRUE(fd.ok()) << fd.error().text();
}

TEST(Connect, port_0_is_refused_at_once) {
  const Result<Fd> fd = connect_within(url("tcp://127.0.0.1:0"), 60s);
  ASSERT_FALSE(fd.ok());
  EXPECT_EQ(fd.error().code, Code::invalid_argument);
  EXPECT_THAT(fd.error().what, HasSubstr("port 0"));
}

/// A listener whose queue is full drops what else comes: to a client it is a black hole.
std::vector<Fd> fill_queue(const ClosedPort& full) {
  EXPECT_EQ(::listen(full.fd.get(), 0), 0);
  std::vector<Fd> in_queue;
  while (in_queue.size() < 16) {
    Result<Fd> fd = connect_within(full.at, 100ms);
    if (!fd) return in_queue;
    in_queue.push_back(std::move(*fd));
  }
  ADD_FAILURE() << "the queue does not fill up";
  return in_queue;
}

TEST(Connect, a_black_hole_takes_the_whole_deadline_and_no_more) {
  const ClosedPort full;
  const std::vector<Fd> in_queue = fill_queue(full);
  const TimePoint begun = Clock::now();
  const Result<Fd> fd = connect_within(full.at, 300ms);
  EXPECT_GE(Clock::now() - begun, 300ms);
  EXPECT_LT(Clock::now() - begun, 30s);
  ASSERT_FALSE(fd.ok());
  EXPECT_THAT(fd.error().text(), AllOf(HasSubstr("no answer"), HasSubstr("(tried 1 time)"),
                                       HasSubstr("[while: connect]"), HasSubstr("firewall")));
}

/// The addresses of a URL with numbers.
Address address_of(const Url& one) {
  return resolve(one, Clock::now()).value().front();
}

TEST(Connect, a_dead_address_does_not_eat_the_time_of_a_good_one) {
  const ClosedPort full;
  const std::vector<Fd> in_queue = fill_queue(full);
  const ClosedPort refusing;
  const Fd listener = listen(url("tcp://127.0.0.1:0"), TimePoint::max()).value();
  const Url good = bound_url(listener.get()).value();
  Address foreign = address_of(good);
  foreign.storage.ss_family = AF_APPLETALK;

  const TimePoint begun = Clock::now();
  BackOff back_off(1);
  const Result<Fd> fd =
      connect(url("tcp://name:1"),
              {foreign, address_of(full.at), address_of(refusing.at), address_of(good)}, back_off,
              begun + 60s);
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_EQ("tcp://" + remote_text(fd->get()), good.text());
  EXPECT_LT(Clock::now() - begun, 30s);
}

TEST(Connect, addresses_that_no_waiting_cures_are_given_up_one_by_one) {
  const ClosedPort refusing;
  Address foreign = address_of(refusing.at);
  foreign.storage.ss_family = AF_APPLETALK;
  BackOff back_off(1);
  const Result<Fd> hopeless =
      connect(url("tcp://name:1"), {foreign, foreign}, back_off, Clock::now() + 60s);
  ASSERT_FALSE(hopeless.ok());
  EXPECT_THAT(hopeless.error().what, HasSubstr("(tried 2 times)"));
  EXPECT_LT(hopeless.error().elapsed, 30s);

  const Result<Fd> refused = connect(url("tcp://name:1"), {foreign, address_of(refusing.at)},
                                     back_off, Clock::now() + 100ms);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().what,
              HasSubstr("cannot connect to tcp://name:1: Connection refused"));
}

TEST(Connect, a_socket_that_met_itself_is_recognized) {
  const ClosedPort own;
  const Address address = address_of(own.at);
  ASSERT_EQ(::connect(own.fd.get(), address.get(), address.length), 0)
      << "bound to the port that it connects to, a socket is its own peer";
  EXPECT_TRUE(meets_itself(own.fd.get()));

  const Fd listener = listen(url("tcp://127.0.0.1:0"), TimePoint::max()).value();
  const Fd other = connect_within(bound_url(listener.get()).value(), 10s).value();
  EXPECT_FALSE(meets_itself(other.get()));
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_FALSE(meets_itself(Fd(ends[0]).get()));
  EXPECT_FALSE(meets_itself(Fd(ends[1]).get()));
}

class ConnectUnix : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/muster-connect-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    at_ = url("unix://" + directory_ + "/job.sock");
  }
  void TearDown() override {
    ::unlink(at_.path.c_str());
    ::rmdir(directory_.c_str());
  }

  std::string directory_;
  Url at_;
};

TEST_F(ConnectUnix, a_path_that_comes_late_is_reached) {
  Result<Fd> listener = Error{};
  std::jthread server([&] {
    pause_until(Clock::now() + 50ms);
    listener = listen(at_, TimePoint::max());
  });
  const Result<Fd> fd = connect_within(at_, 60s);
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  EXPECT_EQ(remote_text(fd->get()), "unix:" + at_.path);
  EXPECT_EQ(local_text(fd->get()), "unix");
}

TEST_F(ConnectUnix, a_path_that_never_comes_is_named) {
  const Result<Fd> fd = connect_within(at_, 50ms);
  ASSERT_FALSE(fd.ok());
  EXPECT_EQ(fd.error().code, Code::unreachable);
  EXPECT_THAT(fd.error().text(),
              AllOf(HasSubstr(at_.text() + ": No such file or directory"), HasSubstr("times)"),
                    HasSubstr("[peer unix:" + at_.path + "]")));
}

TEST_F(ConnectUnix, a_full_queue_is_tried_again) {
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Address address = unix_address(at_.path);
  ASSERT_EQ(::bind(listener.get(), address.get(), address.length), 0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  std::vector<Fd> in_queue;
  for (;;) {
    Result<Fd> fd = connect_within(at_, 20ms);
    if (!fd) {
      EXPECT_THAT(fd.error().text(), HasSubstr("the server's queue is full"));
      break;
    }
    in_queue.push_back(std::move(*fd));
    ASSERT_LT(in_queue.size(), 16U);
  }
  std::jthread server([&] {
    pause_until(Clock::now() + 50ms);
    const Fd accepted(::accept(listener.get(), nullptr, nullptr));
  });
  EXPECT_TRUE(connect_within(at_, 60s).ok());
}

TEST_F(ConnectUnix, what_no_waiting_cures_ends_at_once) {
  const Fd datagram(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const Address address = unix_address(at_.path);
  ASSERT_EQ(::bind(datagram.get(), address.get(), address.length), 0);
  const Result<Fd> fd = connect_within(at_, 60s);
  ASSERT_FALSE(fd.ok());
  EXPECT_THAT(fd.error().what,
              AllOf(HasSubstr("wrong type for socket"), HasSubstr("(tried 1 time)")));
  EXPECT_LT(fd.error().elapsed, 30s);
}

}  // namespace
}  // namespace muster::net
