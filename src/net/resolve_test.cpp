#include "net/resolve.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <memory>
#include <netdb.h>

#include "base/host.hpp"
#include "net/choose.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

Url url(const char* text) {
  return Url::parse(text).value();
}

TimePoint in(Duration time) {
  return Clock::now() + time;
}

/// What a resolver answers for a name that is 127.0.0.7.
Lookup found() {
  return {.error = 0, .found = resolve(url("tcp://127.0.0.7:80"), in(0ms)).value()};
}

Lookup forbidden(const std::string&, std::uint16_t, int) {
  ADD_FAILURE() << "numbers and paths need no look-up";
  return {};
}

TEST(Resolve, numbers_and_paths_need_no_resolver_and_no_time) {
  for (const auto& [given, shown] : {std::pair{"tcp://127.0.0.1:4711", "127.0.0.1:4711"},
                                     std::pair{"tcp6://[::1]:4711", "[::1]:4711"},
                                     std::pair{"tcp6://[fe80::1%lo]:4711", "[fe80::1%lo]:4711"},
                                     std::pair{"unix:///run/job", "unix:/run/job"}}) {
    const auto addresses = resolve(url(given), Clock::now() - 1s, forbidden);
    ASSERT_TRUE(addresses.ok()) << addresses.error().text();
    ASSERT_EQ(addresses->size(), 1U);
    EXPECT_EQ(addresses->front().text(), shown);
  }
}

TEST(Resolve, localhost_is_known_to_the_system) {
  const auto addresses = resolve(url("tcp://localhost:80"), in(10s));
  ASSERT_TRUE(addresses.ok()) << addresses.error().text();
  EXPECT_THAT(addresses->front().text(), testing::AnyOf("127.0.0.1:80", "[::1]:80"));
}

TEST(Resolve, a_wrong_interface_is_named_at_once_with_those_that_exist) {
  const auto addresses = resolve(url("tcp6://[fe80::1%wrong9]:80"), in(10s), forbidden);
  ASSERT_FALSE(addresses.ok());
  EXPECT_EQ(addresses.error().code, Code::invalid_argument);
  EXPECT_EQ(addresses.error().phase, Phase::resolve);
  EXPECT_THAT(addresses.error().text(),
              AllOf(HasSubstr("there is no interface 'wrong9'"), HasSubstr("lo")));
}

TEST(Resolve, asks_for_name_port_and_family_of_the_url) {
  const auto resolver = [](const std::string& name, std::uint16_t port, int family) {
    EXPECT_EQ(name, "node7");
    EXPECT_EQ(port, 81);
    EXPECT_EQ(family, AF_INET6);
    return found();
  };
  EXPECT_TRUE(resolve(url("tcp6://node7:81"), in(10s), resolver).ok());
  const auto any = [](const std::string&, std::uint16_t, int family) {
    EXPECT_EQ(family, AF_UNSPEC);
    return found();
  };
  EXPECT_TRUE(resolve(url("tcp://node7:81"), in(10s), any).ok());
}

TEST(Resolve, a_name_that_comes_late_is_asked_for_again) {
  for (const int not_yet : {EAI_AGAIN, EAI_NONAME, EAI_FAIL}) {
    std::atomic<int> calls = 0;
    const auto resolver = [&](const std::string&, std::uint16_t, int) {
      return ++calls < 4 ? Lookup{.error = not_yet, .found = {}} : found();
    };
    const auto addresses = resolve(url("tcp://node7:80"), in(60s), resolver);
    ASSERT_TRUE(addresses.ok()) << addresses.error().text();
    EXPECT_EQ(addresses->front().text(), "127.0.0.7:80");
    EXPECT_EQ(calls, 4);
  }
}

TEST(Resolve, a_name_that_never_comes_is_an_error_before_the_deadline_is_past) {
  const auto resolver = [](const std::string&, std::uint16_t, int) {
    return Lookup{.error = EAI_NONAME, .found = {}};
  };
  const TimePoint begun = Clock::now();
  const auto addresses = resolve(url("tcp://node7:80"), begun + 300ms, resolver);
  EXPECT_LT(Clock::now() - begun, 30s);
  ASSERT_FALSE(addresses.ok());
  EXPECT_EQ(addresses.error().code, Code::unreachable);
  EXPECT_EQ(addresses.error().phase, Phase::resolve);
  EXPECT_THAT(addresses.error().text(),
              AllOf(HasSubstr("cannot look up 'node7' of tcp://node7:80"),
                    HasSubstr("Name or service not known"), HasSubstr("times)")));
}

