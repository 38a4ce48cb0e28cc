"""Checks that each test suite of a GoogleTest program is run: suites.py PROGRAM SUITE..."""

import subprocess
import sys


def main(program, *expected):
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    found = {line.rstrip(".\n") for line in listed.splitlines() if line.endswith(".") and not line.startswith(" ")}
    for suite in sorted(found - set(expected)):
        print(f"{suite}: the program has this suite, but no test of the build runs it")
    for suite in sorted(set(expected) - found):
        print(f"{suite}: a test of the build runs this suite, but the program has none of this name")
    return 0 if found and found == set(expected) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
