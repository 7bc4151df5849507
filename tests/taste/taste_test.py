"""Each ban is tested with a planted offence, and with what it must leave alone."""

import os
import unittest

import bans
import house
import layers
import links
import sizes
import taste
from tree import Tree, code_only, load

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# Two layers, one above the other, and the accord with its group.
HOUSE = {
    "CMakeLists.txt": "add_subdirectory(src/base)\nadd_subdirectory(src/wire)\n"
                      "add_subdirectory(src/accord)\n",
    "src/base/CMakeLists.txt": "muster_layer(base PUBLIC bytes)\n",
    "src/base/hex.hpp": "#include <muster/bytes.hpp>\n",
    "src/wire/CMakeLists.txt": "muster_layer(wire PUBLIC kind USES base)\n",
    "src/wire/frame.hpp": '#include "base/hex.hpp"\n',
    "src/accord/CMakeLists.txt": "muster_layer(accord PUBLIC f332 USES base)\n",
    "include/muster/bytes.hpp": "#pragma once\n",
    "include/muster/kind.hpp": "#include <muster/bytes.hpp>\n",
    "include/muster/f332.hpp": "#include <muster/bytes.hpp>\n",
}


def found(check, files, executable=()):
    return [str(o) for o in check.check(Tree(files, set(executable)))]


class Planted(unittest.TestCase):
    def assert_offence(self, check, files, place, words, executable=()):
        """Exactly one offence, at `place`, that says `words`."""
        offences = found(check, files, executable)
        self.assertEqual(len(offences), 1, offences)
        self.assertTrue(offences[0].startswith(place + ":"), offences[0])
        self.assertIn(words, offences[0])


class Layers(Planted):
    def plant(self, path, text, words, line=1):
        self.assert_offence(layers, HOUSE | {path: text}, f"{path}:{line}", words)

    def test_a_clean_house(self):
        self.assertEqual(found(layers, HOUSE), [])

    def test_upwards(self):
        self.plant("src/base/a.cpp", '\n#include "wire/frame.hpp"\n', "belongs to wire", 2)

    def test_public_header_of_a_layer_not_used(self):
        self.plant("src/accord/a.cpp", "#include <muster/kind.hpp>\n", "belongs to wire")

    def test_unit_tests_keep_to_the_table_too(self):
        self.plant("src/accord/a_test.cpp", '#include "wire/frame.hpp"\n', "belongs to wire")

    def test_unit_tests_may_use_what_tests_share(self):
        shared = HOUSE | {"tests/paths/paths.hpp": ""}
        line = '#include "paths/paths.hpp"\n'
        self.assertEqual(found(layers, shared | {"src/wire/a_test.cpp": line}), [])
        self.assert_offence(layers, shared | {"src/wire/a.cpp": line}, "src/wire/a.cpp:1", "src/")

    def test_public_header_upwards(self):
        self.plant("include/muster/bytes.hpp", "#include <muster/kind.hpp>\n", "belongs to wire")

    def test_public_header_with_a_private_one(self):
        self.plant("include/muster/kind.hpp", '#include "base/hex.hpp"\n', "private")

    def test_headers_that_do_not_exist(self):
        self.plant("src/wire/a.cpp", '#include "frame.hpp"\n', "path from src/")
        self.plant("src/wire/a.cpp", "#include <muster/gone.hpp>\n", "does not exist")
        self.plant("tests/a.cpp", '#include "wire/gone.hpp"\n', "does not exist")

    def test_owners(self):
        self.plant("include/muster/stray.hpp", "#pragma once\n", "owned by no layer")
        self.plant("src/wire/CMakeLists.txt", "muster_layer(wire PUBLIC kind bytes USES base)\n",
                   "owned by base already")
        self.plant("src/wire/CMakeLists.txt", "muster_layer(wire PUBLIC kind gone USES base)\n",
                   "does not exist")
        self.plant("include/muster/c.h", "", "owned by no layer")
        c = {"include/muster/c.h": "",
             "src/wire/CMakeLists.txt": "muster_layer(wire PUBLIC kind c.h USES base)\n"}
        self.assertEqual(found(layers, HOUSE | c), [])

    def test_uses_point_down(self):
        self.plant("src/base/CMakeLists.txt", "muster_layer(base PUBLIC bytes USES wire)\n",
                   "only point down")

    def test_forbidden_whatever_uses_says(self):
        store = {"src/store/CMakeLists.txt": "muster_layer(store USES base)\n",
                 "CMakeLists.txt": "add_subdirectory(src/base)\nadd_subdirectory(src/wire)\n"
                                   "add_subdirectory(src/store)\nadd_subdirectory(src/accord)\n",
                 "src/accord/CMakeLists.txt": "muster_layer(accord PUBLIC f332 USES base store)\n"}
        self.assert_offence(layers, HOUSE | store, "src/accord/CMakeLists.txt:1",
                            "accord must not see store")

    def test_layer_that_the_root_does_not_add(self):
        self.plant("src/x/CMakeLists.txt", "muster_layer(x USES base)\n", "not added by the root")

    def test_purity(self):
        self.plant("src/wire/a.cpp", "#include <sys/socket.h>\n", "wire is pure")
        self.plant("src/wire/a.cpp", "#include <thread>\n", "wire is pure")
        self.plant("src/wire/a.cpp", "auto t = Clock::now();\n", "told the time")
        self.plant("src/wire/a.cpp", "auto n = system_random().next();\n", "told the time")
        self.assertEqual(found(layers, HOUSE | {
            "src/wire/a_test.cpp": "#include <thread>\nauto t = Clock::now();\n",
            "src/base/b.cpp": "#include <thread>\n// Clock::now()\n"}), [])

    def test_examples_show_the_public_api(self):
        self.plant("examples/a.cpp", '#include "base/hex.hpp"\n', "public API only")

    def test_simulator_without_sockets(self):
        net = {"src/net/CMakeLists.txt": "muster_layer(net USES base)\n", "src/net/fd.hpp": "",
               "CMakeLists.txt": HOUSE["CMakeLists.txt"] + "add_subdirectory(src/net)\n"}
        self.assert_offence(layers, HOUSE | net | {"tests/sim/a.cpp": '#include "net/fd.hpp"\n'},
                            "tests/sim/a.cpp:1", "must not see net")
        self.assertEqual(
            found(layers, HOUSE | net | {"tests/a.cpp": '#include "net/fd.hpp"\n'}), [])


