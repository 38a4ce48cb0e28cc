#!/usr/bin/env python
"""Custom operators that write to their arguments, in torch.export programs, against PyTorch: check_writing_operators.py LIBRARY"""
import ctypes
import pathlib
import sys
import tempfile
import unittest

import numpy
import onnxruntime
import torch
from torch import nn
from torch.export import Dim

import tonnx_library

SYMBOLIC = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t,
                            ctypes.c_void_p)
SCHEMAS = ["inc_(Tensor(a!) x, int n=1) -> ()", "twice(Tensor(a!) x, int n=1) -> Tensor",
           "two(Tensor x, Tensor(a!) first, Tensor(b!)? second=None) -> (Tensor, Tensor)", "known_(Tensor(a!) x) -> Tensor(a!)",
           "plain(Tensor x) -> Tensor"]
DEFINED = torch.library.Library("writes", "DEF")
for line in SCHEMAS:
    DEFINED.define(line)


def implement(name):
    return lambda function: DEFINED.impl(name, function, "CompositeExplicitAutograd")


@implement("inc_")
def inc(x, n=1):
    x.add_(n)


@implement("twice")
def twice(x, n=1):
    x.add_(n)
    return x * 2


@implement("two")
def two(x, first, second=None):
    first.add_(x)
    if second is not None:
        second.mul_(x)
    return x + 1, x * 2


@implement("known_")
def known(x):
    return x.neg_()


@implement("plain")
def plain(x):
    return x * 3


class Written(nn.Module):
    def forward(self, x):
        y = x.clone()
        torch.ops.writes.inc_(y)
        return y, torch.ops.writes.twice(y, 3), y * 1


class Views(nn.Module):
    def forward(self, x):
        y = x.clone()
        torch.ops.writes.inc_(y[1:], 3)
        z = torch.ops.writes.twice(y.t()[0], 2)
        z.add_(1)
        torch.ops.writes.inc_(y.view(-1))
        return y, z


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.ones(4))

    def forward(self, x):
        row = x[0].clone()
        a, b = torch.ops.writes.two(x[0], self.state, row)
        c, _ = torch.ops.writes.two(x[1], self.state)
        return a + b, c, self.state * 1, row


class Apart(nn.Module):
    def forward(self, x):
        return torch.ops.writes.plain(torch.ops.writes.plain((x + 1).view(-1, 4))) + x


class ReadBehind(nn.Module):
    def forward(self, x):
        y = x.clone()
        first = y[0]
        return torch.ops.writes.plain(y), first * 2


class Chosen(nn.Module):
    def forward(self, x):
        def wrote(y):
            y = y.clone()
            return torch.ops.writes.twice(y) + y
        return torch.cond(x.sum() > 0, wrote, lambda y: y * 3, (x,))


