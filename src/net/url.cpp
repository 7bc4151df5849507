#include "net/url.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>
#include <net/if.h>
#include <optional>
#include <sys/un.h>

#include "base/text.hpp"

namespace muster::net {
namespace {

static_assert(unix_path_bytes_max == sizeof(sockaddr_un::sun_path) - 1);

constexpr std::size_t name_bytes_max = 253;  // RFC 1035, written without the root's dot

bool is_name(std::string_view host) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  };
  return !host.empty() && host.size() <= name_bytes_max && host.front() != '.' &&
         host.find("..") == host.npos && std::all_of(host.begin(), host.end(), fits);
}

bool is_ipv4(std::string_view host) {
  in_addr address;
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

bool is_ipv6(std::string_view host) {
  in6_addr address;
  const std::size_t percent = host.find('%');
  if (percent != host.npos) {
    const std::string_view scope = host.substr(percent + 1);
    const auto odd = [](char c) { return c <= ' ' || c > '~' || c == '/' || c == '%'; };
    if (scope.empty() || scope.size() >= IF_NAMESIZE) return false;
    if (std::any_of(scope.begin(), scope.end(), odd)) return false;
  }
  return ::inet_pton(AF_INET6, std::string(host.substr(0, percent)).c_str(), &address) == 1;
}

bool looks_like_ipv4(std::string_view host) {
  return !host.empty() && host.find_first_not_of("0123456789.") == host.npos;
}

std::optional<std::uint16_t> to_port(std::string_view digits) {
  std::uint16_t port = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, port);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return port;
}

/// Takes `rest`, what stands behind the scheme, apart into `url`. Returns what is wrong with it.
std::string take_path(std::string_view rest, Url& url) {
  if (rest.empty()) return "the path is missing";
  if (rest.front() != '/') return "the path is not absolute (three slashes behind unix:)";
  if (rest.size() == 1 || rest.back() == '/') return "the path names a directory";
  if (rest.find('\0') != rest.npos) return "the path holds a zero byte";
  if (rest.size() > unix_path_bytes_max) {
    return fmt::format("the path has {} bytes, a socket's path at most {}", rest.size(),
                       unix_path_bytes_max);
  }
  url.path = rest;
  return {};
}

std::string take_host(std::string_view host, bool brackets, Url& url) {
  url.host = host;
  if (host.empty()) return "the host is missing";
  if (is_ipv6(host)) {
    url.scheme = Url::Scheme::tcp6;
    return brackets ? "" : "an IPv6 address needs brackets around it";
  }
  if (brackets && (url.scheme == Url::Scheme::tcp || !is_name(host))) {
    return fmt::format("{} in brackets is no IPv6 address", quoted(host));
  }
  if (looks_like_ipv4(host)) {
    if (!is_ipv4(host)) return fmt::format("{} is no IPv4 address", quoted(host));
    if (url.scheme == Url::Scheme::tcp6) {
      return fmt::format("{} is an IPv4 address, tcp6 is for IPv6", quoted(host));
    }
    return {};
  }
  if (!is_name(host)) return fmt::format("{} is no host name", quoted(host));
  return {};
}

std::string take_host_and_port(std::string_view rest, Url& url) {
  const std::size_t end = rest.find_first_of("/#");
  const std::string_view tail = end == rest.npos ? "" : rest.substr(end);
  rest = rest.substr(0, end);

  const bool brackets = rest.starts_with('[');
  const std::size_t closing = brackets ? rest.find(']') : 0;
  if (closing == rest.npos) return "the closing bracket is missing";
  const std::size_t colon = brackets ? closing + 1 : rest.rfind(':');
  const std::string_view host =
      brackets ? rest.substr(1, closing - 1) : rest.substr(0, std::min(colon, rest.size()));
  if (!brackets && is_ipv6(rest)) return "an IPv6 address needs brackets around it, and a port";
  if (std::string wrong = take_host(host, brackets, url); !wrong.empty()) return wrong;

  if (colon >= rest.size() || colon + 1 == rest.size()) return "the port is missing";
  const std::string_view port = rest.substr(colon + 1);
  const std::optional<std::uint16_t> number = to_port(port);
  if (rest[colon] != ':' || !number) {
    return fmt::format("port {} is not a number from 1 to 65535 (or 0, where one is to be picked)",
                       quoted(port));
  }
  url.port = *number;
  if (!tail.empty()) return fmt::format("nothing may follow the port: {}", quoted(tail));
  return {};
}

/// `query` is what stands behind the question mark.
std::string take_query(std::string_view query, bool for_store, Url& url) {
  do {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
    const std::string_view name = parameter.substr(0, parameter.find('='));
    if (name != "wire") {
      return fmt::format("the parameter {} is not known, only wire is", quoted(parameter));
    }
    if (parameter != "wire=0") {
      return fmt::format("{} is no version that can be asked for, only wire=0 is",
                         quoted(parameter));
    }
    if (!for_store) return "wire=0 is for the store alone: a job speaks version 1";
    url.version0 = true;
  } while (!query.empty());
  return {};
}

Result<Url> parse_url(std::string_view text, bool for_store) {
  const auto refuse = [](const std::string& shown, const std::string& wrong) {
    return Error{.code = Code::invalid_argument,
                 .what = fmt::format("{} is no address of a job: {}", shown, wrong),
                 .advice = "expected tcp://HOST:PORT, tcp6://[ADDRESS]:PORT or unix:///PATH"};
  };
  const std::size_t colon = text.find("://");
  if (colon == text.npos) return refuse(quoted(text), "it has no scheme");
  const std::string_view scheme = text.substr(0, colon);
  const std::string_view behind = text.substr(colon + 3);
  const std::string_view rest = behind.substr(0, behind.find('?'));

  Url url;
  if (scheme == "unix") {
    url.scheme = Url::Scheme::unix_socket;
  } else if (scheme == "tcp6") {
    url.scheme = Url::Scheme::tcp6;
  } else if (scheme != "tcp") {
    return refuse(quoted(text), fmt::format("the scheme {} is not known", quoted(scheme)));
  }
  if (url.scheme != Url::Scheme::unix_socket) {
    if (const std::size_t at = behind.rfind('@'); at != behind.npos) {
      return refuse(quoted(fmt::format("{}://...{}", scheme, behind.substr(at))),
                    "a user or password has no place in it");
    }
  }
  std::string wrong =
      url.scheme == Url::Scheme::unix_socket ? take_path(rest, url) : take_host_and_port(rest, url);
  if (wrong.empty() && rest.size() != behind.size()) {
    wrong = take_query(behind.substr(rest.size() + 1), for_store, url);
  }
  if (!wrong.empty()) return refuse(quoted(text), wrong);
  return url;
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  return parse_url(text, false);
}

Result<Url> Url::parse_for_store(std::string_view text) {
  return parse_url(text, true);
}

std::string Url::text() const {
  const char* query = version0 ? "?wire=0" : "";
  if (scheme == Scheme::unix_socket) return fmt::format("unix://{}{}", path, query);
  const char* name = scheme == Scheme::tcp6 ? "tcp6" : "tcp";
  if (host.find(':') != host.npos) return fmt::format("{}://[{}]:{}{}", name, host, port, query);
  return fmt::format("{}://{}:{}{}", name, host, port, query);
}

}  // namespace muster::net
