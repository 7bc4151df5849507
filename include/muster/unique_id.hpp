/// \file
/// A job's name, address and key in one: made by the process that will serve, carried to the others
/// by whatever brings bytes there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/ids.hpp>
#include <muster/port_range.hpp>
#include <muster/result.hpp>
#include <muster/security.hpp>

namespace muster {

/// Value. Where a job by unique id is to be served. An empty text counts as not given; then the
/// environment says it, and if that says nothing it is chosen: the address of the default route's
/// interface, never one that leads into containers, never loopback.
struct UniqueIdOptions {
  /// "host:port", "[v6]:port": binds exactly that; port 0 is any of `port_range`, or any at all.
  /// MUSTER_UID_SESSION_ID, SHMEM_UID_SESSION_ID.
  std::string session_id;
  /// Without a session id: names of interfaces as NCCL has them ("eth,ib", "=eth0", "^docker"), and
  /// behind them perhaps ":inet4" or ":inet6". MUSTER_UID_IFNAME, SHMEM_UID_SOCK_IFNAME.
  std::string interfaces;
  /// Where no port is said: the last of these that is free, since instances take theirs from the
  /// first one up. MUSTER_PORT_RANGE, SHMEM_INSTANCE_PORT_RANGE; none: the system picks one.
  std::optional<PortRange> port_range;
  /// "host" or "host:port" to be told to the others instead of what was bound. MUSTER_ADVERTISE.
  std::string advertise;
  std::string job_id;      ///< empty: a random one
  bool all_local = false;  ///< all ranks run on this host: loopback will do
  Duration name_timeout = std::chrono::seconds{10};  ///< for looking a name up
};

/// Value. It holds the job's secret: whoever has it can join. So it goes into no log and no command
/// line, and what text() and bytes() give is to be kept like a password.
class MUSTER_API UniqueId {
 public:
  /// The size of the bytes form, always; small enough to be broadcast whole.
  static constexpr std::size_t bytes_size = 512;
  using BytesForm = std::array<std::byte, bytes_size>;

  /// Binds and listens, and keeps the socket in this process until Job::join with this id as rank 0
  /// takes it over, or release(). Errors: `invalid_argument` (names the variable, lists the
  /// interfaces), `unreachable` (a name), `system` (cannot bind; no free port in the range; no
  /// address that others can reach).
  static Result<UniqueId> create(const UniqueIdOptions& options = {});

  /// `muster1:` and hexadecimal digits; white space around it is skipped. Errors:
  /// `invalid_argument`, which says whether it is cut off, altered, of a newer version or none at
  /// all, and shows nothing of it.
  static Result<UniqueId> parse(std::string_view text);
  static Result<UniqueId> from_bytes(Bytes bytes);
  /// A file with the text form, for its owner's eyes only (mode 0600 or 0400).
  static Result<UniqueId> from_file(const std::string& path);
  /// The text form from `fd`, until its end; closes it.
  static Result<UniqueId> from_fd(int fd);
  /// From one of MUSTER_UID_FILE, MUSTER_UID_FD and MUSTER_UID; nothing if none is set. A
  /// descriptor can be read once.
  static Result<std::optional<UniqueId>> from_environment();

  std::string text() const;  ///< secret
  BytesForm bytes() const;   ///< secret

  /// Where the job is served: tcp://host:port.
  const std::string& url() const { return url_; }
  const std::string& job_id() const { return job_id_; }
  Incarnation incarnation() const { return incarnation_; }
  /// What a client of version 0 says first; never 0. For who talks to this job outside of Muster.
  std::uint16_t version0_magic() const { return magic_; }
  const Secret& secret() const { return secret_; }

  /// Closes the socket that create() has kept for this id in this process, if it still does.
  void release() const;

 private:
  UniqueId(std::string url, std::string job_id, Incarnation incarnation, std::uint16_t magic,
           Secret secret);

  std::string url_;
  std::string job_id_;
  Incarnation incarnation_;
  std::uint16_t magic_;
  Secret secret_;
};

}  // namespace muster
