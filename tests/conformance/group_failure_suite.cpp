#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "conformance/group_suite.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

/// What each rank was told. Each rank writes its own place only.
using Told = std::vector<Error>;

/// All were told the same: one verdict for all.
void expect_alike(const Told& told) {
  for (const Error& error : told) {
    EXPECT_EQ(error.code, told[0].code);
    EXPECT_EQ(error.what, told[0].what);
    EXPECT_EQ(error.ranks, told[0].ranks);
    EXPECT_EQ(error.exit_code, told[0].exit_code);
  }
}

std::vector<std::uint32_t> ranks_of(const Error& error) {
  std::vector<std::uint32_t> ranks;
  for (const RankName& name : error.ranks) ranks.push_back(name.rank);
  std::ranges::sort(ranks);
  return ranks;
}

template <class T>
Error error_of(const Result<T>& result) {
  EXPECT_FALSE(result) << "this should have failed";
  return result ? Error{} : result.error();
}

/// Runs `call` on each of `size` ranks, whose calls differ, and returns the one mismatch that all
/// of them are told. Afterwards the group is broken for good, alike.
template <class Run>
Error mismatch_of(Run run, std::uint32_t size, const std::function<Result<Parts>(Group&)>& call) {
  Told told(size);
  run(size, [&](Group& group) {
    Error& mine = told[group.rank()];
    mine = error_of(call(group));
    EXPECT_EQ(mine.phase, Phase::operation);
    for (int again = 0; again < 2; ++again) {
      const Error later = error_of(group.barrier("later"));
      EXPECT_EQ(later.code, mine.code);
      EXPECT_EQ(later.what, mine.what);
      EXPECT_EQ(later.ranks, mine.ranks);
    }
  });
  expect_alike(told);
  EXPECT_EQ(told[0].code, Code::mismatch);
  return told[0];
}

}  // namespace

TEST_P(GroupSuite, UnequalAllgatherSizesAreAMismatchOnAll) {
  const Error error = mismatch_of(runner(), 3, [](Group& group) {
    return group.allgather(as_bytes(group.rank() == 1 ? "four" : "three"), "sizes");
  });
  EXPECT_THAT(error.what, AllOf(HasSubstr("4 bytes"), HasSubstr("5 bytes"), HasSubstr("'sizes'")));
}

TEST_P(GroupSuite, UnequalAlltoallSizesAreAMismatchOnAll) {
  const Error error = mismatch_of(runner(), 3, [](Group& group) {
    const Bytes each = as_bytes(group.rank() == 1 ? "four" : "three");
    return group.alltoall(std::vector<Bytes>(3, each), "sizes");
  });
  EXPECT_THAT(error.what, AllOf(HasSubstr("4 bytes"), HasSubstr("5 bytes"), HasSubstr("'sizes'")));
}

TEST_P(GroupSuite, DifferentLabelsAreAMismatchThatNamesBoth) {
  const Error error = mismatch_of(runner(), 2, [](Group& group) {
    return group.arrive(
        {.kind = Kind::barrier, .label = group.rank() == 0 ? "epoch end" : "checkpoint"}, {});
  });
  const auto rank_text = [&](std::uint32_t rank) {
    return "rank " + std::to_string(named(rank, 2));
  };
  EXPECT_THAT(error.what, AllOf(HasSubstr(rank_text(0) + " is in barrier 'epoch end'"),
                                HasSubstr(rank_text(1) + " is in barrier 'checkpoint'")));
  EXPECT_THAT(ranks_of(error), UnorderedElementsAre(named(0, 2), named(1, 2)));
}

TEST_P(GroupSuite, DifferentCollectivesAreAMismatch) {
  const Error error = mismatch_of(runner(), 8, [](Group& group) {
    return group.rank() == 5 ? group.allgather({}, "x")
                             : group.arrive({.kind = Kind::barrier, .label = "x"}, {});
  });
  EXPECT_THAT(error.what, AllOf(HasSubstr("barrier 'x'"), HasSubstr("allgather 'x'")));
}

TEST_P(GroupSuite, DifferentRootsAndTokensAreAMismatch) {
  Error error = mismatch_of(runner(), 2, [](Group& group) {
    return group.gather(as_bytes("x"), group.rank());  // each to itself
  });
  EXPECT_THAT(error.what, AllOf(HasSubstr("root 0"), HasSubstr("root 1")));
  error = mismatch_of(runner(), 2, [](Group& group) {
    return group.exchange("phase", sha256(as_bytes(std::to_string(group.rank()))), {}, {});
  });
  EXPECT_THAT(error.what, HasSubstr("token"));
}

