/// \file
/// How the links of a job are protected, and with what.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/export.hpp>
#include <muster/result.hpp>

namespace muster {

/// How far a job trusts the network. All ranks of a job say the same.
enum class Security : std::uint8_t {
  automatic,  ///< tls if there are certificates, or a unique id; `secret` if there is one; else
              ///< none
  none,       ///< whoever reaches the address can join
  secret,     ///< both sides prove at admission that they hold the job's secret; what follows is
              ///< neither encrypted nor bound to it
  tls,        ///< TLS 1.3 for all of it: by certificates, or by a key made of the secret
};
/// "automatic", "none", "secret", "tls".
MUSTER_API const char* name(Security security);
/// The other way round; `invalid_argument` for anything else.
MUSTER_API Result<Security> parse_security(std::string_view text);

/// Value. At least 32 bytes that only the members of a job know. It has no text form, so that it
/// gets into no log or error; its memory is wiped when it goes.
class MUSTER_API Secret {
 public:
  static constexpr std::size_t bytes_min = 32;
  static constexpr std::size_t bytes_max = 1024;

  /// Errors: `invalid_argument` for fewer than bytes_min or more than bytes_max bytes; it does not
  /// show them.
  static Result<Secret> from_bytes(Bytes bytes);
  /// What the file holds, less one newline at its end. Errors: `system` if it can't be read,
  /// `invalid_argument` if others than its owner may read or write it (mode 0600 or 0400), if it
  /// belongs to neither this user nor root, or for its length.
  static Result<Secret> from_file(const std::string& path);
  /// What can be read from `fd` until its end, less one newline; closes it. Errors as above.
  static Result<Secret> from_fd(int fd);
  /// 32 bytes from the system's generator.
  static Secret random();

  Secret(const Secret&) = default;
  Secret(Secret&&) noexcept = default;
  Secret& operator=(const Secret& other);
  Secret& operator=(Secret&& other) noexcept;
  ~Secret();

  Bytes bytes() const { return bytes_; }
  /// Takes as long wherever they differ.
  bool operator==(const Secret& other) const;

 private:
  explicit Secret(Value bytes) : bytes_(std::move(bytes)) {}
  void wipe();
  Value bytes_;
};

/// Value. PEM files for TLS, the same for servers and ranks: each side shows a certificate and
/// checks the other's. All are checked before anything listens or connects.
struct Certificates {
  std::string certificate_file;  ///< own certificate, followed by those between it and the CA's
  std::string key_file;          ///< its private key, readable by its owner only
  std::string ca_file;           ///< whom to trust
  std::string crl_file;          ///< what of that is revoked; empty: nothing
  /// Asked for the password of an encrypted key, on the thread that joins; none: it is not
  /// encrypted.
  std::function<Result<std::string>()> key_password;
};

/// Value. What a process shows to be let in, and asks of its peer.
struct Credentials {
  Security security = Security::automatic;
  std::optional<Secret> secret;
  std::optional<Certificates> certificates;

  /// From MUSTER_SECURITY, one of MUSTER_SECRET_FILE, MUSTER_SECRET_FD and MUSTER_SECRET, and
  /// MUSTER_TLS_CERT, _KEY, _CA, _CRL, _KEY_PASSWORD_FILE. Errors: `invalid_argument` or `system`,
  /// naming the variable. A descriptor can be read once.
  MUSTER_API static Result<Credentials> from_environment();

  /// What `automatic` comes to; otherwise checks that what `security` needs is there, and that
  /// nothing was given that it leaves unused. Errors: `invalid_argument`.
  MUSTER_API Result<Security> settled() const;
};

}  // namespace muster
