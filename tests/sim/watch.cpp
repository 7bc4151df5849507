#include "watch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>

#include "describe.hpp"
#include "wire/group_messages.hpp"
#include "wire/many_messages.hpp"
#include "wire/notices.hpp"
#include "wire/store_messages.hpp"

namespace muster::sim {

using std::chrono::milliseconds;

void Watch::opened(server::LinkId link) {
  peers_[link].name = fmt::format("link {}", link);
}

void Watch::received(server::LinkId link, Bytes bytes) {
  const auto found = peers_.find(link);
  if (found == peers_.end()) return;
  Peer& peer = found->second;
  peer.in.feed(
      bytes, [&](Bytes first) { hello(peer, first); },
      [&](const wire::FrameHeader& header, Bytes body) { request(peer, header, body); });
}

void Watch::sent(server::LinkId link, Bytes bytes) {
  const auto found = peers_.find(link);
  if (found == peers_.end()) return;
  Peer& peer = found->second;
  peer.out.feed(
      bytes, [](Bytes) {},
      [&](const wire::FrameHeader& header, Bytes body) {
        const bool unasked = header.sequence == 0;
        unasked ? notice(peer, header, body) : reply(peer, header, body);
      });
}

void Watch::closed(server::LinkId link) {
  const auto found = peers_.find(link);
  if (found == peers_.end()) return;
  if (trace_.on()) say(found->second, "closed");
  if (found->second.admitted) book_.gone(found->second.ranks);
  peers_.erase(found);
}

void Watch::doomed() {
  std::vector<std::uint32_t> absent;
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    if (!admitted_.contains(rank)) absent.push_back(rank);
  }
  book_.gone(absent);
}

void Watch::hello(Peer& peer, Bytes bytes) {
  const auto hello = wire::decode_client_hello(bytes);
  if (!hello) return;
  for (const wire::RankRange& range : hello->ranks) {
    for (std::uint32_t i = 0; i < range.count && i < size_; ++i) {
      peer.ranks.push_back(range.first + i);
    }
  }
  if (trace_.on()) {
    say(peer, fmt::format("<- hello of ranks {}, {} ms left", fmt::join(peer.ranks, ", "),
                          hello->left_ms));
  }
  peer.seeks = hello->role == wire::Role::assigned;
  if (hello->role == wire::Role::tool) return;
  peer.mustered_due = scheduler_.now() + milliseconds{hello->left_ms} + lateness_max_;
  if (hello->auth == wire::Auth::none) expect_mustered(peer);
}

/// From now on the server owes the answer to a rank's hello; not before it has the proof.
void Watch::expect_mustered(Peer& peer) {
  if (peer.mustered_due == TimePoint{}) return;
  const TimePoint due = std::max(peer.mustered_due, scheduler_.now() + lateness_max_);
  add(peer, {wire::Type::mustered, 0, {}, due});
}

void Watch::request(Peer& peer, const wire::FrameHeader& header, Bytes body) {
  if (header.type == wire::Type::proof) return expect_mustered(peer);
  if (header.type == wire::Type::beat) return;
  Request request{header.type, header.sequence, {}, scheduler_.now()};
  if (header.type == wire::Type::arrive) {
    request.due = arrival(peer, request, body);
  } else if (header.type == wire::Type::get) {
    if (const auto get = wire::decode_get(body)) request.due += milliseconds{get->wait_ms};
  } else if (header.type == wire::Type::wait) {
    if (const auto wait = wire::decode_wait(body)) request.due += milliseconds{wait->wait_ms};
  } else if (header.type == wire::Type::leave) {
    // Who leaves is not told any more whether all came.
    std::erase_if(peer.open, [](const Request& open) { return open.sequence == 0; });
    if (const auto leave = wire::decode_leave(body)) request.due += milliseconds{leave->wait_ms};
  }
  const bool ends = header.type == wire::Type::leave || header.type == wire::Type::fail;
  if (ends) book_.gone(peer.ranks);
  group_request(request, body);
  request.due += lateness_max_;
  if (trace_.on()) {
    say(peer, fmt::format("<- #{} {}", header.sequence, describe_request(header, body)));
  }
  add(peer, request);
}

void Watch::group_request(Request& request, Bytes body) {
  if (request.type == wire::Type::open_group) {
    const auto open = wire::decode_open_group(body);
    if (!open) return;
    groups_.emplace(open->group, open->members);
    request.round.first = open->group;
  } else if (request.type == wire::Type::close_group) {
    if (const auto close = wire::decode_close_group(body)) request.round.first = close->group;
  }
}

