/// \file
/// A connected socket before the deadline, or an error that says how far it got.
#pragma once

#include <vector>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "net/address.hpp"
#include "net/back_off.hpp"
#include "net/fd.hpp"
#include "net/url.hpp"

namespace muster::net {

/// One successful connect to `url`: resolves, tries the addresses side by side as race.hpp says,
/// and again after a back-off when they refuse, reset, or (Unix) do not exist yet, until
/// `deadline`; one that has passed still tries each once. The socket is non-blocking,
/// close-on-exec, TCP_NODELAY.
///
/// Errors: `unreachable`, in phase resolve or connect, with the address, the last reason and how
/// often it was tried; at once when no waiting cures it (no permission, no such address family);
/// `invalid_argument` for port 0.
Result<Fd> connect(const Url& url, BackOff& back_off, TimePoint deadline);

/// The same with the addresses of `url` known already; there is at least one.
Result<Fd> connect(const Url& url, std::vector<Address> addresses, BackOff& back_off,
                   TimePoint deadline);

}  // namespace muster::net
