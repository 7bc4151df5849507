#include "net/choose.hpp"

#include <gmock/gmock.h>
#include <string>
#include <sys/socket.h>

#include "net/resolve.hpp"

namespace muster::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The address of numbers, with port 0.
Address at(const std::string& host) {
  const bool ipv6 = host.find(':') != host.npos;
  const Url url{.scheme = ipv6 ? Url::Scheme::tcp6 : Url::Scheme::tcp, .host = host};
  return resolve(url, Clock::now()).value().front();
}

Interface up(const char* name, const char* host) {
  return {.name = name, .address = at(host), .up = true};
}

Interface down(const char* name, const char* host) {
  return {.name = name, .address = at(host)};
}

Interface loopback(const char* host) {
  return {.name = "lo", .address = at(host), .up = true, .loopback = true};
}

/// What is chosen for other hosts, or the error's code.
std::string chosen(const std::vector<Interface>& all, const Route& route = {},
                   const char* spec = "", Reach reach = Reach::other_hosts) {
  const auto parsed = *spec == '\0' ? Result(InterfaceSpec{}) : InterfaceSpec::parse(spec);
  const auto address = choose(all, route, parsed.value(), reach);
  return address ? address->host() : name(address.error().code);
}

std::string complaint(const std::vector<Interface>& all, const char* spec) {
  return choose(all, {}, InterfaceSpec::parse(spec).value(), Reach::other_hosts).error().text();
}

const std::vector<Interface> node = {loopback("127.0.0.1"),     up("docker0", "172.17.0.1"),
                                     up("eth0", "10.0.0.5"),    up("ib0", "10.9.0.5"),
                                     loopback("::1"),           up("eth0", "fe80::5"),
                                     up("eth0", "fd00::5"),     up("ib0", "fd09::5"),
                                     up("veth12ab", "fe80::9"), down("eth1", "10.1.0.5")};

TEST(Choose, the_interface_of_the_default_route_comes_first) {
  EXPECT_EQ(chosen(node, {.ipv4 = at("10.9.0.5"), .ipv6 = {}}), "10.9.0.5");
  EXPECT_EQ(chosen(node, {.ipv4 = {}, .ipv6 = at("fd09::5")}), "fd09::5");
  EXPECT_EQ(chosen(node, {.ipv4 = at("10.0.0.5"), .ipv6 = at("fd09::5")}), "10.0.0.5");
}

TEST(Choose, without_a_route_it_is_the_first_that_leads_outward) {
  EXPECT_EQ(chosen(node), "10.0.0.5");
  EXPECT_EQ(chosen({loopback("127.0.0.1"), up("eth0", "fe80::5"), up("eth0", "fd00::5")}),
            "fd00::5");
  EXPECT_EQ(chosen({up("eth0", "fd00::5"), up("eth1", "10.0.0.5")}), "10.0.0.5");
}

TEST(Choose, a_link_local_address_is_the_last_resort) {
  EXPECT_EQ(chosen({up("eth0", "169.254.7.7"), up("eth1", "fd00::5")}), "fd00::5");
  EXPECT_EQ(chosen({loopback("::1"), up("eth0", "fe80::5")}), "fe80::5");
}

TEST(Choose, bridges_and_cables_of_containers_are_left_out) {
  for (const char* name : {"docker0", "veth12ab", "br-0a1b2c", "virbr0", "vnet3", "cni0", "lxcbr0",
                           "flannel.1", "cali12", "podman0"}) {
    EXPECT_EQ(chosen({up(name, "172.17.0.1"), up("zz0", "10.0.0.5")}), "10.0.0.5") << name;
    EXPECT_EQ(chosen({up(name, "172.17.0.1")}), "system") << name;
  }
  EXPECT_EQ(chosen({up("br-ex", "10.0.0.5"), up("eth9", "10.1.0.5")},
                   {.ipv4 = at("10.0.0.5"), .ipv6 = {}}),
            "10.0.0.5")
      << "some hosts reach the world through a bridge";
}

TEST(Choose, what_is_down_is_left_out) {
  EXPECT_EQ(chosen({down("eth0", "10.0.0.5"), up("eth1", "10.1.0.5")}), "10.1.0.5");
}

