"""The taste check: what a reviewer would say every time, said by a test.

    python3 tests/taste/taste.py [ROOT]      0: clean, 1: offences, one a line
"""

import os
import sys

import bans
import house
import layers
import links
import sizes
import tree

CHECKS = [layers, sizes, bans, house, links]


def offences_of(files):
    """All offences in a Tree, by path and line."""
    found = {offence for check in CHECKS for offence in check.check(files)}
    return sorted(found, key=lambda o: (o.path, o.line, o.text))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    files = tree.load(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", ".."))
    for note in sizes.notes(files):
        print("note:", note)
    offences = offences_of(files)
    for offence in offences:
        print(offence)
    print(f"{len(files.files)} files, {len(offences)} offences")
    return 1 if offences or not layers.read_layers(files) else 0


if __name__ == "__main__":
    sys.exit(main())
