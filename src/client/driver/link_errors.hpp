/// \file
/// How a link that does not work is put into words.
#pragma once

#include <string>

#include <muster/deadline.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

#include "client/core/caller.hpp"
#include "net/tls.hpp"

namespace muster::client {

// During the hello or TLS's handshake, on the socket `fd`.
/// The link broke before the peer had said who it is: perhaps it was still starting, or full.
Error hello_broken(int fd, Phase phase, const std::string& why);
Error hello_silent(int fd, Phase phase, Duration waited);
/// `first`: how the peer began.
Error tls_failed(int fd, const net::Tls& tls, Bytes first);

// On an admitted link.
Error no_answer(const Session& session);
Error link_lost(const Session& session, const std::string& why);
/// How long the server may be silent, and what is said then.
Duration silence_max(const Session& session);
Error server_silent(const Session& session);
Error not_the_protocol(const Session& session);
/// TLS does not take what came, for that reason.
Error link_altered(const Session& session, const std::string& why);
/// The handlers of watches do not keep up.
Error watcher_lags(const Session& session, std::size_t waiting_bytes);
/// The link broke after the server had said why it would.
Error last_words(const Session& session, const Failure& failure);

}  // namespace muster::client
