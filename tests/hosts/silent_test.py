"""A host that is gone without a word: nothing closes or answers. Its silence tells."""

import json
import time
import unittest

import hosts

# Five of these without a byte, and somebody is given up.
HEARTBEAT = "0.5"
URL = "tcp://10.77.0.1:4711"
IN_TIME = 20  # seconds, for a busy machine; without heartbeats it would be a quarter of an hour


class Silent(hosts.Case):
    def setUp(self):
        super().setUp()
        self.a = self.host("node-a", "10.77.0.1/24")
        self.b = self.host("node-b", "10.77.0.2/24")

    def start(self, host, rank):
        """One of three ranks, the last of which never comes: so it waits, but not in vain."""
        return self.rank(host, rank, 3, MUSTER_URL=URL, MUSTER_HEARTBEAT=HEARTBEAT,
                         MUSTER_JOIN_TIMEOUT="50")

    def joined(self):
        status = self.a.run(self.muster, "status", URL, "--json")
        return json.loads(status)["joined"]

    def test_a_dead_host_is_found_within_the_limit_and_named_and_finds_its_server_gone(self):
        served = self.start(self.a, 0)
        hosts.wait_until(lambda: served.poll() is not None or self.serves(), "server")
        other = self.start(self.b, 1)
        hosts.wait_until(lambda: self.joined() == 2, "second rank")
        begun = time.monotonic()
        # Its cable: no interface goes down, no packet comes back.
        hosts.run("ip", "link", "set", "port2", "nomaster")
        self.assert_fails(served, IN_TIME, "rank_lost", "rank 1 (host node-b, pid ",
                          "silent for 2.5 s")
        self.assertGreater(time.monotonic() - begun, 1.25, "it was alive so far")
        self.assert_fails(other, IN_TIME, "server_lost", "rank 0 (host node-a, pid ",
                          "silent for 2.5 s")

    def serves(self):
        try:
            return self.joined() == 1
        except AssertionError:
            return False


if __name__ == "__main__":
    hosts.main()
