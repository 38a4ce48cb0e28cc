"""Checks C, C++, Java and C# sources against .clang-format: format.py ROOT [--fix]

--fix rewrites the files instead. Go and Rust have their own formatters, which the tests of the bindings run.
"""

import argparse
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ENDINGS = (".c", ".h", ".cpp", ".hpp", ".cu", ".java", ".cs")
PASSES = 3  # a comment that was broken into lines may be laid out differently in the next pass


def sources(root):
    names = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout
    return [name for name in names.splitlines() if name.endswith(ENDINGS) and (root / name).exists()]


def run(program, root, names, *flags):
    """The complaints of clang-format about the files, which are split among the processors."""
    count = os.cpu_count() or 1
    parts = [part for part in (names[i::count] for i in range(count)) if part]
    with ThreadPoolExecutor(count) as pool:
        results = pool.map(lambda part: subprocess.run([program, *flags, *part], cwd=root, capture_output=True, text=True), parts)
    return [line for result in results for line in result.stderr.splitlines() if ": error:" in line or result.returncode > 1]


def notices_a_fault(program, root):
    """A checker that accepts this line is broken."""
    bad = subprocess.run([program, "--dry-run", "-Werror", f"--assume-filename={root / 'src/bad.cpp'}"], input="int  x ;\n",
                         capture_output=True, text=True)
    return bad.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    program = root / ".deps/tools/bin/clang-format"
    names = sources(root)
    if options.fix:
        for _ in range(PASSES):
            run(program, root, names, "-i")
    faults = run(program, root, names, "--dry-run", "-Werror")
    print("\n".join(faults))
    if faults:
        print("run: make format")
    return 1 if faults or not names or not notices_a_fault(program, root) else 0


if __name__ == "__main__":
    sys.exit(main())
