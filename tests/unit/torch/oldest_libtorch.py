"""Asks the oldest supported LibTorch for the texts of its errors: oldest_libtorch.py ROOT DEPS FOLDER

Builds test_libtorch_texts.cpp against the headers that `scripts/deps backends` downloads, and runs it. GoogleTest is compiled from
the sources that its Debian package has.
"""
import pathlib
import platform
import subprocess
import sys

GTEST = pathlib.Path("/usr/src/googletest/googletest")
SKIPPED = 77
OLDEST = "2.7"


def main(root, deps, folder):
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    if platform.machine() != "x86_64" or not (GTEST / "src" / "gtest-all.cc").exists():
        print(f"needs x86-64 and GoogleTest's sources in {GTEST}")
        return SKIPPED
    subprocess.run([root / "scripts" / "deps", "backends", OLDEST], check=True)
    torch = pathlib.Path(deps) / f"libtorch_{OLDEST}" / "torch"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "libtorch_texts"
    subprocess.run(
        ["g++", "-std=c++20", "-O0", "-w", f"-I{root / 'src'}", f"-I{GTEST}", "-isystem", GTEST / "include",
         "-isystem", torch / "include", "-isystem", torch / "include/torch/csrc/api/include",
         root / "tests/unit/torch/test_libtorch_texts.cpp", root / "src/torch/libtorch_texts.cpp", GTEST / "src/gtest-all.cc",
         GTEST / "src/gtest_main.cc", f"-L{torch / 'lib'}", "-ltorch_cpu", "-lc10", "-pthread",
         f"-Wl,--disable-new-dtags,-rpath,{torch / 'lib'},--allow-shlib-undefined", "-o", program], check=True)
    return subprocess.run([program]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
