#!/usr/bin/env python
"""Checks the defects of src/ir/runtime_gaps.cpp: runtime_defects.py ROOT --samples DIR --library FILE [--every N] [--only REGEX]

Each defect has a row and is asked in src. The test of a row is the name of a case, FILE:SUITE.NAME or FILE.py:NAME (a test that must exist), or empty
with a reason in the comment before it. Of every N-th case (they take turns by commits) the model for ONNX Runtime must be right in it, and
the model for plain ONNX must not be right at all sizes: a row whose case passes without the workaround is stale.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import run_cases

NEWEST = 26
DEFECT = re.compile(r"enum class Defect \{(.*?)\}", re.DOTALL)
ROW = re.compile(r'\{Defect::(\w+),\s*"(\w+)",\s*(\d+),\s*(\w+),\s*"[^"]*",\s*(?:"[^"]*"\s*)+,\s*"([^"]*)"\}')


def rows_of(text):
    """(defect, operator, first opset, last opset, test)"""
    return [(defect, op, int(since), NEWEST if until == "kNewest" else int(until), test)
            for defect, op, since, until, test in ROW.findall(text)]


def has_unit_test(root, test):
    path, _, name = test.partition(":")
    suite, _, case = name.partition(".")
    file = root / "tests" / path
    if file.suffix == ".py":
        return file.is_file() and re.search(rf"^def {name}\b", file.read_text(encoding="utf-8"), re.MULTILINE)
    return file.is_file() and re.search(rf"\bTEST\w*\({suite},\s*{case}\)", file.read_text(encoding="utf-8"))


def static_findings(root, rows, cases):
    header = (root / "src/ir/target.h").read_text(encoding="utf-8")
    defects = re.findall(r"\w+", DEFECT.search(header)[1])
    code = "\n".join(file.read_text(encoding="utf-8") for file in (root / "src").rglob("*.cpp") if file.name != "runtime_gaps.cpp")
    for defect in defects:
        if not any(row[0] == defect for row in rows):
            yield f"{defect}: no row of the table"
        if not re.search(rf"\bDefect::{defect}\b", code):
            yield f"{defect}: never asked"
    for defect, op, _, _, test in rows:
        if test and not (has_unit_test(root, test) if ":" in test else test in cases):
            yield f"{defect} of {op}: the test {test} does not exist"


def tasks_of(rows, cases):
    """[(row, [(case, opset, is dynamic)])]"""
    for row in rows:
        if case := cases.get(row[4]):
            opsets = sorted({min(max(opset, row[2], case["opset"]), row[3]) for opset in (17, 21)})
            yield row, [(case, opset, dynamic) for opset in opsets for dynamic in ((False, True) if case["dynamic"] else (False,))]


def failures(options, target, chosen):
    """The names of the cases that fail, with a reason."""
    crew = run_cases.Crew(argparse.Namespace(**vars(options), target=target, newest=NEWEST, keep=None, optimised=True, jobs=2))
    failed = {}
    for (case, _, _), (stage, text) in crew.run([task for _, tasks in chosen for task in tasks]):
        if stage != "passed":
            failed[case["name"]] = f"{stage}: {text.splitlines()[0] if text else ''}"
    crew.dismiss()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--samples", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    rows = rows_of((options.root / "src/ir/runtime_gaps.cpp").read_text(encoding="utf-8"))
    assert len(rows) > 20, len(rows)
    cases = {case["name"]: case for case in json.loads((options.samples / "manifest.json").read_text(encoding="utf-8"))["cases"]}
    found = list(static_findings(options.root, rows, cases))
    turn = int(subprocess.run(["git", "-C", options.root, "rev-list", "--count", "HEAD"], capture_output=True, text=True).stdout or 0)
    chosen = [one for place, one in enumerate(tasks_of(rows, cases))
              if (place + turn) % options.every == 0 and re.search(options.only, one[0][4])]
    right, plain = failures(options, "onnxruntime", chosen), failures(options, "onnx", chosen)
    for (defect, op, _, _, test), _ in chosen:
        if test in right:
            found.append(f"{defect} of {op}: {test} fails with the workaround: {right[test]}")
        elif test not in plain:
            found.append(f"{defect} of {op}: {test} passes without the workaround; find another case, or remove the row")
    print("\n".join(found) or f"{len(rows)} rows, {len(chosen)} cases run")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
