#!/usr/bin/env python
"""Tells which operators no sample of one operator calls: those that tonnx lowers, and those that its networks call.

    coverage.py --samples DIR [--tonnx build/tonnx [--strict]]

Exit status 1 if a network calls such an operator, or, with --strict, if there is one at all.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys


def plain(name):
    """An operator's name without overload, its in-place form taken for the functional one."""
    name = name.split(".")[0]
    return name if name.endswith("__") else name.rstrip("_")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=pathlib.Path, required=True)
    parser.add_argument("--tonnx", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    cases = json.loads((options.samples / "manifest.json").read_text())["cases"]
    called = {plain(name) for c in cases if c["suite"] == "operators" for name in c["operators"]}
    missing = {plain(name) for c in cases if c["suite"] == "models" for name in c["operators"]} - called
    for name in sorted(missing):
        print(f"{name}: a network calls it, no operator's case does")
    if options.tonnx:
        listed = subprocess.run([options.tonnx, "registry"], capture_output=True, text=True, check=True).stdout
        lowered = {plain(name) for name in re.findall(r"^(aten::\w+(?:\.\w+)?)", listed, re.MULTILINE)}
        for name in sorted(lowered - called):
            print(f"{name}: tonnx lowers it, no case calls it")
        if options.strict:
            missing |= lowered - called
        print(f"{len(lowered & called)} of {len(lowered)} lowered operators are called by a case")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
