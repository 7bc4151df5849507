#include "net/race.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "net/address.hpp"
#include "net/listen.hpp"
#include "net/resolve.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Address address_of(const std::string& text) {
  return resolve(Url::parse(text).value(), Clock::now()).value().front();
}

std::vector<std::string> in_turn(const std::vector<std::string>& urls) {
  std::vector<Address> addresses;
  for (const std::string& url : urls) addresses.push_back(address_of(url));
  std::vector<std::string> texts;
  for (const Address& one : interleaved(std::move(addresses))) texts.push_back(one.host());
  return texts;
}

TEST(Interleaved, families_take_turns_beginning_with_the_first) {
  EXPECT_THAT(in_turn({"tcp6://[::1]:1", "tcp6://[::2]:1", "tcp6://[::3]:1", "tcp://127.0.0.1:1"}),
              ElementsAre("::1", "127.0.0.1", "::2", "::3"));
  EXPECT_THAT(in_turn({"tcp://127.0.0.1:1", "tcp://127.0.0.2:1", "tcp6://[::1]:1"}),
              ElementsAre("127.0.0.1", "::1", "127.0.0.2"));
  EXPECT_THAT(in_turn({"tcp://127.0.0.2:1", "tcp://127.0.0.1:1"}),
              ElementsAre("127.0.0.2", "127.0.0.1"));
  EXPECT_TRUE(interleaved({}).empty());
}

/// A listener whose queue is full: to a client a black hole.
struct BlackHole {
  BlackHole() {
    const Url any = Url::parse("tcp://127.0.0.1:0").value();
    listener = listen(any, TimePoint::max()).value();
    EXPECT_EQ(::listen(listener.get(), 0), 0);
    url = bound_url(listener.get())->text();
    for (Fd& one : queue) {
      one.reset(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      const Address at = address_of(url);
      ::connect(one.get(), at.get(), at.length);
    }
  }
  Fd listener;
  Fd queue[8];
  std::string url;
};

/// Bound, and nobody listens.
struct Closed {
  Closed() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const Address any = address_of("tcp://127.0.0.1:0");
    EXPECT_EQ(::bind(socket.get(), any.get(), any.length), 0);
    url = "tcp://" + local_text(socket.get());
  }
  Fd socket;
  std::string url;
};

Result<Fd> race(const std::vector<std::string>& urls, Duration time) {
  static const Url name = Url::parse("tcp://name:1").value();
  std::vector<Address> addresses;
  for (const std::string& url : urls) addresses.push_back(address_of(url));
  BackOff back_off(1);
  return Race(name, std::move(addresses)).run(back_off, Clock::now() + time);
}

TEST(Race, one_that_answers_wins_over_many_that_do_not) {
  const BlackHole dead;
  const Fd listener = listen(Url::parse("tcp://127.0.0.1:0").value(), TimePoint::max()).value();
  const std::string good = bound_url(listener.get())->text();
  const TimePoint begun = Clock::now();
  const auto won = race({dead.url, dead.url, good}, 60s);
  ASSERT_TRUE(won.ok()) << won.error().text();
  EXPECT_EQ("tcp://" + remote_text(won->get()), good);
  EXPECT_GE(Clock::now() - begun, 500ms) << "each before it has a start of 250 ms";
  EXPECT_LT(Clock::now() - begun, 30s);
}

TEST(Race, one_that_refuses_hands_over_at_once_and_is_tried_again) {
  const Closed closed;
  const Fd listener = listen(Url::parse("tcp://127.0.0.1:0").value(), TimePoint::max()).value();
  const std::string good = bound_url(listener.get())->text();
  EXPECT_TRUE(race({closed.url, closed.url, good}, -1s).ok()) << "with no time at all";

  const auto refused = race({closed.url, closed.url}, 100ms);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().what,
              AllOf(HasSubstr("cannot connect to tcp://name:1: Connection refused (tried "),
                    HasSubstr(" times)")));
}

TEST(Race, addresses_that_fail_differently_are_named_each) {
  const BlackHole dead;
  const Closed closed;
  const auto lost = race({dead.url, closed.url}, 400ms);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, Code::unreachable);
  EXPECT_EQ(lost.error().phase, Phase::connect);
  EXPECT_THAT(lost.error().text(),
              AllOf(HasSubstr("no answer (" + dead.url.substr(6) + ")"),
                    HasSubstr("Connection refused (" + closed.url.substr(6) + ")"),
                    HasSubstr("is the job's server started")));
  EXPECT_GE(lost.error().elapsed, 400ms);
  EXPECT_LT(lost.error().elapsed, 30s);
}

TEST(Race, a_server_that_comes_late_wins_while_a_dead_address_is_awaited) {
  const BlackHole dead;
  const Closed late;
  std::vector<Address> addresses = {address_of(dead.url), address_of(late.url)};
  BackOff back_off(1ms, 10ms);
  const Url name = Url::parse("tcp://name:1").value();
  EXPECT_FALSE(Race(name, addresses).run(back_off, Clock::now() + 300ms).ok());
  ::listen(late.socket.get(), 1);
  const auto won = Race(name, addresses).run(back_off, Clock::now() + 60s);
  ASSERT_TRUE(won.ok()) << won.error().text();
  EXPECT_EQ("tcp://" + remote_text(won->get()), late.url);
}

}  // namespace
}  // namespace muster::net
