"""`cmake --install`, and what can be done with the result after it was moved.

    python3 tests/package/installed_test.py BUILD CXX
"""

import os

from stranger import SOURCE, Case, files, main, run


class Installed(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.first = cls.room / "where it was installed first"
        cls.prefix = cls.room / "moved"
        run("cmake", "--install", cls.build, "--prefix", cls.first)
        os.rename(cls.first, cls.prefix)

    def test_each_component_has_its_part_and_together_they_are_all(self):
        parts = {}
        for component in ("library", "dev", "tool", "mpi"):
            root = self.room / component
            run("cmake", "--install", self.build, "--prefix", root, "--component", component)
            parts[component] = files(root)
        named = {name.rsplit("/", 1)[1]: part for part, names in parts.items() for name in names}
        for part, names in {"library": ["libmuster.so.0", "libmuster_store.so"],
                            "dev": ["libmuster.so", "libmuster.a", "muster.hpp", "muster.pc",
                                    "muster-config.cmake", "muster-config-version.cmake",
                                    "LICENSE", "README.md"],
                            "mpi": self.mpi_plugins(),
                            "tool": ["muster", "muster.1", "muster-run.1", "muster-config.1"]
                            }.items():
            for name in names:
                self.assertEqual(named.get(name), part, name)
        self.assertEqual(sum(len(names) for names in parts.values()), len(files(self.prefix)))
        self.assertEqual(set().union(*parts.values()), files(self.prefix))

    def mpi_plugins(self):
        """Those that were built: none without an MPI."""
        return [p.name for p in (self.build / "lib/muster").glob("libmuster_mpi_*.so")]

    def test_every_public_header_is_there(self):
        self.assertEqual(files(self.prefix / "include"), files(SOURCE / "include"))

    def test_no_file_holds_a_path_of_the_build(self):
        self.assert_no_path_in(self.prefix, SOURCE, self.build, self.first)

    def test_is_usable_where_it_was_moved_to(self):
        self.assert_usable(self.prefix)


if __name__ == "__main__":
    main()
