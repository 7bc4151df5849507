// Keys that go with their rank, over real links.
#include <future>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "conformance/served_job.hpp"
#include "store/remote_store.hpp"
#include "wire/notices.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using wire::Type;

class OwnedKeys : public testing::TestWithParam<Transport> {
 protected:
  OwnedKeys() {
    for (std::uint32_t rank = 0; rank < 3; ++rank) join(rank);
  }

  void join(std::uint32_t rank) {
    links_[rank] = job_.link_rank(rank);
    stores_[rank] = make_remote_store(links_[rank]);
  }
  Store& store(std::uint32_t rank) { return *stores_[rank]; }

  void leave(std::uint32_t rank) {
    say(rank, client::frame(Type::leave, wire::LeaveRequest{0, true}));
  }
  void fail(std::uint32_t rank) {
    say(rank, client::frame(Type::fail, wire::FailRequest{70, "no disk"}));
  }
  /// Its process is gone, as far as the server can see.
  void kill(std::uint32_t rank) {
    stores_.erase(rank);
    links_.erase(rank);
  }

  void own(std::uint32_t rank, std::string_view key) {
    const auto done = store(rank).set_owned(key, as_bytes("v"));
    ASSERT_TRUE(done) << done.error().text();
  }
  /// How rank 0 fares that waits for it.
  Error wait_for(std::string_view key) {
    const auto value = store(0).wait_get(key, Deadline::in(60s));
    EXPECT_FALSE(value);
    return value ? Error{} : value.error();
  }

 private:
  void say(std::uint32_t rank, Value frame) {
    const auto done = client::call(*links_[rank], std::move(frame), Clock::now() + 60s);
    EXPECT_TRUE(done) << done.error().text();
  }

  ServedJob job_{GetParam(), 3, server::OnLoss::notify};
  std::map<std::uint32_t, std::shared_ptr<client::Caller>> links_;
  std::map<std::uint32_t, std::unique_ptr<Store>> stores_;
};

TEST_P(OwnedKeys, WhoWaitsHearsHowTheOwnerEnded) {
  own(1, "left");
  own(2, "lost");
  leave(1);
  kill(2);
  for (const auto& [key, code, rank] :
       {std::tuple("left", Code::rank_left, 1U), std::tuple("lost", Code::rank_lost, 2U)}) {
    // The link's end may still be on its way to the server.
    while (store(0).get(key)) std::this_thread::yield();
    const Error error = wait_for(key);
    EXPECT_EQ(error.code, code) << error.text();
    const std::string number = std::to_string(rank);
    EXPECT_THAT(error.what, AllOf(HasSubstr(key), HasSubstr("rank " + number + " (host node" +
                                                            number + ", pid 100" + number + ")")));
    ASSERT_EQ(error.ranks.size(), 1U);
    EXPECT_EQ(error.ranks[0].rank, rank);
    const auto got = store(0).get(key);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::not_found);
    EXPECT_THAT(got.error().what, HasSubstr("rank " + number));
  }
}

TEST_P(OwnedKeys, AWaitForSeveralEndsWithOneOfThem) {
  own(1, "addr/1");
  std::jthread waiter([&mine = store(0)] {
    const std::string_view keys[] = {"addr/1", "never"};
    const auto done = mine.wait(keys, Deadline::in(60s));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Code::rank_lost);
    EXPECT_THAT(done.error().what, HasSubstr("addr/1"));
  });
  kill(1);
}

TEST_P(OwnedKeys, AFailureEndsTheJobAndWhoWatchesSeesWhatWent) {
  own(1, "addr/1");
  std::promise<std::string> gone;
  store(0)
      .watch("addr/", [&](const Change& change) { gone.set_value(change.value ? "" : change.key); })
      .value();
  fail(1);
  auto seen = gone.get_future();
  ASSERT_EQ(seen.wait_for(60s), std::future_status::ready);
  EXPECT_EQ(seen.get(), "addr/1");
  EXPECT_EQ(wait_for("addr/1").code, Code::rank_failed);
}

TEST_P(OwnedKeys, SetAnewByAnotherTheKeyIsItsOwn) {
  own(1, "leader");
  leave(1);
  EXPECT_EQ(wait_for("leader").code, Code::rank_left);
  own(2, "leader");
  EXPECT_EQ(as_text(store(0).wait_get("leader").value()), "v");
  EXPECT_TRUE(store(0).set("leader", as_bytes("mine")));
  kill(2);
  own(0, "other");
  EXPECT_EQ(as_text(store(0).get("leader").value()), "mine") << "any change ends the ownership";
}

TEST_P(OwnedKeys, WhoHasLeftOwnsNothingMore) {
  leave(1);
  const auto late = store(1).set_owned("k", as_bytes("v"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::invalid_state);
  EXPECT_THAT(late.error().what, HasSubstr("rank 1 (host node1, pid 1001) has left"));
}

std::string name_of(const testing::TestParamInfo<Transport>& transport) {
  const std::map<Transport, std::string> names{{Transport::in_process, "InProcess"},
                                               {Transport::tcp, "Tcp"},
                                               {Transport::unix_socket, "Unix"}};
  return names.at(transport.param);
}

INSTANTIATE_TEST_SUITE_P(Served, OwnedKeys,
                         testing::Values(Transport::in_process, Transport::tcp,
                                         Transport::unix_socket),
                         name_of);

}  // namespace
}  // namespace muster::conformance
