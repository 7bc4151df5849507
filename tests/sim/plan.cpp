#include "plan.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;
using What = Step::What;

/// Shorter: a rank may wait for several keys that do not come while others wait for it.
constexpr Duration key_deadline = 15s;

std::uint32_t draw_size(Dice& dice) {
  const auto draw = dice.between(std::uint64_t{0}, std::uint64_t{999});
  if (draw < 5)
    return static_cast<std::uint32_t>(dice.between(std::uint64_t{20}, std::uint64_t{80}));
  if (draw < 30)
    return static_cast<std::uint32_t>(dice.between(std::uint64_t{9}, std::uint64_t{20}));
  return static_cast<std::uint32_t>(dice.between(std::uint64_t{1}, std::uint64_t{8}));
}

std::uint32_t draw_rank(Dice& dice, const Plan& plan) {
  return static_cast<std::uint32_t>(dice.between(std::uint64_t{0}, std::uint64_t{plan.size - 1}));
}

std::uint32_t draw_count(Dice& dice, std::uint64_t most) {
  return static_cast<std::uint32_t>(dice.between(std::uint64_t{1}, most));
}

Weather draw_weather(Dice& dice, Duration delay_max) {
  Weather weather;
  weather.delay_min = dice.between(Duration{10us}, Duration{delay_max / 4 + 10us});
  weather.delay_max = std::max<Duration>(weather.delay_min, delay_max);
  weather.split_percent = static_cast<unsigned>(dice.one_of<unsigned>({0, 0, 5, 40}));
  weather.merge_percent = static_cast<unsigned>(dice.one_of<unsigned>({0, 50, 100}));
  return weather;
}

/// A partition of all ranks, or some subsets that may overlap.
void draw_groups(Dice& dice, Plan& plan) {
  if (dice.percent(40)) return;
  std::vector<std::uint32_t> ranks(plan.size);
  std::iota(ranks.begin(), ranks.end(), 0U);
  dice.shuffle(ranks);
  const std::uint32_t count = draw_count(dice, 3);
  if (dice.percent(50)) {
    plan.groups.resize(std::min(count + 1, plan.size));
    for (std::uint32_t i = 0; i < plan.size; ++i) {
      plan.groups[i % plan.groups.size()].push_back(ranks[i]);
    }
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || dice.percent(70)) dice.shuffle(ranks);
    const auto size = static_cast<std::ptrdiff_t>(draw_count(dice, plan.size));
    plan.groups.emplace_back(ranks.begin(), ranks.begin() + size);
  }
}

Step draw_step(Dice& dice, const Plan& plan, std::size_t index) {
  static const std::vector<What> choices = {
      What::barrier,   What::barrier,    What::barrier,  What::broadcast,
      What::gather,    What::scatter,    What::alltoall, What::allgather,
      What::allgather, What::allgatherv, What::agree,    What::exchange,
      What::set,       What::get,        What::wait_get, What::add};
  static const std::vector<std::size_t> sizes = {0, 1, 16, 16, 100, 100, 700};
  Step step;
  step.what = dice.one_of(choices);
  step.label = fmt::format("{} {}", name(step.what), dice.percent(10) ? 0 : index);
  if (is_collective(step.what) && !plan.groups.empty() && dice.percent(50)) {
    step.group = dice.between(std::uint64_t{0}, std::uint64_t{plan.groups.size() - 1});
    step.closes = dice.percent(20);
  }
  step.peer = draw_rank(dice, plan) % group_size(plan, step);
  step.key = static_cast<std::uint32_t>(dice.between(std::uint64_t{0}, std::uint64_t{2}));
  step.bytes = dice.percent(2) ? 30'000 : dice.one_of(sizes);
  // Its rounds grow with the square of the job, and are to stay within their bound.
  if (step.what == What::alltoall) step.bytes = std::min(step.bytes, std::size_t{100});
  step.deadline = is_collective(step.what) ? long_deadline : key_deadline;
  return step;
}

/// Some deadlines are so short that ranks miss them.
void shorten_deadlines(Dice& dice, Plan& plan) {
  for (Step& step : plan.script) {
    if (dice.percent(50)) step.deadline = dice.between(Duration{}, Duration{400ms});
  }
  for (RankPlan& rank : plan.ranks) {
    if (dice.percent(40)) rank.pause_max = dice.between(Duration{1ms}, Duration{600ms});
    if (dice.percent(5)) rank.join_deadline = dice.between(Duration{1ms}, Duration{2s});
  }
  if (dice.percent(30)) plan.leave_deadline = dice.between(Duration{0ms}, Duration{500ms});
}

