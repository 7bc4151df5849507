#include "net/resolve.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <optional>

#include "base/host.hpp"
#include "base/text.hpp"
#include "net/back_off.hpp"
#include "net/choose.hpp"
#include "net/look_up.hpp"
#include "net/wait.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

constexpr auto again_first = 10ms;
constexpr auto again_most = 1s;
constexpr auto patience = 300ms;     ///< with a resolver that is asked for all at once
constexpr auto other_family = 50ms;  ///< RFC 8305, section 3

Lookup look_up(const std::string& host, std::uint16_t port, int family, int flags) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Lookup lookup;
  lookup.error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (lookup.error != 0) return lookup;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(list, &::freeaddrinfo);
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    Address address;
    address.length = one->ai_addrlen;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    lookup.found.push_back(address);
  }
  return lookup;
}

Lookup system_resolver(const std::string& name, std::uint16_t port, int family) {
  return look_up(name, port, family, 0);
}

/// Whether the same question may get an answer later.
bool may_change(int error) {
  return error == EAI_AGAIN || error == EAI_NONAME || error == EAI_NODATA || error == EAI_FAIL ||
         error == EAI_SYSTEM;
}

Error unresolved(const Url& url, const std::string& why, unsigned tries, TimePoint begun) {
  return Error{.code = Code::unreachable,
               .phase = Phase::resolve,
               .what = fmt::format("cannot look up {} of {}: {} (tried {} time{})",
                                   quoted(url.host), url.text(), why, tries, tries == 1 ? "" : "s"),
               .advice = "check the name, or give the address as numbers",
               .elapsed = Clock::now() - begun};
}

Error no_interface(const Url& url, std::string_view name) {
  return Error{.code = Code::invalid_argument,
               .phase = Phase::resolve,
               .what = fmt::format("{}: there is no interface {} here", url.text(), quoted(name)),
               .advice = "the interfaces are: " + interfaces_text(interfaces())};
}

/// Addresses written as numbers; nothing if the host is a name.
std::optional<Result<std::vector<Address>>> numeric(const Url& url, int family) {
  const std::size_t percent = url.host.find('%');
  if (percent != url.host.npos) {
    const std::string name = url.host.substr(percent + 1);
    const bool number = name.find_first_not_of("0123456789") == name.npos;
    if (!number && ::if_nametoindex(name.c_str()) == 0) return no_interface(url, name);
  }
  Lookup lookup = look_up(url.host, url.port, family, AI_NUMERICHOST);
  if (lookup.error != 0) return std::nullopt;
  return std::move(lookup.found);
}

/// One round of asking: what was found, or how it ended otherwise.
struct Asked {
  std::vector<Address> found;
  int error = 0;        ///< getaddrinfo's, of who answered last
  bool silent = false;  ///< at the deadline an answer was still awaited
};

/// Asks for all families at once, as the system prefers it; if that takes long, for each by itself.
Result<Asked> ask(const Url& url, const Resolver& resolver, int family, TimePoint deadline) {
  LookUps asked(url, resolver);
  Asked outcome{.found = {}, .error = EAI_NONAME};
  if (Result<void> begun = asked.ask(family); !begun) return std::move(begun).error();
  std::optional<Lookup> answer = asked.next(std::min(deadline, Clock::now() + patience));
  bool one_by_one = false;
  if (!answer && family == AF_UNSPEC && Clock::now() < deadline) {
    one_by_one = true;
    for (const int single : {AF_INET, AF_INET6}) {
      if (Result<void> begun = asked.ask(single); !begun) return std::move(begun).error();
    }
  }
  TimePoint until = deadline;
  while (answer || (answer = asked.next(until))) {
    if (answer->error != 0) outcome.error = answer->error;
    outcome.found.insert(outcome.found.end(), answer->found.begin(), answer->found.end());
    if (!outcome.found.empty() && !one_by_one) break;
    if (!outcome.found.empty()) until = std::min(until, Clock::now() + other_family);
    answer.reset();
  }
  outcome.silent = outcome.found.empty() && asked.on_their_way() > 0;
  return outcome;
}

std::string first_label(const std::string& name) {
  return name.substr(0, name.find('.'));
}

/// With or without a domain: /etc/hosts has both, the system's name often only one.
bool is_own_name(const std::string& name) {
  return first_label(name) == first_label(host_name()) && first_label(name) != "localhost";
}

/// See resolve(): the host's own name does not mean loopback.
void mend_own_name(const Url& url, std::vector<Address>& found, int family) {
  const auto loopback = [](const Address& one) { return one.is_loopback(); };
  if (!is_own_name(url.host)) return;
  if (!std::all_of(found.begin(), found.end(), loopback)) return;
  InterfaceSpec spec;
  spec.family = family;
  Result<Address> outward = choose(interfaces(), default_route(), spec, Reach::other_hosts);
  if (!outward) return;
  outward->set_port(url.port);
  found.insert(found.begin(), *outward);
}

}  // namespace

Result<std::vector<Address>> resolve(const Url& url, TimePoint deadline) {
  return resolve(url, deadline, system_resolver);
}

Result<std::vector<Address>> resolve(const Url& url, TimePoint deadline, const Resolver& resolver) {
  if (url.scheme == Url::Scheme::unix_socket) return std::vector{unix_address(url.path)};
  const int family = url.scheme == Url::Scheme::tcp6 ? AF_INET6 : AF_UNSPEC;
  if (auto known = numeric(url, family)) return std::move(*known);

  const TimePoint begun = Clock::now();
  BackOff back_off(again_first, again_most);
  std::string why;
  for (unsigned tries = 1;; ++tries) {
    Result<Asked> asked = ask(url, resolver, family, deadline);
    if (!asked) return std::move(asked).error();
    if (!asked->found.empty()) {
      mend_own_name(url, asked->found, family);
      return std::move(asked->found);
    }
    if (asked->silent) {
      return unresolved(url, why.empty() ? "the name server does not answer" : why, tries, begun);
    }
    why = ::gai_strerror(asked->error);
    const TimePoint next = Clock::now() + back_off.next(system_random());
    if (!may_change(asked->error) || next >= deadline) return unresolved(url, why, tries, begun);
    pause_until(next);
  }
}

}  // namespace muster::net
