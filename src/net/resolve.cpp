#include "net/resolve.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <optional>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <thread>

#include "base/text.hpp"
#include "net/back_off.hpp"
#include "net/wait.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

constexpr auto again_first = 10ms;
constexpr auto again_most = 1s;

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
               .advice = "the interfaces are: " + interfaces_text()};
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

/// One look-up in a thread that nobody has to wait for. It takes no signals: they are meant for the
/// application's threads.
Result<std::future<Lookup>> ask(const Resolver& resolver, const Url& url, int family) {
  std::promise<Lookup> promise;
  std::future<Lookup> answer = promise.get_future();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = 0;
  try {
    std::thread([resolver, name = url.host, port = url.port, family,
                 promise = std::move(promise)]() mutable {
      promise.set_value(resolver(name, port, family));
    }).detach();  // taste: a resolver that hangs must not hold its caller
  } catch (const std::system_error& error) {
    failed = error.code().value();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed == 0) return answer;
  return Error{.code = Code::system,
               .phase = Phase::resolve,
               .what = fmt::format("cannot start a thread to look up {}: {}", quoted(url.host),
                                   reason(failed)),
               .advice = "raise the limit of processes (ulimit -u)"};
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
    Result<std::future<Lookup>> answer = ask(resolver, url, family);
    if (!answer) return std::move(answer).error();
    if (answer->wait_until(deadline) != std::future_status::ready) {
      return unresolved(url, why.empty() ? "the name server does not answer" : why, tries, begun);
    }
    Lookup lookup = answer->get();
    if (lookup.error == 0 && !lookup.found.empty()) return std::move(lookup.found);
    const int error = lookup.error == 0 ? EAI_NONAME : lookup.error;
    why = ::gai_strerror(error);
    const TimePoint next = Clock::now() + back_off.next(system_random());
    if (!may_change(error) || next >= deadline) return unresolved(url, why, tries, begun);
    pause_until(next);
  }
}

}  // namespace muster::net
