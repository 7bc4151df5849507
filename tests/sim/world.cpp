#include "world.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <vector>

#include "plan.hpp"
#include "rank_program.hpp"
#include "sim_server.hpp"
#include "stranger.hpp"
#include "visitor.hpp"

namespace muster::sim {
namespace {

using namespace std::chrono_literals;

/// More than any plan needs: deadlines are a minute at most, and programs give up.
constexpr Duration duration_max = 1h;
constexpr std::uint64_t events_max = 3'000'000;

/// Resource. The invariants that it checks itself, at the end:
/// - `deadlock`, `endless`: once links are healed, everything comes to its end;
/// - `not empty`: a server whose peers have gone holds nothing for them;
/// - `not lost`: a rank that was given no verdict counts as lost;
/// - `not told`: the server says that the job has ended when nobody can come any more.
class World {
 public:
  World(FiberPool& pool, const RunOptions& options);

  RunResult run();

 private:
  static SimServer::Options server_options(const Plan& plan, Plant* plant);
  void start();
  void disturb(const LinkFault& fault);
  void disturb(const ServerFault& fault);
  void judge_end(Scheduler::End end);
  void judge_server();

  Plan plan_;
  Scheduler scheduler_;
  Trace trace_;
  Findings findings_;
  Network network_;
  Ledger ledger_;
  Watch watch_;
  std::unique_ptr<Plant> plant_;
  SimServer server_;
  std::size_t base_items_;
  Stage stage_;
  std::vector<std::unique_ptr<RankProgram>> programs_;
  std::vector<std::unique_ptr<Stranger>> strangers_;
  std::vector<std::unique_ptr<Visitor>> visitors_;
};

/// Streams of draws that do not disturb each other.
std::uint64_t derived(std::uint64_t seed, std::uint64_t stream) {
  return SeededRandom(seed * 64 + stream).next();
}

World::World(FiberPool& pool, const RunOptions& options)
    : plan_(make_plan(options.seed)),
      scheduler_(pool, derived(options.seed, 1)),
      trace_(scheduler_, options.trace),
      network_(scheduler_, derived(options.seed, 2)),
      ledger_(scheduler_, findings_, plan_.size),
      watch_(scheduler_, trace_, findings_, plan_.size, plan_.lateness_max),
      plant_(make_plant(options.plant, plan_.size)),
      server_(network_, trace_, findings_, watch_, derived(options.seed, 3),
              server_options(plan_, plant_.get())),
      base_items_(server_.core().open_items()),
      stage_{plan_,
             scheduler_,
             network_,
             trace_,
             findings_,
             ledger_,
             plant_ ? plant_->oversleeps() : Duration{}} {
  for (std::uint32_t rank = 0; rank < plan_.size; ++rank) {
    programs_.push_back(
        std::make_unique<RankProgram>(stage_, rank, derived(options.seed, 100 + rank)));
  }
}

SimServer::Options World::server_options(const Plan& plan, Plant* plant) {
  SimServer::Options options;
  options.core.job = "simulated";
  options.core.incarnation.number = plan.seed + 1;
  options.core.epoch.bytes.fill(static_cast<std::byte>(plan.seed + 1));
  options.core.host = "server";
  options.core.pid = 1;
  options.core.on_loss = plan.on_loss;
  options.core.heartbeat = plan.heartbeat;
  options.core.secret = secret_of(plan);
  options.core.round_bytes_max = plan.round_bytes_max;
  options.start = Scheduler::beginning() + plan.server_start;
  options.lateness_max = plan.lateness_max;
  options.plant = plant;
  return options;
}

void World::start() {
  const TimePoint beginning = Scheduler::beginning();
  for (std::uint32_t rank = 0; rank < plan_.size; ++rank) {
    if (plan_.ranks[rank].trouble == Trouble::absent) continue;
    scheduler_.spawn(fmt::format("rank {}", rank), beginning + plan_.ranks[rank].start,
                     [this, rank] { programs_[rank]->run(); });
  }
  for (std::uint32_t i = 0; i < plan_.strangers; ++i) {
    strangers_.push_back(std::make_unique<Stranger>(network_, plan_.seed + i));
    scheduler_.spawn(fmt::format("stranger {}", i), beginning + plan_.server_start,
                     [stranger = strangers_.back().get()] { stranger->run(); });
  }
  for (std::uint32_t i = 0; i < plan_.visitors; ++i) {
    visitors_.push_back(std::make_unique<Visitor>(stage_, i, derived(plan_.seed, 50 + i)));
    scheduler_.spawn(fmt::format("visitor {}", i), beginning,
                     [visitor = visitors_.back().get()] { visitor->run(); });
  }
  for (const LinkFault& fault : plan_.link_faults) {
    scheduler_.at(beginning + fault.at, [this, &fault] { disturb(fault); });
  }
  if (plan_.server_fault) {
    scheduler_.at(beginning + plan_.server_fault->at, [this] { disturb(*plan_.server_fault); });
  }
  scheduler_.at(beginning + plan_.heal_at, [this] { network_.heal_all(); });
}

void World::disturb(const LinkFault& fault) {
  Link* link = programs_[fault.rank]->link();
  if (link == nullptr) return;
  using Kind = LinkFault::Kind;
  if (trace_.on()) trace_.say(fmt::format("rank {}", fault.rank), "its link is disturbed");
  if (fault.kind == Kind::stall_up || fault.kind == Kind::stall_both) link->stall(Side::client);
  if (fault.kind == Kind::stall_down || fault.kind == Kind::stall_both) link->stall(Side::server);
  if (fault.kind == Kind::cut) link->cut(fault.client_notices, fault.server_notices);
}

void World::disturb(const ServerFault& fault) {
  switch (fault.kind) {
    case ServerFault::Kind::crash:
      return server_.crash(fault.noticed_after);
    case ServerFault::Kind::stop:
      return server_.stop();
    case ServerFault::Kind::doom:
      return server_.doom(
          Failure{.code = Code::rank_failed, .reason = "the operator ends the job"});
    case ServerFault::Kind::pause:
      server_.pause();
      return scheduler_.at(scheduler_.now() + fault.lasts, [this] { server_.go_on(); });
  }
}

RunResult World::run() {
  if (trace_.on()) trace_.say("plan", describe(plan_));
  start();
  const Scheduler::End end = scheduler_.run(events_max);
  judge_end(end);
  if (end != Scheduler::End::quiet) scheduler_.abandon();
  RunResult result;
  result.findings = findings_.all();
  result.collectives = watch_.rounds_ended_well();
  result.events = scheduler_.events();
  return result;
}

void World::judge_end(Scheduler::End end) {
  if (end == Scheduler::End::deadlock) {
    findings_.found("deadlock", fmt::format("{} wait, and nothing can happen any more",
                                            fmt::join(scheduler_.alive(), ", ")));
  }
  if (end == Scheduler::End::endless || scheduler_.elapsed() > duration_max) {
    findings_.found("endless", fmt::format("after {} events", scheduler_.events()));
  }
  if (end == Scheduler::End::quiet && !server_.gone()) judge_server();
}

void World::judge_server() {
  watch_.check();
  const JobStatus status = server_.core().status(scheduler_.now());
  bool all_came = status.rows.size() == plan_.size;
  for (const RosterRow& row : status.rows) {
    all_came = all_came && row.state != State::absent;
    const bool lost = row.state == State::lost || row.state == State::failed;
    if (row.who.rank >= plan_.size || lost || !ledger_.without_verdict(row.who.rank)) continue;
    findings_.found("not lost", fmt::format("rank {} was given no verdict, and is {}", row.who.rank,
                                            name(row.state)));
  }
  const std::size_t items = server_.core().open_items();
  if (items != base_items_ || server_.links() != 0) {
    findings_.found("not empty",
                    fmt::format("{} items and {} links are left, it began with {} items", items,
                                server_.links(), base_items_));
  }
  if ((all_came || server_.doomed()) && !server_.ended()) {
    findings_.found("not told", "nobody will come any more, and the server does not say so");
  }
}

}  // namespace

RunResult run_seed(FiberPool& pool, const RunOptions& options) {
  return World(pool, options).run();
}

}  // namespace muster::sim
