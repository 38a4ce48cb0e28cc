#!/usr/bin/env python
"""Lists operators that no sample of one operator calls: those that tonnx lowers, and those that its networks call.

    coverage.py --samples DIR [--tonnx build/tonnx] [--uncalled tests/uncalled_operators.txt]

A sample counts if its values are compared. The exit code is 1 if there is such an operator without a reason in the list of
uncalled ones, or if that list is out of date.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

# Domains in TorchScript archives; the cases of run_exported.py call the other operators of torch.export programs.
DOMAINS = "aten|quantized|quantized_decomposed|torchvision"
UNCALLED = pathlib.Path(__file__).resolve().parent.parent / "uncalled_operators.txt"


def plain(name):
    """An operator's name without overload; an in-place name becomes the functional one."""
    name = name.split(".")[0]
    return name if name.endswith("__") else name.rstrip("_")


def reasons(path):
    rows = (line.partition("\t") for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return {name: reason for name, _, reason in rows}


def operators(cases, *suites):
    return {plain(name) for c in cases if c["suite"] in suites and c["compare"] == "values" for name in c["operators"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=pathlib.Path, required=True)
    parser.add_argument("--tonnx", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--uncalled", type=pathlib.Path, default=UNCALLED)
    options = parser.parse_args()
    cases = json.loads((options.samples / "manifest.json").read_text())["cases"]
    called = operators(cases, "operators", "outside")
    faults = [f"{name}: a network calls it, no operator's case does" for name in sorted(operators(cases, "models") - called)]
    if options.tonnx:
        listed = subprocess.run([options.tonnx, "registry"], capture_output=True, text=True, check=True).stdout
        rows = rf"^((?:{DOMAINS})::\w+(?:\.\w+)?)\s.* (?:lowering|quantised)$"
        lowered = {plain(name) for name in re.findall(rows, listed, re.MULTILINE)}
        known = reasons(options.uncalled)
        faults += [f"{name}: tonnx lowers it, no case calls it" for name in sorted(lowered - called - set(known))]
        faults += [f"{name}: is in {options.uncalled.name} and a case calls it" for name in sorted(called & set(known))]
        faults += [f"{name}: is in {options.uncalled.name} and tonnx does not lower it" for name in sorted(set(known) - lowered)]
        faults += [f"{name}: is in {options.uncalled.name} without a reason" for name, reason in sorted(known.items()) if not reason]
        print(f"{len(lowered & called)} of {len(lowered)} lowered operators are called by a case, {len(known)} cannot be")
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
