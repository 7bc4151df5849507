/// \file
/// What the ranks saw, put side by side.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/agreement.hpp>
#include <muster/group.hpp>

#include "findings.hpp"
#include "scheduler.hpp"

namespace muster::sim {

/// Resource. Told of every operation of every rank as it begins and ends. Its invariants, as
/// findings name them:
/// - `late`: no operation returns later than its deadline and limits::verdict_grace;
/// - `early verdict`, `two verdicts`: as watch.hpp has them, but as the ranks see it;
/// - `unlike calls`: a round ends well only if all ranks made the same call;
/// - `wrong parts`: a round gives what its ranks brought, in order;
/// - `false agreement`: an Agreement exists only if all ranks hold the same contract;
/// - `two lists`: all ranks hear of the same reason why the job did not come together;
/// - `wrong value`: a key holds what its rank stored, from then on; a counter counts, an append
///   puts its byte in a place of its own, a swap has one winner;
/// - `wrong change`: who watches such a key is told each step that it takes, once and in order.
class Ledger {
 public:
  Ledger(const Scheduler& scheduler, Findings& findings, std::uint32_t size)
      : scheduler_(scheduler), findings_(findings), ranks_(size) {}

  /// Value. A group as its members know it: by how it came about. `members` are ranks of the job,
  /// by their ranks in it.
  struct GroupName {
    std::string text;
    std::vector<std::uint32_t> members;
  };
  /// Group and round, by its count.
  using RoundName = std::pair<std::string, std::uint64_t>;

  /// A rank of `group` calls a collective: which round that is.
  RoundName round_begins(const GroupName& group, std::uint32_t rank, const Call& call);
  void round_ends(const GroupName& group, std::uint32_t rank, const RoundName& round,
                  const Call& call, const Result<Parts>& result);

  /// `same_everywhere`: all ranks hold what this one holds.
  void agreed(std::uint32_t rank, bool same_everywhere);
  void not_gathered(std::uint32_t rank, const Error& error);

  void set_begins(const std::string& key, std::string value);
  void set_ends(const std::string& key);
  /// `begun`: when the get began; `error` is null if it gave `value`.
  void got(const std::string& key, TimePoint begun, const Error* error, std::string_view value);
  void add_begins() { ++adds_begun_; }
  void added(std::int64_t sum);
  void append_begins() { ++appends_begun_; }
  /// One byte: so many are there now.
  void appended(std::uint64_t length);
  /// A number was swapped for its successor.
  void swapped(std::uint64_t before);
  /// `watcher` is told of a key that was changed by these: its number now, or its length.
  void told(std::uint32_t watcher, const std::string& key, std::uint64_t number);

  /// Any operation: how it ended against its deadline.
  void returned(std::uint32_t rank, std::string_view what, TimePoint deadline);

  /// A rank of which a round has ended without a verdict: it counts as lost.
  bool without_verdict(std::uint32_t rank) const { return ranks_[rank].without_verdict; }

  std::uint64_t rounds_begun() const { return rounds_begun_; }

 private:
  struct Rank {
    std::map<std::string, std::uint64_t> rounds;  ///< of each group
    bool without_verdict = false;
  };
  struct Brought {
    std::uint32_t rank = 0;
    std::string call;  ///< what must be the same on all ranks
    Value payload;
    std::vector<Value> payloads;  ///< of a scatter, on its root, and of an alltoall
  };
  struct Round {
    std::vector<Brought> arrivals;
    bool over = false;
    std::optional<Error> failure;  ///< its verdict, if it was a bad one
    std::uint32_t told = 0;        ///< a rank that was told so
  };
  struct Key {
    std::string value;
    std::optional<TimePoint> stored;
  };

  void check_calls(const RoundName& name, const Round& round);
  static Parts expected_parts(std::uint32_t rank, const Call& call, std::vector<Brought> arrivals);
  void check_parts(std::uint32_t rank, const RoundName& name, const Call& call, const Round& round,
                   const Parts& parts);

  const Scheduler& scheduler_;
  Findings& findings_;
  std::vector<Rank> ranks_;
  std::map<RoundName, Round> rounds_;
  std::map<std::string, Key> keys_;
  std::set<std::int64_t> sums_;
  std::int64_t adds_begun_ = 0;
  std::set<std::uint64_t> lengths_;
  std::uint64_t appends_begun_ = 0;
  std::set<std::uint64_t> swaps_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> told_;
  std::optional<Error> gathering_;
  std::uint64_t rounds_begun_ = 0;
};

}  // namespace muster::sim
