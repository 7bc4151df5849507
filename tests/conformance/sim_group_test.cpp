#include <string>
#include <vector>

#include "conformance/group_suite.hpp"
#include "findings.hpp"
#include "group/server_group.hpp"
#include "network.hpp"
#include "sim_caller.hpp"
#include "sim_server.hpp"
#include "trace.hpp"
#include "watch.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t events_max = 3'000'000;

server::CoreOptions core_options(std::uint32_t size) {
  server::CoreOptions options;
  options.job = "conformance";
  options.incarnation.number = 1;
  options.epoch.bytes.fill(std::byte{1});
  options.size = size;
  return options;
}

/// Resource. One job on a virtual clock: what SimulatedRanks runs is the life of its ranks.
class SimulatedJob {
 public:
  SimulatedJob(sim::FiberPool& pool, std::uint32_t size, const sim::Route& route)
      : size_(size),
        route_(route),
        scheduler_(pool, 1),
        trace_(scheduler_, false),
        network_(scheduler_, 2),
        watch_(scheduler_, trace_, findings_, size, 0ms),
        server_(network_, trace_, findings_, watch_, 3,
                {.core = core_options(size), .start = scheduler_.now()}),
        processes_(size) {}

  sim::Scheduler& scheduler() { return scheduler_; }

  void run(const std::function<void(Group&)>& body) {
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      scheduler_.spawn("rank " + std::to_string(rank), scheduler_.now(),
                       [this, rank, &body] { live(rank, body); });
    }
    const sim::Scheduler::End end = scheduler_.run(events_max);
    EXPECT_EQ(end, sim::Scheduler::End::quiet) << "ranks wait, and nothing can happen any more";
    if (end != sim::Scheduler::End::quiet) scheduler_.abandon();
    for (const sim::Finding& finding : findings_.all()) {
      ADD_FAILURE() << finding.invariant << ": " << finding.how;
    }
  }

 private:
  void live(std::uint32_t rank, const std::function<void(Group&)>& body) {
    sim::SimCaller::Options options;
    options.hello.size = size_;
    options.hello.ranks = {{rank, 1}};
    options.route = route_;
    const TimePoint soon = scheduler_.now() + 60s;
    auto caller = sim::SimCaller::connect(network_, processes_[rank], options, soon);
    ASSERT_TRUE(caller) << caller.error().text();
    ASSERT_TRUE((*caller)->wait(client::muster_ticket, soon));
    const auto group = make_world_group(*caller);
    body(*group);
    // The links stay until all have ended: who goes without having left is lost.
    ++ended_;
    while (ended_ < size_ && !scheduler_.abandoned()) scheduler_.sleep(1ms);
  }

  std::uint32_t size_;
  sim::Route route_;
  sim::Scheduler scheduler_;
  sim::Trace trace_;
  sim::Findings findings_;
  sim::Network network_;
  sim::Watch watch_;
  sim::SimServer server_;
  std::vector<sim::Process> processes_;
  std::uint32_t ended_ = 0;
};

/// One fiber a rank.
class SimulatedRanks : public Ranks {
 public:
  explicit SimulatedRanks(const sim::Route& route) : route_(route) {}

  void run(std::uint32_t size, const std::function<void(Group&)>& body) override {
    SimulatedJob job(pool_, size, route_);
    scheduler_ = &job.scheduler();
    job.run(body);
  }

  void beside(std::function<void()> also) override {
    scheduler_->spawn("beside", scheduler_->now(), std::move(also));
  }

  void wait_until(const std::function<bool()>& condition) override {
    while (!condition() && !scheduler_->abandoned()) scheduler_->sleep(1ms);
  }

 private:
  sim::Route route_;
  sim::FiberPool pool_;
  sim::Scheduler* scheduler_ = nullptr;
};

RanksOver over(std::string name, const sim::Weather& weather, Of of = Of::world) {
  return {std::move(name), of, [route = sim::Route{weather, weather}] {
            return std::make_unique<SimulatedRanks>(route);
          }};
}

const auto simulated = testing::Values(over("Calm", {}), over("Rough", {1ms, 10ms, 60, 40}),
                                       over("CalmSubset", {}, Of::subset),
                                       over("RoughSubset", {1ms, 10ms, 60, 40}, Of::subset));
INSTANTIATE_TEST_SUITE_P(Simulated, BasicGroupSuite, simulated, testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Simulated, GroupSuite, simulated, testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Simulated, MissingRankSuite, simulated, testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
