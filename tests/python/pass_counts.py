#!/usr/bin/env python
"""Counts which program passes change which programs, and writes docs/passes.md.

    pass_counts.py --library build/libtonnx.so --samples DIR [--only REGEX] [--archives DIR] [--out docs/passes.md]

Exports each sample of DIR (make_samples.py) with its sizes fixed and, where it has dynamic axes, with these, and each archive below
--archives, with the arguments in NAME.args beside it, if there are any. A program counts once for a pass, however often the pass changed it; so does a program that is
refused. The table's other columns are those of src/program/pass_table.cpp. Without --out, the page goes to standard output. The order of the
passes, which a unit test compares with the pipeline, is copied from the page that is there.
"""
import argparse
import collections
import ctypes
import json
import pathlib
import re
import sys
import tempfile

import tonnx_library

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "passes.md"
TABLE = ROOT / "src" / "program" / "pass_table.cpp"
ORDER = re.compile(r"^## Order\n.*?(?=^## )", re.MULTILINE | re.DOTALL)
NAMES = {"kFlow": "ControlFlow", "kConditions": "ControlFlow | Identities"}
FEATURES = {"ControlFlow": "control flow", "Identities": "identity tests", "Nested": "nested containers", "Statistics": "running statistics"}


def features(text):
    """The name of a set of features on the page: "control flow or writes"."""
    names = re.findall(r"\w+", NAMES.get(text.strip(), text.replace("Feature::", "")))
    return " or ".join(FEATURES.get(name, name.lower()) for name in names)


def rows(source):
    """(name, needs, invalidates, doc) of each row of the table of passes."""
    for row in re.findall(r'\{\.name = .*?\.doc = "(?:[^"\\]|\\.)*"', source, re.DOTALL):
        name, doc = re.search(r'\.name = "([^"]*)"', row)[1], re.search(r'\.doc = "((?:[^"\\]|\\.)*)"', row)[1]
        treats = re.search(r"\.treats = ([^,]*),", row)
        needs = [features(treats[1])] if treats else []
        needs += ["facts"] if ".needs_facts = true" in row else []
        needs += ["no writes"] if ".needs_no_writes = true" in row else []
        yield name, ", ".join(needs), "facts" if ".invalidates_facts = true" in row else "", doc


class Counter:
    def __init__(self, library):
        self.library = tonnx_library.Library(library)
        self.folder = tempfile.TemporaryDirectory(prefix="tonnx-passes-")
        self.programs, self.refused = collections.Counter(), collections.Counter()
        self.changed = collections.defaultdict(collections.Counter)  # pass -> group -> programs
        self.bounds = collections.Counter()

    def report_of(self, archive, args, opset, axes):
        """The report of an export, failed or not, and whether it succeeded."""
        reports, c = [], self.library.c
        take = lambda model: reports.append(c.tonnx_report_json(ctypes.c_void_p(c.tonnx_model_report(model))))
        out = pathlib.Path(self.folder.name) / "model.onnx"
        try:
            self.library.export(archive, args, out, opset, axes, use=take, statistics=True)
        except tonnx_library.Refused as error:
            return json.loads(error.report or "{}"), False
        return json.loads(reports[0]), True

    def count(self, group, exports):
        """Exports one program in several ways."""
        changed, is_exported = set(), False
        for way in exports:
            report, succeeded = self.report_of(*way)
            is_exported |= succeeded
            changed |= {key for key, entry in report.get("passes", {}).items() if entry["changes"]}
            self.bounds.update(report.get("bounds", []))
        self.programs[group] += 1
        self.refused[group] += not is_exported
        for key in changed:
            self.changed[key][group] += 1


def page(counter, order, source):
    groups = sorted(counter.programs)
    yield "# Program passes"
    yield ""
    yield "Written by `tests/python/pass_counts.py`. A pass is skipped if the program lacks what the pass *needs*: one of the listed features, inferred"
    yield "facts, or that no operator writes to an argument (*no writes*). If it *invalidates* facts, they are inferred again after a change."
    yield ""
    yield "A *fixpoint* repeats its steps until a round changes nothing, at most as often as its bound allows (1000 and 4 a node: 1000 rounds and 4 more"
    yield "for each node). *Up to the first change* ends after the first step that changes the program. A group with features in brackets is skipped"
    yield "if the program has none of them."
    yield ""
    yield "Programs of this run: " + ", ".join(f"{counter.programs[g]} {g} ({counter.refused[g]} of them refused)" for g in groups) + "."
    bounds = ", ".join(f"{text} ({times} times)" for text, times in sorted(counter.bounds.items()))
    yield f"Bounds that were reached: {bounds or 'none'}."
    yield ""
    yield from order.rstrip().split("\n")
    yield ""
    yield "## Passes"
    yield ""
    yield "| pass | needs | invalidates | what it does | " + " | ".join(f"changed {g}" for g in groups) + " |"
    yield "|---|---|---|---|" + "---:|" * len(groups)
    for name, needs, invalidates, doc in rows(source):
        cells = [f"`{name}`", needs, invalidates, doc.replace("|", "\\|"), *(str(counter.changed[name][g]) for g in groups)]
        yield "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--samples", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--archives", type=pathlib.Path, help="a folder of archives")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    counter = Counter(options.library)
    for folder in options.samples:
        for case in json.loads((folder / "manifest.json").read_text())["cases"]:
            if not re.search(options.only, case["name"]):
                continue
            group = "programs" if (ROOT / "tests" / "python" / "programs" / f"{case['name'].split('.')[0]}.py").exists() else "operators and networks"
            ways = [[], [(d["input"], d["axis"], d["dim"]) for d in case["dynamic"]]] if case["dynamic"] else [[]]
            counter.count(group, [(folder / case["archive"], folder / case["args"], max(17, case["opset"]), axes) for axes in ways])
    for archive in sorted(options.archives.rglob("*.pt*")) if options.archives else ():
        args = archive.with_suffix(".args")
        counter.count("archives", [(archive, args if args.exists() else None, 17, [])])
    text = "\n".join(page(counter, ORDER.search(PAGE.read_text())[0], TABLE.read_text())) + "\n"
    if options.out:
        options.out.write_text(text)
    else:
        print(text, end="")
    print(f"{sum(counter.programs.values())} programs, {len(counter.bounds)} bounds reached", file=sys.stderr)
    return 0 if counter.programs else 1


if __name__ == "__main__":
    sys.exit(main())
