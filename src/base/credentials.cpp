#include <fmt/format.h>
#include <utility>

#include <muster/security.hpp>

#include "base/keyed.hpp"
#include "base/private_file.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "base/variables.hpp"

namespace muster {
namespace {

constexpr std::size_t password_bytes_max = 1024;

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

std::optional<Certificates> certificates_of(Variables& variables) {
  Certificates files;
  bool any = false;
  const auto take = [&](const char* name, std::string& into) {
    any = any || variables.has(name);
    into = variables.text(name).value_or("");
  };
  take("MUSTER_TLS_CERT", files.certificate_file);
  take("MUSTER_TLS_KEY", files.key_file);
  take("MUSTER_TLS_CA", files.ca_file);
  take("MUSTER_TLS_CRL", files.crl_file);
  std::string password_file;
  take("MUSTER_TLS_KEY_PASSWORD_FILE", password_file);
  if (!any) return std::nullopt;
  const std::pair<const char*, const std::string*> needed[] = {
      {"MUSTER_TLS_CERT", &files.certificate_file},
      {"MUSTER_TLS_KEY", &files.key_file},
      {"MUSTER_TLS_CA", &files.ca_file}};
  for (const auto& [name, value] : needed) {
    if (!value->empty()) continue;
    variables.fail(
        usage_error(fmt::format("{} is not set, but others of MUSTER_TLS_* are", name),
                    "certificates need MUSTER_TLS_CERT, MUSTER_TLS_KEY and MUSTER_TLS_CA"));
    return std::nullopt;
  }
  if (!password_file.empty()) files.key_password = password_in(std::move(password_file));
  return files;
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
  return usage_error(quoted(text) + " is no kind of security",
                     "expected automatic, none, secret or tls");
}

Result<Credentials> Credentials::from_environment() {
  Variables variables(look_up);
  Credentials credentials;
  const auto secret = [](std::string_view text) { return Secret::from_bytes(as_bytes(text)); };
  if (const auto said = variables.parsed("MUSTER_SECURITY", parse_security)) {
    credentials.security = *said;
  }
  credentials.secret =
      variables.confided<Secret>("MUSTER_SECRET", secret, "keep one of them: a job has one secret");
  credentials.certificates = certificates_of(variables);
  if (variables.problem()) return *variables.problem();
  return credentials;
}

Result<Security> Credentials::settled() const {
  if (certificates && secret) {
    return usage_error("both a secret and certificates were given", "keep one of them");
  }
  switch (security) {
    case Security::automatic:
      if (certificates) return Security::tls;
      return secret ? Security::secret : Security::none;
    case Security::none:
      if (!secret && !certificates) return security;
      return usage_error(fmt::format("security is none, but {} given",
                                     secret ? "a secret was" : "certificates were"),
                         "leave them out, or say what they are for: secret or tls");
    case Security::secret:
      if (secret) return security;
      return usage_error("security is secret, but no secret was given",
                         "set MUSTER_SECRET_FILE, or give one in the options");
    case Security::tls:
      if (secret || certificates) return security;
      return usage_error(
          "security is tls, but neither a secret nor certificates were given",
          "set MUSTER_SECRET_FILE or MUSTER_TLS_CERT, _KEY and _CA, or give them in the "
          "options");
  }
  return security;
}

}  // namespace muster