void put_in_trouble(Dice& dice, Plan& plan) {
  static const std::vector<Trouble> choices = {
      Trouble::absent, Trouble::drift,  Trouble::drift,    Trouble::wrong_call,
      Trouble::skips,  Trouble::crash,  Trouble::crash,    Trouble::crash,
      Trouble::fails,  Trouble::leaves, Trouble::bad_size, Trouble::duplicate};
  RankPlan& rank = plan.ranks[draw_rank(dice, plan)];
  rank.trouble = dice.one_of(choices);
  const bool needs_others = rank.trouble == Trouble::duplicate || rank.trouble == Trouble::absent ||
                            rank.trouble == Trouble::bad_size;
  if (plan.size == 1 && needs_others) rank.trouble = Trouble::none;
  rank.trouble_at = dice.between(std::uint64_t{0}, std::uint64_t{plan.script.size() + 1});
  rank.trouble_after = dice.percent(30) ? Duration{} : dice.between(Duration{}, Duration{50ms});
  rank.wrong = dice.one_of<Wrong>({Wrong::kind, Wrong::label, Wrong::root, Wrong::size});
  rank.host_dies = dice.percent(30);
  rank.returns = dice.percent(30);
  rank.noticed_after = dice.between(Duration{}, Duration{5s});
}

void disturb_links(Dice& dice, Plan& plan) {
  const auto count = dice.between(std::uint64_t{1}, std::uint64_t{3});
  for (std::uint64_t i = 0; i < count; ++i) {
    LinkFault fault;
    fault.kind =
        dice.one_of<LinkFault::Kind>({LinkFault::Kind::stall_up, LinkFault::Kind::stall_down,
                                      LinkFault::Kind::stall_both, LinkFault::Kind::cut});
    fault.rank = draw_rank(dice, plan);
    fault.at = dice.between(Duration{}, Duration{1500ms});
    fault.client_notices = dice.between(Duration{}, Duration{3s});
    fault.server_notices = dice.between(Duration{}, Duration{3s});
    plan.link_faults.push_back(fault);
  }
}

void disturb_server(Dice& dice, Plan& plan) {
  ServerFault fault;
  fault.kind = dice.one_of<ServerFault::Kind>(
      {ServerFault::Kind::crash, ServerFault::Kind::stop, ServerFault::Kind::doom});
  fault.at = dice.between(Duration{}, Duration{2s});
  fault.noticed_after = dice.between(Duration{}, Duration{3s});
  plan.server_fault = fault;
}

void draw_ranks(Dice& dice, Plan& plan) {
  const Duration delay_max =
      dice.one_of<Duration>({Duration{100us}, Duration{1ms}, Duration{1ms}, Duration{20ms}});
  const Duration skew_max = dice.one_of<Duration>({Duration{}, Duration{10ms}, Duration{1s}});
  const bool helpers = dice.percent(30);
  plan.ranks.resize(plan.size);
  for (RankPlan& rank : plan.ranks) {
    rank.start = dice.between(Duration{}, skew_max);
    rank.join_deadline = dice.between(Duration{20s}, Duration{60s});
    rank.pause_max = dice.percent(50) ? Duration{} : Duration{2ms};
    rank.has_helper = helpers && dice.percent(50);
    rank.leaves_at_once = dice.percent(5);
    rank.route = {draw_weather(dice, delay_max), draw_weather(dice, delay_max)};
  }
}

/// Some ranks do not wait for the others when they join. Whoever left before all were in would end
/// the job, so there must be a collective of all to wait in, and none over its bound at once.
void let_in_early(Dice& dice, Plan& plan) {
  const auto is_of_all = [](const Step& step) {
    return is_collective(step.what) && step.group == all_ranks;
  };
  const bool waits = std::ranges::any_of(plan.script, is_of_all);
  const bool bounded = plan.round_bytes_max < limits::round_bytes_max;
  if (plan.calm && (!waits || bounded)) return;
  for (RankPlan& rank : plan.ranks) rank.until_admitted = dice.percent(15);
}

/// Whether a rank goes on in another place, or with other groups, than the rest of them.
bool is_out_of_step(const Plan& plan) {
  return std::ranges::any_of(plan.ranks, [](const RankPlan& rank) {
    return rank.trouble == Trouble::skips || rank.trouble == Trouble::wrong_call ||
           rank.trouble == Trouble::drift;
  });
}

/// Lest ranks wait for each other in different groups until their time is over.
void forgo_subsets(Plan& plan) {
  for (Step& step : plan.script) step.group = all_ranks;
}

