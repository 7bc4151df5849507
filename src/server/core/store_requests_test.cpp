#include "server/core/store_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "server/core/core_fixture.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const TimePoint start = TimePoint{} + 1h;

class StoreRequestsTest : public ::testing::Test {
 protected:
  std::vector<Seen> set(LinkId link, std::string_view key, Bytes value) {
    Value body;
    encode(wire::SetRequest{key, value}, body);
    return with([&](Outbox& out) { store.set(body, {link, wire::Type::set, 1}, out); });
  }
  std::vector<Seen> get(LinkId link, std::string_view key, std::uint32_t wait_ms) {
    Value body;
    encode(wire::GetRequest{key, wait_ms}, body);
    return with([&](Outbox& out) { store.get(body, {link, wire::Type::get, 2}, start, out); });
  }
  std::vector<Seen> wait(LinkId link, std::vector<std::string_view> keys, std::uint32_t wait_ms) {
    Value body;
    encode(wire::WaitRequest{wait_ms, std::move(keys)}, body);
    return with([&](Outbox& out) { store.wait(body, {link, wire::Type::wait, 3}, start, out); });
  }
  std::vector<Seen> watch(LinkId link, std::uint32_t sequence, std::string_view prefix) {
    Value body;
    encode(wire::WatchRequest{prefix}, body);
    return with([&](Outbox& out) { store.watch(body, {link, wire::Type::watch, sequence}, out); });
  }
  template <class Do>
  std::vector<Seen> with(Do&& what) {
    actions.clear();
    Outbox out(actions);
    what(out);
    return frames_of(actions);
  }

  StoreRequests store{1U << 20};
  Actions actions;
};

