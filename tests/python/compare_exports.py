#!/usr/bin/env python
"""Compares the models of two builds of tonnx for the samples, byte for byte, to list the models that a change altered.

    compare_exports.py --before OLD/libtonnx.so --after build/libtonnx.so --samples DIR [--only REGEX] [--opset N ...] [--demand N]

Each sample is exported static, and dynamic if it has dynamic axes. Ignores the build stamp in a model (producer_version).
Reports the samples whose models differ, those that only one build converts, and how many were compared. The exit code is 1 if
any differ, or if fewer than `--demand` were compared. Weights are compared by their bytes.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def digests(options):
    """{"case opset static": digest or "refused"} of one library; run in its own process, because two libraries cannot share one."""
    import onnx
    import tonnx_library
    library = tonnx_library.Library(options.library)
    found = {}
    with tempfile.TemporaryDirectory(prefix="tonnx-compare-") as folder:
        out = pathlib.Path(folder) / "model.onnx"
        for case in json.loads((options.samples / "manifest.json").read_text())["cases"]:
            if options.only and not re.search(options.only, case["name"]):
                continue
            for opset in options.opset or [max(17, case["opset"])]:
                for dynamic in (False, True) if case["dynamic"] else (False,):
                    axes = [(d["input"], d["axis"], d["dim"]) for d in case["dynamic"]] if dynamic else []
                    key = f"{case['name']} opset {opset} {'dynamic' if dynamic else 'static'}"
                    try:
                        library.export(options.samples / case["archive"], options.samples / case["args"], out, opset, axes)
                    except tonnx_library.Refused as error:
                        found[key] = f"refused, status {error.status}"
                        continue
                    model = onnx.load(out)
                    model.producer_version = ""
                    found[key] = hashlib.sha256(model.SerializeToString(deterministic=True)).hexdigest()
                    for file in pathlib.Path(folder).iterdir():
                        file.unlink()
    print(json.dumps(found))


def run_of(library, options):
    command = [sys.executable, __file__, "--library", library, "--samples", options.samples]
    command += ["--only", options.only] if options.only else []
    command += ["--opset", *map(str, options.opset)] if options.opset else []
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before")
    parser.add_argument("--after")
    parser.add_argument("--library", help="print the digests of one library's models")
    parser.add_argument("--samples", type=pathlib.Path, required=True)
    parser.add_argument("--only")
    parser.add_argument("--opset", type=int, nargs="*")
    parser.add_argument("--demand", type=int, default=1)
    options = parser.parse_args()
    if options.library:
        return digests(options)
    if not options.before or not options.after:
        parser.error("--before and --after, or --library")
    before, after = run_of(options.before, options), run_of(options.after, options)
    kinds = collections.defaultdict(list)
    for key in before.keys() | after.keys():
        old, new = before.get(key, "missing"), after.get(key, "missing")
        if old == new:
            continue
        kind = "differ" if not (old + new).count("refused") else "refused now" if new.startswith("refused") else "convert now"
        kinds[kind].append(key)
    for kind, keys in sorted(kinds.items()):
        print(f"{len(keys)} {kind}:", *sorted(keys), sep="\n  ")
    compared = sum(not (before[key] + after[key]).count("refused") for key in before.keys() & after.keys())
    print(f"{compared} models compared")
    return 1 if kinds or compared < options.demand else 0


if __name__ == "__main__":
    sys.exit(main())