class Sizes(Planted):
    def test_file(self):
        self.assertEqual(found(sizes, {"src/a.cpp": "\n" * 600}), [])
        self.assert_offence(sizes, {"src/a.cpp": "\n" * 601}, "src/a.cpp:601", "601 lines")

    def test_note(self):
        self.assertEqual(sizes.notes(Tree({"src/a.cpp": "\n" * 300})), [])
        self.assertEqual(len(sizes.notes(Tree({"src/a.cpp": "\n" * 301}))), 1)

    def test_columns(self):
        self.assertEqual(found(sizes, {"src/a.cpp": "x" * 100 + "\n"}), [])
        self.assert_offence(sizes, {"src/a.cpp": "\n" + "x" * 101 + "\n"}, "src/a.cpp:2", "101")

    def test_function(self):
        def of(lines):
            return {"src/a.cpp": "namespace a {\n\nint f(int x) {\n" + "  g();\n" * (lines - 2) +
                                 "}\n\n}  // namespace a\n"}
        self.assertEqual(found(sizes, of(70)), [])
        self.assert_offence(sizes, of(71), "src/a.cpp:3", "f: 71 lines")

    def test_functions_are_told_from_other_braces(self):
        text = """
#define BEGIN() {
namespace a::b {
class A : public B {
 public:
  A() : x_{1}, y_{2} {
    f();
  }
  int size() const { return 1; }
  void each() {
    for (;;) {
      g("}");  // }
    }
  }
};
template <class T>
struct C {
  T t{};
};
enum class E { one, two };
const int table[] = {
    1,
};
constexpr auto many = 1'000'000, few = 1'000;
template <class T>
T h(const std::vector<T>& all,
    int more) {
  return R"x({)x";
}
TEST(Suite, Name) {
}
}
"""
        self.assertEqual(list(sizes.functions(text)), [
            ("A", 6, 8), ("each", 10, 14), ("h", 25, 29), ("TEST", 30, 31)])


