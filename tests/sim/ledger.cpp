#include "ledger.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "describe.hpp"

namespace muster::sim {
namespace {

/// Beyond the grace: none of it is spent in virtual time, but a verdict's milliseconds are rounded.
constexpr std::chrono::milliseconds epsilon{1};

/// The round may have ended one way or the other: this rank was not told.
bool is_no_verdict(Code code) {
  return code == Code::server_lost || code == Code::timeout || code == Code::protocol ||
         code == Code::system;
}

std::string call_text(const Call& call) {
  const bool same_size = call.kind == Kind::allgather || call.kind == Kind::alltoall;
  std::size_t bytes = call.payload.size();
  for (const Bytes payload : call.payloads) bytes += payload.size();
  return fmt::format("{} '{}' root {} token {} bytes {}", name(call.kind), call.label, call.root,
                     call.token == Digest{} ? "" : to_hex(call.token), same_size ? bytes : 0);
}

/// In all but what each rank has of its own: the time, its addresses, how far it was.
bool alike(const std::optional<Error>& a, const std::optional<Error>& b) {
  if (!a || !b) return !a && !b;
  return a->code == b->code && a->what == b->what && a->advice == b->advice &&
         a->ranks == b->ranks && a->exit_code == b->exit_code;
}

std::string text(const Ledger::RoundName& name) {
  return fmt::format("{} of {}", name.second, name.first);
}

std::string text(const std::optional<Error>& error) {
  return error ? describe(*error) : "ok";
}

}  // namespace

Ledger::RoundName Ledger::round_begins(const GroupName& group, std::uint32_t rank,
                                       const Call& call) {
  ++rounds_begun_;
  const std::uint64_t number = ++ranks_[group.members[rank]].rounds[group.text];
  Brought brought{rank, call_text(call), to_value(call.payload), {}};
  for (const Bytes payload : call.payloads) brought.payloads.push_back(to_value(payload));
  rounds_[{group.text, number}].arrivals.push_back(std::move(brought));
  return {group.text, number};
}

void Ledger::round_ends(const GroupName& group, std::uint32_t rank, const RoundName& name,
                        const Call& call, const Result<Parts>& result) {
  Round& round = rounds_[name];
  if (!result && is_no_verdict(result.error().code)) {
    ranks_[group.members[rank]].without_verdict = true;
    return;
  }
  if (result && round.arrivals.size() < group.members.size()) {
    findings_.found("early verdict",
                    fmt::format("rank {} passes round {} with {} of {} ranks", rank, text(name),
                                round.arrivals.size(), group.members.size()));
  }
  const auto verdict = result ? std::optional<Error>{} : result.error();
  if (!round.over) {
    round.over = true;
    round.told = rank;
    round.failure = verdict;
  }
  if (!alike(round.failure, verdict)) {
    findings_.found("two verdicts",
                    fmt::format("of round {} rank {} hears \"{}\", rank {} \"{}\"", text(name),
                                round.told, text(round.failure), rank, text(verdict)));
  }
  if (!result) return;
  check_calls(name, round);
  check_parts(rank, name, call, round, *result);
}

void Ledger::check_calls(const RoundName& name, const Round& round) {
  for (const Brought& brought : round.arrivals) {
    const Brought& first = round.arrivals.front();
    if (brought.call == first.call) continue;
    findings_.found("unlike calls", fmt::format("round {} ends well with {} and {}", text(name),
                                                first.call, brought.call));
  }
}

Parts Ledger::expected_parts(std::uint32_t rank, const Call& call, std::vector<Brought> arrivals) {
  std::ranges::sort(arrivals, {}, &Brought::rank);
  std::vector<Bytes> parts;
  for (const Brought& brought : arrivals) {
    const bool is_root = brought.rank == call.root;
    const bool dealt = call.kind == Kind::alltoall || (call.kind == Kind::scatter && is_root);
    if (dealt) parts.emplace_back(brought.payloads.at(rank));
    const bool counts = (call.kind != Kind::barrier) && (call.kind != Kind::scatter) &&
                        (call.kind != Kind::alltoall) &&
                        (call.kind != Kind::broadcast || is_root) &&
                        (call.kind != Kind::gather || rank == call.root);
    if (counts) parts.emplace_back(brought.payload);
  }
  return Parts(parts);
}

void Ledger::check_parts(std::uint32_t rank, const RoundName& name, const Call& call,
                         const Round& round, const Parts& parts) {
  const Parts expected = expected_parts(rank, call, round.arrivals);
  if (expected == parts) return;
  findings_.found("wrong parts", fmt::format("rank {} is given other parts in round {} than its "
                                             "ranks brought",
                                             rank, text(name)));
}

void Ledger::agreed(std::uint32_t rank, bool same_everywhere) {
  if (same_everywhere) return;
  findings_.found("false agreement",
                  fmt::format("rank {} holds an Agreement, and not all ranks agree", rank));
}

void Ledger::not_gathered(std::uint32_t rank, const Error& error) {
  if (error.code != Code::rank_missing) return;
  if (!gathering_) gathering_ = error;
  if (alike(gathering_, error)) return;
  findings_.found("two lists", fmt::format("rank {} hears \"{}\", others \"{}\"", rank,
                                           describe(error), text(gathering_)));
}

void Ledger::set_begins(const std::string& key, std::string value) {
  keys_[key].value = std::move(value);
}

void Ledger::set_ends(const std::string& key) {
  auto& stored = keys_[key].stored;
  if (!stored) stored = scheduler_.now();
}

void Ledger::got(const std::string& key, TimePoint begun, const Error* error,
                 std::string_view value) {
  const auto found = keys_.find(key);
  const bool ever_set = found != keys_.end();
  if (error == nullptr) {
    if (ever_set && found->second.value == value) return;
    return findings_.found("wrong value", fmt::format("key {} gives what nobody stored", key));
  }
  const bool denied = error->code == Code::not_found || error->code == Code::timeout;
  if (!denied || !ever_set || !found->second.stored || *found->second.stored >= begun) return;
  // An answer that was lost on its way is another matter.
  if (error->code == Code::timeout && error->ranks.empty() &&
      error->what.find("nobody set") == std::string::npos) {
    return;
  }
  findings_.found("wrong value",
                  fmt::format("key {} was stored, and a get says {}", key, describe(*error)));
}

void Ledger::added(std::int64_t sum) {
  if (sum >= 1 && sum <= adds_begun_ && sums_.insert(sum).second) return;
  findings_.found("wrong value",
                  fmt::format("{} additions gave {} (or gave it twice)", adds_begun_, sum));
}

void Ledger::appended(std::uint64_t length) {
  if (length >= 1 && length <= appends_begun_ && lengths_.insert(length).second) return;
  findings_.found("wrong value", fmt::format("{} appends of one byte gave {} (or gave it twice)",
                                             appends_begun_, length));
}

void Ledger::swapped(std::uint64_t before) {
  if (swaps_.insert(before).second) return;
  findings_.found("wrong value", fmt::format("{} was swapped for its successor twice", before));
}

void Ledger::told(std::uint32_t watcher, const std::string& key, std::uint64_t number) {
  const auto [last, first] = told_.try_emplace({watcher, key}, number);
  if (!first && number != last->second + 1) {
    findings_.found("wrong change", fmt::format("visitor {} is told that key {} is at {}, after {}",
                                                watcher, key, number, last->second));
  }
  last->second = number;
}

void Ledger::returned(std::uint32_t rank, std::string_view what, TimePoint deadline) {
  const TimePoint now = scheduler_.now();
  if (now <= deadline || now - deadline <= limits::verdict_grace + epsilon) return;
  findings_.found("late", fmt::format("{} of rank {} returns {:.3f} s after its deadline", what,
                                      rank, std::chrono::duration<double>(now - deadline).count()));
}

}  // namespace muster::sim