TEST(Choose, loopback_is_for_this_host_alone_and_only_if_there_is_nothing_else) {
  const std::vector<Interface> lonely = {loopback("::1"), loopback("127.0.0.1"),
                                         up("docker0", "172.17.0.1"), down("eth0", "10.0.0.5")};
  EXPECT_EQ(chosen(lonely), "system");
  EXPECT_EQ(chosen(lonely, {}, "^docker"), "system");
  EXPECT_EQ(chosen(lonely, {}, "", Reach::this_host), "127.0.0.1");
  EXPECT_EQ(chosen(lonely, {}, "=lo"), "127.0.0.1") << "asked for by name";
  EXPECT_EQ(chosen(node, {}, "", Reach::this_host), "10.0.0.5");
  EXPECT_EQ(chosen({up("eth0", "127.0.0.9")}), "system") << "loopback on another interface";
}

TEST(Choose, a_list_is_taken_in_its_order) {
  const Route route{.ipv4 = at("10.0.0.5"), .ipv6 = {}};
  EXPECT_EQ(chosen(node, route, "ib,eth"), "10.9.0.5");
  EXPECT_EQ(chosen(node, route, "eth,ib"), "10.0.0.5");
  EXPECT_EQ(chosen(node, route, "missing,ib"), "10.9.0.5");
  EXPECT_EQ(chosen({up("eth10", "10.0.0.10"), up("eth1", "10.0.0.1")}, {}, "eth1"), "10.0.0.1");
}

TEST(Choose, a_name_that_is_given_is_good_whatever_it_is) {
  EXPECT_EQ(chosen(node, {}, "docker"), "172.17.0.1");
  EXPECT_EQ(chosen(node, {}, "veth"), "fe80::9");
}

TEST(Choose, a_family_may_be_asked_for) {
  EXPECT_EQ(chosen(node, {}, "eth0"), "10.0.0.5") << "IPv4 first";
  EXPECT_EQ(chosen(node, {}, "eth0:inet6"), "fd00::5");
  EXPECT_EQ(chosen(node, {}, "ib0:inet4"), "10.9.0.5");
  EXPECT_EQ(chosen(node, {}, "^eth:inet6"), "fd09::5");
}

TEST(Choose, what_is_excluded_is_not_taken_not_even_on_the_default_route) {
  EXPECT_EQ(chosen(node, {.ipv4 = at("10.0.0.5"), .ipv6 = {}}, "^eth"), "10.9.0.5");
  EXPECT_EQ(chosen(node, {}, "^=eth0,ib0"), "system") << "docker0 is no way out of it";
}

TEST(Choose, a_wrong_name_is_an_error_that_lists_what_there_is) {
  EXPECT_THAT(complaint(node, "eht0"),
              AllOf(HasSubstr("'eht0' matches none of this host's interfaces"),
                    HasSubstr("docker0 (172.17.0.1), eth0 (10.0.0.5, fe80::5, fd00::5), "
                              "eth1 (down), ib0 (10.9.0.5, fd09::5), lo (127.0.0.1, ::1)")));
  EXPECT_THAT(complaint(node, "=eth"), HasSubstr("'=eth' matches none"));
  EXPECT_THAT(complaint(node, "eth1"), HasSubstr("'eth1' names eth1, which is down"));
  EXPECT_THAT(complaint(node, "docker0:inet6"),
              HasSubstr("names docker0, which has no IPv6 address"));
  EXPECT_THAT(complaint({{.name = "eth0", .address = {}, .up = true}}, "eth0"),
              HasSubstr("names eth0, which has no address"));
}

TEST(Choose, a_host_without_a_way_out_says_so) {
  const auto none = choose({loopback("127.0.0.1")}, {}, {}, Reach::other_hosts);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().text(),
              AllOf(HasSubstr("no address that other hosts can reach"), HasSubstr("lo (127.0.0.1)"),
                    HasSubstr("if all ranks run on this host")));
}

TEST(Interfaces, of_this_host_have_loopback_among_them) {
  const auto all = interfaces();
  const auto is_loopback = [](const Interface& one) {
    return one.loopback && one.name == "lo" && one.address.is_loopback();
  };
  // A network namespace of its own may have it down, and then without addresses.
  EXPECT_THAT(interfaces_text(all), HasSubstr("lo ("));
  if (std::none_of(all.begin(), all.end(), is_loopback)) GTEST_SKIP() << "no loopback here";
}

TEST(Interfaces, the_default_routes_addresses_are_own_ones) {
  const auto all = interfaces();
  const Route route = default_route();
  for (const Address& own : {route.ipv4, route.ipv6}) {
    if (own.family() == AF_UNSPEC) continue;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Interface& one) {
      return one.address.family() == own.family() && one.address.host() == own.host();
    })) << own.host();
  }
}

}  // namespace
}  // namespace muster::net
