#!/usr/bin/env python
"""Compares the models of the small archives of tests/exported with the module that made them: check_exported.py TONNX"""
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
import torch

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "exported"
sys.path.insert(0, str(FOLDER))
import make_archive  # noqa: E402


def check(tonnx, archive):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        subprocess.run([tonnx, "export", archive, "-o", path, "--quiet"], check=True)
        onnx.checker.check_model(str(path), full_check=True)
        weights = {w.name: torch.tensor(onnx.numpy_helper.to_array(w)) for w in onnx.load(str(path)).graph.initializer}
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    module = make_archive.Small().eval()
    module.load_state_dict({name: weights[name] for name in module.state_dict()})
    for batch in (2, 5, 64):
        x = torch.randn(batch, 2, 4, 4)
        got = session.run(["a", "b.0", "b.2"], {"x": x.numpy()})
        expected = module(x)
        assert numpy.allclose(got[0], expected["a"].detach().numpy(), 1e-4, 1e-5), (got[0], expected["a"])
        assert got[1] == batch and got[1].dtype == numpy.int64
        assert (got[2] == expected["b"][2].numpy()).all()


def main(tonnx):
    archives = sorted(FOLDER.glob("*.pt2"))
    for archive in archives:
        check(tonnx, archive)
    print(f"{len(archives)} passed, 0 failed")
    assert len(archives) >= 4


if __name__ == "__main__":
    main(sys.argv[1])
