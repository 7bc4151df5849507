#include "net/choose.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster::net {
namespace {

/// How the bridges and cables of containers and virtual machines are called: their addresses mean
/// the same to every host that runs such software, or nothing to any other.
constexpr std::array<std::string_view, 14> inward = {
    "docker", "veth",    "br-",  "virbr",  "vnet",  "lxcbr",   "lxdbr",
    "cni",    "flannel", "cali", "podman", "vmnet", "vboxnet", "ifb"};

bool leads_inward(std::string_view name) {
  return std::any_of(inward.begin(), inward.end(),
                     [name](std::string_view begin) { return name.starts_with(begin); });
}

bool is_same(const Address& a, const Address& b) {
  return a.family() != AF_UNSPEC && a.family() == b.family() && a.host() == b.host();
}

/// Decides over one list of interfaces.
class Choice {
 public:
  Choice(const std::vector<Interface>& all, const Route& route, const InterfaceSpec& spec,
         Reach reach)
      : all_(all), route_(route), spec_(spec), reach_(reach) {}

  Result<Address> best() const {
    const Interface* best = nullptr;
    for (const Interface& one : all_) {
      if (!eligible(one)) continue;
      if (best == nullptr || order_of(one) < order_of(*best)) best = &one;
    }
    if (best != nullptr) return best->address;
    return by_name() ? nothing_of_those_named() : nothing();
  }

 private:
  bool by_name() const { return !spec_.names.empty() && !spec_.exclude; }

  bool has_family(const Interface& one) const {
    const int family = one.address.family();
    return family != AF_UNSPEC && (spec_.family == AF_UNSPEC || spec_.family == family);
  }

  bool eligible(const Interface& one) const {
    if (!one.up || !has_family(one) || !spec_.place_of(one.name)) return false;
    if (by_name()) return true;
    if (one.loopback || one.address.is_loopback()) return reach_ == Reach::this_host;
    return !leads_inward(one.name) || on_default_route(one);
  }

  bool on_default_route(const Interface& one) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Interface& other) {
      return other.name == one.name &&
             (is_same(other.address, route_.ipv4) || is_same(other.address, route_.ipv6));
    });
  }

  /// The less, the better.
  std::tuple<std::size_t, bool, bool, int, bool> order_of(const Interface& one) const {
    int distance = 3;
    if (on_default_route(one)) distance = 2;
    if (is_same(one.address, route_.ipv6)) distance = 1;
    if (is_same(one.address, route_.ipv4)) distance = 0;
    return {*spec_.place_of(one.name), one.loopback || one.address.is_loopback(),
            one.address.is_link_local(), distance, one.address.family() == AF_INET6};
  }

  Error nothing_of_those_named() const {
    std::string why = "matches none of this host's interfaces";
    for (const Interface& one : all_) {
      if (!spec_.place_of(one.name)) continue;
      const char* family = spec_.family == AF_INET ? "IPv4 " : "IPv6 ";
      why = !one.up ? fmt::format("names {}, which is down", one.name)
                    : fmt::format("names {}, which has no {}address", one.name,
                                  spec_.family == AF_UNSPEC ? "" : family);
      break;
    }
    return usage_error(fmt::format("{} {}", quoted(spec_.text()), why),
                       "the interfaces are: " + interfaces_text(all_));
  }

  Error nothing() const {
    const char* family = spec_.family == AF_INET    ? "IPv4 "
                         : spec_.family == AF_INET6 ? "IPv6 "
                                                    : "";
    return Error{.code = Code::system,
                 .what = fmt::format("this host has no {}address that other hosts can reach; its "
                                     "interfaces are: {}",
                                     family, interfaces_text(all_)),
                 .advice = "name the interface to take; lo, if all ranks run on this host"};
  }

  const std::vector<Interface>& all_;
  const Route& route_;
  const InterfaceSpec& spec_;
  const Reach reach_;
};

}  // namespace

Result<Address> choose(const std::vector<Interface>& all, const Route& route,
                       const InterfaceSpec& spec, Reach reach) {
  return Choice(all, route, spec, reach).best();
}

}  // namespace muster::net
