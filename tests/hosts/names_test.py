"""Names that come late, half or never; and that nobody is looked up in reverse."""

import json
import sys
import time
import unittest

import hosts


class Names(hosts.Case):
    def setUp(self):
        super().setUp()
        self.a = self.host("node-a", "10.77.0.1/24", "fd77::1/64")
        self.b = self.host("node-b", "10.77.0.2/24", "fd77::2/64")
        self.log = self.room / "asked"

    def answer(self, host, records):
        """Gives `host` a name server."""
        host.write_etc("resolv.conf", "nameserver 127.0.0.1\n")
        host.start(sys.executable, "-B", hosts.HERE / "name_server.py", json.dumps(records),
                   self.log)
        hosts.wait_until(lambda: "ready" in self.asked(), "name server")

    def asked(self):
        return self.log.read_text(encoding="ascii").split() if self.log.exists() else []

    def join_by_name(self, *addresses):
        """Rank 0 serves at `addresses`, rank 1 knows the name only."""
        first = self.rank(self.a, 0, 2, MUSTER_URL=addresses[0])
        second = self.rank(self.b, 1, 2, MUSTER_URL="tcp://head.cluster:4711")
        self.assert_all_well([first, second])

    def test_a_name_server_that_answers_late(self):
        self.answer(self.b, {"head.cluster": {"A": "10.77.0.1", "delay": 3}})
        begun = time.monotonic()
        self.join_by_name("tcp://10.77.0.1:4711")
        self.assertGreaterEqual(time.monotonic() - begun, 3)

    def test_a_name_server_that_never_answers_holds_nobody_beyond_the_deadline(self):
        silent = {"silent": ["A", "AAAA"]}
        self.answer(self.b, {"head.cluster": silent})
        begun = time.monotonic()
        rank = self.rank(self.b, 1, 2, MUSTER_URL="tcp://head.cluster:4711",
                         MUSTER_JOIN_TIMEOUT="1")
        self.assert_fails(rank, 20, "cannot look up 'head.cluster'", "[while: resolve]",
                          "the name server does not answer")
        self.assertGreaterEqual(time.monotonic() - begun, 1)
        self.assertLess(time.monotonic() - begun, 4, "1 s, and the start of a program")

    def test_a_name_that_does_not_exist_is_asked_for_until_the_deadline(self):
        self.answer(self.b, {})
        rank = self.rank(self.b, 1, 2, MUSTER_URL="tcp://head.cluster:4711",
                         MUSTER_JOIN_TIMEOUT="1")
        self.assert_fails(rank, 20, "cannot look up 'head.cluster'", "[while: resolve]", "times)")
        self.assertGreater(self.asked().count("head.cluster"), 2)

    def test_rank_0_waits_for_its_own_name(self):
        self.answer(self.a, {})
        first = self.rank(self.a, 0, 2, MUSTER_URL="tcp://head.cluster:4711")
        second = self.rank(self.b, 1, 2, MUSTER_URL="tcp://10.77.0.1:4711")
        hosts.wait_until(lambda: "head.cluster" in self.asked(), "question")
        self.a.write_etc("hosts", "127.0.0.1 localhost\n10.77.0.1 head.cluster\n")
        self.assert_all_well([first, second])

    def test_a_name_server_that_answers_for_ipv4_alone(self):
        self.answer(self.b, {"head.cluster": {"A": "10.77.0.1", "silent": ["AAAA"]}})
        begun = time.monotonic()
        self.join_by_name("tcp://10.77.0.1:4711")
        self.assertLess(time.monotonic() - begun, 4.5, "the resolver itself gives up after 5 s")

    def test_a_name_server_that_answers_for_ipv6_alone(self):
        self.answer(self.b, {"head.cluster": {"AAAA": "fd77::1", "silent": ["A"]}})
        begun = time.monotonic()
        self.join_by_name("tcp6://[fd77::1]:4711")
        self.assertLess(time.monotonic() - begun, 4.5)

    def test_a_dead_address_beside_a_good_one(self):
        self.answer(self.b, {"head.cluster": {"A": "10.77.0.1", "AAAA": "fd99::1"}})
        # A hole: what is sent there is taken, and nothing comes back.
        self.b.run("ip", "link", "add", "hole", "type", "bridge")
        self.b.run("ip", "link", "set", "hole", "up")
        self.b.run("ip", "-6", "route", "add", "fd99::/64", "dev", "hole")
        self.b.run("ip", "-6", "neigh", "add", "fd99::1", "lladdr", "02:00:00:00:00:01", "dev",
                   "hole")
        begun = time.monotonic()
        self.join_by_name("tcp://10.77.0.1:4711")
        self.assertLess(time.monotonic() - begun, 10)

    def test_nobody_is_looked_up_in_reverse(self):
        for host in (self.a, self.b):
            self.answer(host, {"head.cluster": {"A": "10.77.0.1"}})
        self.join_by_name("tcp://10.77.0.1:4711")
        asked = self.asked()
        self.assertIn("head.cluster", asked)
        self.assertNotIn("PTR", asked)
        self.assertEqual(set(asked) - {"ready", "A", "AAAA"}, {"head.cluster"})


if __name__ == "__main__":
    hosts.main()
