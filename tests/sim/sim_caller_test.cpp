#include "sim_caller.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <memory>

#include "findings.hpp"
#include "sim_server.hpp"
#include "store/remote_store.hpp"
#include "trace.hpp"
#include "watch.hpp"

namespace muster::sim {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class SimCallerTest : public testing::Test {
 protected:
  void serve_from(Duration start) {
    server::CoreOptions core;
    core.job = "demo";
    core.incarnation.number = 1;
    core.size = 1;
    server = std::make_unique<SimServer>(
        network, trace, findings, watch, 3,
        SimServer::Options{.core = core, .start = scheduler.now() + start});
  }

  Result<std::shared_ptr<SimCaller>> connect(Duration patience) {
    SimCaller::Options options;
    options.hello.size = 1;
    options.hello.ranks = {{0, 1}};
    options.route = {weather, weather};
    return SimCaller::connect(network, process, options, scheduler.now() + patience);
  }

  void run(std::function<void()> body) {
    scheduler.spawn("rank 0", scheduler.now(), std::move(body));
    ASSERT_EQ(scheduler.run(100'000), Scheduler::End::quiet);
    EXPECT_TRUE(findings.all().empty());
  }

  FiberPool pool;
  Scheduler scheduler{pool, 1};
  Trace trace{scheduler, false};
  Findings findings;
  Network network{scheduler, 2};
  Watch watch{scheduler, trace, findings, 1, {}};
  Process process;
  std::unique_ptr<SimServer> server;
  Weather weather{1ms, 1ms, 0, 0};
};

TEST_F(SimCallerTest, KnocksUntilTheServerIsThere) {
  serve_from(3s);
  run([this] {
    const auto caller = connect(10s);
    ASSERT_TRUE(caller) << caller.error().text();
    EXPECT_EQ((*caller)->session().job, "demo");
    EXPECT_EQ((*caller)->session().size, 1U);
    EXPECT_GE(scheduler.elapsed(), 3s);
    EXPECT_LE(scheduler.elapsed(), 4s);
  });
}

TEST_F(SimCallerTest, GivesUpAtItsDeadline) {
  serve_from(30s);
  run([this] {
    const auto caller = connect(2s);
    ASSERT_FALSE(caller);
    EXPECT_EQ(caller.error().code, Code::unreachable);
    EXPECT_LE(scheduler.elapsed(), 2s);
  });
}

TEST_F(SimCallerTest, AStalledLinkIsATimeOutAndALateAnswerIsDropped) {
  serve_from({});
  run([this] {
    const auto caller = connect(1s);
    ASSERT_TRUE(caller);
    const auto store = make_remote_store(*caller);
    (*caller)->link()->stall(Side::server);
    const auto late = store->set("key", as_bytes("value"), Deadline::in(50ms));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::timeout);
    network.heal_all();
    EXPECT_TRUE(store->get("key", Deadline::in(50ms)));
  });
}

TEST_F(SimCallerTest, TheServersEndIsNoticedByWhoWaits) {
  serve_from({});
  run([this] {
    const auto caller = connect(1s);
    ASSERT_TRUE(caller);
    const auto store = make_remote_store(*caller);
    scheduler.at(scheduler.now() + 2s, [this] { server->crash(1s); });
    const auto never = store->wait_get("key", Deadline::in(60s));
    ASSERT_FALSE(never);
    EXPECT_EQ(never.error().code, Code::server_lost);
    ASSERT_TRUE((*caller)->news());
    EXPECT_THAT((*caller)->news()->reason, HasSubstr("broke"));
    EXPECT_LE(scheduler.elapsed(), 4s);
  });
}

TEST_F(SimCallerTest, ACrashEndsEveryCallAndTheServerHearsOfIt) {
  serve_from({});
  run([this] {
    const auto caller = connect(1s);
    ASSERT_TRUE(caller);
    const auto store = make_remote_store(*caller);
    scheduler.at(scheduler.now() + 1s, [this] { process.crash(true, 2s); });
    EXPECT_FALSE(store->wait_get("key", Deadline::in(60s)));
    EXPECT_FALSE(store->set("key", {}, Deadline::in(60s)));
  });
  EXPECT_EQ(server->links(), 0U);
  EXPECT_EQ(server->core().open_items(), 0U);
  EXPECT_EQ(server->core().first_casualty()->who.rank, 0U);
}

}  // namespace
}  // namespace muster::sim
