#include "job/uid_address.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "base/variables.hpp"
#include "net/address.hpp"
#include "net/advertise.hpp"
#include "net/choose.hpp"
#include "net/listen.hpp"
#include "net/port_range.hpp"

namespace muster {
namespace {

/// Value. A setting, and who has said it, for errors.
struct Said {
  const char* by = "";
  std::string text;
  bool session = false;  ///< a session id; else interfaces
};

/// The one that counts, as the order says; an empty one if nobody has said anything.
Said address_said(const UniqueIdOptions& options) {
  const auto variable = [](const char* name) { return std::string(look_up(name).value_or("")); };
  const Said in_order[] = {
      {"session_id", options.session_id, true},
      {"interfaces", options.interfaces, false},
      {"MUSTER_UID_SESSION_ID", variable("MUSTER_UID_SESSION_ID"), true},
      {"MUSTER_UID_IFNAME", variable("MUSTER_UID_IFNAME"), false},
      {"SHMEM_UID_SESSION_ID", variable("SHMEM_UID_SESSION_ID"), true},
      {"SHMEM_UID_SOCK_IFNAME", variable("SHMEM_UID_SOCK_IFNAME"), false},
  };
  for (const Said& one : in_order) {
    if (!one.text.empty()) return one;
  }
  return {};
}

/// Value. Ports to choose from, and who has said so, for errors.
struct SaidPorts {
  const char* by = "";
  std::optional<PortRange> range;
};

/// An empty one if nobody has said anything. Errors: `invalid_argument`.
Result<SaidPorts> ports_said(const UniqueIdOptions& options) {
  if (options.port_range) {
    if (auto good = check_port_range(*options.port_range); !good) return std::move(good).error();
    return SaidPorts{"port_range", options.port_range};
  }
  for (const char* variable : {"MUSTER_PORT_RANGE", "SHMEM_INSTANCE_PORT_RANGE"}) {
    const std::string_view text = look_up(variable).value_or("");
    if (text.empty()) continue;
    const Result<PortRange> range = PortRange::parse(text);
    if (!range) return named(variable, range.error());
    return SaidPorts{variable, *range};
  }
  return SaidPorts{};
}

/// At the port that `url` says; if it says none, at one of `ports`, or any.
Result<net::Fd> bind(const net::Url& url, const SaidPorts& ports, TimePoint deadline) {
  if (url.port != 0 || !ports.range) return net::listen(url, deadline);
  Result<net::Fd> listener = net::listen(url, *ports.range, deadline);
  if (!listener) return named(ports.by, std::move(listener).error());
  return listener;
}

/// Exactly what the session id says.
Result<net::Fd> bind_session(const Said& session, const SaidPorts& ports, TimePoint deadline) {
  const Result<net::Url> url = net::Url::parse("tcp://" + session.text);
  if (!url) {
    return named(session.by,
                 usage_error(fmt::format("{} is no address", quoted(session.text)),
                             "expected host:port or [v6]:port, as in node7:4711, 10.0.0.5:0 or "
                             "[fd00::5]:4711"));
  }
  Result<net::Fd> listener = bind(*url, ports, deadline);
  if (!listener) return named(session.by, std::move(listener).error());
  return listener;
}

/// A free port of the best address of the interfaces that are wanted.
Result<net::Fd> bind_chosen(const Said& wanted, const SaidPorts& ports, net::Reach reach) {
  net::InterfaceSpec spec;
  if (!wanted.text.empty()) {
    Result<net::InterfaceSpec> parsed = net::InterfaceSpec::parse(wanted.text);
    if (!parsed) return named(wanted.by, std::move(parsed).error());
    spec = *std::move(parsed);
  }
  Result<net::Address> chosen = net::choose(net::interfaces(), net::default_route(), spec, reach);
  if (!chosen) {
    Error error = std::move(chosen).error();
    if (!wanted.text.empty()) return named(wanted.by, std::move(error));
    error.advice += " (MUSTER_UID_IFNAME)";
    return error;
  }
  const net::Url url{
      .scheme = chosen->family() == AF_INET ? net::Url::Scheme::tcp : net::Url::Scheme::tcp6,
      .host = chosen->host()};
  return bind(url, ports, Clock::now());
}

}  // namespace

Result<UidAddress> bind_for_unique_id(const UniqueIdOptions& options) {
  const Said address = address_said(options);
  const Result<SaidPorts> ports = ports_said(options);
  if (!ports) return ports.error();
  const auto reach = options.all_local ? net::Reach::this_host : net::Reach::other_hosts;
  Result<net::Fd> listener =
      address.session ? bind_session(address, *ports, Clock::now() + options.name_timeout)
                      : bind_chosen(address, *ports, reach);
  if (!listener) return std::move(listener).error();
  Result<net::Url> bound = net::bound_url(listener->get());
  if (!bound) return std::move(bound).error();
  const bool given = !options.advertise.empty();
  const Said advertise{
      .by = given ? "advertise" : "MUSTER_ADVERTISE",
      .text = given ? options.advertise : std::string(look_up("MUSTER_ADVERTISE").value_or(""))};
  Result<net::Url> told = net::advertised(*bound, advertise.text);
  if (!told) return named(advertise.by, std::move(told).error());
  return UidAddress{.listener = *std::move(listener), .told = *std::move(told)};
}

}  // namespace muster