TEST_F(StoreRequestsTest, ALargeValueGoesOutWithoutACopy) {
  set(1, "k", Value(50'000));
  EXPECT_EQ(get(2, "k", 0).at(0).body.size(), 50'000U);
  EXPECT_EQ(actions.bytes.size(), limits::frame_header_bytes);
  EXPECT_EQ(std::get<Send>(actions.list[0]).tail, store.table().get("k").value()->shared());
}

TEST_F(StoreRequestsTest, ALinkWaitsForSoManyKeysAndNoMore) {
  for (std::size_t i = 0; i < limits::waits_a_link_max; ++i) {
    ASSERT_TRUE(get(1, "k", 1000).empty());
  }
  const auto one_more = get(1, "k", 1000);
  ASSERT_EQ(one_more.size(), 1U);
  EXPECT_EQ(one_more[0].failure().code, Code::limit);
  EXPECT_TRUE(get(2, "k", 1000).empty());
  std::size_t answers = set(3, "k", as_bytes("v")).size();
  while (store.waits().telling()) {
    answers += with([&](Outbox& out) { store.tell(out); }).size();
  }
  EXPECT_EQ(answers, limits::waits_a_link_max + 2);
}

TEST_F(StoreRequestsTest, EachKeyOfAWaitCounts) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < limits::keys_a_request_max; ++i) names.push_back(std::to_string(i));
  const std::vector<std::string_view> keys(names.begin(), names.end());
  for (std::size_t i = 0; i < limits::waits_a_link_max / keys.size(); ++i) {
    ASSERT_TRUE(wait(1, keys, 1000).empty());
  }
  EXPECT_EQ(wait(1, {"k"}, 1000).at(0).failure().code, Code::limit);
  EXPECT_EQ(get(1, "k", 1000).at(0).failure().code, Code::limit);
  EXPECT_TRUE(wait(1, {}, 1000).at(0).body.empty()) << "for nothing there is nothing to wait";
  EXPECT_TRUE(wait(2, {"k", "k", "k"}, 1000).empty());
  EXPECT_EQ(set(3, "k", {}).size(), 2U);
}

TEST_F(StoreRequestsTest, ATimeoutNamesKeyTimeAndTheAbsent) {
  Roster roster;
  roster.set_size(3, start);
  roster.join({0, 2}, 1, {}, start);
  get(1, "addr/1", 1000);
  const auto none = with([&](Outbox& out) { store.expire(roster, start + 949ms, out); });
  EXPECT_TRUE(none.empty());
  const auto due = with([&](Outbox& out) { store.expire(roster, start + 950ms, out); });
  const Failure failure = due.at(0).failure();
  EXPECT_EQ(failure.code, Code::timeout);
  EXPECT_EQ(failure.reason,
            "nobody set key 'addr/1' within 0.950 s; 2 of 3 ranks have joined, rank 1 is absent");
  ASSERT_EQ(failure.who.size(), 1U);
  EXPECT_EQ(failure.who[0].rank, 1U);
}

TEST_F(StoreRequestsTest, AWaitThatIsOverNamesSomeOfTheMissingAndCountsTheRest) {
  set(1, "k5", {});
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.push_back("k" + std::to_string(i));
  wait(1, {names.begin(), names.end()}, 100);
  const auto due = with([&](Outbox& out) { store.expire(Roster(), start + 1s, out); });
  EXPECT_EQ(due.at(0).failure().reason,
            "nobody set keys 'k0', 'k1', 'k2', 'k3', 'k4', 'k6', 'k7', 'k8' and 1 more within "
            "1.000 s; no rank has joined");
}

TEST_F(StoreRequestsTest, ALinkHasSoManyWatchesAndNoMore) {
  for (std::uint32_t i = 1; i <= limits::watches_a_link_max; ++i) {
    ASSERT_EQ(watch(1, i, "").at(0).result, 0);
  }
  const std::uint32_t next = limits::watches_a_link_max + 1;
  EXPECT_EQ(watch(1, next, "").at(0).failure().code, Code::limit);
  EXPECT_EQ(watch(1, 1, "").at(0).failure().code, Code::protocol) << "the number is taken";
  EXPECT_EQ(watch(2, next, "").at(0).result, 0);
  const std::string longest(limits::key_bytes_max, 'k');
  EXPECT_EQ(watch(2, 1, longest).at(0).result, 0);
  EXPECT_EQ(watch(2, 2, longest + "k").at(0).failure().code, Code::limit);
  EXPECT_EQ(set(3, longest, {}).size(), 1 + limits::watches_a_link_max + 2);
  with([&](Outbox&) { store.drop_link(1); });
  EXPECT_EQ(store.watches().size(), 2U);
}

TEST_F(StoreRequestsTest, AnAnswerThatNoFrameHoldsIsRefused) {
  StoreRequests large(limits::table_bytes_max);
  Value body;
  encode(wire::SetRequest{"k", Value(limits::value_bytes_max / 2)}, body);
  with([&](Outbox& out) { large.set(body, {1, wire::Type::set, 1}, out); });
  const auto get_keys = [&](std::vector<std::string_view> keys) {
    Value asked;
    encode(wire::MultiGetRequest{std::move(keys)}, asked);
    return with([&](Outbox& out) { large.multi_get(asked, {1, wire::Type::multi_get, 2}, out); });
  };
  const auto fits = get_keys({"k", "absent"});
  EXPECT_EQ(wire::decode_multi_get_answer(fits.at(0).body)->values[0]->size(),
            limits::value_bytes_max / 2);
  EXPECT_LT(actions.bytes.size(), 100U) << "not in the buffer that stays as large as it was";
  EXPECT_EQ(get_keys({"k", "k"}).at(0).failure().code, Code::limit);
}

TEST_F(StoreRequestsTest, ASetThatFailsWakesNobody) {
  get(1, "k", 1000);
  EXPECT_EQ(set(2, "k", Value(2U << 20)).at(0).failure().code, Code::quota);
  EXPECT_EQ(store.waits().size(), 1U);
}

}  // namespace
}  // namespace muster::server
