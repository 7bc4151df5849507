/// \file
/// A Caller on a socket. Whoever waits does the work: one of the waiting threads *leads*, that is,
/// reads the link and hands answers out; the others sleep until they are done or are handed the
/// lead. Frames that pile up while one thread sends go out in its next write.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/fork.hpp"
#include "base/pulse.hpp"
#include "client/core/caller.hpp"
#include "client/core/fate.hpp"
#include "client/core/pending.hpp"
#include "client/driver/outbox.hpp"
#include "client/driver/push_queue.hpp"
#include "client/driver/sleepers.hpp"
#include "client/driver/watcher.hpp"
#include "net/fd.hpp"
#include "net/tls.hpp"
#include "wire/frame.hpp"

namespace muster::client {

/// Resource. Invariants, under mutex_:
/// 1. At most one thread leads (leading_), at most one sends (sending_); neither holds the mutex
///    while it is in a system call.
/// 2. Whenever nobody leads, or unsent frames have no sender, and somebody sleeps, one sleeper has
///    been woken to see to it.
/// 3. Once fate_ is down it stays so, every waiter has been woken, and nothing is read or sent. An
///    answer that arrived before is still given.
/// 4. In a forked child nothing of this is touched, since threads that are not there may have held
///    the mutex: calls are `invalid_state`, and it is never destroyed.
class SocketCaller final : public Caller, public Watched {
 public:
  using OnFailure = std::function<void(const Failure&)>;

  /// Ticket 0, the hello, is in flight from the start. `tls`: open, or null for a link in the
  /// clear. `early`: bytes that came behind the handshake, opened.
  static std::shared_ptr<SocketCaller> make(net::Fd socket, std::unique_ptr<net::Tls> tls,
                                            Session session, OnFailure on_failure, Bytes early);
  ~SocketCaller() override;

  /// Has the process's watcher read the link when nobody calls. `system` if there can be none.
  static Result<void> watch(const std::shared_ptr<SocketCaller>& link);

  const Session& session() const override { return session_; }
  TimePoint now() const override { return Clock::now(); }
  Result<Ticket> start(Value frame) override;
  Result<Ticket> start_watch(Value frame, OnPush on_push) override;
  void end_watch(Ticket ticket) override;
  bool test(Ticket ticket) override;
  Result<Reply> wait(Ticket ticket, TimePoint deadline) override;
  void forget(Ticket ticket) override;
  void close(const Error& why) override;

  int watched_fd() const override { return socket_.get(); }
  std::uint64_t calls() const override { return calls_; }
  bool led() const override { return leading_; }
  bool step() override;
  Duration heartbeat() const override { return session_.heartbeat; }
  void beat(Duration awake) override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Destroy {
    void operator()(SocketCaller* link) const;
  };

  SocketCaller(net::Fd socket, std::unique_ptr<net::Tls> tls, Session session,
               OnFailure on_failure);

  Result<Ticket> launch(Value frame, OnPush on_push);
  void push(Value frame);
  Waiter& waiter(Ticket ticket);
  Result<Reply> finish(Lock& lock, Ticket ticket);

  void look_once_more(Lock& lock, Waiter& mine);
  void lead(Lock& lock, const Waiter& mine, TimePoint deadline);
  /// Leads through all that has arrived, or until `wanted`, if it is given, is done.
  void lead_through(Lock& lock, const Waiter* wanted);
  void stop_leading();
  void wake_one_if_needed();
  void not_quiet();

  /// Writes what the outbox holds, as far as the socket takes it by `deadline`.
  void send(Lock& lock, TimePoint deadline);
  /// Reads once, waiting until `deadline`; false if nothing came.
  bool take_in(Lock& lock, TimePoint deadline);
  void arrived(Bytes bytes);
  void hand_out(Bytes bytes);
  void link_broke(const std::string& why);
  void go_down(Error why);
  void queue_push(std::shared_ptr<Watch> watch, Bytes body);
  /// Tells handlers what was left for them, outside the mutex.
  void tell(Lock& lock);
  /// Somebody has to stop reading and tell().
  bool something_to_tell() const { return fate_.has_news() || pushes_.ready(); }

  const HomeProcess home_;
  const net::Fd socket_;
  const OwnDescriptor own_{socket_.get()};
  const Session session_;
  const OnFailure on_failure_;
  const bool reads_block_;
  Watcher* watcher_ = nullptr;              ///< not null once watch_id_ is set
  std::atomic<std::uint64_t> watch_id_{0};  ///< 0: not watched, or not told yet

  std::mutex mutex_;
  const std::unique_ptr<net::Tls> tls_;
  Pending pending_;  ///< its slots are Waiters
  Outbox outbox_;    ///< sealed, with TLS
  Sleepers sleepers_;
  wire::FrameReader reader_;  ///< the leader's
  Pulse pulse_;               ///< the server's
  Fate fate_;
  PushQueue pushes_;
  bool sending_ = false;
  int deaf_ = 0;  ///< errno's number: the peer takes nothing more; what it said may still be read
  std::atomic<bool> leading_{false};
  std::atomic<std::uint64_t> calls_{0};
};

}  // namespace muster::client
