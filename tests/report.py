"""Counts what `meson test` ran and prints `N passed, N failed` as its last line: report.py BUILD

GoogleTest programs count case by case, others as one. Fails where a test failed or none ran.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

GOOD = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def count(build):
    """Returns the counts of passed and skipped cases, the names of those that failed, and how many exports ran into an
    operator that ONNX Runtime has no kernel of."""
    logs = pathlib.Path(build) / "meson-logs"
    passed, skipped, failed, without_kernel = 0, 0, [], 0
    if not (logs / "testlog.junit.xml").exists():
        return passed, skipped, failed, without_kernel
    for suite in ElementTree.parse(logs / "testlog.junit.xml").getroot():
        for one in suite.iter("property"):
            without_kernel += int(one.get("value")) if one.get("name") == "runs_without_kernel" else 0
        for case in suite.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed.append(f"{suite.get('name')}.{case.get('name')}")
            elif case.find("skipped") is not None or case.get("status") == "notrun":
                skipped += 1
            else:
                passed += 1
    # A program that crashed or ran out of time has left no word on its cases.
    for line in (logs / "testlog.json").read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        name = test["name"]
        known = any(f".{name}." in f"{one}." for one in failed)
        if test["result"] not in GOOD | SKIPPED and not known:
            failed.append(f"{name} ({test['result']})")
    return passed, skipped, failed, without_kernel


def main(build):
    passed, skipped, failed, without_kernel = count(build)
    for name in failed:
        print(f"failed: {name}")
    if without_kernel:
        print(f"{without_kernel} exports were not run: ONNX Runtime has no kernel for them")
    print(f"{passed} passed, {len(failed)} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
