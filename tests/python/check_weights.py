#!/usr/bin/env python
"""Exported programs with weights from another state dict: check_weights.py TONNX"""
import copy
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnxruntime
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.float64: "F64", torch.bfloat16: "BF16", torch.int64: "I64", torch.bool: "BOOL"}


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 6)
        self.norm = nn.BatchNorm1d(6)
        self.last = nn.Linear(6, 6, bias=False)
        self.tied = nn.Linear(6, 6, bias=False)
        self.tied.weight = self.last.weight
        self.register_buffer("shift", torch.arange(6.0), persistent=False)

    def forward(self, x):
        return self.tied(self.last(self.norm(self.first(x)))) + self.shift


class Untold(Network):
    """The same without one of its buffers, whose elements are in no state dict."""

    def __init__(self):
        super().__init__()
        del self.shift

    def forward(self, x):
        return self.tied(self.last(self.norm(self.first(x))))


def trained():
    """A network with other weights than all that were exported."""
    torch.manual_seed(8)
    network = Network().eval()
    for tensor in network.state_dict().values():
        if tensor.is_floating_point():
            tensor.uniform_(0.5, 2)
    return network


def write_safetensors(path, tensors):
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        raw = tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(body), len(body) + len(raw)]}
        body += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


class Weights(unittest.TestCase):
    tonnx = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "model.onnx"
        self.x = torch.randn(3, 4)

    def saved(self, network=None, decompose=False):
        """Saves the program of a network; without a network it has no weights."""
        path = self.folder / "program.pt2"
        if network:
            program = torch.export.export(network, (self.x,))
        else:
            with FakeTensorMode():
                program = torch.export.export(Untold().eval(), (torch.randn(3, 4),))
        torch.export.save(program.run_decompositions() if decompose else program, path)
        return path

    def export(self, archive, *options, code=0):
        done = subprocess.run([self.tonnx, "export", archive, "-o", self.model, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def check(self, network):
        session = onnxruntime.InferenceSession(str(self.model), providers=["CPUExecutionProvider"])
        got = session.run(None, {session.get_inputs()[0].name: self.x.numpy()})[0]
        numpy.testing.assert_allclose(got, network(self.x).detach().numpy(), 1e-4, 1e-4)

    def files(self, state):
        """One state dict in each file format."""
        plain, nested, safe, index = (self.folder / n for n in ("a.pt", "b.ckpt", "c.safetensors", "d.safetensors.index.json"))
        torch.save(state, plain)
        torch.save({"epoch": 3, "state_dict": state}, nested)
        write_safetensors(safe, state)
        names = list(state)
        parts = {"d1.safetensors": names[:2], "d2.safetensors": names[2:]}
        for file, part in parts.items():
            write_safetensors(self.folder / file, {name: state[name] for name in part})
        index.write_text(json.dumps({"weight_map": {name: file for file, part in parts.items() for name in part}}))
        return plain, nested, safe, index

    def test_other_weights_take_the_place_of_the_programs_own(self):
        network = trained()
        for decompose in (False, True):
            archive = self.saved(Network().eval(), decompose)
            for file in self.files(network.state_dict()):
                for options in ((), ("--external-data", "yes"), ("--no-constant-folding",)):
                    with self.subTest(file=file.name, decompose=decompose, options=options):
                        self.export(archive, "--weights", file, *options)
                        self.check(network)
        self.export(archive, "--weights", file, "--external-data", "archive")
        self.check(network)

    def test_F266_F267_a_program_without_weights_takes_them_from_a_state_dict(self):
        torch.manual_seed(9)
        network = Untold().eval()
        for tensor in network.state_dict().values():
            if tensor.is_floating_point():
                tensor.uniform_(0.5, 2)
        for decompose in (False, True):
            archive = self.saved(decompose=decompose)
            self.assertIn("exported without its weights", self.export(archive, code=1))
            for file in self.files(network.state_dict()):
                with self.subTest(file=file.name, decompose=decompose):
                    self.export(archive, "--weights", file)
                    self.check(network)

    def test_F261_weights_are_attached_as_a_file_each(self):
        network = trained()
        archive, state = self.saved(Network().eval()), self.files(network.state_dict())[1]
        for options in ((), ("--no-constant-folding",)):
            for again in (False, True):
                with self.subTest(options=options, again=again):
                    self.export(archive, "--weights", state, "--external-data", "each", *options)
                    self.check(network)
                    subprocess.run([self.tonnx, "check", self.model], check=True, capture_output=True)
        files = {f.name: f.stat().st_size for f in (self.folder / "model_initializers").iterdir()}
        self.assertEqual({"first.weight", "first.bias", "norm.weight", "norm.running_mean", "last.weight", "shift"} - set(files), set())
        self.assertEqual(files["first.bias"], 24)

    def test_a_program_without_weights_has_them_as_inputs_where_none_are_stored(self):
        torch.manual_seed(9)
        network = Untold().eval()
        for decompose in (False, True):
            archive = self.saved(decompose=decompose)
            for options in ((), ("--no-constant-folding",), ("--opset", "9")):
                with self.subTest(decompose=decompose, options=options):
                    self.export(archive, "--no-export-params", *options)
                    session = onnxruntime.InferenceSession(str(self.model), providers=["CPUExecutionProvider"])
                    state = network.state_dict()
                    names = [i.name for i in session.get_inputs()]
                    given = {name: (state[name] if name in state else self.x).numpy() for name in names}
                    self.assertEqual(len([name for name in names if name not in state]), 1)
                    numpy.testing.assert_allclose(session.run(None, given)[0], network(self.x).detach().numpy(), 1e-4, 1e-4)
            self.assertIn("exported without its weights", self.export(archive, code=1))

    def test_a_name_that_is_left_out_follows_the_one_it_is_tied_to(self):
        network = trained()
        archive = self.saved(Network().eval())
        for left in ("last.weight", "tied.weight"):
            with self.subTest(left=left):
                state = {name: tensor for name, tensor in network.state_dict().items() if name != left}
                self.export(archive, "--weights", self.files(state)[2])
                self.check(network)

    def test_weights_that_do_not_fit_are_all_named(self):
        archive = self.saved(Network().eval())
        def refused(change):
            state = copy.deepcopy(trained().state_dict())
            change(state)
            return self.export(archive, "--weights", self.files(state)[0], code=2)
        self.assertIn("'first.bias' is missing", refused(lambda s: s.pop("first.bias")))
        self.assertIn("'norm.running_mean' is missing", refused(lambda s: s.pop("norm.running_mean")))
        self.assertIn("the program has no 'other'", refused(lambda s: s.update(other=torch.ones(2))))
        self.assertIn("the program has no 'shift'", refused(lambda s: s.update(shift=torch.ones(6))))
        self.assertIn("'first.bias' is float32[7]", refused(lambda s: s.update({"first.bias": torch.ones(7)})))
        self.assertIn("'first.weight' is float32[6, 1]", refused(lambda s: s.update({"first.weight": torch.ones(6, 1)})))
        text = refused(lambda s: s.update({"first.bias": torch.ones(6).double(), "norm.bias": torch.ones(5)}))
        self.assertIn("'first.bias' is float64[6]", text)
        self.assertIn("'norm.bias' is float32[5]", text)

    def test_an_index_names_files_of_its_folder_alone(self):
        archive, weights = self.saved(Network().eval()), trained().state_dict()
        outside = self.folder.parent / f"{self.folder.name}.safetensors"
        self.addCleanup(outside.unlink)
        write_safetensors(outside, weights)
        index = self.folder / "e.safetensors.index.json"
        for name in (str(outside), f"../{outside.name}", f"part/../../{outside.name}"):
            index.write_text(json.dumps({"weight_map": {key: name for key in weights}}))
            self.assertIn("outside of its folder", self.export(archive, "--weights", index, code=4))

    def test_files_that_are_no_state_dict_are_refused(self):
        archive = self.saved(Network().eval())
        file = self.folder / "given"
        for content in (b"", b"P", b"PK\3\4", b"{}", b"[1]", b"{\"weight_map\": {\"a\": \"missing.safetensors\"}}", b"\0" * 40, b"\xff" * 40):
            file.write_bytes(content)
            with self.subTest(content=content):
                self.export(archive, "--weights", file, code=4)
        torch.save([1, 2], file)
        self.assertIn("does not contain a state dict", self.export(archive, "--weights", file, code=4))
        torch.save(trained().state_dict(), file, _use_new_zipfile_serialization=False)
        self.assertIn("before PyTorch 1.6", self.export(archive, "--weights", file, code=4))
        torch.save({"model": trained().state_dict()}, file)
        self.assertIn("'model' is not a dense tensor", self.export(archive, "--weights", file, code=4))
        whole = self.files(trained().state_dict())[2].read_bytes()
        for end in range(0, len(whole), 97):
            file.write_bytes(whole[:end])
            self.export(archive, "--weights", file, code=4)
        self.export(archive, "--weights", self.folder / "missing", code=4)

    def test_a_torchscript_archive_has_its_own(self):
        if "LibTorch none" in subprocess.run([self.tonnx, "version"], capture_output=True, text=True, check=True).stdout:
            self.skipTest("a TorchScript archive is read by LibTorch")
        archive = self.folder / "traced.pt"
        torch.jit.save(torch.jit.trace(Network().eval(), self.x), archive)
        self.assertIn("(.pt2)", self.export(archive, "--weights", self.files(trained().state_dict())[0], "--input", "x=float32[3,4]", code=2))


if __name__ == "__main__":
    Weights.tonnx = sys.argv.pop(1)
    unittest.main(verbosity=0)