/// One rank sleeps while the others' rounds time out, more of them than the server remembers.
void leave_one_behind(Dice& dice, Plan& plan) {
  plan.script.clear();
  const std::size_t rounds =
      limits::tombstones_max + dice.between(std::uint64_t{0}, std::uint64_t{100});
  for (std::size_t i = 0; i < rounds; ++i) {
    plan.script.push_back({.label = "quick", .deadline = dice.between(Duration{}, Duration{3ms})});
  }
  RankPlan& last = plan.ranks[draw_rank(dice, plan)];
  last.trouble = Trouble::sleeps;
  last.trouble_at = 1;
  last.trouble_after = dice.between(Duration{1s}, Duration{20s});
}

}  // namespace

bool is_collective(What what) {
  return what <= What::agree;
}

bool has_part(const Plan& plan, const Step& step, std::uint32_t rank) {
  if (step.group == all_ranks) return true;
  return std::ranges::find(plan.groups[step.group], rank) != plan.groups[step.group].end();
}

std::uint32_t group_size(const Plan& plan, const Step& step) {
  if (step.group == all_ranks) return plan.size;
  return static_cast<std::uint32_t>(plan.groups[step.group].size());
}

namespace {

/// Some have a secret; in some the server gives out some ranks, or all. Who is to get which must be
/// known beforehand, so nobody claims another's; and in calm runs nothing goes wrong then, since
/// nobody could say who is missing.
void draw_admission(Dice& dice, Plan& plan) {
  plan.has_secret = dice.percent(20);
  const auto in_trouble = [&](const RankPlan& rank) {
    return rank.trouble == Trouble::duplicate || (plan.calm && rank.trouble != Trouble::none);
  };
  if (!dice.percent(15) || std::ranges::any_of(plan.ranks, in_trouble)) return;
  const unsigned percent = dice.one_of<unsigned>({100, 50});
  for (RankPlan& rank : plan.ranks) {
    rank.is_assigned = !rank.until_admitted && dice.percent(percent);
  }
}

/// Half of the jobs have heartbeats. In these a host or a link may die without a word, and a rank
/// may be busy for longer than a silence may last.
void draw_life(Dice& dice, Plan& plan) {
  if (dice.percent(50)) return;
  plan.heartbeat = dice.one_of<Duration>({Duration{200ms}, Duration{2s}});
  for (RankPlan& rank : plan.ranks) {
    if (!rank.host_dies || rank.returns || dice.percent(50)) continue;
    rank.noticed_after = never;
  }
  for (LinkFault& fault : plan.link_faults) {
    if (fault.kind != LinkFault::Kind::cut || dice.percent(50)) continue;
    fault.client_notices = fault.server_notices = never;
  }
  const bool server_vanishes =
      plan.server_fault && plan.server_fault->kind == ServerFault::Kind::crash && dice.percent(50);
  if (server_vanishes) plan.server_fault->noticed_after = never;
  const auto has_trouble = [](const RankPlan& rank) { return rank.trouble != Trouble::none; };
  if (!plan.calm || std::ranges::any_of(plan.ranks, has_trouble) || dice.percent(80)) return;
  RankPlan& busy = plan.ranks[draw_rank(dice, plan)];
  busy.trouble = Trouble::sleeps;
  busy.trouble_at = 1 + dice.between(std::uint64_t{0}, std::uint64_t{plan.script.size()});
  busy.trouble_after = plan.heartbeat * dice.between(std::uint64_t{1}, std::uint64_t{10});
}

/// What waits in the sockets of a server that stands still has its time from when it is read. So
/// the verdict on who has not joined may come too late for who asked long before, and in a calm run
/// nobody is to depend on it.
bool is_waited_for(const RankPlan& rank) {
  return rank.trouble == Trouble::absent ||
         (rank.trouble == Trouble::crash && rank.trouble_at == 0);
}

/// In some jobs the server stands still for a while: in calm ones no longer than everybody puts up
/// with, in stormy ones for as long as it likes.
void draw_pause(Dice& dice, Plan& plan) {
  if (plan.server_fault || !dice.percent(15)) return;
  if (plan.calm && std::ranges::any_of(plan.ranks, is_waited_for)) return;
  const Duration silence_max = plan.heartbeat * (limits::silent_heartbeats_max - 1);
  Duration most = plan.calm ? Duration{3s} : dice.one_of<Duration>({Duration{2s}, Duration{20s}});
  if (plan.calm && plan.heartbeat > Duration{}) most = std::min(most, silence_max);
  const auto early = dice.one_of<Duration>({Duration{5ms}, Duration{50ms}, Duration{1500ms}});
  ServerFault fault;
  fault.kind = ServerFault::Kind::pause;
  fault.at = plan.server_start + dice.between(Duration{}, early);
  fault.lasts = dice.between(Duration{1ms}, most);
  plan.server_fault = fault;
}

Plan draw_plan(Dice& dice, std::uint64_t seed) {
  Plan plan;
  plan.seed = seed;
  const bool leaves_behind = dice.between(std::uint64_t{0}, std::uint64_t{499}) == 0;
  plan.size = leaves_behind ? 2 : draw_size(dice);
  draw_groups(dice, plan);
  const auto steps = dice.between(std::uint64_t{0}, std::uint64_t{16});
  for (std::size_t i = 0; i < steps; ++i) plan.script.push_back(draw_step(dice, plan, i));
  draw_ranks(dice, plan);
  plan.server_start = dice.percent(70) ? Duration{} : dice.between(Duration{}, Duration{1s});
  plan.lateness_max = dice.one_of<Duration>({Duration{}, Duration{1ms}, Duration{5ms}});
  plan.round_bytes_max = dice.percent(10) ? 1500 : limits::round_bytes_max;
  plan.on_loss = dice.percent(70) ? server::OnLoss::fail_job : server::OnLoss::notify;
  plan.leave_deadline = long_deadline;
  plan.heal_at = dice.between(Duration{2s}, Duration{10s});
  if (dice.percent(10)) plan.strangers = draw_count(dice, 4);
  if (dice.percent(10)) plan.visitors = draw_count(dice, 2);

  if (leaves_behind) {
    leave_one_behind(dice, plan);
    return plan;
  }
  plan.calm = dice.percent(50);
  if (plan.calm) {
    dice.percent(60) ? put_in_trouble(dice, plan) : let_in_early(dice, plan);
    if (is_out_of_step(plan)) forgo_subsets(plan);
    return plan;
  }
  let_in_early(dice, plan);
  if (dice.percent(70)) shorten_deadlines(dice, plan);
  while (dice.percent(40)) put_in_trouble(dice, plan);
  if (dice.percent(40)) disturb_links(dice, plan);
  if (dice.percent(12)) disturb_server(dice, plan);
  return plan;
}

}  // namespace

