"""Plain files, scripts that are used, tests that run, packages that setup installs."""

import posixpath
import re
import sys

from tree import SOURCE, Offence

# Who provides what the build looks for, in Debian 12.
PACKAGES = {
    "Boost": "libboost-context1.74-dev", "CLI11": "libcli11-dev", "GTest": "libgtest-dev",
    "OpenSSL": "libssl-dev", "PkgConfig": "pkg-config", "python3": "python3", "Threads": "g++",
    "benchmark": "libbenchmark-dev", "boost_context": "libboost-context1.74-dev",
    "ccache": "ccache", "clang++-14": "clang-14", "clang-format-14": "clang-format-14",
    "dpkg-shlibdeps": "dpkg-dev", "fmt": "libfmt-dev", "groff": "groff-base",
    "libuv": "libuv1-dev", "mkdocs": "mkdocs", "mold": "mold",
    "nlohmann_json": "nlohmann-json3-dev",
}
_FINDS = re.compile(
    r"find_package\(\s*(?!muster\b)([\w-]+)"
    r"|pkg_check_modules\([^)]*?\b([a-z][\w.+-]*?)\s*(?:[<>=]+[\d.]+)?\s*\)"
    r"|find_(?:program|library)\(\s*\w+\s+([\w.+-]+)")
# What a page, or a comment, sends its reader to: a page of docs/, or `a/path` in back quotes.
_POINTS_AT = re.compile(
    r"(?<![\w/])(docs/[\w/.-]+\.md)"
    r"|`((?:src|include|tests|docs|scripts|examples|bench|cmake|tools)/[\w./-]*)`")


def check(tree):
    offences = []
    for path in sorted(tree.files):
        offences += _plain(tree, path)
        if path != "tests/taste/taste_test.py":
            offences += _pointers(tree, path)
        if path.endswith(".md"):
            offences += _title(tree, path)
        if path.endswith(".py"):
            offences += _imports(tree, path)
    return offences + _scripts(tree) + _registered(tree) + _packages(tree)


def _plain(tree, path):
    text = tree.files[path]
    if text and not text.endswith("\n"):
        yield Offence(path, text.count("\n") + 1, "does not end in a newline")
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            yield Offence(path, number, "a tab")
        if line != line.rstrip():
            yield Offence(path, number, "space at the end of the line")


def _pointers(tree, path):
    for number, line in tree.lines(path):
        for found in _POINTS_AT.finditer(line):
            target = (found.group(1) or found.group(2)).rstrip("/")
            if target not in tree.files and not any(p.startswith(target + "/") for p in tree.files):
                yield Offence(path, number, f"sends its reader to {target}, which does not exist")


def _title(tree, path):
    text = re.sub(r"(?ms)^```.*?^```", "", tree.files[path])
    count = len(re.findall(r"(?m)^# ", text))
    if count != 1:
        yield Offence(path, 1, f"{count} titles (`# Title`), a page has one")


def _imports(tree, path):
    """Python here is Debian's, with its standard library and what stands beside it."""
    folder = posixpath.dirname(path)
    local = {posixpath.basename(p)[:-3] for p in tree.files
             if p.endswith(".py") and posixpath.dirname(p) == folder}
    known = local | set(sys.stdlib_module_names) | {"muster"}
    for number, line in tree.lines(path):
        found = re.match(r"\s*(?:from|import)\s+(\w+)[\w.]*(?:\s+import\b.*|\s+as\b.*|,.*)?$", line)
        if found and found.group(1) not in known:
            yield Offence(path, number, f"imports {found.group(1)}, which is not in the standard "
                          "library")


def _scripts(tree):
    offences = []
    for path in sorted(tree.files):
        if not path.startswith(("scripts/", ".ci/")):
            continue
        if path not in tree.executable:
            offences.append(Offence(path, 1, "is not executable: chmod +x"))
        if not tree.files[path].startswith("#!"):
            offences.append(Offence(path, 1, "does not start with #!"))
        used = any(path in text for other, text in tree.files.items()
                   if other != path and not other.startswith("CHANGELOG"))
        if path.startswith("scripts/") and not used:
            offences.append(Offence(path, 1, "nothing in the tree names it: it is not used"))
    return offences


def _registered(tree):
    """A test file that no CMake file builds would never fail."""
    offences = []
    for path in tree.under("src/", "tests/", "tools/", "bench/", "plugins/", ends=("_test.cpp",)):
        cmake = tree.files.get(posixpath.join(posixpath.dirname(path), "CMakeLists.txt"), "")
        if not re.search(r"muster_layer\(|\*(?:_test)?\.cpp", cmake) and \
                posixpath.basename(path)[:-4] not in cmake:
            offences.append(Offence(path, 1, "no CMakeLists.txt beside it builds this test"))
    root = tree.files.get("tests/CMakeLists.txt", "")
    for path in tree.under("tests/", ends=("/CMakeLists.txt",)):
        folder = posixpath.dirname(path)[len("tests/"):]
        if "/" not in folder and folder and f"add_subdirectory({folder})" not in root:
            offences.append(Offence("tests/CMakeLists.txt", 1, f"does not add {folder}"))
    return offences


def _packages(tree):
    """scripts/setup is the only place that installs, so it must name all that the build wants."""
    setup = tree.files.get("scripts/setup", "")
    offences = []
    for path in tree.under("", ends=("CMakeLists.txt", ".cmake")):
        for number, line in tree.lines(path):
            for found in _FINDS.finditer(line.split("#")[0]):
                wanted = next(g for g in found.groups() if g)
                package = PACKAGES.get(wanted)
                if package is None:
                    offences.append(Offence(path, number, f"looks for {wanted}: say in "
                                            "tests/taste/house.py which package has it"))
                elif not re.search(rf"(?<![\w.+-]){re.escape(package)}(?![\w.+-])", setup):
                    offences.append(Offence(path, number, f"looks for {wanted}, but scripts/setup "
                                            f"does not install {package}"))
    return offences
