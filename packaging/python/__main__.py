"""Starts bin/tonnx with the LibTorch and the ONNX Runtime of this Python, if it has them. Imports neither of them."""

import importlib.util
import os
import pathlib
import sys


def library(package, pattern):
    """The first file of an installed package that matches the pattern; None if there is none."""
    found = importlib.util.find_spec(package)
    folders = found.submodule_search_locations if found else None
    return next((file for folder in folders or () for file in sorted(pathlib.Path(folder).glob(pattern))), None)


def main():
    torch = library("torch", "lib/libtorch_cpu.so")
    if torch:
        # Loaded only if the command needs LibTorch.
        os.environ["TONNX_PYTHON_LIBTORCH"] = str(torch.parent)
    runtime = library("onnxruntime", "capi/libonnxruntime.so.*")
    if runtime:
        os.environ.setdefault("TONNX_ONNXRUNTIME", str(runtime))
    program = pathlib.Path(__file__).resolve().parent / "bin" / "tonnx"
    os.execv(program, ["tonnx", *sys.argv[1:]])


if __name__ == "__main__":
    main()