TEST_P(MissingRankSuite, WhoIsMissingIsNamedToAllAlike) {
  constexpr std::uint32_t size = 8;
  const auto is_late = [](std::uint32_t rank) { return rank == 5 || rank == 7; };
  std::atomic<int> called = 0;
  std::atomic<int> timed_out = 0;
  Told told(size);
  run(size, [&](Group& group) {
    const bool late = is_late(group.rank());
    const bool in_a_hurry = group.rank() == 0;  // it comes last of those who come in time
    if (late) ranks_->wait_until([&] { return timed_out == 6; });
    if (in_a_hurry) ranks_->wait_until([&] { return called == 5; });
    ++called;
    const TimePoint begun = group.now();
    told[group.rank()] = error_of(group.barrier("work", Deadline::in(in_a_hurry ? 400ms : 60s)));
    EXPECT_LT(group.now() - begun, 30s) << "a late rank is told at once";
    if (!late) ++timed_out;

    const auto next = group.barrier("next", Deadline::in(60s));
    EXPECT_TRUE(next) << "all are in step again: " << next.error().text();
    const auto parts = group.allgatherv(as_bytes("x"));
    EXPECT_TRUE(parts) << parts.error().text();
  });
  expect_alike(told);
  EXPECT_EQ(told[0].code, Code::rank_missing);
  EXPECT_EQ(told[0].phase, Phase::operation);
  const bool of_world = GetParam().of == Of::world;
  EXPECT_THAT(ranks_of(told[0]), UnorderedElementsAre(named(5, size), named(7, size)));
  EXPECT_THAT(told[0].what, AllOf(HasSubstr("2 of 8 ranks"), HasSubstr("barrier 'work'"),
                                  HasSubstr(of_world ? "ranks 5, 7" : "ranks 1, 3")));
  EXPECT_THAT(told[0].what, HasSubstr(of_world ? "" : "in the group of ranks 1-8"));
}

TEST_P(MissingRankSuite, ALateRankPassesEveryRoundThatItMissed) {
  constexpr int missed = 3;
  std::atomic<bool> over = false;
  std::vector<std::string> early;
  run(2, [&](Group& group) {
    if (group.rank() == 0) {
      for (int i = 0; i < missed; ++i) {
        early.push_back(error_of(group.barrier("b" + std::to_string(i), Deadline::in(100ms))).what);
      }
      over = true;
    } else {
      ranks_->wait_until([&] { return over.load(); });
      for (int i = 0; i < missed; ++i) {
        const Error error = error_of(group.barrier("b" + std::to_string(i)));
        EXPECT_EQ(error.code, Code::rank_missing);
        EXPECT_EQ(error.what, early.at(static_cast<std::size_t>(i)));
      }
    }
    const auto next = group.barrier("next");
    EXPECT_TRUE(next) << next.error().text();
  });
}

TEST_P(MissingRankSuite, TheEarliestDeadlineEndsTheRoundForAll) {
  std::atomic<int> ended = 0;
  std::atomic<bool> other_called = false;
  Told told(3);
  run(3, [&](Group& group) {
    if (group.rank() == 2) return ranks_->wait_until([&] { return ended == 2; });
    if (group.rank() == 0) {
      ranks_->wait_until([&] { return other_called.load(); });
    } else {
      other_called = true;
    }
    const auto deadline = Deadline::in(group.rank() == 0 ? Duration{300ms} : Duration{600s});
    const TimePoint begun = group.now();
    told[group.rank()] = error_of(group.barrier("b", deadline));
    EXPECT_LT(group.now() - begun, 60s);
    ++ended;
  });
  told.pop_back();
  expect_alike(told);
  EXPECT_THAT(ranks_of(told[0]), ElementsAre(named(2, 3)));
}

