"""PyTorch's side of the comparison: loads an archive and exports it with torch.onnx.export(dynamo=False).

    python_export.py MODEL.pt ARGS.pt OUT.onnx RUNS [NETWORK]

Prints one line a run, load and export in seconds: `LOAD EXPORT`. NETWORK exports the module of that name instead of the
archive, for archives that PyTorch cannot convert. The exporter must then trace the module, which was done when the archive
was made: a second trace is timed and its time is subtracted from EXPORT. A third number is the time spent only because
there is no archive: making the network, and both traces.
"""
import pathlib
import sys
import time
import warnings

import torch


def make_network(name):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
    import case
    import models
    return case.build(next(m for m in models.all_models() if m.name == name))


def timed(action):
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start


def main():
    path, args, out, runs = sys.argv[1:5]
    warnings.simplefilter("ignore")
    args = torch.load(args)
    network, make = timed(lambda: make_network(sys.argv[5])) if len(sys.argv) > 5 else (None, 0)
    for _ in range(int(runs)):
        program, load = timed(lambda: torch.jit.load(path))
        if network:
            _, trace = timed(lambda: torch.jit.trace(network, args, check_trace=False))
            _, export = timed(lambda: torch.onnx.export(network, args, out, opset_version=17, dynamo=False))
            print(f"{load:.6f} {export - trace:.6f} {make + 2 * trace:.6f}", flush=True)
        else:
            _, export = timed(lambda: torch.onnx.export(program, args, out, opset_version=17, dynamo=False))
            print(f"{load:.6f} {export:.6f}", flush=True)


main()
