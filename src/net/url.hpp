/// \file
/// Where a job is served, as a user writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <muster/result.hpp>

namespace muster::net {

/// Value. `tcp://host:port` (host a name or an IPv4 address), `tcp6://[address]:port`,
/// `unix:///path`. Port 0 is for the one who binds: the system picks one.
struct Url {
  enum class Scheme : std::uint8_t { tcp, tcp6, unix_socket };
  Scheme scheme = Scheme::tcp;
  std::string host;
  std::uint16_t port = 0;
  std::string path;

  /// invalid_argument says what was given, what is wrong with it and what is expected.
  static Result<Url> parse(std::string_view text);
  std::string text() const;
  bool operator==(const Url&) const = default;
};

}  // namespace muster::net
