"""PyTorch's side of the comparison: loads an archive and exports it with torch.onnx.export(dynamo=False).

    python_export.py MODEL.pt ARGS.pt OUT.onnx RUNS

Prints one line a run, load and export in seconds: `LOAD EXPORT`.
"""
import sys
import time
import warnings

import torch


def main():
    model, args, out, runs = sys.argv[1:5]
    warnings.simplefilter("ignore")
    args = torch.load(args)
    for _ in range(int(runs)):
        start = time.perf_counter()
        program = torch.jit.load(model)
        load = time.perf_counter() - start
        start = time.perf_counter()
        torch.onnx.export(program, args, out, opset_version=17, dynamo=False)
        print(f"{load:.6f} {time.perf_counter() - start:.6f}", flush=True)


main()
