/// \file
/// A connected socket before the deadline, or an error that says how far it got.
#pragma once

#include <cstdint>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "base/random.hpp"
#include "net/fd.hpp"
#include "net/url.hpp"

namespace muster::net {

/// How long to wait before the next attempt: from 1 ms, doubling, up to clamp(size x 20 us, 10 ms,
/// 250 ms), each with jitter of half to whole, so that a large job does not knock in step.
class BackOff {
 public:
  explicit BackOff(std::uint32_t size);
  Duration next(Random& random);

 private:
  Duration now_;
  Duration most_;
};

/// One successful connect to `url`: resolves, tries the addresses in turn, each with its share of
/// the time, and again after a back-off when all refuse, reset, or (Unix) do not exist yet, until
/// `deadline`. The socket is non-blocking, close-on-exec, TCP_NODELAY. Errors: `unreachable`, in
/// phase resolve or connect, with the address, the last reason and how often it was tried.
Result<Fd> connect(const Url& url, BackOff& back_off, TimePoint deadline);

}  // namespace muster::net
