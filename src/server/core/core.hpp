/// \file
/// The server's decisions, pure: no socket, thread, clock or random number inside. The driver and
/// the simulator tell it what happened and when, and do what it says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/ids.hpp>
#include <muster/roster.hpp>
#include <muster/security.hpp>

#include "base/limits.hpp"
#include "base/random.hpp"
#include "server/core/actions.hpp"
#include "wire/frame.hpp"
#include "wire/v0.hpp"

namespace muster::server {

using muster::OnLoss;

/// Value. Constant for the life of a core.
struct CoreOptions {
  std::string job;
  Incarnation incarnation;
  Epoch epoch;
  std::uint32_t size = 0;  ///< 0: the first rank says it
  std::uint32_t server_rank = no_rank;
  std::string host;
  std::uint32_t pid = 0;
  OnLoss on_loss = OnLoss::fail_job;
  Duration heartbeat{};  ///< between signs of life, with peers that want some; 0: none
  std::size_t round_bytes_max = limits::round_bytes_max;
  std::size_t table_bytes_max = limits::table_bytes_max;
  std::optional<Secret> secret;  ///< who is not vouched for has to prove that it holds it
  bool tls = false;              ///< who is not vouched for is refused: the driver checks it
  bool version0 = true;  ///< clients of version 0 may use the store, if there is neither of these
  std::uint16_t version0_magic = wire::v0::standard_magic;  ///< what their hello begins with
};

// Events.

/// A stranger connected.
struct Opened {
  LinkId link = 0;
  std::string address;  ///< as it may be shown: "127.0.0.1:4711", "unix"
};
/// The driver knows that this stranger belongs to the job: its TLS handshake is done, or its link
/// stays in this process. Before its first Received.
struct Vouched {
  LinkId link = 0;
};
/// The driver has heard something of this stranger that it keeps to itself: how TLS begins.
struct Spoke {
  LinkId link = 0;
};
/// The driver needs room: the system gives it no descriptor for one more connection. The core turns
/// a stranger away for it, if there is one, and closes no other link.
struct Crowded {};
/// The driver turns this stranger away, and closes the link itself.
struct Rejected {
  LinkId link = 0;
  std::string why;  ///< "TLS handshake failed: ..."
};
/// The peer's side is gone, for whatever reason.
struct Closed {
  LinkId link = 0;
  std::string why;  ///< "connection reset", "closed", ...
};
/// Bytes came. The core cuts hello and frames out of them itself; it may leave some of the frames
/// for another step (Actions::untaken).
struct Received {
  LinkId link = 0;
  Bytes bytes;
};
/// next_deadline() has come.
struct Tick {};
/// The owner ends the job: a process died before it joined, the operator stops the server.
struct Doom {
  Failure failure;
};
/// The owner stops the server: every rank link gets a `server_leaving` frame (a Failure,
/// server_lost).
struct Stop {};

using Event =
    std::variant<Opened, Vouched, Spoke, Crowded, Rejected, Closed, Received, Tick, Doom, Stop>;

/// Resource; one thread. Fed events in the order they happened, `now` never going back.
class Core {
 public:
  /// `nonce` of each ServerHello comes from `random`, called only inside step().
  Core(CoreOptions options, Random& random, TimePoint now);
  ~Core();
  Core(Core&&) noexcept;
  Core& operator=(Core&&) noexcept;

  /// Appends to `actions`.
  void step(const Event& event, TimePoint now, Actions& actions);

  /// When a Tick is due, maybe at once; nothing: only when something else happens.
  std::optional<TimePoint> next_deadline() const;

  /// The roster, every row.
  JobStatus status(TimePoint now) const;
  /// The first rank that was recorded lost or failed, if one was.
  std::optional<RosterRow> first_casualty() const;
  /// Subsets that not all members have closed.
  std::size_t open_groups() const;
  /// What is held at all, for checks that it returns to its base: links, waiters, watches, subsets,
  /// rounds, tombstones.
  std::size_t open_items() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::server
