#include <cstdlib>
#include <gmock/gmock.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <muster/job.hpp>

#include "job/kept_listeners.hpp"
#include "net/address.hpp"
#include "net/listen.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

UniqueId local_id(std::string job = {}) {
  return UniqueId::create({.session_id = "127.0.0.1:0", .job_id = std::move(job)}).value();
}

JoinOptions rank_of(const UniqueId& id, std::uint32_t rank, std::uint32_t size) {
  JoinOptions options;
  options.unique_id = id;
  options.rank = rank;
  options.size = size;
  options.join_timeout = 20s;
  options.log = [](LogLevel, std::string_view) {};
  return options;
}

std::string complaint(JoinOptions options) {
  const auto job = Job::join(std::move(options));
  return job ? "none" : job.error().text();
}

TEST(JoinByUniqueId, all_ranks_meet_under_its_name_and_address) {
  const UniqueId id = local_id("train-7");
  std::vector<std::thread> ranks;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([rank, copy = UniqueId::parse(id.text()).value()] {
      auto job = Job::join(rank_of(copy, rank, 3));
      ASSERT_TRUE(job) << job.error().text();
      EXPECT_EQ(job->id(), "train-7");
      EXPECT_EQ(job->url(), copy.url());
      EXPECT_EQ(job->identity().incarnation, copy.incarnation());
      EXPECT_TRUE(job->world().barrier("all here"));
      EXPECT_TRUE(job->leave());
    });
  }
  for (auto& rank : ranks) rank.join();
}

TEST(JoinByUniqueId, who_has_the_address_and_not_the_id_is_turned_away) {
  const UniqueId id = local_id();
  auto options = rank_of(id, 0, 2);
  options.until = Until::admitted;
  auto job = Job::join(options);
  ASSERT_TRUE(job) << job.error().text();
  JoinOptions stranger;
  stranger.url = id.url();
  stranger.rank = 1;
  stranger.size = 2;
  stranger.join_timeout = 20s;
  stranger.log = options.log;
  EXPECT_THAT(complaint(stranger), HasSubstr("refused"));
  EXPECT_TRUE(job->store().set("still", as_bytes("here")));
}

TEST(JoinByUniqueId, rank_0_serves_only_what_its_process_made_and_only_once) {
  const UniqueId id = local_id();
  EXPECT_TRUE(Job::join(rank_of(id, 0, 1)).ok());
  EXPECT_THAT(complaint(rank_of(id, 0, 1)),
              AllOf(HasSubstr("made in another process, or that has served already"),
                    HasSubstr("muster uid"), HasSubstr("MUSTER_SERVE=external")));
}

TEST(JoinByUniqueId, other_ranks_of_the_same_process_leave_the_socket_to_rank_0) {
  const UniqueId id = local_id();
  std::thread second([&] {
    auto job = Job::join(rank_of(id, 1, 2));
    ASSERT_TRUE(job) << job.error().text();
    EXPECT_TRUE(job->leave());
  });
  auto job = Job::join(rank_of(id, 0, 2));
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_TRUE(job->leave());
  second.join();
}

TEST(JoinByUniqueId, what_else_is_given_may_not_say_something_else) {
  const UniqueId id = local_id("train-7");
  const auto with = [&](const auto& change) {
    JoinOptions options = rank_of(id, 1, 2);
    change(options);
    return complaint(std::move(options));
  };
  EXPECT_THAT(with([](auto& o) { o.url = "tcp://node7:1"; }),
              AllOf(HasSubstr("the URL 'tcp://node7:1' is given"), HasSubstr(id.url())));
  EXPECT_THAT(with([](auto& o) { o.job_id = "other"; }),
              AllOf(HasSubstr("job id 'other'"), HasSubstr("train-7")));
  EXPECT_THAT(with([](auto& o) { o.incarnation = Incarnation{1}; }),
              HasSubstr("incarnation 0000000000000001"));
  EXPECT_THAT(with([](auto& o) { o.credentials.secret = Secret::random(); }),
              AllOf(HasSubstr("a secret is given, and a unique id"), Not(HasSubstr("muster1:"))));
  id.release();
}

TEST(JoinByUniqueId, a_url_that_is_left_out_gives_way_to_it_and_a_wrong_one_is_an_error) {
  const UniqueId id = local_id();
  JoinOptions options = rank_of(id, 0, 1);
  for (const char* wrong : {"tcp://127.0.0.1", "127.0.0.1:29400", "tcp://:1", "http://x:1", " "}) {
    options.url = wrong;
    EXPECT_THAT(complaint(options), AllOf(HasSubstr(wrong), Not(HasSubstr("unique id"))));
  }
  options.url = "";
  auto job = Job::join(options);
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_EQ(job->url(), id.url());
}

TEST(JoinByUniqueId, advertises_what_it_was_told_to) {
  JoinOptions options;
  options.url = "tcp://127.0.0.1:0";
  options.rank = 0;
  options.size = 1;
  options.advertise = "gateway.example";
  auto job = Job::join(options);
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_THAT(std::string(job->url()), testing::StartsWith("tcp://gateway.example:"));
  EXPECT_THAT(std::string(job->url()), Not(testing::EndsWith(":1")));
  options.advertise = "no de";
  EXPECT_THAT(complaint(options),
              HasSubstr("advertise (MUSTER_ADVERTISE): 'no de' cannot be advertised"));
  options.advertise = "node7";
  options.url = "unix:///tmp/muster-none";
  EXPECT_THAT(complaint(options), HasSubstr("is a Unix socket"));
}

/// What `body` returns in a forked child.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

net::Fd loopback_listener() {
  return net::listen(net::Url::parse("tcp://127.0.0.1:0").value(), Clock::now()).value();
}

TEST(KeptListeners, are_given_once) {
  net::Fd listener = loopback_listener();
  const int number = listener.get();
  keep_listener({7}, std::move(listener));
  EXPECT_FALSE(take_kept_listener({8}));
  drop_inherited_listener({7});
  EXPECT_EQ(take_kept_listener({7}).get(), number) << "dropping is for forked children";
  EXPECT_FALSE(take_kept_listener({7}));
}

TEST(KeptListeners, a_forked_child_may_take_them_or_drop_them) {
  net::Fd listener = loopback_listener();
  const int number = listener.get();
  keep_listener({7}, std::move(listener));
  EXPECT_EQ(in_child([&] { return take_kept_listener({7}).get() == number ? 0 : 1; }), 0);
  EXPECT_EQ(in_child([&] {
              drop_inherited_listener({7});
              return net::local_text(number).empty() ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(take_kept_listener({7})) << "the parent's own is left alone";
}

TEST(KeptListeners, a_child_that_has_something_else_under_the_number_keeps_that) {
  net::Fd listener = loopback_listener();
  const int number = listener.get();
  keep_listener({7}, std::move(listener));
  const auto other_under_the_number = [&](const auto& then) {
    return in_child([&] {
      const net::Fd other = loopback_listener();
      ::dup2(other.get(), number);
      then();
      return net::local_text(number) == net::local_text(other.get()) ? 0 : 1;
    });
  };
  EXPECT_EQ(other_under_the_number([] { take_kept_listener({7}); }), 0);
  EXPECT_EQ(other_under_the_number([] { drop_inherited_listener({7}); }), 0);
  take_kept_listener({7});
}

}  // namespace
}  // namespace muster
