#include "sim_caller.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"

namespace muster::sim {
namespace {

using namespace std::chrono_literals;

Error killed() {
  return Error{.code = Code::system, .what = "this process was killed"};
}

Error unreachable(std::string what) {
  return Error{.code = Code::unreachable, .phase = Phase::connect, .what = std::move(what)};
}

Error lost(std::string_view why) {
  return Error{.code = Code::server_lost,
               .phase = Phase::operation,
               .what = "the link to the server broke: " + std::string(why)};
}

}  // namespace

void Process::crash(bool host_died, Duration noticed_after) {
  crashed_ = true;
  for (SimCaller* caller : callers_) caller->crash(host_died, noticed_after);
}

Result<std::shared_ptr<SimCaller>> SimCaller::connect(Network& network, Process& process,
                                                      const Options& options, TimePoint deadline) {
  Scheduler& scheduler = network.scheduler();
  for (Duration back_off = 1ms;; back_off = std::min<Duration>(back_off * 2, 250ms)) {
    auto caller = std::make_shared<SimCaller>(network, process);
    Error error = unreachable("connection refused");
    caller->link_ = network.connect(options.route, *caller);
    if (process.crashed()) return killed();
    if (caller->link_ != nullptr) {
      const Result<void> admitted = caller->shake_hands(options, deadline);
      if (admitted) return caller;
      error = admitted.error();
    }
    const TimePoint again = scheduler.now() + network.dice().between(back_off / 2, back_off);
    if (error.code != Code::unreachable || again >= deadline || scheduler.abandoned()) return error;
    scheduler.sleep(again - scheduler.now());
    if (process.crashed()) return killed();
  }
}

SimCaller::SimCaller(Network& network, Process& process)
    : network_(network), scheduler_(network.scheduler()), process_(process) {
  process_.callers_.push_back(this);
}

SimCaller::~SimCaller() {
  std::erase(process_.callers_, this);
  if (link_ != nullptr) link_->close(Side::client);
}

Result<void> SimCaller::shake_hands(const Options& options, TimePoint deadline) {
  wire::ClientHello hello = options.hello;
  hello.features |= wire::feature_beats;
  network_.dice().random().fill(hello.nonce);
  hello.left_ms = client::left_ms(now(), deadline);
  session_.operation_timeout = options.operation_timeout;
  oversleeps_ = options.oversleeps;
  if (hello.role == wire::Role::assigned) deadline += limits::answer_grace;
  handshake_.emplace(std::move(hello), options.secret);
  joiner_ = &scheduler_.current();
  link_->write(Side::client, handshake_->hello());
  while (handshake_ && !down_ && now() < deadline && !scheduler_.abandoned()) {
    scheduler_.wait(deadline);
  }
  joiner_ = nullptr;
  if (refusal_) return *refusal_;
  if (!handshake_) return {};
  if (process_.crashed()) return killed();
  if (down_) return unreachable("the link broke before the server had answered: " + down_->what);
  return Error{.code = Code::timeout, .phase = Phase::hello, .what = "connected, but silent"};
}

void SimCaller::received(Bytes bytes) {
  if (down_ || refusal_) return;
  pulse_.heard();
  if (handshake_) {
    std::size_t used = 0;
    const client::Handshake::State state = handshake_->feed(bytes, used);
    if (state == client::Handshake::State::prove) link_->write(Side::client, handshake_->answer());
    if (state == client::Handshake::State::more || state == client::Handshake::State::prove) return;
    if (state == client::Handshake::State::failed) refusal_ = handshake_->error();
    if (state == client::Handshake::State::welcomed) {
      const Duration operation_timeout = session_.operation_timeout;
      session_ = handshake_->session();
      session_.operation_timeout = operation_timeout;
      MUSTER_ASSERT(pending_.add() == client::muster_ticket);
      awake_ = AwakeTime(now());
      beat_later();
    }
    handshake_.reset();
    if (joiner_ != nullptr) scheduler_.wake(*joiner_);
    bytes = bytes.subspan(used);
  }
  if (!refusal_) hand_out(bytes);
}

void SimCaller::hand_out(Bytes bytes) {
  using Found = wire::FrameReader::Found;
  reader_.feed(bytes);
  wire::FrameHeader header;
  Bytes body;
  for (Found found = reader_.next(header, body); found != Found::more;
       found = reader_.next(header, body)) {
    client::Pending::Outcome outcome;
    outcome.taken = client::Pending::Taken::broken;
    if (found == Found::frame) outcome = pending_.take(header, body);
    if (outcome.taken == client::Pending::Taken::broken) {
      return go_down(Error{.code = Code::protocol,
                           .phase = Phase::operation,
                           .what = "the server sent what the protocol does not allow"});
    }
    if (outcome.failure && !news_) news_ = std::move(outcome.failure);
    if (outcome.watch) outcome.watch->on_push(body);
    if (outcome.slot == nullptr) continue;
    const auto& answered = static_cast<Waiter&>(*outcome.slot);
    if (answered.thread != nullptr) scheduler_.wake(*answered.thread);
  }
}

/// The process's watcher does it, whatever its callers do.
void SimCaller::beat_later() {
  if (session_.heartbeat == Duration{}) return;
  scheduler_.at(now() + session_.heartbeat, [self = std::weak_ptr(self_)] {
    if (const auto caller = self.lock()) (*caller)->beat();
  });
}

void SimCaller::beat() {
  if (down_ || scheduler_.abandoned()) return;
  const Duration silence = pulse_.silence(awake_.look(now(), session_.heartbeat));
  if (silence >= limits::silent_heartbeats_max * session_.heartbeat) {
    return close(lost("silent for too long"));
  }
  Value frame;
  const std::size_t begun = wire::begin_frame(frame);
  wire::end_frame(frame, begun, wire::Type::beat, 0);
  link_->write(Side::client, frame);
  beat_later();
}

void SimCaller::closed(std::string_view why) {
  go_down(lost(why));
}

Result<client::Ticket> SimCaller::start(Value frame) {
  return launch(std::move(frame), nullptr);
}

Result<client::Ticket> SimCaller::start_watch(Value frame, client::OnPush on_push) {
  return launch(std::move(frame), std::move(on_push));
}

Result<client::Ticket> SimCaller::launch(Value frame, client::OnPush on_push) {
  if (down_) return *down_;
  const client::Ticket ticket = on_push ? pending_.add_watch(std::move(on_push)) : pending_.add();
  wire::set_sequence(frame.data(), ticket);
  link_->write(Side::client, frame);
  return ticket;
}

bool SimCaller::test(client::Ticket ticket) {
  const client::Slot* slot = pending_.find(ticket);
  MUSTER_ASSERT(slot != nullptr);  // waited for twice, or never started
  return slot->done || down_;
}

Result<client::Reply> SimCaller::wait(client::Ticket ticket, TimePoint deadline) {
  auto* mine = static_cast<Waiter*>(pending_.find(ticket));
  MUSTER_ASSERT(mine != nullptr);
  deadline += oversleeps_;
  while (!mine->done && !down_ && now() < deadline && !scheduler_.abandoned()) {
    mine->thread = &scheduler_.current();
    scheduler_.wait(deadline);
  }
  if (auto answer = pending_.remove(ticket)) return *std::move(answer);
  if (down_) return *down_;
  return Error{.code = Code::timeout,
               .phase = Phase::operation,
               .what = "no answer from the server before the deadline"};
}

void SimCaller::forget(client::Ticket ticket) {
  pending_.remove(ticket);
}

void SimCaller::close(const Error& why) {
  if (down_) return;
  go_down(why);
  if (link_ != nullptr) link_->close(Side::client);
}

void SimCaller::go_down(Error why) {
  if (down_) return;
  if (!news_) news_ = Failure{.code = why.code, .reason = why.what, .who = why.ranks};
  down_ = std::move(why);
  if (joiner_ != nullptr) scheduler_.wake(*joiner_);
  pending_.each_open([this](client::Slot& slot) {
    const auto& waiter = static_cast<Waiter&>(slot);
    if (waiter.thread != nullptr) scheduler_.wake(*waiter.thread);
  });
}

void SimCaller::crash(bool host_died, Duration noticed_after) {
  go_down(killed());
  if (link_ == nullptr) return;
  link_->attach(Side::client, nullptr);
  host_died ? link_->cut(noticed_after, noticed_after) : link_->close(Side::client);
}

}  // namespace muster::sim