class Bans(Planted):
    def plant(self, line, words, path="src/job/a.cpp"):
        self.assert_offence(bans, {path: f"\n{line}\n"}, f"{path}:2", words)

    def spare(self, line, path="src/job/a.cpp"):
        self.assertEqual(found(bans, {path: line + "\n"}), [])

    def test_every_call(self):
        for line in [
                "std::this_thread::sleep_for(1s);", "std::this_thread::sleep_until(t);",
                "sleep(1);", "::usleep(1);", "nanosleep(&a, &b);",
                "auto t = std::chrono::system_clock::now();", "gettimeofday(&t, 0);",
                "auto t = time(nullptr);", "int r = rand();", "srand(1);",
                "std::random_device d;", "std::mt19937 g;", "strcpy(a, b);", "strcat(a, b);",
                "sprintf(a, b);", "vsprintf(a, b, c);", "gets(a);", "strtok(a, b);",
                "int i = atoi(a);", "std::regex r;", "std::cout << 1;", "std::cerr << 1;",
                'printf("x");', 'fprintf(stderr, "x");', 'puts("x");', "perror(a);",
                "auto* a = new A(1);", "delete a;", "delete[] a;", "thread.detach();",
                "assert(x);", "using namespace std;", "inet_addr(a);", "inet_ntoa(a);",
                "gethostbyname(a);", "signal(SIGINT, f);", "::signal(SIGINT, f);",
                "std::signal(SIGINT, f);",
                "return signal(SIGINT, f);",
                "throw Failed(e);", "exit(1);", "_exit(1);", "std::abort();",
                "std::terminate();", "void* p = malloc(1);"]:
            with self.subTest(line):
                self.plant(line, "use ")

    def test_what_only_looks_like_it(self):
        for line in [
                "// sleep(1), new, delete, throw", 'f("std::cout << rand()");',
                "/* assert(x) */", "static_assert(x);", "MUSTER_ASSERT(x);", "A(A&&) = delete;",
                "void operator delete(void* p);", "new (room) A();", "uv_signal(x);",
                "loop.signal(SIGINT);", "self->exit(1);", "auto newest = renew(x);",
                "snprintf_like(x);", "int signal() const;", "void sleep(int ms);", "sleep(lock);",
                "signal(SIGPIPE, SIG_IGN);",
                "std::optional<int> signal() const;",
                "void A::signal(int number) {}", "runtime(0);", "at_exit(1);"]:
            with self.subTest(line):
                self.spare(line)

    def test_a_reason(self):
        self.spare("auto* a = new A;  // taste: its constructor is private")
        self.plant("auto* a = new A;  // taste:", "use ")

    def test_where(self):
        self.spare('printf("x");', "tools/muster/a.cpp")
        self.spare('std::fputs("x", stderr);', "src/base/log.cpp")
        self.spare("std::abort();", "src/base/assert.cpp")
        self.spare("_exit(1);", "src/net/a_test.cpp")
        self.spare('printf("x");', "examples/a.cpp")
        self.plant("std::cout << 1;", "fmt::print", "tools/muster/a.cpp")
        self.plant("usleep(1);", "deadline", "tests/process/a.cpp")
        self.plant("assert(x);", "EXPECT_", "src/net/a_test.cpp")

    def test_fmt_in_headers(self):
        self.plant("#include <fmt/format.h>", "only in .cpp", "src/base/a.hpp")
        self.spare("#include <fmt/format.h>")

    def test_words(self):
        for line in ["// TO" + "DO: later", "// FIX" + "ME", "cd /wor" + "k/main",
                     "see iss" + "ue #12", "see Iss" + "ue 12", "/ho" + "me/jo/x"]:
            with self.subTest(line):
                self.assert_offence(bans, {"docs/a.md": line + "\n"}, "docs/a.md:1", ":")
        self.assertEqual(found(bans, {"docs/a.md": "issue a warning; a/wor" + "k/b; TODOS\n"}), [])


class Links(Planted):
    def test_links(self):
        pages = {"docs/a.md": "# A\n## What is `it`?\n", "src/x.cpp": ""}
        good = "# B\n[a](a.md) [h](a.md#what-is-it) [b](#b) [w](https://x.org/y)\n`[n](no)`\n"
        self.assertEqual(found(links, pages | {"docs/b.md": good}), [])
        self.assertEqual(found(links, {"a.md": "# A\n```\n[x](no.md)\n```\n"}), [])
        for link, problem in [("c.md", "no file"), ("a.md#no", "no such heading"),
                              ("#no", "no such heading"), ("../src/x.cpp", "outside of docs/")]:
            with self.subTest(link):
                page = {"docs/b.md": f"# B\nsee [it]({link})\n"}
                self.assert_offence(links, pages | page, "docs/b.md:2", problem)


