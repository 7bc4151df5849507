"""Several hosts on one machine: network namespaces on a bridge, made by the test for itself.

A test program runs in network, mount, host name and process namespaces of its own, so that whatever
it makes goes with it, however it ends. Where the kernel forbids that, it says so and counts as
skipped. The command line of a test: BIN, the folder of the built programs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SKIPPED = 77  # what CTest takes for "skipped"
INSIDE = "MUSTER_TEST_HOSTS"
PATIENCE = 60  # seconds; nothing that works takes so long
HERE = Path(__file__).resolve().parent


def _namespaces():
    """The command that runs another one in namespaces of its own."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *user, "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child",
            "--mount-proc"]


def _why_not():
    """Why there can be no hosts here, or nothing."""
    for tool in ("unshare", "nsenter", "ip"):
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    probe = "ip link add a0 type bridge && ip link add a1 type veth peer name a2"
    try:
        done = subprocess.run([*_namespaces(), "sh", "-c", probe], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return "making namespaces takes too long"
    return None if done.returncode == 0 else (done.stderr.strip() or "unshare fails")


def main():
    """Instead of unittest.main()."""
    if INSIDE not in os.environ:
        why = _why_not()
        if why is not None:
            print(f"skipped: no network namespaces here: {why}")
            sys.exit(SKIPPED)
        command = [*_namespaces(), sys.executable, "-B", *sys.argv]
        os.execvpe(command[0], command, {**os.environ, INSIDE: "1"})
    binaries = Path(sys.argv.pop(1)).resolve()
    Case.muster = str(binaries / "muster")
    Case.hello = str(binaries / "hello")
    result = unittest.main(exit=False).result
    all_skipped = result.testsRun > 0 and len(result.skipped) == result.testsRun
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if all_skipped else 0)


def run(*command, **more):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=PATIENCE, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr}{done.stdout}")
    return done.stdout


class Host:
    """One host: a process that holds its namespaces, and what runs in them."""

    def __init__(self, name, room):
        self.name = name
        self.room = room
        self.holder = subprocess.Popen(["unshare", "--net", "--mount", "--uts", "sleep", "600"])
        self.started = []
        own = os.readlink("/proc/self/ns/uts")
        wait_until(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/uts") != own, "a new host")
        self.run("hostname", name)
        self.run("ip", "link", "set", "lo", "up")
        self.write_etc("hosts", "127.0.0.1 localhost\n::1 localhost\n")
        self.write_etc("resolv.conf", "")
        self.write_etc("nsswitch.conf", "hosts: files dns\n")

    def inside(self, *command):
        return ["nsenter", "-t", str(self.holder.pid), "--net", "--mount", "--uts", "--",
                *map(str, command)]

    def run(self, *command, **more):
        return run(*self.inside(*command), **more)

    def write_etc(self, name, text):
        """This host alone sees that text in /etc/NAME."""
        path = self.room / f"{self.name}-{name}"
        path.write_text(text, encoding="ascii")
        if Path("/etc", name).exists():
            self.run("mount", "--bind", path, f"/etc/{name}")

    def start(self, *command, **variables):
        """Starts a program in an environment that holds nothing of Muster's but `variables`."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MUSTER_", "SHMEM_"))}
        started = subprocess.Popen(self.inside(*command), text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**kept, **variables})
        self.started.append(started)
        return started

    def end(self):
        for one in [*self.started, self.holder]:
            if one.poll() is None:
                one.kill()
            one.wait()
            for pipe in (one.stdout, one.stderr):
                if pipe is not None:
                    pipe.close()


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"no {what} after {PATIENCE} s")
        time.sleep(0.01)


def ended(process, within=PATIENCE):
    """(exit code, standard output, standard error) of a started program."""
    try:
        out, err = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"still running after {within} s: {out}{err}") from None
    return process.returncode, out, err


class Case(unittest.TestCase):
    """A test with a network of its own."""

    muster = None
    hello = None

    def setUp(self):
        self.room = Path(tempfile.mkdtemp(prefix="muster-hosts-"))
        self.addCleanup(shutil.rmtree, self.room)
        run("ip", "link", "add", "switch", "type", "bridge")
        self.addCleanup(run, "ip", "link", "del", "switch")
        run("ip", "link", "set", "switch", "up")
        self.count = 0

    def host(self, name, *addresses):
        """A host on the network; its interface there is eth0."""
        host = Host(name, self.room)
        self.addCleanup(host.end)
        self.count += 1
        port = f"port{self.count}"
        run("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns",
            str(host.holder.pid))
        # Not left to the end of the namespace, which may take its time.
        self.addCleanup(run, "ip", "link", "del", port)
        # Nobody has these addresses but us: no second of looking for others who do.
        host.run("sh", "-c", "echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad || true")
        run("ip", "link", "set", port, "master", "switch", "up")
        for address in addresses:
            more = ["nodad"] if ":" in address else []
            host.run("ip", "addr", "add", address, "dev", "eth0", *more)
        host.run("ip", "link", "set", "eth0", "up")
        wait_until(lambda: "tentative" not in host.run("ip", "addr", "show", "dev", "eth0"),
                   "settled address")
        return host

    def rank(self, host, rank, size, **variables):
        """A rank of a job, told by environment."""
        told = {"MUSTER_RANK": str(rank), "MUSTER_SIZE": str(size), "MUSTER_JOIN_TIMEOUT": "30"}
        return host.start(self.hello, **{**told, **variables})

    def assert_all_well(self, processes):
        for one in processes:
            code, out, err = ended(one)
            self.assertEqual(code, 0, out + err)
            self.assertIn("all are here", out)

    def assert_fails(self, process, within, *texts):
        """It ends with an error that says all of `texts`, in so many seconds."""
        code, out, err = ended(process, within)
        self.assertEqual(code, 1, out + err)
        for text in texts:
            self.assertIn(text, err)
