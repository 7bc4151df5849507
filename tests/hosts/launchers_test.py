"""MPI's launchers over several hosts: a job by their variables, and one by MPI itself."""

import shutil
import unittest
from pathlib import Path

import hosts

# Where the launcher would use ssh: enters the host, whose pid is in the file of its name.
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter -t "$(cat "{room}/$host.pid")" --net --mount --uts -- /bin/sh -c "$*"
"""
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl": "self,vader,tcp", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1"}


class Launchers(hosts.Case):
    """Four ranks on three hosts; the launcher runs on the first one, which gets rank 0."""

    def setUp(self):
        super().setUp()
        self.first, *_ = cluster = [self.host(f"node-{letter}", f"10.77.0.{number}/24")
                                    for number, letter in enumerate("abc", 1)]
        names = "".join(f"10.77.0.{number} {host.name}\n" for number, host in enumerate(cluster, 1))
        for host in cluster:
            host.write_etc("hosts", f"127.0.0.1 localhost\n{names}")
            (self.room / f"{host.name}.pid").write_text(str(host.holder.pid), encoding="ascii")
        self.agent = self.room / "agent"
        self.agent.write_text(AGENT.replace("{room}", str(self.room)), encoding="ascii")
        self.agent.chmod(0o700)

    def launch(self, launcher, *words, **variables):
        if shutil.which(launcher) is None:
            self.skipTest(f"there is no {launcher}")
        return self.first.start(launcher, *words, TMPDIR=str(self.room), **variables)

    def open_mpi(self, program, **variables):
        passed = [word for name in variables for word in ("-x", name)]
        return self.launch("mpirun.openmpi", "--timeout", hosts.PATIENCE - 5,
                           "--mca", "plm_rsh_agent", self.agent,
                           "--host", "node-a:2,node-b:1,node-c:1", "-n", 4, *passed, program,
                           **OPEN_MPI, **variables)

    def mpich(self, program, **variables):
        return self.launch("mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", self.agent,
                           "-hosts", "node-a:2,node-b:1,node-c:1", "-n", 4, program,
                           MPIEXEC_TIMEOUT=str(hosts.PATIENCE - 5), **variables)

    def assert_joins_by_variables(self, launch):
        code, out, err = hosts.ended(launch(self.hello, MUSTER_URL="tcp://node-a:4711"))
        self.assertEqual(code, 0, out + err)
        for rank, host in enumerate("aabc"):
            self.assertIn(f"rank 0: rank {rank} is node-{host},", out)

    def assert_joins_by_mpi(self, launch):
        """A job over TCP that MPI only brings together, and the group suite over MPI's messages."""
        for name, told in (("mpi_job_program", "one of 4 has left"),
                           ("mpi_group_program", "[  PASSED  ]")):
            program = Path(self.hello).with_name(name)
            if not program.exists():
                self.skipTest("built without the MPI plugins")
            code, out, err = hosts.ended(launch(program, MUSTER_PLUGIN="mpi"))
            self.assertEqual(code, 0, out + err)
            self.assertEqual(out.count(told), 4, out + err)

    def test_open_mpi_by_variables(self):
        self.assert_joins_by_variables(self.open_mpi)

    def test_open_mpi_by_mpi(self):
        self.assert_joins_by_mpi(self.open_mpi)

    def test_mpich_by_variables(self):
        self.assert_joins_by_variables(self.mpich)

    def test_mpich_by_mpi(self):
        self.assert_joins_by_mpi(self.mpich)


if __name__ == "__main__":
    hosts.main()
