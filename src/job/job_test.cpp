#include <cstdlib>
#include <filesystem>
#include <future>
#include <gmock/gmock.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include <muster/muster.hpp>

#include "net/address.hpp"
#include "net/listen.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A job of its own for each test: ranks are threads, rank 0 serves on a Unix socket.
class JobTest : public testing::Test {
 protected:
  JobTest() {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    url_ = "unix://" + folder_ + "/job.sock";
  }
  ~JobTest() override { std::filesystem::remove_all(folder_); }

  JoinOptions options(std::uint32_t rank, std::uint32_t size) const {
    JoinOptions options;
    options.url = url_;
    options.rank = rank;
    options.size = size;
    options.join_timeout = 60s;
    options.operation_timeout = 60s;
    options.log = [this](LogLevel level, std::string_view line) {
      if (level <= LogLevel::warning && all_goes_well_) ADD_FAILURE() << "said: " << line;
    };
    return options;
  }

  /// Runs `body(job)` as every rank of a job of `size`.
  template <class Body>
  void run(std::uint32_t size, Body body) {
    std::vector<std::thread> ranks;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back([this, rank, size, &body] {
        auto job = Job::join(options(rank, size));
        ASSERT_TRUE(job) << job.error().text();
        body(*job);
      });
    }
    for (auto& rank : ranks) rank.join();
  }

  /// Its own: whoever binds in a folder holds its lock for a moment.
  std::string folder_ = testing::TempDir() + "muster-job-XXXXXX";
  std::string url_;
  bool all_goes_well_ = true;  ///< then nothing may be said
};

TEST_F(JobTest, JoinsWorksAndLeaves) {
  run(4, [](Job& job) {
    EXPECT_EQ(job.size(), 4U);
    EXPECT_TRUE(job.world().barrier("start"));
    const std::string mine = "rank " + std::to_string(job.rank());
    const auto all = job.world().allgather(as_bytes(mine), "names");
    ASSERT_TRUE(all) << all.error().text();
    EXPECT_EQ(as_text((*all)[2]), "rank 2");
    EXPECT_TRUE(job.store().set("k" + mine, as_bytes(mine)));
    const auto left = job.leave();
    EXPECT_TRUE(left) << left.error().text();
  });
}

TEST_F(JobTest, WhoAgreesInASubsetGoesByNumbersInTheJob) {
  run(4, [](Job& job) {
    const std::vector<std::uint32_t> members = {3, 1, 2};
    if (job.rank() != 0) {
      const auto group = job.world().subset(members).value();
      const auto contract = [&](bool drifts) {
        return Contract::Builder().integer("cells", drifts ? 7 : 8, Share::open).build().value();
      };
      const auto agreed = agree(*group, job.epoch(), contract(false));
      ASSERT_TRUE(agreed) << agreed.error().text();
      EXPECT_THAT(agreed->ranks(), ElementsAre(1, 2, 3));
      const Error drift = agree(*group, job.epoch(), contract(job.rank() == 3)).error();
      EXPECT_EQ(drift.code, Code::contract_mismatch);
      EXPECT_THAT(drift.what, HasSubstr("cells differs: 8 on 1-2, 7 on 3"));
      ASSERT_EQ(drift.ranks.size(), 1U);
      EXPECT_EQ(drift.ranks[0].rank, 3U);
    }
    EXPECT_TRUE(job.world().barrier("all have been told"));
    EXPECT_TRUE(job.leave());
  });
}

TEST_F(JobTest, AllRanksKnowTheSameNames) {
  std::promise<Epoch> epoch;
  std::promise<std::string> id;
  auto epoch_of_0 = epoch.get_future().share();
  auto id_of_0 = id.get_future().share();
  run(2, [&](Job& job) {
    if (job.rank() == 0) {
      epoch.set_value(job.epoch());
      id.set_value(std::string(job.id()));
    }
    EXPECT_EQ(job.epoch(), epoch_of_0.get());
    EXPECT_EQ(job.id(), id_of_0.get());
    EXPECT_NE(job.identity().incarnation.number, 0U);
    EXPECT_EQ(job.url(), url_);
    EXPECT_TRUE(job.leave());
  });
}

