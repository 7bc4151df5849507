"""The shared library shows what the public headers declare, and nothing else.

What the headers declare is asked of the compiler, so that nothing can be forgotten in a list.

    python3 tests/package/exports_test.py BUILD CXX CLANG
"""

import json
import re
import sys
import unittest

from stranger import SOURCE, arguments, main, run

BUILD, _ = arguments()
CLANG = sys.argv[3]
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl"}
SCOPES = {"NamespaceDecl", "CXXRecordDecl", "FriendDecl", "LinkageSpecDecl"}
# Private, but nested in a class that is shown, and so shown with it.
NESTED = re.compile(r"_ZNK?6muster3Job4Impl")


def declarations():
    """Every declaration of namespace muster that is no template, as clang sees it."""
    headers = sorted(p.name for p in (SOURCE / "include/muster").glob("*.h*"))
    includes = [word for header in headers for word in ("-include", f"muster/{header}")]
    text = run(CLANG, "-std=c++20", "-fsyntax-only", "-I", SOURCE / "include", *includes,
               "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=muster",
               "-x", "c++", "/dev/null")
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        scope, at = decoder.raw_decode(text, at)
        yield from _within(scope)
        at = text.find("{", at)


def _within(node):
    yield node
    if node.get("kind") in SCOPES:
        for inner in node.get("inner", []):
            yield from _within(inner)


def is_defined_elsewhere(node):
    """Declared in a header, and to be found in the library."""
    return not (any(node.get(k) for k in ("pure", "explicitlyDefaulted", "explicitlyDeleted"))
                or any(inner.get("kind") == "CompoundStmt" for inner in node.get("inner", [])))


def variants(name):
    """A constructor or a destructor has a symbol for each way it is called."""
    return {name, *(re.sub(rf"{a}(?=E)", b, name) for a, b in
                    (("C1", "C2"), ("D1", "D2"), ("D1", "D0")))}


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        symbols = run("nm", "-D", "--defined-only", BUILD / "lib/libmuster.so").splitlines()
        cls.shown = {line.split()[2]: line.split()[1] for line in symbols}
        declared = list(declarations())
        cls.functions = [node for node in declared if node.get("kind") in FUNCTIONS]
        cls.classes = [node for node in declared if node.get("kind") == "CXXRecordDecl"]

    def test_every_declared_function_can_be_linked(self):
        needed = {n["mangledName"] for n in self.functions if is_defined_elsewhere(n)}
        self.assertGreater(len(needed), 60)
        missing = sorted(needed - set(self.shown))
        self.assertEqual(missing, [], "declared without MUSTER_API, or defined nowhere")

    def test_every_polymorphic_class_is_one_class_on_both_sides(self):
        names = [node["name"] for node in self.classes
                 if node.get("definitionData", {}).get("isPolymorphic")]
        self.assertLessEqual({"Failed", "Group", "Store"}, set(names))
        for name in names:
            self.assertIn(f"_ZTIN6muster{len(name)}{name}E", self.shown)

    def test_nothing_else_is_shown(self):
        declared = set().union(*(variants(n["mangledName"]) for n in self.functions
                                 if "mangledName" in n))
        strong = {name for name, kind in self.shown.items() if kind in "TDBR"}
        extra = sorted(n for n in strong - declared if not NESTED.match(n))
        self.assertEqual(extra, [], "shown by the library, declared in no public header")


if __name__ == "__main__":
    main()
