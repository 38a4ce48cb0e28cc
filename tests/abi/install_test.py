"""Builds programs against an installed tonnx, by CMake and by pkg-config, in C and C++: install_test.py BUILD CMAKE"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

C = '#include <tonnx.h>\n#include <stdio.h>\nint main(void) { puts(tonnx_version()); return 0; }\n'
CPP = '#include <tonnx.hpp>\n#include <iostream>\nint main() { std::cout << tonnx::version() << " " << tonnx::Registry().entries().size() << "\\n"; }\n'
PROJECT = """cmake_minimum_required(VERSION 3.13)
project(outsider C CXX)
find_package(Tonnx %s REQUIRED CONFIG)
add_executable(plain plain.c)
add_executable(classes classes.cpp)
target_link_libraries(plain Tonnx::tonnx)
target_link_libraries(classes Tonnx::tonnx)
"""


def run(*command, **settings):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, timeout=300, **settings)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Installed(unittest.TestCase):
    build = cmake = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("meson", "install", "-C", cls.build, "--no-rebuild", "--destdir", cls.folder / "root")
        # Moved, for a package may name no folder.
        cls.prefix = cls.folder / "elsewhere"
        next((cls.folder / "root").rglob("include")).parent.rename(cls.prefix)
        cls.library = next(cls.prefix.rglob("libtonnx.so")).parent
        (cls.folder / "plain.c").write_text(C)
        (cls.folder / "classes.cpp").write_text(CPP)

    def check(self, plain, classes):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.library)}
        version = run(plain, env=environment).strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertRegex(run(classes, env=environment), rf"^{re.escape(version)} \d{{3,}}$")
        self.assertIn(version, run(next(self.prefix.rglob("bin/tonnx")), "--version"))

    def test_cmake(self):
        (self.folder / "CMakeLists.txt").write_text(PROJECT % "0.1")
        out = self.folder / "cmake"
        run(self.cmake, "-S", self.folder, "-B", out, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(self.cmake, "--build", out)
        self.check(out / "plain", out / "classes")

    def test_another_major_version_is_not_found(self):
        (self.folder / "CMakeLists.txt").write_text(PROJECT % "1.0")
        with self.assertRaisesRegex(AssertionError, r"compatible\s+with\s+requested\s+version"):
            run(self.cmake, "-S", self.folder, "-B", self.folder / "other", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config(self):
        pc = next(self.prefix.rglob("tonnx.pc"))
        flags = run("pkg-config", f"--define-variable=prefix={self.prefix}", "--cflags", "--libs", "tonnx",
                    env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}).split()
        for compiler, standard, source in (("cc", "-std=c99", "plain.c"), ("c++", "-std=c++17", "classes.cpp")):
            run(compiler, standard, self.folder / source, "-o", self.folder / (source + ".out"), *flags)
        self.check(self.folder / "plain.c.out", self.folder / "classes.cpp.out")


if __name__ == "__main__":
    Installed.build, Installed.cmake = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