TEST_F(JobTest, AfterLeavingEveryCallSaysSo) {
  run(1, [](Job& job) {
    EXPECT_TRUE(job.leave());
    const auto again = job.leave();
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Code::invalid_state);
    const auto late = job.store().get("x");
    ASSERT_FALSE(late);
    EXPECT_THAT(late.error().text(), HasSubstr("after leave"));
    job.leave_now();
  });
}

TEST_F(JobTest, FailEndsTheJobForAllAndTellsTheHandler) {
  all_goes_well_ = false;
  run(3, [](Job& job) {
    std::promise<Failure> heard;
    job.on_failure([&](const Failure& failure) { heard.set_value(failure); });
    if (job.rank() == 1) {
      for (const int wrong : {0, -1, 256}) {
        EXPECT_EQ(job.fail("disk full", wrong).error().code, Code::invalid_argument);
      }
      EXPECT_TRUE(job.fail("disk full", 9));
    } else {
      const auto verdict = job.world().barrier("work");
      ASSERT_FALSE(verdict);
      EXPECT_EQ(verdict.error().code, Code::rank_failed);
      EXPECT_EQ(verdict.error().exit_code, 9);
      EXPECT_THAT(verdict.error().text(), AllOf(HasSubstr("rank 1"), HasSubstr("disk full")));
    }
    auto failure = heard.get_future();
    ASSERT_EQ(failure.wait_for(60s), std::future_status::ready);
    EXPECT_EQ(failure.get().code, Code::rank_failed);
    job.leave_now();
  });
}

TEST_F(JobTest, WhoDropsItsJobIsMissed) {
  run(2, [](Job& job) {
    if (job.rank() == 1) return;  // destroyed: leaves at once
    const auto verdict = job.world().barrier("work");
    ASSERT_FALSE(verdict);
    EXPECT_THAT(verdict.error().text(), HasSubstr("rank 1"));
  });
}

TEST_F(JobTest, LeaveNamesWhoDoesNotCome) {
  std::promise<void> done;
  auto over = done.get_future().share();
  run(2, [&](Job& job) {
    if (job.rank() == 1) {
      over.wait();
      return;
    }
    const auto left = job.leave(Deadline::in(200ms));
    ASSERT_FALSE(left);
    EXPECT_EQ(left.error().code, Code::rank_missing);
    EXPECT_THAT(left.error().text(), HasSubstr("1"));
    done.set_value();
  });
}

TEST_F(JobTest, AgreesAsPartOfTheJoin) {
  std::vector<std::thread> ranks;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([this, rank] {
      JoinOptions mine = options(rank, 2);
      mine.contract = *Contract::Builder{}.integer("batch", 32).build();
      auto job = Job::join(std::move(mine));
      ASSERT_TRUE(job) << job.error().text();
      EXPECT_TRUE(job->leave());
    });
  }
  for (auto& rank : ranks) rank.join();
}

TEST_F(JobTest, DriftAtTheJoinIsNamedOnEveryRank) {
  std::vector<std::thread> ranks;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([this, rank] {
      JoinOptions mine = options(rank, 3);
      mine.contract = *Contract::Builder{}.integer("batch", rank == 2 ? 64 : 32).build();
      mine.log = [](LogLevel, std::string_view) {};  // it says that the job has failed
      const auto job = Job::join(std::move(mine));
      ASSERT_FALSE(job);
      EXPECT_EQ(job.error().code, Code::contract_mismatch);
      EXPECT_EQ(job.error().exit_code, 70);
      EXPECT_THAT(job.error().text(), AllOf(HasSubstr("batch"), HasSubstr("2")));
    });
  }
  for (auto& rank : ranks) rank.join();
}

