"""The man pages as a reader sees them: no complaint of troff, and nothing of `--help` is missing.

    python3 tests/package/man_test.py BUILD CXX
"""

import re
import subprocess
import unittest

from stranger import arguments, main, run

BUILD, _ = arguments()
TOOL = BUILD / "bin/muster"


def help_of(command):
    return run(TOOL, *command, "--help")


def subcommands(command):
    """The words under "Subcommands:" of the help."""
    _, found, rest = help_of(command).partition("\nSubcommands:\n")
    return re.findall(r"(?m)^  ([a-z]+) ", rest.split("\n\n")[0]) if found else []


class Pages(unittest.TestCase):
    def rendered(self, command):
        """The page of a command, in lines of any length, and without a complaint."""
        page = BUILD / "man" / ("-".join(["muster", *command]) + ".1")
        done = subprocess.run(["groff", "-man", "-ww", "-rLL=300n", "-Tascii", "-P-cbou", page],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "", page)
        return done.stdout

    def test_there_is_one_for_the_tool_and_each_subcommand(self):
        there = {p.name for p in (BUILD / "man").iterdir()}
        self.assertEqual(there, {"muster.1"} | {f"muster-{c}.1" for c in subcommands([])})
        self.assertGreaterEqual(len(there), 6)

    def test_they_say_all_that_help_says(self):
        for command in [[]] + [[c] for c in subcommands([])]:
            with self.subTest(command):
                self.assert_says_all(self.rendered(command), command)

    def assert_says_all(self, page, command):
        text = " ".join(page.split())
        for line in help_of(command).splitlines():
            # "  -n,--ranks N REQUIRED   How many": the page has its own way to write the left half.
            line = re.sub(r"^  (-[\w,-]+|\w+)( [A-Z=\d]+)*( REQUIRED| \.{3})?(  +|$)", r"\1  ",
                          line)
            line = re.sub(r"^(Usage|Exit codes|Examples|Positionals|Options|Subcommands):", "",
                          line)
            for part in re.split(r"  +|(?<=\w),(?=--)", line.strip()):
                self.assertIn(part, text, f"of muster {' '.join(command)} --help")
        for inner in subcommands(command) if command else []:
            self.assert_says_all(page, [*command, inner])


if __name__ == "__main__":
    main()
