#!/usr/bin/env python
"""Compares the first opset of each operator in the registry with the first opset at which its samples convert.

    first_opsets.py --samples DIR --tonnx build/tonnx --library build/libtonnx.so [--only REGEX] [--every N]

At the opset of a row, at least one of the samples that call the operator must convert; below it, none may. For a row
"aten::sqrt<complex>" these are samples of the family complex, and below it those that call no other operator. The exit code is 1
if that does not hold. Rows without a sample are counted: other names of the same lowering, and operators that only an exported
program calls, which run_exported.py exports at all opsets. A unit test of the registry checks that look-ups find nothing below
a row's opset. --every 10 checks one row of ten, another one in each slice.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import slices
import tonnx_library

REFUSED = 1
# Rows whose cases convert at older opsets, because the operator is folded to a constant there.
FOLDED = {
    "aten::_padded_dense_to_jagged_forward": "sizes that are constants",
    "aten::frexp": "a constant number",
    "aten::gamma": "a constant number",
    "aten::kaiser_window": "a window of a fixed size",
    "aten::sorted.int": "a list of fixed sizes",
}
# Rows that passes replace: the registry has the first opset of the floating-point layer.
REPLACED = {"aten::quantized_gru.data", "aten::quantized_lstm.data"}


def rows(tonnx):
    """The first opset of each name in the registry: "aten::add", "quantized::conv2d.new"."""
    listed = subprocess.run([tonnx, "registry"], capture_output=True, text=True, check=True).stdout
    return {name: int(since) for name, since in re.findall(r"^(\w+::\S+)\s+(\d+) (?:lowering|quantised)$", listed, re.MULTILINE)}


def row_of(operator, table):
    plain = operator.split(".")[0]
    functional = plain if plain.endswith("__") else plain.rstrip("_")
    return next((name for name in (operator, plain, functional) if name in table), None)


class Exports:
    def __init__(self, options):
        self.samples = options.samples
        self.library = tonnx_library.Library(options.library)
        self.known = {}
        self.faults = []  # exports that failed other than by a refusal

    def converts(self, case, opset):
        key = case["name"], opset
        if key not in self.known:
            with tempfile.TemporaryDirectory(prefix="tonnx-first-") as folder:
                try:
                    self.library.export(self.samples / case["archive"], self.samples / case["args"],
                                        pathlib.Path(folder) / "model.onnx", opset, [])
                    self.known[key] = True
                except tonnx_library.Refused as error:
                    self.known[key] = False
                    if error.status != REFUSED:
                        self.faults.append(f"{case['name']} at opset {opset}: {error}")
        return self.known[key]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=pathlib.Path, required=True)
    parser.add_argument("--tonnx", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--only", default="", help="a regular expression: only operators whose name it finds")
    parser.add_argument("--every", type=int, default=1, help="one row of so many")
    options = parser.parse_args()
    table = rows(options.tonnx)
    oldest = min(since for since in table.values() if since > 1)
    cases = collections.defaultdict(list)
    for case in json.loads((options.samples / "manifest.json").read_text())["cases"]:
        for operator in case["operators"] if case["suite"] in ("operators", "outside", "programs") else []:
            row = row_of(operator, table)
            name = f"{row}<complex>" if case["name"].startswith("complex.") and f"{row}<complex>" in table else row
            if name in table and re.search(options.only, name) and slices.takes_part(name, options.every):
                cases[name].append(case)
    exports, faults = Exports(options), []
    for row, calling in sorted(cases.items()):
        since = max(table[row], oldest)
        calling.sort(key=lambda case: len(case["operators"]))
        # A complex program of several operators may call this one on real tensors.
        single = [case for case in calling if len(case["operators"]) == 1]
        is_sure = row not in REPLACED and (single or not row.endswith("<complex>"))
        if is_sure and not any(exports.converts(case, since) for case in calling):
            faults.append(f"{row}: its first opset is said to be {since}, where no case converts")
        # A whole program may not reach the operator.
        alone = [case for case in calling if case["suite"] != "programs"] if since > oldest and row not in FOLDED else []
        if row.endswith("<complex>"):
            alone = [case for case in alone if case in single]
        below = [case["name"] for case in alone if exports.converts(case, since - 1)]
        if below:
            faults.append(f"{row}: its first opset is said to be {since}, and {below[0]} converts at {since - 1}")
    faults += exports.faults
    without = [row for row in table if row not in cases and re.search(options.only, row) and slices.takes_part(row, options.every)]
    print(*faults, f"{len(cases)} rows looked at, {len(without)} without a sample of their own", sep="\n")
    if not cases:
        return 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