TEST(Resolve, a_name_without_addresses_is_no_answer) {
  const auto resolver = [](const std::string&, std::uint16_t, int) { return Lookup{}; };
  EXPECT_FALSE(resolve(url("tcp://node7:80"), in(50ms), resolver).ok());
}

TEST(Resolve, what_no_waiting_cures_ends_at_once) {
  std::atomic<int> calls = 0;
  const auto resolver = [&](const std::string&, std::uint16_t, int) {
    ++calls;
    return Lookup{.error = EAI_FAMILY, .found = {}};
  };
  const auto addresses = resolve(url("tcp://node7:80"), in(60s), resolver);
  ASSERT_FALSE(addresses.ok());
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(addresses.error().what, HasSubstr("(tried 1 time)"));
}

TEST(Resolve, a_resolver_that_hangs_does_not_hold_the_caller) {
  auto answer = std::make_shared<std::promise<void>>();
  const std::shared_future<void> released = answer->get_future().share();
  const auto resolver = [released](const std::string&, std::uint16_t, int) {
    released.wait();
    return found();
  };
  const TimePoint begun = Clock::now();
  const auto addresses = resolve(url("tcp://node7:80"), begun + 50ms, resolver);
  EXPECT_GE(Clock::now() - begun, 50ms);
  EXPECT_LT(Clock::now() - begun, 30s);
  ASSERT_FALSE(addresses.ok());
  EXPECT_THAT(addresses.error().what, HasSubstr("the name server does not answer"));
  answer->set_value();  // the late answer goes nowhere
}

/// A name server that answers for one family only.
class OneFamily {
 public:
  explicit OneFamily(int answered) : answered_(answered) {}
  ~OneFamily() { silence_.set_value(); }

  Resolver resolver() {
    return [answered = answered_, silent = silence_.get_future().share()](
               const std::string&, std::uint16_t, int family) {
      if (family == answered) return found();
      silent.wait();
      return Lookup{.error = EAI_AGAIN, .found = {}};
    };
  }

 private:
  const int answered_;
  std::promise<void> silence_;
};

TEST(Resolve, a_server_that_answers_for_one_family_only_is_enough) {
  for (const int family : {AF_INET, AF_INET6}) {
    OneFamily server(family);
    const TimePoint begun = Clock::now();
    const auto addresses = resolve(url("tcp://node7:80"), begun + 60s, server.resolver());
    ASSERT_TRUE(addresses.ok()) << addresses.error().text();
    EXPECT_EQ(addresses->size(), 1U);
    EXPECT_LT(Clock::now() - begun, 30s);
  }
}

TEST(Resolve, the_own_name_on_loopback_leads_to_what_other_hosts_reach) {
  const auto outward = choose(interfaces(), default_route(), {}, Reach::other_hosts);
  if (!outward) GTEST_SKIP() << outward.error().text();
  const std::string own = host_name();
  if (own.starts_with("localhost")) GTEST_SKIP() << "this host has no name of its own";
  for (const std::string& name : {own, own.substr(0, own.find('.')) + ".example"}) {
    const auto addresses = resolve(url(("tcp://" + name + ":80").c_str()), in(10s),
                                   [](const std::string&, std::uint16_t, int) { return found(); });
    ASSERT_TRUE(addresses.ok()) << addresses.error().text();
    ASSERT_EQ(addresses->size(), 2U) << name;
    EXPECT_EQ(addresses->front().host(), outward->host());
    EXPECT_THAT(addresses->front().text(), testing::EndsWith(":80"));
    EXPECT_EQ(addresses->back().text(), "127.0.0.7:80") << "ranks of this host find it there, too";
  }
}

TEST(Resolve, another_name_on_loopback_stays_there) {
  const auto addresses = resolve(url("tcp://my-own-alias:80"), in(10s),
                                 [](const std::string&, std::uint16_t, int) { return found(); });
  ASSERT_TRUE(addresses.ok()) << addresses.error().text();
  EXPECT_EQ(addresses->size(), 1U);
}

}  // namespace
}  // namespace muster::net
