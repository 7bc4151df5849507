// Plugins that break the contract, and what the host makes of them.

#include <algorithm>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <muster/plugin_group.hpp>

#include "base/limits.hpp"

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Exchange =
    std::function<int(const muster_plugin_call&, const muster_plugin_sink&, muster_plugin_error&)>;

/// A plugin of this program, whose behaviour each test chooses.
struct Behaviour {
  std::function<int(const muster_plugin_start&, muster_plugin_world&)> init;
  Exchange exchange;
  std::function<int()> finalize;
  std::uint64_t deadline_ns = 0;
};
Behaviour behaviour;

constexpr std::uint64_t capabilities = MUSTER_PLUGIN_EXCHANGE | MUSTER_PLUGIN_ALLGATHER |
                                       MUSTER_PLUGIN_SUBSETS | MUSTER_PLUGIN_BOUNDED;

int init(const muster_plugin_start* start, muster_plugin_world* world, muster_plugin_error*) {
  world->rank = 1;
  world->ranks = 3;
  world->incarnation = 7;
  world->capabilities = MUSTER_PLUGIN_EXCHANGE | MUSTER_PLUGIN_SUBSETS;
  return behaviour.init ? behaviour.init(*start, *world) : 0;
}

int finalize(void*, std::uint64_t deadline_ns, muster_plugin_error*) {
  behaviour.deadline_ns = deadline_ns;
  return behaviour.finalize ? behaviour.finalize() : 0;
}

int exchange(void*, const muster_plugin_call* call, const muster_plugin_sink* sink,
             muster_plugin_error* error) {
  return behaviour.exchange(*call, *sink, *error);
}

int allgather(void*, const void*, std::size_t, void*, std::uint64_t, muster_plugin_error*) {
  return 0;
}

int open_group(void*, const std::uint32_t*, std::uint32_t, std::uint64_t, void**,
               muster_plugin_error*) {
  return 0;
}

void close_group(void*) {}

muster_plugin table() {
  muster_plugin table{};
  table.version = MUSTER_PLUGIN_VERSION;
  table.size = sizeof(table);
  table.name = "tricky";
  table.capabilities = capabilities;
  table.init = init;
  table.finalize = finalize;
  table.exchange = exchange;
  table.allgather = allgather;
  table.open_group = open_group;
  table.close_group = close_group;
  return table;
}

class PluginContract : public testing::Test {
 protected:
  PluginContract() { behaviour = {}; }
  ~PluginContract() override { behaviour = {}; }

  std::unique_ptr<PluginGroup> join() { return make_group_over(table_).value(); }
  Error not_joined() {
    auto group = make_group_over(table_);
    EXPECT_FALSE(group);
    return group ? Error{} : group.error();
  }
  /// What a gather to rank 1, this one, ends with; the group must be broken then.
  Error broken_by(Exchange exchange) {
    behaviour.exchange = std::move(exchange);
    auto group = join();
    const auto parts = group->gather(as_bytes("x"), 1, "g");
    EXPECT_FALSE(parts);
    if (parts) return {};
    behaviour.exchange = [](const auto&, const auto&, auto&) -> int {
      ADD_FAILURE() << "a call of a broken group";
      return 0;
    };
    const auto later = group->barrier("later");
    EXPECT_EQ(later.error().what, parts.error().what);
    return parts.error();
  }

  muster_plugin table_ = table();
};

void give(const muster_plugin_sink& sink, const std::vector<std::string>& texts) {
  std::vector<muster_plugin_bytes> parts;
  for (const std::string& text : texts) parts.push_back({text.data(), text.size()});
  sink.parts(sink.context, parts.data(), static_cast<std::uint32_t>(parts.size()));
}

TEST_F(PluginContract, ACallIsHandedOnWhole) {
  const Digest token = sha256(as_bytes("t"));
  const TimePoint deadline = Clock::now() + std::chrono::seconds{5};
  behaviour.exchange = [&](const auto& call, const auto& sink, auto&) {
    EXPECT_EQ(call.version, MUSTER_PLUGIN_VERSION);
    EXPECT_EQ(call.size, sizeof(call));
    EXPECT_EQ(call.sequence, 1U);
    EXPECT_EQ(call.kind, MUSTER_PLUGIN_KIND_EXCHANGE);
    EXPECT_EQ(std::string(static_cast<const char*>(call.label.data), call.label.length), "phase");
    EXPECT_EQ(std::memcmp(call.token, token.data(), sizeof(call.token)), 0);
    EXPECT_EQ(call.payload_count, 1U);
    EXPECT_EQ(call.deadline_ns, static_cast<std::uint64_t>(deadline.time_since_epoch().count()));
    give(sink, {"a", "", "c"});
    return 0;
  };
  auto group = join();
  const auto parts = group->exchange("phase", token, as_bytes("x"), Deadline::at(deadline));
  ASSERT_TRUE(parts) << parts.error().text();
  EXPECT_EQ(as_text((*parts)[0]), "a");
  EXPECT_EQ(as_text((*parts)[2]), "c");
  EXPECT_EQ(group->rank(), 1U);
  EXPECT_EQ(group->plugin(), "tricky");
}