TEST_F(JobTest, AdmittedReturnsBeforeTheOthersCome) {
  JoinOptions first = options(0, 2);
  first.until = Until::admitted;
  auto zero = Job::join(std::move(first));
  ASSERT_TRUE(zero) << zero.error().text();
  EXPECT_TRUE(zero->store().set("early", as_bytes("bird")));
  auto one = std::async(std::launch::async, [this] {
    auto job = Job::join(options(1, 2));
    ASSERT_TRUE(job) << job.error().text();
    EXPECT_EQ(as_text(*job->store().get("early")), "bird");
    EXPECT_TRUE(job->world().barrier());
    EXPECT_TRUE(job->leave());
  });
  EXPECT_TRUE(zero->world().barrier());
  EXPECT_TRUE(zero->leave());
  one.get();
}

TEST_F(JobTest, ServesOnASocketThatWasHandedIn) {
  auto listener = net::listen(*net::Url::parse("tcp://127.0.0.1:0"), Clock::now());
  ASSERT_TRUE(listener);
  const std::string where = net::bound_url(listener->get())->text();
  JoinOptions mine = options(0, 1);
  mine.url = where;
  mine.listen_fd = listener->release();
  const int fd = *mine.listen_fd;
  auto job = Job::join(std::move(mine));
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_EQ(job->url(), where);
  EXPECT_TRUE(query_status(where));
  EXPECT_TRUE(job->leave());
  int type = 0;
  socklen_t length = sizeof type;
  EXPECT_NE(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length), 0) << "still open";
}

TEST_F(JobTest, AnAddressThatNobodyWroteIsExplainedWhenItDoesNotWork) {
  auto holder = net::listen(*net::Url::parse("tcp://127.0.0.1:0"), Clock::now());
  ASSERT_TRUE(holder);
  JoinOptions mine = options(0, 2);
  mine.url = net::bound_url(holder->get())->text();
  mine.url_origin = "MASTER_ADDR and the port behind MASTER_PORT";
  const auto taken = Job::join(mine);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().text(),
              AllOf(HasSubstr(mine.url), HasSubstr(mine.url_origin), HasSubstr("set MUSTER_URL")));
  mine.url_origin.clear();
  EXPECT_THAT(Job::join(mine).error().text(), Not(HasSubstr("was made from")));
}

TEST_F(JobTest, TwoJobsInOneProcessDoNotMeet) {
  auto other = std::make_unique<Job>(*Job::join([&] {
    JoinOptions mine = options(0, 1);
    mine.url += "-other";
    return mine;
  }()));
  run(2, [&](Job& job) {
    if (job.rank() == 0) {
      EXPECT_TRUE(job.store().set("k", as_bytes("here")));
    }
    EXPECT_TRUE(job.world().barrier());
    EXPECT_NE(job.id(), other->id());
    EXPECT_TRUE(job.store().get("k"));
    EXPECT_TRUE(job.leave());
  });
  EXPECT_FALSE(other->store().get("k"));
  EXPECT_TRUE(other->leave());
}

TEST_F(JobTest, AToolReachesTheStoreAndTheRoster) {
  run(2, [&](Job& job) {
    if (job.rank() == 0) {
      auto store = connect_store(url_);
      ASSERT_TRUE(store) << store.error().text();
      EXPECT_TRUE((*store)->set("from", as_bytes("outside")));
      const auto status = query_status(url_);
      ASSERT_TRUE(status) << status.error().text();
      EXPECT_EQ(status->joined, 2U);
      EXPECT_EQ(status->rows.size(), 2U);
    }
    EXPECT_TRUE(job.world().barrier());
    EXPECT_EQ(as_text(*job.store().get("from")), "outside");
    EXPECT_EQ(job.status()->rows.size(), 2U);
    EXPECT_TRUE(job.leave());
  });
}

}  // namespace
}  // namespace muster