TEST_P(GroupSuite, ASecondCallOnTheHandleIsBusy) {
  std::atomic<int> refused = 0;
  run(2, [&](Group& group) {
    const auto call = [&] {
      const auto done = group.barrier("first");
      if (done) return;
      EXPECT_EQ(done.error().code, Code::busy);
      ++refused;
    };
    if (group.rank() == 0) {
      std::atomic<bool> both = false;
      ranks_->beside([&] {
        call();
        both = true;
      });
      call();
      ranks_->wait_until([&] { return both.load(); });
    } else {
      // Until then one of the two is in flight, and the other must find it so.
      ranks_->wait_until([&] { return refused > 0; });
      call();
    }
    const auto next = group.barrier("second");
    EXPECT_TRUE(next) << "busy used no round: " << next.error().text();
  });
  EXPECT_EQ(refused, 1);
}

TEST_P(GroupSuite, BadArgumentsAreNoRound) {
  const std::string longest(limits::label_bytes_max, 'l');
  run(3, [&](Group& group) {
    if (group.rank() == 1) {
      const Error root = error_of(group.broadcast(as_bytes("x"), 3));
      EXPECT_EQ(root.code, Code::invalid_argument);
      EXPECT_THAT(root.what, HasSubstr("root 3"));
      EXPECT_EQ(error_of(group.gather(as_bytes("x"), 99)).code, Code::invalid_argument);
      const Error payloads = error_of(group.scatter(std::vector<Bytes>(2), 1));
      EXPECT_EQ(payloads.code, Code::invalid_argument);
      EXPECT_THAT(payloads.what, HasSubstr("one payload for each of 3 ranks"));
      const Error few = error_of(group.alltoall(std::vector<Bytes>(4)));
      EXPECT_EQ(few.code, Code::invalid_argument);
      EXPECT_THAT(few.what, HasSubstr("one payload for each of 3 ranks, rank 1 brings 4"));
      const Error uneven =
          error_of(group.alltoall(std::vector<Bytes>{as_bytes("ab"), as_bytes("c"), {}}));
      EXPECT_EQ(uneven.code, Code::invalid_argument);
      EXPECT_THAT(uneven.what, AllOf(HasSubstr("1 bytes"), HasSubstr("rank 0 2")));
      const Error label = error_of(group.barrier(longest + "l"));
      EXPECT_EQ(label.code, Code::limit);
      EXPECT_THAT(label.what, AllOf(HasSubstr("255"), HasSubstr("256")));
      const Error payload = error_of(group.allgatherv(Value(limits::round_bytes_max + 1)));
      EXPECT_EQ(payload.code, Code::limit);
      EXPECT_THAT(payload.what, HasSubstr(std::to_string(limits::round_bytes_max)));
    }
    const auto done = group.barrier(longest);
    EXPECT_TRUE(done) << "nobody is out of step: " << done.error().text();
  });
}

TEST_P(GroupSuite, PayloadsOverTheRoundsBoundEndItForAll) {
  const Value half(limits::round_bytes_max / 2);
  const Value over(limits::round_bytes_max / 2 + 1);
  Told told(2);
  run(2, [&](Group& group) {
    told[group.rank()] = error_of(group.allgatherv(group.rank() == 0 ? half : over, "heavy"));
    const auto fits = group.allgatherv(half, "heavy");
    ASSERT_TRUE(fits) << "the bound itself is good, and the group goes on: " << fits.error().text();
    EXPECT_EQ((*fits)[1].size(), half.size());
  });
  expect_alike(told);
  EXPECT_EQ(told[0].code, Code::limit);
  EXPECT_THAT(told[0].what, AllOf(HasSubstr(std::to_string(limits::round_bytes_max)),
                                  HasSubstr("allgatherv 'heavy'")));
}

TEST_P(GroupSuite, AScatterHasTheRoundsBoundForAllItsPayloads) {
  const Value half(limits::round_bytes_max / 2);
  const Value rest(limits::round_bytes_max / 2 - 4 * 3);  // the lengths count, too
  const Value over(rest.size() + 1);
  run(2, [&](Group& group) {
    if (group.rank() == 1) {
      const Error error = error_of(group.scatter(std::vector<Bytes>{half, over}, 1));
      EXPECT_EQ(error.code, Code::limit);
      EXPECT_THAT(error.what, HasSubstr(std::to_string(limits::round_bytes_max)));
    }
    const auto fits = group.scatter(std::vector<Bytes>{half, rest}, 1);
    ASSERT_TRUE(fits) << fits.error().text();
    EXPECT_EQ(fits->size(), group.rank() == 0 ? half.size() : rest.size());
  });
}

}  // namespace muster::conformance
