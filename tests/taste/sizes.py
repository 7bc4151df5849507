"""A file is an idea, a function a screen, a line a hundred columns."""

import re

from tree import CODE, SOURCE, Offence, code_only

FOLDERS = ("src/", "include/", "tools/", "bindings/", "plugins/", "examples/", "tests/", "bench/")
FILE_LINES_MAX = 600
FILE_LINES_NOTED = 300
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100
_ACCESS = re.compile(r"\s*(?:public|private|protected)\s*:")


def check(tree):
    offences = []
    for path in tree.under(*FOLDERS):
        count = len(tree.files[path].splitlines())
        if count > FILE_LINES_MAX:
            offences.append(Offence(path, count, f"{count} lines, at most {FILE_LINES_MAX}: which "
                                    "two ideas are in it?"))
        if path.endswith(CODE):
            offences += _long_functions(path, tree.files[path])
    for path in sorted(tree.files):
        if path.endswith(SOURCE + (".cmake", "CMakeLists.txt")) or path.startswith("scripts/"):
            for number, line in tree.lines(path):
                if len(line) > COLUMNS_MAX:
                    offences.append(Offence(path, number, f"{len(line)} columns, at most "
                                            f"{COLUMNS_MAX}"))
    return offences


def notes(tree):
    """Files that are not too long, but longer than they might be."""
    counts = ((p, len(tree.files[p].splitlines())) for p in tree.under(*FOLDERS))
    return [f"{path}: {count} lines, over {FILE_LINES_NOTED}"
            for path, count in counts if FILE_LINES_NOTED < count <= FILE_LINES_MAX]


def _long_functions(path, text):
    for name, first, last in functions(text):
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield Offence(path, first, f"{name}: {last - first + 1} lines, at most "
                          f"{FUNCTION_LINES_MAX}")


def functions(text):
    """(name, first line, last line) of each function: the bodies that stand in a namespace or in a
    class and whose brace ends its line, as clang-format leaves it."""
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", code_only(text))
    scopes = []  # "outer", "inner" or (name, first line)
    head, head_line, line = "", 1, 1
    for at, char in enumerate(text):
        if char == "\n":
            line += 1
        if char == "{":
            kind = "inner"
            if all(scope == "outer" for scope in scopes):
                kind = _scope(head, head_line, text[at + 1:at + 200])
            scopes.append(kind)
            if kind != "inner":
                head = ""
        elif char == "}" and scopes:
            scope = scopes.pop()
            if scope != "inner" or text[at + 1:at + 2] == "\n":
                head = ""
            if isinstance(scope, tuple):
                yield scope[0], scope[1], line
        elif all(scope == "outer" for scope in scopes):
            head = "" if char == ";" or _ACCESS.fullmatch(head + char) else head + char
            if not head.strip():
                head_line = line


def _scope(head, head_line, after):
    plain = head.strip()
    while re.search(r"<[^<>]*>", plain):
        plain = re.sub(r"<[^<>]*>", "", plain)
    plain = re.sub(r"\btemplate\b|\[\[.*?\]\]", "", plain).strip()
    if re.match(r"(?:inline\s+)?namespace\b|extern\b[^()]*$|(?:class|struct|union)\b(?!.*\)\s*$)",
                plain, re.DOTALL):
        return "outer"
    named = re.search(r"([\w:~]+|operator\W+)\s*\(", plain)
    if not named or not re.match(r"[ \t]*\n", after) or plain[-1] in "=(,":
        return "inner"
    return named.group(1), head_line
