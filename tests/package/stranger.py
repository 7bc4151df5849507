"""What somebody does who has Muster installed, and not its source: builds programs, runs the tool.

The command line of a test: BUILD, the folder of the build, and CXX, its compiler.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
_TOLD = re.compile(r"MUSTER_|CMAKE_|PKG_CONFIG_|LD_LIBRARY_PATH|DESTDIR|C(XX)?FLAGS|LDFLAGS")


def arguments():
    """The test's own arguments: BUILD CXX."""
    return Path(sys.argv[1]).resolve(), sys.argv[2]


def run(*command, **more):
    """Standard output of a command that must succeed; it sees no setting of whoever tests."""
    environment = {k: v for k, v in os.environ.items() if not _TOLD.match(k)}
    environment.update({k: str(v) for k, v in more.items()})
    done = subprocess.run([str(word) for word in command], env=environment, timeout=100,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def files(root):
    """Paths of all files and links under `root`, relative to it."""
    return {str(p.relative_to(root)) for p in root.rglob("*") if p.is_symlink() or p.is_file()}


class Case(unittest.TestCase):
    """A test with a temporary folder for all of its functions, in `room`."""

    @classmethod
    def setUpClass(cls):
        cls.build, cls.cxx = arguments()
        cls.room = Path(tempfile.mkdtemp(prefix="muster-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.room)

    def assert_no_path_in(self, root, *paths):
        """No file under `root` holds any of these paths, so that it can be moved and shipped."""
        for name in sorted(files(root)):
            content = (root / name).read_bytes()
            for path in paths:
                self.assertNotIn(os.fsencode(path), content, f"{name} holds {path}")

    def assert_usable(self, prefix):
        """Samples build against `prefix` in every documented way, and run."""
        self.assertRegex(run(prefix / "bin/muster", "--version"), r"^muster \d+\.\d+\.\d+\n$")
        work = self.room / "work"
        for name in ("sample", "finds"):
            shutil.copytree(HERE / name, work / name)
        ccache = shutil.which("ccache")
        settings = {"CXX": self.cxx, "CMAKE_PREFIX_PATH": prefix,
                    # What was compiled in one temporary folder is found again in the next.
                    "CCACHE_BASEDIR": self.room, "CCACHE_NOHASHDIR": "1"}
        if ccache:
            settings["CMAKE_CXX_COMPILER_LAUNCHER"] = ccache

        by_cmake = work / "cmake"
        run("cmake", "-G", "Ninja", "-S", work / "sample", "-B", by_cmake, **settings)
        run("cmake", "--build", by_cmake, **settings)
        self._assert_samples_run(by_cmake, prefix)
        run("cmake", "-G", "Ninja", "-S", work / "finds", "-B", work / "found", **settings)

        by_make = work / "make"
        by_make.mkdir()
        pc, = prefix.rglob("muster.pc")
        compiler = f"{ccache} {self.cxx}" if ccache else self.cxx
        run("make", "-C", work / "sample", f"OUT={by_make}", f"CXX={compiler}",
            **settings, PKG_CONFIG_PATH=pc.parent)
        self._assert_samples_run(by_make, prefix)

    def _assert_samples_run(self, folder, prefix):
        needed = {}
        for kind in ("shared", "static", "c_shared", "c_static"):
            program = folder / f"sample_{kind}"
            self.assertEqual(run(program), "good morning from rank 0 of 1\n")
            needed[kind] = re.search(r"libmuster\S* => (\S+)", run("ldd", program))
        for kind in ("static", "c_static"):
            self.assertIsNone(needed[kind], f"sample_{kind} needs the shared library")
        for kind in ("shared", "c_shared"):
            used = Path(needed[kind].group(1)).resolve()
            self.assertTrue(used.is_relative_to(prefix), f"runs with {used}, not with {prefix}")


def main():
    unittest.main(argv=[sys.argv[0]], verbosity=2)
