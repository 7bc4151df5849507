"""Which address a job is served at, and that other hosts reach it there."""

import unittest

import hosts


class Addresses(hosts.Case):
    def serve(self, host, *options, **variables):
        """`muster uid` on `host`: the file with the id, and the address that it serves at."""
        path = self.room / "uid"
        serving = host.start(self.muster, "uid", "--output", path, *options, **variables)
        url = serving.stdout.readline().strip()
        self.assertTrue(url, "" if url else hosts.ended(serving)[2])
        return path, url

    def assert_joined(self, path, *ranks_hosts):
        self.assert_all_well([self.rank(host, rank, len(ranks_hosts), MUSTER_UID_FILE=str(path))
                              for rank, host in enumerate(ranks_hosts)])

    def test_hosts_with_ipv6_alone(self):
        a = self.host("node-a", "fd77::1/64")
        b = self.host("node-b", "fd77::2/64")
        path, url = self.serve(a)
        self.assertRegex(url, r"^tcp6://\[fd77::1\]:\d+$")
        self.assert_joined(path, a, b)

    def test_the_interface_of_the_default_route_is_taken(self):
        a = self.host("node-a", "10.77.0.1/24")
        b = self.host("node-b", "10.77.0.2/24")
        a.run("ip", "link", "add", "aaa0", "type", "bridge")
        a.run("ip", "addr", "add", "10.78.0.1/24", "dev", "aaa0")
        a.run("ip", "link", "set", "aaa0", "up")
        a.run("ip", "route", "add", "default", "via", "10.77.0.2")
        path, url = self.serve(a)
        self.assertIn("//10.77.0.1:", url)
        self.assert_joined(path, b, a)

    def test_a_bridge_of_containers_is_not_taken(self):
        # IPv4 comes first: it is the bridges that would be taken, but for their names.
        a = self.host("node-a", "fd77::1/64")
        b = self.host("node-b", "fd77::2/64")
        for name, address in (("docker0", "172.17.0.1/16"), ("br-0a1b2c3d4e5f", "172.18.0.1/16")):
            a.run("ip", "link", "add", name, "type", "bridge")
            a.run("ip", "addr", "add", address, "dev", name)
            a.run("ip", "link", "set", name, "up")
        path, url = self.serve(a)
        self.assertIn("//[fd77::1]:", url)
        self.assert_joined(path, a, b)

    def test_a_host_without_a_way_out_serves_nobody_by_mistake(self):
        a = self.host("node-a", "10.77.0.1/24")
        a.run("ip", "link", "set", "eth0", "down")
        code, _, err = hosts.ended(a.start(self.muster, "uid"))
        self.assertEqual(code, 1)
        self.assertIn("no address that other hosts can reach", err)
        self.assertIn("MUSTER_UID_IFNAME", err)
        code, _, err = hosts.ended(a.start(self.muster, "uid", MUSTER_UID_IFNAME="eht0"))
        self.assertEqual(code, 2)
        self.assertIn("MUSTER_UID_IFNAME: 'eht0' matches none of this host's interfaces", err)
        self.assertIn("eth0 (down), lo (127.0.0.1, ::1)", err)

    def test_the_own_name_on_127_0_1_1_is_not_loopback_to_others(self):
        a = self.host("node-a", "10.77.0.1/24")
        b = self.host("node-b", "10.77.0.2/24")
        a.write_etc("hosts", "127.0.0.1 localhost\n127.0.1.1 node-a.cluster node-a\n")
        b.write_etc("hosts", "127.0.0.1 localhost\n10.77.0.1 node-a.cluster node-a\n")
        for name in ("node-a", "node-a.cluster"):
            job = {"MUSTER_URL": f"tcp://{name}:4711"}
            self.assert_all_well([self.rank(a, 0, 3, **job), self.rank(b, 1, 3, **job),
                                  self.rank(a, 2, 3, **job)])
        path, url = self.serve(a, "--session-id", "node-a:0")
        self.assertIn("//10.77.0.1:", url)
        self.assert_joined(path, b, a)

    def test_a_wildcard_that_was_asked_for_is_told_as_an_address(self):
        a = self.host("node-a", "10.77.0.1/24")
        b = self.host("node-b", "10.77.0.2/24")
        path, url = self.serve(a, "--session-id", "0.0.0.0:0")
        self.assertIn("//10.77.0.1:", url)
        self.assertIn("0.0.0.0:" + url.rsplit(":", 1)[1], a.run("ss", "-ltn"))
        self.assert_joined(path, a, b)

    def test_nothing_but_the_chosen_address_is_listened_on(self):
        a = self.host("node-a", "10.77.0.1/24", "fd77::1/64")
        path, url = self.serve(a)
        listening = [line.split()[3] for line in a.run("ss", "-Hltn").splitlines()]
        self.assertEqual(listening, [url.removeprefix("tcp://")])
        self.assert_joined(path, a)

    def test_a_link_local_address_with_its_scope(self):
        a = self.host("node-a")
        b = self.host("node-b")
        words = a.run("ip", "-6", "addr", "show", "dev", "eth0").split()
        own = words[words.index("inet6") + 1].split("/")[0]
        self.assertTrue(own.startswith("fe80:"), own)
        job = {"MUSTER_URL": f"tcp6://[{own}%eth0]:4711"}
        self.assert_all_well([self.rank(a, 0, 2, **job), self.rank(b, 1, 2, **job)])
        wrong = self.rank(b, 1, 2, MUSTER_URL=f"tcp6://[{own}%eth7]:4711")
        code, _, err = hosts.ended(wrong)
        self.assertEqual(code, 1)
        self.assertIn("there is no interface 'eth7'", err)
        self.assertIn("eth0 (", err)

    def test_what_is_advertised_goes_through_a_gateway(self):
        inner = self.host("inner", "10.77.0.1/24")
        outer = self.host("outer", "10.77.0.2/24")
        inner.run("ip", "link", "add", "svc0", "type", "bridge")
        inner.run("ip", "addr", "add", "10.99.0.9/32", "dev", "svc0")
        inner.run("ip", "link", "set", "svc0", "up")
        outer.run("ip", "route", "add", "10.99.0.9/32", "via", "10.77.0.1")
        path, url = self.serve(inner, "--session-id", "0.0.0.0:0", MUSTER_ADVERTISE="10.99.0.9")
        self.assertIn("//10.99.0.9:", url)
        self.assert_joined(path, outer, inner)


if __name__ == "__main__":
    hosts.main()
