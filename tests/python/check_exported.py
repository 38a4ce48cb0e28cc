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


def check(tonnx, archive, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        subprocess.run([tonnx, "export", archive, "-o", path, "--quiet", *options], check=True)
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


def run(tonnx, folder, archive, *options):
    done = subprocess.run([tonnx, "export", archive, "-o", folder / "model.onnx", *options], capture_output=True, text=True)
    return done.returncode, done.stderr


def check_verify(tonnx, archive):
    """Runs the program along with the model: on the inputs in the archive, and on others if they fit."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        symbol = run(tonnx, folder, archive)[1].split("sizes of ")[1].split()[0]
        if "LibTorch none" in subprocess.run([tonnx, "version"], capture_output=True, text=True, check=True).stdout:
            code, text = run(tonnx, folder, archive, "--verify")
            assert code == 4 and "LibTorch is needed" in text, text
            return
        for options in ([], ["--verify-size", f"{symbol}=64"], ["--input", "x=float32[5,2,4,4]"]):
            code, text = run(tonnx, folder, archive, "--verify", *options)
            assert code == 0 and "verified: ONNX Runtime agrees" in text, text
        code, text = run(tonnx, folder, archive, "--verify", "--verify-size", f"{symbol}=65")
        assert code != 0 and "the program accepts 2 to 64" in text, text
        for given in ("x=float32[5,2,4,5]", "x=float64[5,2,4,4]", "x=float32[5,2,4]", "y=float32[5,2,4,4]"):
            code, text = run(tonnx, folder, archive, "--input", given)
            assert code != 0 and "the example inputs do not fit the program" in text, text


def main(tonnx):
    archives = sorted(FOLDER.glob("*.pt2"))
    for archive in archives:
        check(tonnx, archive)
        check(tonnx, archive, "--module-functions", "*")
        check_verify(tonnx, archive)
    print(f"{len(archives)} passed, 0 failed")
    assert len(archives) >= 4


if __name__ == "__main__":
    main(sys.argv[1])