/// It was done.
void Watch::group_reply(const Peer& peer, const Request& request) {
  const std::uint64_t group = request.round.first;
  if (request.type == wire::Type::open_group) book_.opened(group, groups_[group]);
  if (request.type == wire::Type::close_group) book_.closed(group, peer.ranks);
}

/// In the order of their ranks in the group.
std::vector<std::uint32_t> Watch::members_of(std::uint64_t group) const {
  if (group != wire::world_group) {
    const auto found = groups_.find(group);
    return found == groups_.end() ? std::vector<std::uint32_t>{} : found->second;
  }
  std::vector<std::uint32_t> all(size_);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// Notes who has come, and returns when the answer is due.
TimePoint Watch::arrival(Peer& peer, Request& request, Bytes body) {
  const auto arrive = wire::decode_arrive(body);
  if (!arrive) return scheduler_.now();
  request.round = {arrive->group, arrive->sequence};
  Round& round = rounds_[request.round];
  if (round.arrived.empty()) {
    round.kind = arrive->kind;
    round.members = members_of(arrive->group);
    if (arrive->root < round.members.size()) round.root = round.members[arrive->root];
    std::ranges::sort(round.members);
  }
  for (const std::uint32_t rank : peer.ranks) {
    if (std::ranges::binary_search(round.members, rank)) round.arrived.insert(rank);
  }
  return scheduler_.now() + milliseconds{arrive->left_ms};
}

void Watch::reply(Peer& peer, const wire::FrameHeader& header, Bytes body) {
  if (trace_.on()) {
    say(peer, fmt::format("-> #{} {}", header.sequence, describe_reply(header, body)));
  }
  if (header.type == wire::Type::changed && peer.watches.contains(header.sequence)) return;
  const auto asked = std::ranges::find_if(peer.open, [&](const Request& request) {
    return request.sequence == header.sequence && request.type == header.type;
  });
  if (asked == peer.open.end()) {
    return findings_.found("unasked", fmt::format("{} is told #{} {}, and did not ask", peer.name,
                                                  header.sequence, describe_reply(header, body)));
  }
  const Request request = *asked;
  peer.open.erase(asked);
  if (request.type == wire::Type::watch && header.result == 0) {
    peer.watches.insert(header.sequence);
  }
  if (header.result == 0) group_reply(peer, request);
  if (request.type == wire::Type::arrive) verdict(peer, request.round, header.result, body);
}

void Watch::notice(Peer& peer, const wire::FrameHeader& header, Bytes body) {
  if (header.type == wire::Type::beat) return;
  if (trace_.on()) say(peer, fmt::format("-> {}", describe_reply(header, body)));
  if (header.type == wire::Type::welcome) {
    const auto welcome = wire::decode_welcome(body);
    if (std::exchange(peer.seeks, false) && welcome) peer.ranks = {welcome->rank};
    if (peer.ranks.empty()) return;
    peer.name = fmt::format("rank {}", peer.ranks.front());
    peer.admitted = true;
    admitted_.insert(peer.ranks.begin(), peer.ranks.end());
    // The first rank's word counts, and it may be in error.
    if (welcome) size_ = welcome->size;
    return;
  }
  std::erase_if(peer.open, [](const Request& request) { return request.sequence == 0; });
  if (header.type != wire::Type::doomed) return;
  if (!reason_) {
    reason_ = to_value(body);
    has_ended_something_ = true;
  }
  if (as_text(*reason_) != as_text(body)) {
    findings_.found("two reasons",
                    fmt::format("{} is told that the job is doomed by {}, others by "
                                "{}",
                                peer.name, describe_failure(body), describe_failure(*reason_)));
  }
}

void Watch::verdict(Peer& peer, RoundId id, std::int16_t result, Bytes body) {
  Round& round = rounds_[id];
  const std::uint64_t sequence = id.second;
  if (result == 0 && round.arrived.size() < round.members.size()) {
    findings_.found("early verdict",
                    fmt::format("round {} of group {:x} ends well with {} of {} ranks", sequence,
                                id.first, round.arrived.size(), round.members.size()));
  }
  // All but the root of a gather get no parts: their good verdict says nothing about the root's.
  // What a scatter or an alltoall gives to each is the ledger's matter.
  const bool bystander =
      result == 0 && round.kind == Kind::gather && !std::ranges::count(peer.ranks, round.root);
  const bool dealt = result == 0 && (round.kind == Kind::scatter || round.kind == Kind::alltoall);
  const bool first = !round.over;
  if (first) {
    round.over = true;
    has_ended_something_ = true;
    round.result = result;
    if (result == 0) ++rounds_ended_well_;
    if (result != 0) failed_.push_back(id);
  }
  if (bystander) {
    if (as_text(body) != std::string_view("\0\0\0\0", 4)) {
      findings_.found("two verdicts",
                      fmt::format("{} gets parts of gather {}", peer.name, sequence));
    }
  } else if (round.body.empty() && !dealt) {
    round.body = to_value(body);
  }
  const bool same = bystander || dealt || as_text(round.body) == as_text(body);
  if (round.result == result && same) return;
  findings_.found("two verdicts", fmt::format("of round {} {} is told {}, others {}", sequence,
                                              peer.name, describe_verdict(result, body),
                                              describe_verdict(round.result, round.body)));
}

/// At the end of a step, when it is known whether the job was doomed in it: that is told to all.
void Watch::check_names(RoundId id) {
  const Round& round = rounds_[id];
  if (reason_ && as_text(*reason_) == as_text(round.body)) return;
  std::vector<std::uint32_t> named;
  if (const auto failure = wire::decode_failure(round.body)) {
    for (const RankName& who : failure->who) named.push_back(who.rank);
  }
  for (const std::uint32_t rank : named) {
    if (std::ranges::binary_search(round.members, rank)) continue;
    findings_.found("wrong names", fmt::format("round {} of group {:x} fails by rank {}, which is "
                                               "no member",
                                               id.second, id.first, rank));
  }
  if (round.result == static_cast<std::int16_t>(Code::rank_missing)) check_missing(id, named);
}

/// A broken group repeats its reason, which was about another round.
void Watch::check_missing(RoundId id, const std::vector<std::uint32_t>& named) {
  const auto [group, sequence] = id;
  const Round& round = rounds_[id];
  const auto before = rounds_.find({group, sequence - 1});
  if (before != rounds_.end() && as_text(before->second.body) == as_text(round.body)) return;
  std::vector<std::uint32_t> absent;
  for (const std::uint32_t rank : round.members) {
    const bool full = absent.size() == limits::named_ranks_max;
    if (!full && !round.arrived.contains(rank)) absent.push_back(rank);
  }
  if (named == absent) return;
  findings_.found("wrong names",
                  fmt::format("ranks {} are said to be missing in round {}; it is ranks {}",
                              fmt::join(named, ", "), sequence, fmt::join(absent, ", ")));
}

void Watch::check_waiting() {
  for (const auto& [link, peer] : peers_) {
    for (const Request& request : peer.open) {
      const bool arrived = request.type == wire::Type::arrive;
      const bool waits =
          arrived || request.type == wire::Type::get || request.type == wire::Type::wait;
      if (!(arrived && rounds_[request.round].over) && !(waits && reason_)) continue;
      findings_.found("left waiting", fmt::format("{} in {} #{}", peer.name,
                                                  describe_type(request.type), request.sequence));
    }
  }
}

void Watch::add(Peer& peer, Request request) {
  next_due_ = std::min(next_due_, request.due);
  peer.open.push_back(request);
}

void Watch::stood_still() {
  for (auto& [link, peer] : peers_) {
    for (Request& request : peer.open) {
      request.due = std::max(request.due, scheduler_.now() + lateness_max_);
    }
  }
}

void Watch::check() {
  for (const RoundId& id : std::exchange(failed_, {})) check_names(id);
  if (std::exchange(has_ended_something_, false)) check_waiting();
  const TimePoint now = scheduler_.now();
  if (now <= next_due_) return;
  next_due_ = TimePoint::max();
  for (const auto& [link, peer] : peers_) {
    for (const Request& request : peer.open) {
      next_due_ = std::min(next_due_, request.due);
      if (now <= request.due) continue;
      findings_.found("forgotten",
                      fmt::format("{} still waits for the answer to {} #{}, due {:.3f} s ago",
                                  peer.name, describe_type(request.type), request.sequence,
                                  std::chrono::duration<double>(now - request.due).count()));
    }
  }
}

void Watch::say(const Peer& peer, const std::string& what) const {
  trace_.say("server", fmt::format("{} {}", peer.name, what));
}

}  // namespace muster::sim