class House(Planted):
    def test_plain_text(self):
        self.assert_offence(house, {"a.txt": "x"}, "a.txt:1", "newline")
        self.assert_offence(house, {"a.txt": "\tx\n"}, "a.txt:1", "tab")
        self.assert_offence(house, {"a.txt": "x \n"}, "a.txt:1", "space at the end")
        self.assert_offence(house, {"a.txt": "x\r\n"}, "a.txt:1", "space at the end")
        self.assertEqual(found(house, {"a.txt": "x\n", "empty": ""}), [])

    def test_title(self):
        self.assert_offence(house, {"a.md": "text\n"}, "a.md:1", "0 titles")
        self.assert_offence(house, {"a.md": "# A\n# B\n"}, "a.md:1", "2 titles")
        self.assertEqual(found(house, {"a.md": "# A\n```\n# comment\n```\n## B\n"}), [])

    def test_pointers(self):
        there = {"docs/a.md": "# A\n", "src/wire/frame.hpp": "", "scripts.txt": "see docs/a.md\n",
                 "b.md": "# B\n`src/wire/` `src/wire` `src/wire/frame.hpp` `src/<layer>/`\n"}
        self.assertEqual(found(house, there), [])
        gone = "docs/" + "gone.md"
        self.assert_offence(house, {"src/a.hpp": f"// see {gone}\n"}, "src/a.hpp:1", gone)
        self.assert_offence(house, {"b.md": "# B\n`src/" + "gone.hpp`\n"}, "b.md:2", "src/gone")

    def test_imports(self):
        self.assert_offence(house, {"t/a.py": "import numpy\n"}, "t/a.py:1", "numpy")
        self.assert_offence(house, {"t/a.py": "from yaml import load\n"}, "t/a.py:1", "yaml")
        self.assertEqual(found(house, {"t/a.py": "import os.path\nfrom b import c\n",
                                       "t/b.py": ""}), [])

    def test_scripts(self):
        files = {"scripts/x": "#!/bin/sh\n", "README.txt": "run scripts/x\n"}
        self.assertEqual(found(house, files, ["scripts/x"]), [])
        self.assert_offence(house, files, "scripts/x:1", "not executable")
        self.assert_offence(house, files | {"README.txt": ""}, "scripts/x:1", "not used",
                            ["scripts/x"])
        self.assert_offence(house, files | {"scripts/x": "true\n"}, "scripts/x:1", "#!",
                            ["scripts/x"])

    def test_tests_that_nothing_builds(self):
        test = {"tests/a/b_test.cpp": "", "tests/CMakeLists.txt": "add_subdirectory(a)\n"}
        self.assert_offence(house, test | {"tests/a/CMakeLists.txt": "add_x(c_test)\n"},
                            "tests/a/b_test.cpp:1", "builds this test")
        for cmake in ["muster_test(b_test SOURCES b_test.cpp)\n", "file(GLOB s *_test.cpp)\n"]:
            self.assertEqual(found(house, test | {"tests/a/CMakeLists.txt": cmake}), [])
        self.assert_offence(
            house, {"tests/a/CMakeLists.txt": "\n", "tests/CMakeLists.txt": "\n"},
            "tests/CMakeLists.txt:1", "does not add a")

    def test_packages(self):
        cmake = {"CMakeLists.txt": "find_package(OpenSSL 3.0 REQUIRED)\n"}
        self.assert_offence(house, cmake, "CMakeLists.txt:1", "does not install libssl-dev")
        self.assertEqual(found(house, cmake | {"scripts/setup": "#! libssl-dev scripts/setup\n",
                                               "x": "scripts/setup\n"}, ["scripts/setup"]), [])
        self.assert_offence(house, {"a.cmake": "find_package(Strange)\n"}, "a.cmake:1", "Strange")
        self.assertEqual(found(house, {"a.cmake": "find_package(muster 0.1 CONFIG)\n"}), [])
        self.assert_offence(house, {"a.cmake": "find_program(X mold)\n"}, "a.cmake:1", "mold")
        self.assert_offence(house, {"a.cmake": "find_library(X boost_context REQUIRED)\n"},
                            "a.cmake:1", "libboost-context")
        self.assert_offence(
            house, {"a.cmake": "pkg_check_modules(LIBUV REQUIRED IMPORTED_TARGET libuv>=1.44)\n"},
            "a.cmake:1", "libuv1-dev")


class Whole(unittest.TestCase):
    def test_code_only_keeps_lines_in_place(self):
        text = 'a /* b\nc */ "d\\"e" \'"\' 1\'000 R"(x\n")" // f\ng'
        plain = code_only(text)
        self.assertEqual(plain.count("\n"), text.count("\n"))
        self.assertEqual(len(plain), len(text))
        for gone in "bcdefx":
            self.assertNotIn(gone, plain)
        self.assertIn("1'000", plain)

    def test_the_tree_is_seen(self):
        tree = load(ROOT)
        self.assertGreaterEqual(len(layers.read_layers(tree)), 11)
        self.assertIn("src/base/digest.cpp", tree.files)
        self.assertFalse([p for p in tree.files if p.startswith("build/")])

    def test_an_offence_anywhere_is_found_by_all_checks_together(self):
        tree = load(ROOT)
        before = taste.offences_of(tree)
        tree.files["src/wire/planted.cpp"] = '#include "job/x.hpp"\nint f() { return rand(); }\n '
        after = taste.offences_of(tree)
        self.assertEqual(len(set(after) - set(before)), 4)


if __name__ == "__main__":
    unittest.main()
