"""Links between pages lead to a page, and to a heading of it."""

import posixpath
import re

from tree import Offence

_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```")


def check(tree):
    pages = [path for path in sorted(tree.files) if path.endswith(".md")]
    anchors = {path: set(_anchors(tree, path)) for path in pages}
    for path in pages:
        for number, line in _prose(tree, path):
            for target in _LINK.findall(re.sub(r"`[^`]*`", "", line)):
                problem = _problem(tree, anchors, path, target)
                if problem:
                    yield Offence(path, number, f"a link to {target}, {problem}")


def _prose(tree, path):
    """The lines outside of fenced code."""
    fenced = False
    for number, line in tree.lines(path):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def _anchors(tree, path):
    """Of the headings, as mkdocs and code hosts make them."""
    for _, line in _prose(tree, path):
        if line.startswith("#"):
            text = re.sub(r"[^\w\s-]", "", line.lstrip("#").strip().lower())
            yield re.sub(r"[\s]+", "-", text)


def _problem(tree, anchors, path, target):
    if re.match(r"[a-z]+:", target):
        return None
    page, _, anchor = target.partition("#")
    page = posixpath.normpath(posixpath.join(posixpath.dirname(path), page)) if page else path
    if page not in tree.files:
        return "where there is no file"
    if path.startswith("docs/") and not page.startswith("docs/"):
        return "which is outside of docs/: the site cannot show it"
    if anchor and anchor not in anchors.get(page, ()):
        return "where there is no such heading"
    return None