Plan make_plan(std::uint64_t seed) {
  Dice dice(seed);
  Plan plan = draw_plan(dice, seed);
  draw_admission(dice, plan);
  draw_life(dice, plan);
  draw_pause(dice, plan);
  return plan;
}

std::optional<Secret> secret_of(const Plan& plan) {
  if (!plan.has_secret) return std::nullopt;
  return Secret::from_bytes(Value(Secret::bytes_min, std::byte{5})).value();
}

const char* name(What what) {
  static constexpr std::array names = {"barrier",   "broadcast",  "gather",   "scatter", "alltoall",
                                       "allgather", "allgatherv", "exchange", "agree",   "set",
                                       "get",       "wait_get",   "add"};
  return names[static_cast<std::size_t>(what)];
}

const char* name(Trouble trouble) {
  static constexpr std::array names = {"no trouble", "absent",    "drift", "wrong call",
                                       "skips",      "crash",     "fails", "leaves",
                                       "bad size",   "duplicate", "sleeps"};
  return names[static_cast<std::size_t>(trouble)];
}

std::string describe(const Plan& plan) {
  std::string text = fmt::format("seed {}: {} ranks, {} steps, {}, a loss {}", plan.seed, plan.size,
                                 plan.script.size(), plan.calm ? "calm" : "stormy",
                                 plan.on_loss == server::OnLoss::notify ? "is told" : "ends all");
  for (const auto& group : plan.groups) text += fmt::format("; subset {}", fmt::join(group, ", "));
  for (std::uint32_t rank = 0; rank < plan.size; ++rank) {
    const RankPlan& each = plan.ranks[rank];
    if (each.trouble == Trouble::none) continue;
    text += fmt::format("; rank {}: {} at step {}", rank, name(each.trouble), each.trouble_at);
  }
  if (!plan.link_faults.empty()) {
    text += fmt::format("; {} link faults until {:.3f} s", plan.link_faults.size(),
                        std::chrono::duration<double>(plan.heal_at).count());
  }
  if (plan.has_secret) text += "; with a secret";
  const auto assigned = std::ranges::count_if(plan.ranks, &RankPlan::is_assigned);
  if (assigned != 0) text += fmt::format("; {} ranks are assigned", assigned);
  if (plan.server_fault) {
    const bool pauses = plan.server_fault->kind == ServerFault::Kind::pause;
    text += pauses ? "; the server stands still for a while" : "; the server is disturbed";
  }
  return text;
}

}  // namespace muster::sim
