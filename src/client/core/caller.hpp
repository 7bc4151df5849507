/// \file
/// The one seam that blocks: a thread on a socket in production, a fiber on a virtual clock in the
/// simulator. Stores, groups and jobs are written over it, once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/ids.hpp>
#include <muster/result.hpp>

#include "base/limits.hpp"
#include "wire/frame.hpp"

namespace muster::client {

/// Value. What was learned at admission.
struct Session {
  std::string job;
  Incarnation incarnation;
  Epoch epoch;
  std::uint32_t rank = no_rank;  ///< no_rank: a tool
  std::uint32_t size = 0;
  RankName server;     ///< rank (no_rank for an external one), host, pid
  std::string local;   ///< own address of the link
  std::string remote;  ///< the server's
  Duration operation_timeout = std::chrono::seconds{120};
  Duration heartbeat{};   ///< between signs of life, both ways; 0: none
  bool version0 = false;  ///< the link speaks version 0: only its store (store/version0_store.hpp)
};

/// Names a request in flight. 0 is the hello: its answer comes when all ranks are in.
using Ticket = std::uint32_t;
inline constexpr Ticket muster_ticket = 0;

struct Reply {
  wire::Type type{};
  Code code{};  ///< meaningful if `failed`
  bool failed = false;
  Value body;  ///< a Failure if `failed`; in version 0 a text, and `code` is its number
};

/// Told the body of what the server sends again and again for one request.
using OnPush = std::function<void(Bytes body)>;

/// Resource; any number of threads. Every ticket is waited for, or forgotten, exactly once.
class Caller {
 public:
  virtual ~Caller() = default;

  virtual const Session& session() const = 0;
  virtual TimePoint now() const = 0;

  /// Sends `frame`, complete but for its sequence number, as far as the link takes it now; the rest
  /// goes out while somebody waits. Never blocks. Fails at once if the link is down.
  virtual Result<Ticket> start(Value frame) = 0;

  /// start(), for a request whose answer is followed by CHANGED frames: `on_push` is called for
  /// each of them, in order, one at a time for the whole link, from whichever thread reads it,
  /// without any lock held. If what waits to be told outgrows limits::unsent_bytes_max, the link is
  /// closed.
  virtual Result<Ticket> start_watch(Value frame, OnPush on_push) = 0;

  /// When it returns, the `on_push` of that ticket runs no more, unless this is called from it.
  virtual void end_watch(Ticket ticket) = 0;

  /// Whether wait() would return at once. Takes in what has arrived.
  virtual bool test(Ticket ticket) = 0;

  /// The answer, good or bad; `timeout` at the deadline (an answer that has arrived by then wins),
  /// or `server_lost` when the link is down. The ticket is used up in every case.
  virtual Result<Reply> wait(Ticket ticket, TimePoint deadline) = 0;

  /// Gives the ticket up; its answer will be dropped.
  virtual void forget(Ticket ticket) = 0;

  /// Closes the link: everything in flight, here and later, ends with `why`. Idempotent.
  virtual void close(const Error& why) = 0;
};

/// start and wait under one deadline; a bad reply becomes the error that it carries. Fills elapsed,
/// addresses and phase in.
Result<Value> call(Caller& caller, Value frame, TimePoint deadline, Phase phase = Phase::operation);

/// The same for start_watch. On failure no watch is left here.
Result<Ticket> call_watch(Caller& caller, Value frame, OnPush on_push, TimePoint deadline);

/// The body of a good reply to a request of `type`; of a bad one the error that it carries.
Result<Value> open_reply(Reply reply, wire::Type type);

/// Fills into `error` what is known of the call that ends with it.
Error located(Error error, const Caller& caller, TimePoint begun, Phase phase = Phase::operation);

/// Milliseconds from `now` to `deadline`, rounded up, as a request carries them; at most
/// limits::wait_max.
std::uint32_t left_ms(TimePoint now, TimePoint deadline);

/// How long a request may be waited for that the server itself ends before `deadline`: a grace
/// longer, so that the server's answer, which says more, wins over the local clock. A deadline that
/// has passed counts as `now`.
TimePoint with_grace(TimePoint now, TimePoint deadline, Duration grace = limits::answer_grace);

/// A frame for `start`, built from any message of wire.
template <class Message>
Value frame(wire::Type type, const Message& message) {
  Value out;
  out.reserve(128);  // most messages fit, with one allocation
  const std::size_t begun = wire::begin_frame(out);
  encode(message, out);
  wire::end_frame(out, begun, type, 0);
  return out;
}

}  // namespace muster::client
