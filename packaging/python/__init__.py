"""The command line `tonnx`, which exports LibTorch programs as ONNX models. Nothing in this package converts in Python.

`python -m tonnx` is the same command. `tonnx.folder()` has the headers and the libraries, for programs in other languages.
"""

import pathlib


def folder():
    """The folder of bin/tonnx, include/tonnx.h and lib/libtonnx.so.0."""
    return pathlib.Path(__file__).resolve().parent
