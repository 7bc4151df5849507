#include <cstdlib>
#include <fmt/format.h>
#include <utility>

#include <muster/security.hpp>

#include "base/integer.hpp"
#include "base/keyed.hpp"
#include "base/private_file.hpp"
#include "base/text.hpp"

namespace muster {
namespace {

constexpr std::size_t password_bytes_max = 1024;

Error invalid(std::string what, std::string advice) {
  return Error{.code = Code::invalid_argument,
               .what = std::move(what),
               .advice = std::move(advice),
               .exit_code = 2};
}

/// Null if it is not set, or empty.
const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

/// `error`, which concerns what `name` says.
Error named(const char* name, Error error) {
  error.what = fmt::format("{}: {}", name, error.what);
  error.exit_code = 2;
  return error;
}

Result<Secret> secret_of_descriptor(const char* text) {
  const auto fd = parse_integer(text);
  const bool spoken_to = fd == 1 || fd == 2;  // they would be read, and closed
  if (fd && *fd >= 0 && *fd <= 0x7fffffff && !spoken_to) {
    return Secret::from_fd(static_cast<int>(*fd));
  }
  return invalid(fmt::format("{} is no descriptor to read from", quoted(text)),
                 "expected its number: 0, or 3 and more");
}

Result<std::optional<Secret>> secret_from_environment() {
  using Read = Result<Secret> (*)(const char*);
  const std::pair<const char*, Read> sources[] = {
      {"MUSTER_SECRET_FILE", [](const char* value) { return Secret::from_file(value); }},
      {"MUSTER_SECRET_FD", secret_of_descriptor},
      {"MUSTER_SECRET", [](const char* value) { return Secret::from_bytes(as_bytes(value)); }},
  };
  const std::pair<const char*, Read>* set = nullptr;
  for (const auto& source : sources) {
    if (variable(source.first) == nullptr) continue;
    if (set != nullptr) {
      return invalid(fmt::format("{} and {} are both set", set->first, source.first),
                     "keep one of them: a job has one secret");
    }
    set = &source;
  }
  if (set == nullptr) return std::optional<Secret>{};
  Result<Secret> secret = set->second(variable(set->first));
  if (!secret) return named(set->first, std::move(secret).error());
  return std::optional<Secret>(*std::move(secret));
}

/// The password is not kept: its file is read when the key is.
std::function<Result<std::string>()> password_in(std::string path) {
  return [path = std::move(path)]() -> Result<std::string> {
    Result<Value> read = read_private_file(path, "the password's file", password_bytes_max);
    if (!read) return named("MUSTER_TLS_KEY_PASSWORD_FILE", std::move(read).error());
    std::string password(as_text(*read));
    wipe(*read);
    return password;
  };
}

Result<std::optional<Certificates>> certificates_from_environment() {
  Certificates files;
  bool any = false;
  const auto take = [&any](const char* name, std::string& into) {
    const char* value = variable(name);
    if (value == nullptr) return;
    any = true;
    into = value;
  };
  take("MUSTER_TLS_CERT", files.certificate_file);
  take("MUSTER_TLS_KEY", files.key_file);
  take("MUSTER_TLS_CA", files.ca_file);
  take("MUSTER_TLS_CRL", files.crl_file);
  std::string password_file;
  take("MUSTER_TLS_KEY_PASSWORD_FILE", password_file);
  if (!any) return std::optional<Certificates>{};
  const std::pair<const char*, const std::string*> needed[] = {
      {"MUSTER_TLS_CERT", &files.certificate_file},
      {"MUSTER_TLS_KEY", &files.key_file},
      {"MUSTER_TLS_CA", &files.ca_file}};
  for (const auto& [name, value] : needed) {
    if (!value->empty()) continue;
    return invalid(fmt::format("{} is not set, but others of MUSTER_TLS_* are", name),
                   "certificates need MUSTER_TLS_CERT, MUSTER_TLS_KEY and MUSTER_TLS_CA");
  }
  if (!password_file.empty()) files.key_password = password_in(std::move(password_file));
  return std::optional<Certificates>(std::move(files));
}

}  // namespace

const char* name(Security security) {
  switch (security) {
    case Security::automatic:
      return "automatic";
    case Security::none:
      return "none";
    case Security::secret:
      return "secret";
    case Security::tls:
      return "tls";
  }
  return "unknown";
}

Result<Security> parse_security(std::string_view text) {
  for (const Security each :
       {Security::automatic, Security::none, Security::secret, Security::tls}) {
    if (text == name(each)) return each;
  }
  return invalid(quoted(text) + " is no kind of security",
                 "expected automatic, none, secret or tls");
}

Result<Credentials> Credentials::from_environment() {
  Credentials credentials;
  if (const char* text = variable("MUSTER_SECURITY")) {
    const Result<Security> security = parse_security(text);
    if (!security) return named("MUSTER_SECURITY", security.error());
    credentials.security = *security;
  }
  Result<std::optional<Secret>> secret = secret_from_environment();
  if (!secret) return std::move(secret).error();
  credentials.secret = *std::move(secret);
  Result<std::optional<Certificates>> certificates = certificates_from_environment();
  if (!certificates) return std::move(certificates).error();
  credentials.certificates = *std::move(certificates);
  return credentials;
}

Result<Security> Credentials::settled() const {
  if (certificates && secret) {
    return invalid("both a secret and certificates were given", "keep one of them");
  }
  switch (security) {
    case Security::automatic:
      if (certificates) return Security::tls;
      return secret ? Security::secret : Security::none;
    case Security::none:
      if (!secret && !certificates) return security;
      return invalid(fmt::format("security is none, but {} given",
                                 secret ? "a secret was" : "certificates were"),
                     "leave them out, or say what they are for: secret or tls");
    case Security::secret:
      if (secret) return security;
      return invalid("security is secret, but no secret was given",
                     "set MUSTER_SECRET_FILE, or give one in the options");
    case Security::tls:
      if (secret || certificates) return security;
      return invalid("security is tls, but neither a secret nor certificates were given",
                     "set MUSTER_SECRET_FILE or MUSTER_TLS_CERT, _KEY and _CA, or give them in the "
                     "options");
  }
  return security;
}

}  // namespace muster
