#include "net/advertise.hpp"

#include <fmt/format.h>
#include <string>

#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster::net {
namespace {

Error refuse(std::string_view given, const std::string& wrong) {
  return usage_error(fmt::format("{} cannot be advertised: {}", quoted(given), wrong),
                     "expected a host or host:port that the other ranks can connect to, as in "
                     "node7, 10.0.0.5:4711 or [fd00::5]:4711");
}

}  // namespace

Result<Url> advertised(const Url& bound, std::string_view given) {
  if (given.empty()) return bound;
  if (bound.scheme == Url::Scheme::unix_socket) {
    return refuse(given, fmt::format("{} is a Unix socket", bound.text()));
  }
  const std::size_t colon = given.rfind(':');
  const std::size_t bracket = given.rfind(']');
  const bool has_port =
      colon != given.npos && (bracket == given.npos ? given.find(':') == colon : colon > bracket);
  std::string whole = fmt::format("tcp://{}", given);
  if (!has_port) whole += fmt::format(":{}", bound.port);
  Result<Url> url = Url::parse(whole);
  if (!url) {
    // The reason stands behind the URL, which the user has not written.
    const std::string& what = url.error().what;
    const std::size_t reason = what.find(": ", whole.size());
    return refuse(given, reason == what.npos ? what : what.substr(reason + 2));
  }
  if (url->port == 0) return refuse(given, "nobody can connect to port 0");
  if (url->host == "0.0.0.0" || url->host == "::") {
    return refuse(given, "a wildcard is no address of anybody");
  }
  return url;
}

}  // namespace muster::net
