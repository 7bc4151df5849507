"""Packets that go one way only: the deadline holds, and the error says how far it got."""

import shutil
import time
import unittest

import hosts


@unittest.skipIf(shutil.which("nft") is None, "there is no nft")
class Blocked(hosts.Case):
    def setUp(self):
        super().setUp()
        self.a = self.host("node-a", "10.77.0.1/24")
        self.b = self.host("node-b", "10.77.0.2/24")

    def drop(self, host, rule):
        """From now on `host` drops what comes in and fits the rule."""
        try:
            host.run("nft", "add table inet test; add chain inet test in { type filter hook input "
                     f"priority 0; }}; add rule inet test in {rule} drop")
        except AssertionError as error:
            self.skipTest(f"nft cannot filter here: {error}")

    def fail_to_join(self, *texts):
        begun = time.monotonic()
        rank = self.rank(self.b, 1, 2, MUSTER_URL="tcp://10.77.0.1:4711", MUSTER_JOIN_TIMEOUT="2")
        self.assert_fails(rank, 20, *texts)
        took = time.monotonic() - begun
        self.assertGreaterEqual(took, 2)
        self.assertLess(took, 5, "2 s, and the start of a program")

    def test_what_is_asked_does_not_arrive(self):
        self.drop(self.a, "tcp dport 4711")
        self.rank(self.a, 0, 2, MUSTER_URL="tcp://10.77.0.1:4711")
        self.fail_to_join("cannot connect to tcp://10.77.0.1:4711: no answer", "[while: connect]",
                          "firewall")

    def test_what_is_answered_does_not_arrive(self):
        self.drop(self.b, "tcp sport 4711")
        self.rank(self.a, 0, 2, MUSTER_URL="tcp://10.77.0.1:4711")
        self.fail_to_join("no answer", "[while: connect]")

    def test_the_connection_stands_and_then_nothing_comes_back(self):
        # A SYN and the answer to it pass; what has data in it does not.
        self.drop(self.b, "tcp sport 4711 tcp flags & (syn | rst | fin) == 0")
        self.rank(self.a, 0, 2, MUSTER_URL="tcp://10.77.0.1:4711")
        self.fail_to_join("connected, silent for", "[while: hello]")

    def test_the_others_are_told_who_is_missing(self):
        self.drop(self.b, "tcp sport 4711")
        served = self.rank(self.a, 0, 2, MUSTER_URL="tcp://10.77.0.1:4711",
                           MUSTER_JOIN_TIMEOUT="2")
        self.rank(self.b, 1, 2, MUSTER_URL="tcp://10.77.0.1:4711", MUSTER_JOIN_TIMEOUT="2")
        self.assert_fails(served, 20, "1 of 2 ranks did not join", "rank 1")


if __name__ == "__main__":
    hosts.main()
