#!/usr/bin/env python
"""Runs the operators' cases of float32 in float64, to float64's accuracy: run_doubles.py --library build/libtonnx.so [--every N]

Each case whose inputs have the case's dtype is rebuilt in float64 and compared in ONNX Runtime at a relative error of 1e-9.
--every N runs one of N parts of the cases, another one in each slice ($TONNX_SLICE); --only selects names. Skips a case that PyTorch
itself cannot run in float64. LOOSE lists the cases that need another tolerance, with the reason; UNLIKE those that have no form in
float64.
"""
import argparse
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import torch

import case as cases
import make_samples
import operators
import slices

HERE = pathlib.Path(__file__).resolve().parent
# Families whose results are steps of a grid, or random.
LEFT_OUT = {"quantisation", "quantised", "quantised_packed", "quantised_recurrent", "random"}
# A regular expression for names of cases that mean something else in float64, and the reason.
UNLIKE = [
    (r"^convolution\.conv(_transpose)?[123]d\.open_kernel$", "ONNX Runtime has no Conv of float64, and its replacement needs a kernel of known size: refused"),
    (r"^copies\.view_copy\.dtype$", "the bytes of a float64 are no int32: refused"),
    (r"^gradients\.softmax\.", "the case names float32 as the dtype of the input"),
    (r"^(ordering\.nan\.scatter_a|related_axes\.multiple_by_convolution)", "the trace holds a float32 tensor of its own"),
    (r"^numbers\.floats\.traced$", "torch.jit.trace records quotients of sizes in float32"),
    (r"_half(_target)?\.|_of_bfloat16$", "the case computes in half precision"),
]
# A regular expression for names of cases, rtol, atol and the reason.
LOOSE = [
    (r"^functions\.hann_window\.of_size", 1e-6, 1e-6, "the window itself is float32"),
    (r"^gradients\.hardsigmoid\.", 1e-7, 1e-7, "LibTorch multiplies by 1/6 of float32"),
    (r"^special\.airy_ai", 1e-5, 5e-6, "LibTorch's own is good to 1e-5 far out"),
    (r"^special\.gammainc", 1e-8, 1e-10, "LibTorch's own is good to 2e-9 where order and argument are close"),
    (r"^special\.(scaled_)?(modified_)?(bessel_[ijky]|i[01])", 1e-6, 1e-6, "LibTorch's own is good to 1e-7"),
]


def is_taken(item, every):
    moves = any(i.dtype is None for i in item.inputs)
    comparable = item.first and item.dtype == torch.float32 and item.compare == "values" and not item.ready and moves
    return comparable and slices.takes_part(item.name, every) and not any(re.search(pattern, item.name) for pattern, _ in UNLIKE)


def doubled(item):
    rtol, atol = next(((rtol, atol) for pattern, rtol, atol, _ in LOOSE if re.search(pattern, item.name)), (None, None))
    return dataclasses.replace(item, name=item.name + ".float64", dtype=torch.float64, rtol=rtol, atol=atol, first=False)


def make(folder, item):
    """The manifest's entry; None if PyTorch cannot run the case in float64."""
    for default in (torch.float32, torch.float64):
        if default == torch.float64 and item.script:  # a script uses the default dtype of the process that runs it
            break
        torch.set_default_dtype(default)
        try:
            return make_samples.make_case(folder, doubled(item))[0]
        except (RuntimeError, TypeError, AssertionError):
            continue
        finally:
            torch.set_default_dtype(torch.float32)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", type=pathlib.Path, help="where the samples stay")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for pattern, *_ in LOOSE + UNLIKE:
        assert any(re.search(pattern, c.name) for f in operators.families() for c in f.cases), pattern
    with tempfile.TemporaryDirectory(prefix="tonnx-doubles-") as made:
        folder = options.folder or pathlib.Path(made)
        taken = [c for f in operators.families() if f.name not in LEFT_OUT for c in f.cases
                 if is_taken(c, options.every) and re.search(options.only, c.name)]
        entries = [make(folder, item) for item in taken]
        manifest = [entry for entry in entries if entry]
        print(f"{len(manifest)} of {len(taken)} cases run in float64", flush=True)
        assert len(manifest) > 0.9 * len(taken)
        (folder / "manifest.json").write_text(json.dumps({"version": 1, "newest_opset": make_samples.NEWEST, "cases": manifest}))
        command = [sys.executable, HERE / "run_cases.py", "--library", options.library, "--samples", folder, "--jobs", str(options.jobs)]
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
