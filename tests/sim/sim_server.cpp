#include "sim_server.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace muster::sim {

struct SimServer::Peer final : Receiver {
  Peer(SimServer& owner, server::LinkId number, Link& its_link)
      : server(owner), id(number), link(its_link) {}

  void received(Bytes bytes) override { server.received(*this, bytes); }
  void closed(std::string_view why) override { server.closed(*this, why); }

  SimServer& server;
  const server::LinkId id;
  Link& link;
  Tap in{Tap::Speaker::client};  ///< for plants only
  Tap out{Tap::Speaker::server};
};

namespace {

Value whole_frame(const wire::FrameHeader& header, Bytes body) {
  Value frame;
  const std::size_t begun = wire::begin_frame(frame);
  frame.insert(frame.end(), body.begin(), body.end());
  wire::end_frame(frame, begun, header.type, header.sequence, header.result);
  return frame;
}

}  // namespace

SimServer::SimServer(Network& network, const Trace& trace, Findings& findings, Watch& watch,
                     std::uint64_t seed, Options options)
    : network_(network),
      scheduler_(network.scheduler()),
      trace_(trace),
      findings_(findings),
      watch_(watch),
      dice_(seed),
      options_(std::move(options)),
      core_(options_.core, dice_.random(), scheduler_.now()) {
  network_.serve(*this);
}

SimServer::~SimServer() = default;

bool SimServer::listening() const {
  return !gone_ && !stopping_ && scheduler_.now() >= options_.start;
}

void SimServer::accept(Link& link, std::string address) {
  const server::LinkId id = ++last_link_;
  const auto peer = std::make_shared<Peer>(*this, id, link);
  peers_.emplace(id, peer);
  link.attach(Side::server, peer.get());
  watch_.opened(id);
  if (paused_) return held_.push_back({.link = id, .text = std::move(address)});
  happened(server::Opened{id, std::move(address)});
}

void SimServer::received(Peer& receiver, Bytes bytes) {
  const server::LinkId id = receiver.id;
  if (paused_) return held_.push_back({.link = id, .bytes = to_value(bytes)});
  const std::shared_ptr<Peer> peer = peers_.at(id);  // outlives a Close that this leads to
  watch_.received(id, bytes);
  if (options_.plant == nullptr) {
    deliver(id, bytes);
    return check_subsets();
  }
  peer->in.feed(
      bytes, [&](Bytes hello) { deliver(id, hello); },
      [&](const wire::FrameHeader& header, Bytes body) {
        Value changed = to_value(body);
        if (options_.plant->request(id, header, changed)) deliver(id, whole_frame(header, changed));
        send_forged();
      });
  check_subsets();
}

void SimServer::deliver(server::LinkId id, Bytes bytes) {
  while (!bytes.empty() && peers_.contains(id)) {
    happened(server::Received{id, bytes});
    bytes = bytes.last(gone_ ? 0 : actions_.untaken);
  }
}

void SimServer::closed(Peer& peer, std::string_view why) {
  const server::LinkId id = peer.id;
  if (paused_) return held_.push_back({.link = id, .is_end = true, .text = std::string(why)});
  watch_.closed(id);
  peers_.erase(id);
  if (options_.plant == nullptr || options_.plant->closed(id)) {
    happened(server::Closed{id, std::string(why)});
  }
  check_subsets();
}

void SimServer::doom(Failure failure) {
  if (gone_) return;
  happened(server::Doom{std::move(failure)});
  check_subsets();
}

void SimServer::stop() {
  if (gone_ || stopping_) return;
  stopping_ = true;
  happened(server::Stop{});
  for (const auto& [id, peer] : peers_) {
    watch_.closed(id);
    peer->link.close(Side::server);
  }
  peers_.clear();
  gone_ = true;
}

void SimServer::pause() {
  if (gone_) return;
  if (trace_.on()) trace_.say("server", "stands still");
  paused_ = true;
}

void SimServer::go_on() {
  if (gone_) return;
  if (trace_.on()) trace_.say("server", "goes on");
  paused_ = false;
  watch_.stood_still();
  std::vector<Held> held = std::exchange(held_, {});
  if (options_.plant != nullptr && !options_.plant->keeps_what_waits()) {
    std::erase_if(held, [](const Held& each) { return !each.bytes.empty(); });
  }
  // Link by link, in the order in which the first of each came.
  std::map<server::LinkId, std::size_t> turn;
  for (const Held& each : held) turn.emplace(each.link, turn.size());
  std::ranges::stable_sort(held, {}, [&](const Held& each) { return turn[each.link]; });
  std::vector<Held> ends;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const bool behind = i > 0 && held[i - 1].link == held[i].link;
    held[i].is_end&& behind ? ends.push_back(std::move(held[i])) : happens_now(held[i]);
  }
  if (timer_ && *timer_ <= scheduler_.now()) tick();
  for (const Held& each : ends) happens_now(each);
}

