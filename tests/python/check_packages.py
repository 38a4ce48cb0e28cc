#!/usr/bin/env python
"""Packages of several models: refusals, and the names in messages: check_packages.py TONNX"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy
import onnxruntime
import torch
from torch import nn
from torch.export.pt2_archive._package import package_pt2


@torch.library.custom_op("packages::increase", mutates_args={"x"})
def increase(x: torch.Tensor) -> None:
    x.add_(1)


class Increased(nn.Module):
    def forward(self, x):
        y = x.clone()
        increase(y)
        return y * 2


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        self.count.add_(1)
        return self.drop(x) + self.count


class Pieces(nn.Module):
    def forward(self, x, y):
        return x.chunk(4)[-1], x + y


class TwoBuffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("real", torch.tensor([1.0, 2.0]))
        self.register_buffer("whole", self.real.view(2))

    def forward(self, x):
        return x + self.real, self.whole


class Squeezed(nn.Module):
    def forward(self, x, y):
        return x.squeeze(), x.squeeze(-1), y.squeeze(0), y.unsqueeze(0).squeeze(0)


class Chain(nn.Module):
    def forward(self, x):
        return x.exp().sin().neg().relu()


class Packages(unittest.TestCase):
    tonnx = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "model.onnx"

    def saved(self, module, *inputs, decompose=False, shapes=None):
        program = torch.export.export(module, inputs, dynamic_shapes=shapes)
        path = self.folder / "program.pt2"
        torch.export.save(program.run_decompositions() if decompose else program, path)
        return path

    def export(self, archive, *options, code=0):
        done = subprocess.run([self.tonnx, "export", archive, "-o", self.model, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def with_document(self, archive, change, weights=None):
        """Copies an archive with another model document, and other weights."""
        copy = self.folder / "changed.pt2"
        with zipfile.ZipFile(archive) as old, zipfile.ZipFile(copy, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name.endswith("models/model.json"):
                    document = json.loads(content)
                    change(document["graph_module"])
                    content = json.dumps(document)
                if name.endswith("model_weights_config.json") and weights:
                    document = json.loads(content)
                    weights(document["config"])
                    content = json.dumps(document)
                new.writestr(name, content)
        return copy

    def test_each_of_several_models_is_exported_by_its_name(self):
        modules = {"double": nn.Linear(3, 2), "half": nn.Linear(2, 4)}
        inputs = {"double": torch.randn(2, 3), "half": torch.randn(2, 2)}
        archive = self.folder / "two.pt2"
        package_pt2(archive, exported_programs={n: torch.export.export(m, (inputs[n],)) for n, m in modules.items()})
        for name, module in modules.items():
            self.export(archive, "--method", name)
            session = onnxruntime.InferenceSession(str(self.model), providers=["CPUExecutionProvider"])
            got = session.run(None, {session.get_inputs()[0].name: inputs[name].numpy()})[0]
            numpy.testing.assert_allclose(got, module(inputs[name]).detach().numpy(), 1e-4, 1e-5)
        self.assertIn("'double', 'half'", self.export(archive, "--method", "third", code=2))

    def test_a_compiled_package_is_refused(self):
        archive = self.folder / "compiled.pt2"
        with zipfile.ZipFile(archive, "w") as package:
            package.writestr("compiled/archive_format", "pt2")
            package.writestr("compiled/data/aotinductor/model/model.so", "compiled")
        self.assertIn("package of AOTInductor", self.export(archive, code=1))

    def test_objects_are_refused_by_name_and_class(self):
        def add_object(module):
            argument = {"name": "obj_box", "class_fqn": "__torch__.torch.classes.shop.Box"}
            module["signature"]["input_specs"].append({"custom_obj": {"arg": argument, "custom_obj_name": "box"}})
        text = self.export(self.with_document(self.saved(nn.ReLU(), torch.randn(3)), add_object), code=1)
        self.assertIn("'box', an object of class __torch__.torch.classes.shop.Box", text)

    def test_operators_that_write_to_their_arguments_are_refused_by_name(self):
        for decompose in (False, True):
            with self.subTest(decompose=decompose):
                text = self.export(self.saved(Increased(), torch.randn(3), decompose=decompose), code=1)
                self.assertRegex(text, r"packages::increase.* register its schema .* to return them")
                known = self.saved(Increased(), torch.randn(3), decompose=decompose)
                text = self.export(known, "--schema", "packages::increase(Tensor(a!) x) -> ()", code=1)
                self.assertIn("packages::increase", text)
                self.assertIn("register a symbolic", text)

    def test_what_is_verified_without_example_inputs_asks_for_some(self):
        if "LibTorch none" in subprocess.run([self.tonnx, "version"], capture_output=True, text=True, check=True).stdout:
            self.skipTest("LibTorch runs what is verified")
        program = torch.export.export(Chain(), (torch.randn(3),), dynamic_shapes=({0: torch.export.Dim.AUTO},))
        program._example_inputs = None
        archive = self.folder / "program.pt2"
        torch.export.save(program, archive)
        for options in ([], ["--fixed-axes", "x:0=2"]):
            self.assertIn("no example inputs to verify with", self.export(archive, "--verify", *options, code=2))
            self.export(archive, "--verify", "--input", "x=float32[2]", *options)

    def test_arithmetic_without_an_operand_is_damage(self):
        class Doubled(nn.Module):
            def forward(self, x):
                return x.shape[0] * 2, x + 1
        def change(module):
            node, = (node for node in module["graph"]["nodes"] if node["target"] == "_operator.mul")
            node["inputs"].pop()
        archive = self.with_document(self.saved(Doubled(), torch.randn(3), shapes=({0: torch.export.Dim.AUTO},)), change)
        self.assertIn("is damaged: aten::mul.int is called without its argument 'b'", self.export(archive, code=4))

    def test_weights_of_one_memory_and_two_dtypes_are_two(self):
        int32 = 4
        def change(module):
            module["graph"]["tensor_values"]["b_whole"]["dtype"] = int32
        def weights(config):
            self.assertEqual(*(config[name]["path_name"] for name in ("real", "whole")))
            config["whole"]["tensor_meta"]["dtype"] = int32
        self.export(self.with_document(self.saved(TwoBuffers(), torch.zeros(2)), change, weights))
        session = onnxruntime.InferenceSession(str(self.model), providers=["CPUExecutionProvider"])
        real, whole = session.run(None, {"x": numpy.zeros(2, numpy.float32)})
        self.assertEqual(real.tolist(), [1, 2])
        self.assertEqual(whole.tolist(), numpy.array([1, 2], numpy.float32).view(numpy.int32).tolist())

    def test_F272_all_refusals_are_reported_at_once(self):
        def change(module):
            nodes = module["graph"]["nodes"]
            for node, target in zip(nodes, ("torch.ops.aten.later.default", "torch.ops.higher_order.later", "shop.sell")):
                node["target"] = target
        text = self.export(self.with_document(self.saved(Chain(), torch.randn(3)), change), code=1)
        for name in ("aten::later", "higher_order::later", "shop.sell"):
            self.assertIn(name, text)

    def test_dropped_checks_and_random_operators_are_reported(self):
        for decompose in (False, True):
            with self.subTest(decompose=decompose):
                text = self.export(self.saved(Counter().train(), torch.randn(2, 3), decompose=decompose))
                self.assertIn("'count'", text)
                self.assertIn("training mode", text)
        text = self.export(self.saved(Counter().eval(), torch.randn(2, 3)))
        self.assertIn("'count'", text)
        self.assertNotIn("training mode", text)

    def test_conditions_that_some_sizes_break_are_reported(self):
        auto = torch.export.Dim.AUTO
        pieces = torch.randn(6, 3), torch.randn(6, 3)
        text = self.export(self.saved(Pieces(), *pieces, shapes=({0: auto}, {0: auto})))
        self.assertRegex(text, r"exported for inputs where .*x\.size\(\)\[0\].* == 3; .*may be wrong")
        self.assertNotIn("y.size", text)
        for name, module, shapes in (("sum", Pieces(), None), ("relu", nn.ReLU(), ({0: auto},))):
            with self.subTest(name=name):
                text = self.export(self.saved(module, *pieces[:2 if name == "sum" else 1], shapes=shapes))
                self.assertNotIn("exported for inputs where", text)

    def test_axes_that_a_squeeze_drops_only_at_size_1_are_reported(self):
        inputs, warning = (torch.randn(3, 4), torch.randn(5, 4)), "squeezes this axis away; the model keeps it"
        dim = torch.export.Dim
        ranged = dim("n", min=1, max=9), dim("m", min=1)
        for x, y, times in ((dim.AUTO, None, 1), (*ranged, 2), (dim("n", min=3), None, 0), (None, None, 0)):
            with self.subTest(x=x, y=y):
                text = self.export(self.saved(Squeezed(), *inputs, shapes=({0: x}, {0: y})))
                self.assertEqual(text.count(warning), times, text)


if __name__ == "__main__":
    Packages.tonnx = sys.argv.pop(1)
    unittest.main(verbosity=0)
