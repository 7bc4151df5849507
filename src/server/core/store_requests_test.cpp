#include "server/core/store_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "server/core/core_fixture.hpp"

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
  EXPECT_EQ(set(3, "k", as_bytes("v")).size(), limits::waits_a_link_max + 2);
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

TEST_F(StoreRequestsTest, ASetThatFailsWakesNobody) {
  get(1, "k", 1000);
  EXPECT_EQ(set(2, "k", Value(2U << 20)).at(0).failure().code, Code::quota);
  EXPECT_EQ(store.waiters().size(), 1U);
}

}  // namespace
}  // namespace muster::server
