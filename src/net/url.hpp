/// \file
/// Where a job is served, as a user writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <muster/result.hpp>

namespace muster::net {

/// What a socket file's path may have: sun_path (unix(7)) less its end.
inline constexpr std::size_t unix_path_bytes_max = 107;

/// Value. `tcp://host:port` (host a name or an IPv4 address), `tcp6://[address]:port` (or a name:
/// its IPv6 addresses only), `unix:///path`. Port 0 is for the one who binds: the system picks one.
/// `tcp://[address]:port` is taken for tcp6. Behind any of them `?wire=0`, where it is allowed: the
/// server is to be spoken to in version 0.
struct Url {
  enum class Scheme : std::uint8_t { tcp, tcp6, unix_socket };
  Scheme scheme = Scheme::tcp;
  std::string host;  ///< without brackets; an IPv6 address may end in %interface
  std::uint16_t port = 0;
  std::string path;
  bool version0 = false;

  /// invalid_argument says what was given, what is wrong with it and what is expected; a password
  /// in it is not shown.
  static Result<Url> parse(std::string_view text);
  /// The same for who only wants the store behind it, and may ask for version 0.
  static Result<Url> parse_for_store(std::string_view text);
  std::string text() const;
  bool operator==(const Url&) const = default;
};

}  // namespace muster::net
