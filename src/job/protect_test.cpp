#include "job/protect.hpp"

#include <array>
#include <gmock/gmock.h>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <muster/job.hpp>

namespace muster {
namespace {

using ::testing::HasSubstr;

Credentials with(const Secret& secret) {
  Credentials credentials;
  credentials.secret = secret;
  return credentials;
}

TEST(Protect, LinksAndServersGetTheSecretIfItIsFor) {
  client::LinkOptions link;
  server::ServeOptions serving;
  ASSERT_TRUE(protect(link, {}));
  ASSERT_TRUE(protect(serving, {}));
  EXPECT_FALSE(link.secret || serving.core.secret);
  const Secret secret = Secret::random();
  ASSERT_TRUE(protect(link, with(secret)));
  ASSERT_TRUE(protect(serving, with(secret)));
  EXPECT_TRUE(*link.secret == secret);
  EXPECT_TRUE(*serving.core.secret == secret);
}

/// A served job of two ranks, rank 0 of which is this process's.
class SecretJob : public ::testing::Test {
 protected:
  void SetUp() override {
    JoinOptions options = of_rank(0);
    options.url = "tcp://127.0.0.1:0";
    options.until = Until::admitted;
    options.credentials = with(secret_);
    auto joined = Job::join(std::move(options));
    ASSERT_TRUE(joined) << joined.error().text();
    rank0_.emplace(*std::move(joined));
  }
  static JoinOptions of_rank(std::uint32_t rank) {
    JoinOptions options;
    options.rank = rank;
    options.size = 2;
    options.join_timeout = std::chrono::seconds{20};
    options.log = [](LogLevel, std::string_view) {};
    return options;
  }
  Result<Job> join_with(Credentials credentials) {
    JoinOptions options = of_rank(1);
    options.url = std::string(rank0_->url());
    options.credentials = std::move(credentials);
    return Job::join(std::move(options));
  }

  const Secret secret_ = Secret::random();
  std::optional<Job> rank0_;
};

TEST_F(SecretJob, TakesItsMembersAndTools) {
  auto rank1 = join_with(with(secret_));
  ASSERT_TRUE(rank1) << rank1.error().text();
  EXPECT_TRUE(rank0_->store().set("k", as_bytes("v")));
  auto store = connect_store(rank0_->url(), {}, with(secret_));
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ((*store)->get("k").value(), to_value("v"));
  EXPECT_EQ(query_status(rank0_->url(), {}, with(secret_)).value().joined, 2U);
}

TEST_F(SecretJob, RefusesStrangersAndGoesOn) {
  const auto without = join_with({});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, Code::refused);
  EXPECT_THAT(without.error().text(), HasSubstr("asks for its secret, and you have none"));
  const auto wrong = join_with(with(Secret::random()));
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text(), HasSubstr("you do not hold this job's secret"));
  EXPECT_EQ(query_status(rank0_->url()).error().code, Code::refused);
  const auto old = connect_store(std::string(rank0_->url()) + "?wire=0", {}, with(secret_));
  EXPECT_THAT(old.error().text(), HasSubstr("version 0"));
  EXPECT_TRUE(join_with(with(secret_)));
}

TEST(SecretOnOneSide, IsAnErrorOfTheOneThatHasIt) {
  JoinOptions options;
  options.url = "tcp://127.0.0.1:0";
  options.rank = 0;
  options.size = 2;
  options.until = Until::admitted;
  auto open_job = Job::join(options);
  ASSERT_TRUE(open_job);
  const auto status = query_status(open_job->url(), {}, with(Secret::random()));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::refused);
  EXPECT_THAT(status.error().text(), HasSubstr("has no secret, and you have one"));
}

TEST(AssignedRanks, NeedAnExternalServer) {
  JoinOptions options;
  options.url = "tcp://127.0.0.1:1";
  options.size = 2;
  options.assign_rank = true;
  EXPECT_THAT(Job::join(options).error().text(), HasSubstr("MUSTER_SERVE=external"));
  options.rank = 1;
  EXPECT_THAT(Job::join(options).error().text(), HasSubstr("expected one of them"));
  options.rank.reset();
  options.serve = Serve::external;
  options.until = Until::admitted;
  EXPECT_THAT(Job::join(options).error().text(), HasSubstr("Until::all_joined"));
}

TEST(AssignedRanks, AreAllDifferent) {
  server::ServeOptions serving{.url = net::Url::parse("tcp://127.0.0.1:0").value()};
  serving.core.job = "demo";
  serving.core.incarnation = Incarnation::random();
  auto server = server::Server::start(std::move(serving));
  ASSERT_TRUE(server);
  std::array<std::optional<Job>, 3> jobs;
  std::vector<std::thread> threads;
  for (auto& job : jobs) {
    threads.emplace_back([&job, url = (*server)->url()] {
      JoinOptions options;
      options.url = url;
      options.size = 3;
      options.assign_rank = true;
      options.serve = Serve::external;
      auto joined = Job::join(std::move(options));
      EXPECT_TRUE(joined) << joined.error().text();
      if (joined) job.emplace(*std::move(joined));
    });
  }
  for (std::thread& each : threads) each.join();
  std::set<std::uint32_t> ranks;
  for (const auto& job : jobs) ranks.insert(job->rank());
  EXPECT_EQ(ranks, (std::set<std::uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace muster
