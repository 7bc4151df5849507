"""The project's files as the checks see them: paths, texts, and code without comments."""

import os
import re
from dataclasses import dataclass, field

SKIPPED_FOLDERS = {"build", "__pycache__"}
CODE = (".hpp", ".cpp", ".h", ".c")
SOURCE = CODE + (".py",)
BINARY = (".bin", ".png", ".pdf", ".gz")


@dataclass(frozen=True)
class Offence:
    """Value. One thing to mend, and how."""

    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


@dataclass
class Tree:
    """Value. Texts by path from the root of the project; a test plants its own."""

    files: dict
    executable: set = field(default_factory=set)

    def under(self, *folders, ends=SOURCE):
        """Paths in any of the folders, with any of the endings, sorted."""
        return sorted(p for p in self.files if p.endswith(ends) and p.startswith(folders))

    def lines(self, path):
        """(number from 1, line) of a file."""
        return enumerate(self.files[path].splitlines(), 1)


def load(root):
    """The work tree at `root`, tracked or not, without what is built or hidden (but with .ci)."""
    tree = Tree({})
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            f for f in folders if f not in SKIPPED_FOLDERS and (f[0] != "." or f == ".ci"))
        for name in names:
            whole = os.path.join(folder, name)
            if name == ".git" or name.endswith(BINARY + (".pyc", ".swp")):
                continue  # .git is a file in a work tree beside the first
            if not os.path.isfile(whole):
                continue
            path = os.path.relpath(whole, root)
            with open(whole, "rb") as file:
                tree.files[path] = file.read().decode("utf-8", "backslashreplace")
            if os.access(whole, os.X_OK):
                tree.executable.add(path)
    return tree


_NOT_CODE = re.compile(
    r'R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\[^\n]{1,10}?|[^'\\\n])'"  # not the ' of 1'000
    r"|//[^\n]*"
    r"|/\*.*?\*/",
    re.DOTALL)


def code_only(text):
    """C++ with comments and the insides of strings blanked; every line stays where it was."""

    def blank(match):
        found = match.group()
        if found[0] in "\"'R":
            return '"' + re.sub(r"[^\n]", " ", found[1:-1]) + '"'
        return re.sub(r"[^\n]", " ", found)

    return _NOT_CODE.sub(blank, text)
