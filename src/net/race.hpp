/// \file
/// Connecting to the addresses of one server, the dead ones beside the living.
#pragma once

#include <optional>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "net/address.hpp"
#include "net/back_off.hpp"
#include "net/fd.hpp"
#include "net/url.hpp"

namespace muster::net {

/// `addresses` with their families in turn, beginning with that of the first, and otherwise in
/// their order: so that a family that leads nowhere holds nobody up for long.
std::vector<Address> interleaved(std::vector<Address> addresses);

/// Resource; one thread. Attempts at several addresses side by side, as RFC 8305 has it: the next
/// one begins when the one before it has failed, or has had no answer for 250 ms; the first to be
/// connected wins. One that has failed is tried again after a back-off; one without an answer goes
/// on, since the kernel repeats what is lost on its way better than a new attempt would.
class Race {
 public:
  /// There is at least one address. `url` is for errors, and outlives this.
  Race(const Url& url, std::vector<Address> addresses);

  /// The winner; or `unreachable` at `deadline`, or when no waiting cures any of them. A deadline
  /// that has passed tries each address once.
  Result<Fd> run(BackOff& back_off, TimePoint deadline);

 private:
  /// An address on its way to being connected.
  struct Runner {
    Address address;
    Fd fd;  ///< while an answer is awaited
    int error = 0;
    bool begun = false;
    bool hopeless = false;
    TimePoint again{};  ///< when it has begun and failed
  };

  std::optional<Fd> begin_due(BackOff& back_off, TimePoint deadline);
  std::optional<Fd> begin(Runner& runner, BackOff& back_off);
  std::optional<Fd> settle(Runner& runner, int error, BackOff& back_off);
  std::optional<Fd> wait(BackOff& back_off, TimePoint until);
  TimePoint next_event() const;
  bool hopeless() const;
  bool all_begun() const;
  Error error(TimePoint begun) const;

  const Url& url_;
  std::vector<Runner> runners_;
  TimePoint fresh_at_{};  ///< when the next that has not begun yet may
  TimePoint again_at_{};  ///< those that fail close together begin again together
  unsigned count_ = 0;
};

}  // namespace muster::net