class WritingOperators(unittest.TestCase):
    library = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.symbolics = []
        self.registry = self.library.new("tonnx_registry_new")
        number = lambda graph, value: self.number(graph, self.int_of(value))
        def twice(graph, x, n):
            y = self.op(graph, "Add", x, number(graph, n))
            return self.op(graph, "Add", y, y), y
        def two(graph, x, first, second):
            written = [self.op(graph, "Add", first, x)]
            if not self.library.c.tonnx_value_is_none(ctypes.c_void_p(second)):
                written.append(self.op(graph, "Mul", second, x))
            return self.op(graph, "Add", x, self.number(graph, 1)), self.op(graph, "Add", x, x), *written
        self.add("writes::inc", lambda graph, x, n: [self.op(graph, "Add", x, number(graph, n))])
        self.add("writes::twice", twice)
        self.add("writes::two", two)
        self.add("writes::plain", lambda graph, x: [self.op(graph, "Mul", x, self.number(graph, 3))])
        self.add("writes::known", lambda graph, x: [self.op(graph, "Neg", x)])

    def op(self, graph, name, *inputs):
        out = ctypes.c_void_p()
        self.library.call("tonnx_graph_op", ctypes.byref(out), ctypes.c_size_t(1), graph, name.encode(),
                          (ctypes.c_void_p * len(inputs))(*inputs), ctypes.c_size_t(len(inputs)), None)
        return out.value

    def number(self, graph, value):
        tensor = self.library.new("tonnx_tensor_new", ctypes.c_int32(tonnx_library.DTYPES[torch.float32]), None, ctypes.c_size_t(0),
                                  (ctypes.c_float * 1)(value), ctypes.c_size_t(4))
        out = ctypes.c_void_p()
        self.library.call("tonnx_graph_constant", ctypes.byref(out), graph, tensor)
        self.library.c.tonnx_tensor_free(tensor)
        return out.value

    def int_of(self, value):
        out = ctypes.c_int64()
        self.library.call("tonnx_value_get_int", ctypes.byref(out), ctypes.c_void_p(value))
        return out.value

    def add(self, name, convert):
        def call(graph, node, inputs, count, data):
            results = convert(ctypes.c_void_p(graph), *inputs[:count])
            self.library.call("tonnx_graph_set_results", ctypes.c_void_p(graph), (ctypes.c_void_p * len(results))(*results),
                              ctypes.c_size_t(len(results)))
            return 0
        self.symbolics.append(SYMBOLIC(call))
        self.library.call("tonnx_registry_add", self.registry, name.encode(), ctypes.c_int32(9), self.symbolics[-1], None, None)

    def exported(self, module, decompose, options=None):
        program = torch.export.export(module, (torch.randn(3, 4),), dynamic_shapes={"x": {0: Dim.AUTO}})
        archive = self.folder / "program.pt2"
        torch.export.save(program.run_decompositions() if decompose else program, archive)
        loaded, args, model = self.library.new("tonnx_program_load", str(archive).encode()), self.library.new("tonnx_args_new"), None
        try:
            model = self.library.new("tonnx_program_export", loaded, args, options, self.registry)
            self.library.call("tonnx_model_save", model, str(self.folder / "model.onnx").encode(), None)
        finally:
            for name, handle in (("model", model), ("args", args), ("program", loaded)):
                if handle:
                    getattr(self.library.c, f"tonnx_{name}_free")(handle)
        return onnxruntime.InferenceSession(str(self.folder / "model.onnx"), providers=["CPUExecutionProvider"])

    # Its name sorts first, because registrations are permanent.
    def test_a_without_schemas_they_are_refused(self):
        for module, decompose in ((Written(), False), (Written(), True), (State(), True)):
            with self.subTest(module=module, decompose=decompose), self.assertRaises(tonnx_library.Refused) as refused:
                self.exported(module, decompose)
            self.assertRegex(str(refused.exception), r"writes::\w+ .*register its schema")

    def test_b_without_schemas_possible_writes_are_reported(self):
        options = self.library.new("tonnx_options_new")
        self.addCleanup(self.library.c.tonnx_options_free, options)
        self.library.call("tonnx_options_set_warnings_as_errors", options, ctypes.c_int32(1))
        self.exported(Apart(), False, options)
        with self.assertRaises(tonnx_library.Refused) as refused:
            self.exported(ReadBehind(), False, options)
        self.assertIn("does not say whether writes::plain writes to its arguments", str(refused.exception))

    def test_with_schemas_they_are_converted(self):
        for line in SCHEMAS:
            self.library.call("tonnx_operators_register", ("writes::" + line).encode())
        for module in (Written(), Views(), State(), Chosen(), Apart()):
            for decompose in (False, True):
                with self.subTest(module=module, decompose=decompose):
                    try:
                        session = self.exported(module, decompose)
                    except RuntimeError as error:
                        if "functional" not in str(error):
                            raise
                        continue  # PyTorch's own decompositions do not support this branch
                    for rows in (3, 5):
                        x = torch.randn(rows, 4)
                        expected = type(module)()(x.clone())
                        expected = expected if isinstance(expected, tuple) else (expected,)
                        for got, wanted in zip(session.run(None, {"x": x.numpy()}), expected, strict=True):
                            numpy.testing.assert_allclose(got, wanted.numpy(), 1e-5, 1e-5)


if __name__ == "__main__":
    WritingOperators.library = tonnx_library.Library(sys.argv.pop(1))
    unittest.main(verbosity=0)
