/// \file
/// The seam that blocks, simulated: the client's pure core on a simulated link, its callers on
/// fibers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <muster/roster.hpp>

#include "base/pulse.hpp"
#include "client/core/caller.hpp"
#include "client/core/handshake.hpp"
#include "client/core/pending.hpp"
#include "network.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"

namespace muster::sim {

class SimCaller;

/// Resource. A simulated process: what dies together.
class Process {
 public:
  bool crashed() const { return crashed_; }
  /// Its threads find that every call fails; they must end and tell nobody. The kernel closes its
  /// links; or, if `host_died`, nobody closes them, and the server is told after `noticed_after`.
  void crash(bool host_died, Duration noticed_after);

 private:
  friend class SimCaller;
  std::vector<SimCaller*> callers_;
  bool crashed_ = false;
};

/// Resource; the threads of one process.
class SimCaller final : public client::Caller, private Receiver {
 public:
  struct Options {
    wire::ClientHello hello;  ///< nonce and time left are filled in
    std::optional<Secret> secret;
    Route route;
    Duration operation_timeout = std::chrono::seconds{120};
    Duration oversleeps{};  ///< a planted fault: waits end so much later than their deadline
  };

  /// Connects and is admitted, as client/driver/link.hpp's connect_link: an attempt that is refused
  /// or cut is made again until `deadline`; what the server says is final.
  static Result<std::shared_ptr<SimCaller>> connect(Network& network, Process& process,
                                                    const Options& options, TimePoint deadline);
  SimCaller(Network& network, Process& process);
  ~SimCaller() override;

  const client::Session& session() const override { return session_; }
  TimePoint now() const override { return scheduler_.now(); }
  Result<client::Ticket> start(Value frame) override;
  /// `on_push` runs while the bytes come in: it must not wait.
  Result<client::Ticket> start_watch(Value frame, client::OnPush on_push) override;
  void end_watch(client::Ticket ticket) override { pending_.end_watch(ticket); }
  bool test(client::Ticket ticket) override;
  Result<client::Reply> wait(client::Ticket ticket, TimePoint deadline) override;
  void forget(client::Ticket ticket) override;
  void close(const Error& why) override;

  /// The job is doomed, the server is leaving or gone: what a driver would tell its owner, once.
  const std::optional<Failure>& news() const { return news_; }
  /// Why the link is down, if it is.
  const std::optional<Error>& down() const { return down_; }
  /// Null before it is up.
  Link* link() { return link_; }

 private:
  friend class Process;
  struct Waiter : client::Slot {
    Scheduler::Thread* thread = nullptr;
  };

  void received(Bytes bytes) override;
  void closed(std::string_view why) override;

  Result<client::Ticket> launch(Value frame, client::OnPush on_push);
  Result<void> shake_hands(const Options& options, TimePoint deadline);
  void hand_out(Bytes bytes);
  void go_down(Error why);
  void crash(bool host_died, Duration noticed_after);
  void beat_later();
  void beat();

  Network& network_;
  Scheduler& scheduler_;
  Process& process_;
  Link* link_ = nullptr;
  client::Session session_;
  std::optional<client::Handshake> handshake_;  ///< until it has come to an end
  std::optional<Error> refusal_;
  Scheduler::Thread* joiner_ = nullptr;
  wire::FrameReader reader_;
  Pulse pulse_;
  AwakeTime awake_{TimePoint{}};
  /// What is scheduled for this caller, and may come when it is gone.
  std::shared_ptr<SimCaller*> self_ = std::make_shared<SimCaller*>(this);
  client::Pending pending_{client::make_slot<Waiter>};
  std::optional<Error> down_;
  std::optional<Failure> news_;
  Duration oversleeps_{};
};

}  // namespace muster::sim
