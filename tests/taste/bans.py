"""What is not called, and not written, with what to do instead.

A line that must do it all the same says why, at its end: `// taste: reason`.
"""

import re
from dataclasses import dataclass

from tree import CODE, Offence, code_only

LIBRARY = ("src/", "include/", "plugins/")
PRODUCT = LIBRARY + ("tools/", "bindings/")
ALL = PRODUCT + ("tests/", "bench/", "examples/")
# A call of the C function, not of a member, and not a member's declaration.
_CALL = r"(?:(?<=return )|(?<=std::)|(?<![\w.>])(?<![\w>*&] )(?<!\w::))"
TALKERS = ("src/base/log.cpp", "src/base/assert.cpp")


@dataclass(frozen=True)
class Ban:
    """Value. A pattern in code (no comments, no strings), where it counts, and what to use."""

    pattern: str
    instead: str
    folders: tuple = PRODUCT
    but: tuple = ()
    tests_too: bool = True


BANS = [
    Ban(r"\bsleep_(?:for|until)\b|" + _CALL + r"(?:(?:u|nano)sleep\s*\(|sleep\s*\(\s*\d)",
        "wait for the event itself, with a deadline", ALL),
    Ban(r"\bsystem_clock\b|\bgettimeofday\s*\(|(?<![\w.>:])time\s*\(\s*(?:0|NULL|nullptr)",
        "muster::Clock: no wall clock decides anything", ALL),
    Ban(_CALL + r"s?rand\s*\(|\brandom_device\b|\bmt19937\b|\bdrand48\s*\(",
        'a Random of "base/random.hpp"', ALL),
    Ban(r"\b(?:strcpy|strcat|v?sprintf|gets|strtok)\s*\(", "std::string, fmt::format", ALL),
    Ban(r"\bato(?:i|l|ll|f)\s*\(", "std::from_chars, which sees what is no number", ALL),
    Ban(r"\bstd::w?s?regex\b", "a few lines of parsing"),
    Ban(r"\bstd::(?:cout|cerr|clog)\b|(?<!\w)(?:v?f?printf|f?puts|putchar|perror)\s*\(",
        "the LogSink, or an Error", LIBRARY, TALKERS),
    Ban(r"\bstd::(?:cout|cerr|clog)\b", "fmt::print", ("tools/",)),
    Ban(r"(?<!operator )(?<!<)\bnew\b(?!\s*\()", "std::make_unique, std::make_shared, a container"),
    Ban(r"(?<!operator )(?<!= )\bdelete\b", "an owner whose destructor does it"),
    Ban(r"\.\s*detach\s*\(\s*\)", "an owner that joins it", ALL),
    Ban(r"(?<!\w)assert\s*\(", 'MUSTER_ASSERT of "base/assert.hpp"; EXPECT_ in tests', ALL),
    Ban(r"\busing\s+namespace\s+std\s*;", "the names with std:: before them", ALL),
    Ban(r"\binet_(?:addr|aton|ntoa)\s*\(|\bgethostby(?:name|addr)\s*\(",
        "inet_pton, inet_ntop, getaddrinfo", ALL),
    Ban(_CALL + r"signal\s*\((?![^)]*\bSIG_(?:IGN|DFL)\b)", "sigaction", ALL),
    Ban(r"\bthrow\b", "a Result: errors are values", ("src/",), tests_too=False),
    Ban(_CALL + r"(?:_exit|exit|quick_exit|abort|_Exit)\s*\(|\bstd::terminate\b",
        "an Error: whether to end is the caller's decision", ("src/",), TALKERS, False),
    Ban(r"\b(?:malloc|calloc|realloc|alloca)\s*\(", "a container"),
]
_FMT_IN_HEADER = re.compile(r"#\s*include\s*<fmt/")
_REASON = re.compile(r"//\s*taste:\s*\S")

# Words that have no place in any file. A class of one letter keeps this file itself clean.
WORDS = [
    (re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b"), "do it, or leave it out"),
    (re.compile(r"(?<![\w.])/(?:wor[k]|far[m]|home/\w+)/"), "a path of one machine"),
    (re.compile(r"(?i)\bissu[e] #?\d|\bissu[e] #"), "say what it is about: the page stands alone"),
]


def check(tree):
    offences = []
    for path in sorted(tree.files):
        if path.endswith(CODE):
            offences += _calls(tree, path)
        for number, line in tree.lines(path):
            for pattern, instead in WORDS:
                found = pattern.search(line)
                if found:
                    offences.append(Offence(path, number, f"{found.group()}: {instead}"))
    return offences


def _calls(tree, path):
    raw = tree.files[path].splitlines()
    code = code_only(tree.files[path]).splitlines()
    bans = [(re.compile(b.pattern), b) for b in BANS
            if path.startswith(b.folders) and path not in b.but
            and (b.tests_too or not path.endswith("_test.cpp"))]
    for number, (line, whole) in enumerate(zip(code, raw), 1):
        if path.endswith(".hpp") and path.startswith(LIBRARY) and _FMT_IN_HEADER.search(whole):
            yield Offence(path, number, "fmt only in .cpp files: it costs who includes this")
        if _REASON.search(whole):
            continue
        for pattern, ban in bans:
            found = pattern.search(line)
            if found:
                yield Offence(path, number, f"{found.group().strip()}: use {ban.instead}")