TEST_F(PluginContract, WhatIsThrownIsAnErrorThatSaysSo) {
  Error error =
      broken_by([](const auto&, const auto&, auto&) -> int { throw std::runtime_error("boom"); });
  EXPECT_EQ(error.code, Code::protocol);
  EXPECT_THAT(error.what, HasSubstr("plugin tricky broke its contract: exchange threw an "
                                    "exception: boom"));
  error = broken_by([](const auto&, const auto&, auto&) -> int { throw 5; });
  EXPECT_THAT(error.what, HasSubstr("no std::exception"));
  behaviour.init = [](const auto&, auto&) -> int { throw std::logic_error("at the start"); };
  EXPECT_THAT(not_joined().what, HasSubstr("init threw an exception: at the start"));
  behaviour = {};
  behaviour.finalize = []() -> int { throw std::logic_error("at the end"); };
  EXPECT_THAT(join()->leave().error().what, HasSubstr("finalize threw"));
  join().reset();
}

TEST_F(PluginContract, GarbageVerdictsAreNotBelieved) {
  const std::pair<Exchange, const char*> garbage[] = {
      {[](const auto&, const auto&, auto&) { return 4711; }, "returned 4711"},
      {[](const auto&, const auto&, auto&) { return -1; }, "returned -1"},
      {[](const auto&, const auto&, auto&) { return 0; }, "gave 0 parts of a gather, expected 3"},
      {[](const auto&, const auto& sink, auto&) {
         return give(sink, {"a", "b"}), 0;
       },
       "gave 2 parts of a gather, expected 3"},
      {[](const auto&, const auto& sink, auto&) {
         give(sink, {"a", "b", "c"});
         give(sink, {"a", "b", "c"});
         return 0;
       },
       "gave its parts 2 times"},
      {[](const auto&, const auto& sink, auto&) {
         const muster_plugin_bytes vast{"", limits::round_bytes_max};
         const muster_plugin_bytes parts[] = {vast, vast, vast};
         sink.parts(sink.context, parts, 3);
         return 0;
       },
       "gave parts of more than"},
      {[](const auto&, const auto& sink, auto&) {
         const muster_plugin_bytes nowhere[] = {{"", 0}, {nullptr, 5}, {"", 0}};
         sink.parts(sink.context, nowhere, 3);
         return 0;
       },
       "gave a part with a length, and NULL"},
      {[](const auto&, const auto& sink, auto&) {
         sink.parts(sink.context, nullptr, 3);
         return 0;
       },
       "gave a part with a length, and NULL"},
      {[](const auto&, const auto&, auto& error) {
         error.rank_count = error.ranks_max + 1;
         return static_cast<int>(Code::rank_lost);
       },
       "named 65 ranks, with room for 64"}};
  for (const auto& [exchange, says] : garbage) {
    const Error error = broken_by(exchange);
    EXPECT_EQ(error.code, Code::protocol);
    EXPECT_THAT(error.what, AllOf(HasSubstr("plugin tricky broke its contract"), HasSubstr(says)));
  }
}

TEST_F(PluginContract, PartsOfAnAllgatherHaveOneSize) {
  behaviour.exchange = [](const auto&, const auto& sink, auto&) {
    return give(sink, {"abc", "abcd", "abc"}), 0;
  };
  EXPECT_THAT(join()->allgather(as_bytes("xyz")).error().what,
              HasSubstr("rank 1's part of an allgather with 4 bytes, expected 3"));
}

TEST_F(PluginContract, TextsWithoutAnEndAndWithNoiseAreMadeFit) {
  const Error error = broken_by([](const auto&, const auto&, auto& room) {
    std::memset(room.what, 'w', room.what_bytes);
    std::memset(room.advice, '\n', room.advice_bytes);
    std::memset(room.ranks[0].host, 'h', sizeof(room.ranks[0].host));
    room.ranks[0].rank = 2;
    room.rank_count = 1;
    room.exit_code = 4711;
    return static_cast<int>(Code::rank_lost);
  });
  EXPECT_EQ(error.code, Code::rank_lost);
  EXPECT_GE(error.what.size(), 8000U);
  EXPECT_EQ(error.what.find_first_not_of('w'), std::string::npos);
  EXPECT_EQ(error.advice.find('\n'), std::string::npos);
  EXPECT_EQ(error.ranks.at(0).host, std::string(256, 'h'));
  EXPECT_EQ(error.exit_code, 1);
}

