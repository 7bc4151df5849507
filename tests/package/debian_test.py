"""`cpack -G DEB`: the three packages, and what can be done with what is in them. Nothing is
installed: they are unpacked into one temporary root.

    python3 tests/package/debian_test.py BUILD CXX
"""

import re

from stranger import SOURCE, Case, main, run

MODES = {"d": "drwxr-xr-x", "l": "lrwxrwxrwx", "-": "-rw-r--r--"}


class Debian(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # In a folder of its own, so that two may run at once; and with a umask that would show.
        packed = cls.room / "packed"
        run("sh", "-c", 'umask 077 && exec "$@"', "sh", "cpack", "-G", "DEB", "-B", packed,
            "--config", cls.build / "CPackConfig.cmake")
        cls.packages = {p.name.split("_")[0]: p for p in packed.glob("*.deb")}
        cls.root = cls.room / "root"
        for package in cls.packages.values():
            run("dpkg-deb", "-x", package, cls.root)

    def fields(self, name):
        text = run("dpkg-deb", "-f", self.packages[name])
        return dict(re.findall(r"(?m)^([\w-]+): (.*(?:\n .*)*)", text))

    def content(self, name):
        """(mode, owner, path) of each entry."""
        for line in run("dpkg-deb", "-c", self.packages[name]).splitlines():
            mode, owner, _, _, _, path = line.split(maxsplit=5)
            yield mode, owner, path.split(" -> ")[0]

    def test_there_are_three_and_one_for_mpi_if_there_is_any(self):
        self.assertEqual(set(self.packages) - {"muster-mpi"},
                         {"libmuster0", "libmuster-dev", "muster"})
        mpi = {p.name for p in (self.build / "lib/muster").glob("libmuster_mpi_*.so")}
        packed = {p.name for p in self.root.rglob("libmuster_mpi_*.so")}
        self.assertEqual(packed, mpi)
        self.assertEqual("muster-mpi" in self.packages, bool(mpi))

    def test_only_the_package_for_mpi_needs_an_mpi(self):
        for name in self.packages:
            depends = self.fields(name)["Depends"]
            self.assertEqual(bool(re.search("mpi", depends)), name == "muster-mpi", name)

    def test_fields_are_those_of_a_package(self):
        for name in self.packages:
            with self.subTest(name):
                fields = self.fields(name)
                self.assertEqual(fields["Package"], name)
                self.assertRegex(fields["Version"], r"^0\.\d+\.\d+$")
                self.assertRegex(fields["Maintainer"], r"^.+ <\S+@\S+>$")
                self.assertEqual(fields["Priority"], "optional")
                summary, *text = fields["Description"].split("\n")
                self.assertLessEqual(len(summary), 80)
                self.assertRegex(summary, r"^[a-z].*[^.]$")
                self.assertGreaterEqual(len(text), 4)
                self.assertLessEqual(max(map(len, text)), 90)
        self.assertEqual([self.fields(n)["Section"] for n in ("libmuster0", "libmuster-dev",
                                                               "muster")],
                         ["libs", "libdevel", "utils"])

    def test_programs_depend_on_what_they_are_linked_with(self):
        for name in ("libmuster0", "muster"):
            depends = self.fields(name)["Depends"]
            for library in ("libc6", "libstdc++6", "libuv1", "libssl3", "libfmt9"):
                self.assertRegex(depends, rf"(?:^|, ){re.escape(library)}(?:t64)? \(>= ", name)

    def test_the_dev_package_depends_on_its_library_and_on_what_static_programs_need(self):
        version = self.fields("libmuster0")["Version"]
        depends = self.fields("libmuster-dev")["Depends"].split(", ")
        self.assertIn(f"libmuster0 (= {version})", depends)
        self.assertEqual({d.split()[0] for d in depends},
                         {"libmuster0", "libuv1-dev", "libssl-dev", "libfmt-dev"})
        self.assertEqual(run("dpkg-deb", "-I", self.packages["libmuster0"], "shlibs").strip(),
                         f"libmuster 0 libmuster0 (= {version})")

    def test_they_can_be_installed_where_they_were_built(self):
        plan = run("apt-get", "--simulate", "-qq", "install", *self.packages.values())
        for name in self.packages:
            self.assertRegex(plan, rf"(?m)^Conf {re.escape(name)} ")
        self.assertNotIn("Remv", plan)

    def test_modes_and_owners(self):
        for name in self.packages:
            for mode, owner, path in self.content(name):
                expected = "-rwxr-xr-x" if path == "./usr/bin/muster" else MODES[mode[0]]
                self.assertEqual((mode, owner), (expected, "root/root"), path)

    def test_no_file_is_in_two_packages(self):
        seen = {}
        for name in self.packages:
            for mode, _, path in self.content(name):
                if mode[0] != "d":
                    self.assertNotIn(path, seen, f"{name} and {seen.get(path)}")
                    seen[path] = name
        self.assertEqual({n for p, n in seen.items() if re.search(r"\.so\.\d", p)}, {"libmuster0"})

    def test_each_has_what_debian_wants_of_its_documentation(self):
        for name in self.packages:
            paths = {path for _, _, path in self.content(name)}
            for file in ("copyright", "changelog.gz"):
                self.assertIn(f"./usr/share/doc/{name}/{file}", paths)
        pages = [p for _, _, p in self.content("muster") if p.startswith("./usr/share/man/man1/m")]
        self.assertGreaterEqual(len(pages), 6)
        for page in pages:
            self.assertTrue(page.endswith(".1.gz"), page)

    def test_programs_are_stripped(self):
        library, = self.root.rglob("libmuster.so.0.*")
        for program in (self.root / "usr/bin/muster", library):
            self.assertNotIn(" .symtab", run("readelf", "-SW", program), program)

    def test_no_file_holds_a_path_of_the_build(self):
        self.assert_no_path_in(self.root, SOURCE, self.build, self.room)

    def test_what_is_in_them_is_usable(self):
        self.assert_usable(self.root / "usr")


if __name__ == "__main__":
    main()