void SimServer::happens_now(const Held& held) {
  const auto found = peers_.find(held.link);
  if (found == peers_.end()) return;  // closed by the server meanwhile
  const std::shared_ptr<Peer> peer = found->second;
  if (held.is_end) return closed(*peer, held.text);
  if (!held.bytes.empty()) return received(*peer, held.bytes);
  happened(server::Opened{held.link, held.text});
}

void SimServer::crash(Duration noticed_after_max) {
  if (gone_) return;
  gone_ = true;
  if (trace_.on()) trace_.say("server", "crashes");
  for (const auto& [id, peer] : peers_) {
    watch_.closed(id);
    peer->link.attach(Side::server, nullptr);
    const bool silent = noticed_after_max == never;
    peer->link.cut(silent ? never : dice_.between(Duration{}, noticed_after_max), Duration{});
  }
  peers_.clear();
}

void SimServer::happened(const server::Event& event) {
  if (gone_) return;
  actions_.clear();
  core_.step(event, scheduler_.now(), actions_);
  for (const server::Action& action : actions_.list) {
    std::visit([this](const auto& each) { perform(each); }, action);
  }
  watch_.check();
  // Of each link: itself, its watches, and what its few threads wait for. Of each group: itself,
  // its tombstones, and an open round.
  const std::size_t groups = 1 + core_.open_groups();
  const std::size_t items_max = 8 * peers_.size() + groups * (limits::tombstones_max + 2);
  if (core_.open_items() > items_max) {
    findings_.found("grows", fmt::format("{} items for {} links and {} groups", core_.open_items(),
                                         links(), groups));
  }
  settle_timer();
}

/// When all that has come was dealt with: the watch looks at it as it comes.
void SimServer::check_subsets() {
  if (gone_ || core_.open_groups() == watch_.open_groups()) return;
  findings_.found("wrong subsets", fmt::format("the server holds {}, and {} may still be used",
                                               core_.open_groups(), watch_.open_groups()));
}

void SimServer::perform(const server::Send& sending) {
  const auto found = peers_.find(sending.link);
  if (found == peers_.end()) {
    return findings_.found("to nobody",
                           fmt::format("{} bytes to link {}", sending.length, sending.link));
  }
  Value bytes = to_value(Bytes(actions_.bytes).subspan(sending.offset, sending.length));
  if (sending.tail) bytes.insert(bytes.end(), sending.tail->begin(), sending.tail->end());
  options_.plant == nullptr ? send(sending.link, bytes) : falsify(*found->second, bytes);
}

void SimServer::falsify(Peer& peer, Bytes bytes) {
  const server::LinkId id = peer.id;
  peer.out.feed(
      bytes, [&](Bytes hello) { send(id, hello); },
      [&](const wire::FrameHeader& header, Bytes body) {
        wire::FrameHeader changed = header;
        Value changed_body = to_value(body);
        if (options_.plant->message(id, changed, changed_body)) {
          send(id, whole_frame(changed, changed_body));
        }
      });
  send_forged();
}

void SimServer::send(server::LinkId id, Bytes bytes) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) return;
  watch_.sent(id, bytes);
  found->second->link.write(Side::server, bytes);
}

void SimServer::send_forged() {
  const std::vector<Plant::Forged> forged = std::exchange(options_.plant->forged, {});
  for (const Plant::Forged& each : forged) send(each.link, whole_frame(each.header, each.body));
}

void SimServer::perform(const server::Close& close) {
  const auto found = peers_.find(close.link);
  if (found == peers_.end()) return;
  watch_.closed(close.link);
  found->second->link.close(Side::server);
  peers_.erase(found);
}

void SimServer::perform(const server::Log& log) {
  if (trace_.on()) trace_.say("server", fmt::format("log {}: {}", name(log.level), log.line));
}

void SimServer::perform(const server::Mustered&) {
  if (trace_.on()) trace_.say("server", "all ranks are in");
  if (std::exchange(mustered_, true)) findings_.found("said twice", "mustered");
}

void SimServer::perform(const server::Doomed& doomed) {
  if (trace_.on()) trace_.say("server", "doomed: " + doomed.failure.reason);
  if (doomed_) findings_.found("said twice", "doomed");
  doomed_ = doomed.failure;
  watch_.doomed();
}

void SimServer::perform(const server::Ended&) {
  if (trace_.on()) trace_.say("server", "ended");
  if (std::exchange(ended_, true)) findings_.found("said twice", "ended");
}

void SimServer::settle_timer() {
  const std::optional<TimePoint> due = core_.next_deadline();
  if (!due || (timer_ && *timer_ <= *due)) return;
  timer_ = *due;
  const TimePoint at = *due + dice_.between(Duration{}, options_.lateness_max);
  scheduler_.at(at, [this, set_for = *due] {
    if (!timer_ || *timer_ != set_for) return;  // an earlier one came in between
    if (!paused_) tick();
  });
}

void SimServer::tick() {
  timer_.reset();
  happened(server::Tick{});
}

}  // namespace muster::sim