TEST_F(PluginContract, AnErrorWithoutWordsGetsSome) {
  const Error error =
      broken_by([](const auto&, const auto&, auto&) { return static_cast<int>(Code::timeout); });
  EXPECT_EQ(error.what, "plugin tricky failed in exchange and did not say why");
}

TEST_F(PluginContract, SomeVerdictsLeaveTheGroupInStep) {
  std::vector<std::uint64_t> sequences;
  for (const Code code : {Code::rank_missing, Code::limit}) {
    sequences.clear();
    behaviour.exchange = [&](const auto& call, const auto&, auto&) {
      sequences.push_back(call.sequence);
      return call.sequence == 1 ? static_cast<int>(code) : 0;
    };
    auto group = join();
    EXPECT_EQ(group->barrier().error().code, code);
    EXPECT_TRUE(group->barrier());
    EXPECT_EQ(group->broadcast({}, 3).error().code, Code::invalid_argument);
    EXPECT_TRUE(group->barrier());
    EXPECT_EQ(sequences, (std::vector<std::uint64_t>{1, 2, 3}));
  }
}

TEST_F(PluginContract, ASessionThatCannotBeIsRefusedAndEnded) {
  const std::pair<std::function<void(muster_plugin_world&)>, const char*> lies[] = {
      {[](auto& world) { world.rank = 3; }, "this is rank 3 of 3"},
      {[](auto& world) { world.ranks = 0; }, "this is rank 1 of 0"},
      {[](auto& world) { world.ranks = limits::ranks_max + 1; }, "of 1000001"},
      {[](auto& world) { world.capabilities |= MUSTER_PLUGIN_FAIL; }, "more than the table's"},
      {[](auto& world) { world.capabilities = 0; }, "neither exchange nor allgather"},
      {[](auto& world) { world.incarnation = 0; }, "gave no incarnation"}};
  for (const auto& [lie, says] : lies) {
    int ended = 0;
    behaviour.init = [&lie = lie](const auto&, auto& world) { return lie(world), 0; };
    behaviour.finalize = [&] { return ++ended, 0; };
    table_.capabilities = capabilities | MUSTER_PLUGIN_ANY_THREAD;
    const Error error = not_joined();
    EXPECT_EQ(error.code, Code::protocol);
    EXPECT_THAT(error.what, HasSubstr(says));
    EXPECT_EQ(ended, 1) << "what init made must be freed";
  }
}

TEST_F(PluginContract, OnlyTheThreadThatJoinedMayCallUnlessAnyMay) {
  behaviour.exchange = [](const auto&, const auto&, auto&) { return 0; };
  auto group = join();
  std::thread([&] {
    const Error error = group->barrier().error();
    EXPECT_EQ(error.code, Code::invalid_state);
    EXPECT_THAT(error.what, HasSubstr("only on the thread that made its group"));
    EXPECT_EQ(group->leave().error().code, Code::invalid_state);
  }).join();
  EXPECT_TRUE(group->barrier());
}

TEST_F(PluginContract, LeaveWaitsForItsSubsetsToEnd) {
  auto group = join();
  auto subset = group->subset(std::vector<std::uint32_t>{2, 1}).value();
  EXPECT_EQ(subset->rank(), 1U);
  EXPECT_EQ(subset->rank_in_job(0), 2U);
  const Error error = group->leave().error();
  EXPECT_EQ(error.code, Code::invalid_state);
  EXPECT_THAT(error.what, HasSubstr("1 subsets"));
  subset.reset();
  EXPECT_TRUE(group->leave());
}

TEST_F(PluginContract, WhoDropsAGroupWaitsNoMoreThanAMoment) {
  int ended = 0;
  behaviour.finalize = [&] { return ++ended, 0; };
  join().reset();
  EXPECT_EQ(ended, 1);
  const auto in_a_moment = Clock::now() + std::chrono::milliseconds{100};
  EXPECT_LE(behaviour.deadline_ns,
            static_cast<std::uint64_t>(in_a_moment.time_since_epoch().count()));
}

TEST_F(PluginContract, OptionsAreCheckedFirst) {
  const auto refused = [&](std::optional<std::uint32_t> rank, std::optional<std::uint32_t> size) {
    PluginOptions options;
    options.rank = rank;
    options.size = size;
    const auto group = make_group_over(table_, options);
    return group ? Code{} : group.error().code;
  };
  EXPECT_EQ(refused(1, std::nullopt), Code::invalid_argument);
  EXPECT_EQ(refused(std::nullopt, 1), Code::invalid_argument);
  EXPECT_EQ(refused(3, 3), Code::invalid_argument);
  EXPECT_EQ(refused(0, 0), Code::invalid_argument);
  EXPECT_EQ(refused(0, limits::ranks_max + 1), Code::invalid_argument);
  EXPECT_EQ(make_group_over(AllgatherCallback{}, {}).error().code, Code::invalid_argument);
}

}  // namespace
}  // namespace muster
