/// \file
/// Stands between the server and its links, understands every message, and judges: what the server
/// owes to each peer, and what no server may say.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "findings.hpp"
#include "group_book.hpp"
#include "scheduler.hpp"
#include "server/core/actions.hpp"
#include "tap.hpp"
#include "trace.hpp"
#include "wire/round_messages.hpp"

namespace muster::sim {

/// Resource. Its invariants, as findings name them:
/// - `forgotten`: every request is answered, or its link closed, within the time that it gave;
/// - `unasked`: nothing is answered twice, or as another type, or without a question;
/// - `early verdict`: a round ends well only when all its ranks have arrived;
/// - `two verdicts`: all ranks are told the same of one round;
/// - `left waiting`: when a round is over, or the job is doomed, whoever waits in it is told at
/// once;
/// - `wrong names`: a round that timed out names just those who had not come; no round that fails
///   by itself names a rank outside its group;
/// - `two reasons`: a doomed job has one reason, told to all alike.
class Watch {
 public:
  Watch(const Scheduler& scheduler, const Trace& trace, Findings& findings, std::uint32_t size,
        Duration lateness_max)
      : scheduler_(scheduler),
        trace_(trace),
        findings_(findings),
        size_(size),
        lateness_max_(lateness_max) {}

  void opened(server::LinkId link);
  void received(server::LinkId link, Bytes bytes);
  void sent(server::LinkId link, Bytes bytes);
  /// By either side, or because the server is gone.
  void closed(server::LinkId link);

  /// The server has stood still until now, and owed nothing meanwhile.
  void stood_still();

  /// After each step: looks for requests that should have been answered by now.
  void check();

  /// The server has said that the job is doomed: who is not in comes no more.
  void doomed();

  std::uint64_t rounds_ended_well() const { return rounds_ended_well_; }
  /// How many subsets the server has to hold, once it has done all that it was asked for.
  std::size_t open_groups() const { return book_.open(); }

 private:
  using RoundId = std::pair<std::uint64_t, std::uint64_t>;  ///< group and sequence number
  struct Request {
    wire::Type type{};
    std::uint32_t sequence = 0;
    RoundId round;  ///< of an arrive; of what opens and closes a group, the group alone
    TimePoint due;
  };
  struct Peer {
    Tap in{Tap::Speaker::client};
    Tap out{Tap::Speaker::server};
    std::vector<std::uint32_t> ranks;
    bool seeks = false;  ///< its rank is not known yet
    TimePoint mustered_due{};
    std::vector<Request> open;
    std::set<std::uint32_t> watches;  ///< that were answered
    std::string name;
    bool admitted = false;
  };
  struct Round {
    Kind kind{};
    std::uint32_t root = 0;              ///< as a rank of the job
    std::vector<std::uint32_t> members;  ///< ascending
    std::set<std::uint32_t> arrived;
    bool over = false;
    std::int16_t result = 0;
    Value body;  ///< of the first verdict; of a gather: of the one to the root
  };

  void hello(Peer& peer, Bytes bytes);
  void expect_mustered(Peer& peer);
  void request(Peer& peer, const wire::FrameHeader& header, Bytes body);
  TimePoint arrival(Peer& peer, Request& request, Bytes body);
  void reply(Peer& peer, const wire::FrameHeader& header, Bytes body);
  void notice(Peer& peer, const wire::FrameHeader& header, Bytes body);
  void group_request(Request& request, Bytes body);
  void group_reply(const Peer& peer, const Request& request);
  std::vector<std::uint32_t> members_of(std::uint64_t group) const;
  void verdict(Peer& peer, RoundId id, std::int16_t result, Bytes body);
  void check_names(RoundId id);
  void check_missing(RoundId id, const std::vector<std::uint32_t>& named);
  void check_waiting();
  void add(Peer& peer, Request request);
  void say(const Peer& peer, const std::string& what) const;

  const Scheduler& scheduler_;
  const Trace& trace_;
  Findings& findings_;
  std::uint32_t size_;  ///< as the ranks are told
  Duration lateness_max_;
  std::unordered_map<server::LinkId, Peer> peers_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> groups_;  ///< members, in their order
  GroupBook book_;
  std::set<std::uint32_t> admitted_;
  std::map<RoundId, Round> rounds_;
  std::vector<RoundId> failed_;            ///< rounds that have just ended so
  std::optional<Value> reason_;            ///< of the doomed job
  bool has_ended_something_ = false;       ///< in this step: a round, or the job
  TimePoint next_due_ = TimePoint::max();  ///< nothing is due before it
  std::uint64_t rounds_ended_well_ = 0;
};

}  // namespace muster::sim
