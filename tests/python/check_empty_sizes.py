#!/usr/bin/env python
"""Dynamic axes of size 0, one and several at once: a model has PyTorch's result, or fails: check_empty_sizes.py LIBRARY

Where PyTorch raises for a view, a model may also return tensors without elements."""
import itertools
import pathlib
import sys
import tempfile
import unittest
from typing import Dict, List

import numpy
import onnxruntime
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import tonnx_library


def first_row(x):
    return x[:1].amax(0)


def zeros_of_counted_rows(x):
    return torch.zeros(x[:1].shape[0], 4).amax(0)


def expanded_to_counted_rows(x):
    return torch.ones(1, 4).expand(x[:1].size(0), 4).amax(0)


def times_counted_rows(x):
    return torch.ones(2) * x[:1].size(0)


def sum_of_view(x):
    return x.view(x.size(0), -1).sum()


def view(x):
    return x.view(x.size(0), -1)


def enlarged(x):
    return F.interpolate(x.unsqueeze(0), scale_factor=2.0).sum(2)


def listed(x):
    return [x.view(x.size(0), -1).sum(), x.sum()]


def listed_columns(x):
    sums: List[Tensor] = []
    for i in range(x.size(1)):
        sums.append(x.view(x.size(0), -1).sum() + i)
    return sums


def last_entry(x):
    entries: Dict[str, Tensor] = {}
    for i in range(x.size(0)):
        entries["row"] = x[i]
    return entries["row"]


def last_number(x):
    entries: Dict[str, int] = {}
    for i in range(x.size(0)):
        entries["row"] = i
    return x.sum(0) * entries["row"]


def in_branch(x):
    if x.size(1) > 5:
        return torch.ones(2) * x[:1].size(0)
    return torch.ones(2) + 1


def size_of_maximum(x):
    return torch.ones(x.amax(0).size(0))


def returned_early(x):
    if x.numel() == 0:
        return x * 2
    for i in range(x.size(0)):
        if i > 1:
            return x[i:] + 1
    return x.sum(0, keepdim=True)


def per_row(x):
    return x.sum(0) * (1.0 / x.size(0))


def found_in_either_way(x):
    entries: Dict[str, Tensor] = {}
    if x.size(1) > 5:
        result = x.amax(0).sum()
    else:
        for i in range(x.size(0)):
            entries["row"] = x[i].sum()
        result = entries["row"]
    return result


def stacked(x):
    return torch.stack([row * 2 for row in x])


def product_of_counts(x, y):
    return torch.ones(2) * x[:1].size(0) * y[:1].size(0)


def joined(x, y):
    return torch.ones(2) * torch.cat([x, y])[:1].size(0)


def per_row_of_both(x, y):
    return 1 / (x.size(0) + y.size(0)) + torch.zeros(2)


def either(x, y):
    return x.sum(0) + y.sum(0)


class Transposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.ConvTranspose1d(4, 2, 3)

    def forward(self, x):
        return self.layer(x.t().unsqueeze(0))


class Convolved(nn.Module):
    def __init__(self, padding: int):
        super().__init__()
        self.layer = nn.Conv1d(4, 2, 3, padding=padding)

    def forward(self, x):
        return self.layer(x.t().unsqueeze(0)).sum(2)


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(4, 3)

    def forward(self, x):
        return self.layer(x)[1][0]


# A program and the dynamic axes of x and y, both of 3 rows and 4 columns.
X0, X1, Y0 = ("x", 0, "n"), ("x", 1, "m"), ("y", 0, "k")
PROGRAMS = [*((program, (X0,)) for program in (first_row, zeros_of_counted_rows, expanded_to_counted_rows, times_counted_rows, enlarged,
                                               last_entry, last_number, per_row, stacked)),
            *((program, (X0, X1)) for program in (sum_of_view, view, listed, listed_columns, in_branch, size_of_maximum, returned_early,
                                                  found_in_either_way)),
            *((program, (X0, Y0)) for program in (joined, per_row_of_both, either, product_of_counts)),
            (Transposed(), (X0,)), (Convolved(1), (X0,)), (Convolved(2), (X0,)), (State(), (X0,))]
SIZES = (3, 0, 1, 7)
# Sizes at which the model must fail although PyTorch has a result: a number differs from that of all other sizes.
FAILING = {"times_counted_rows": [(0,)], "in_branch": [(0, 3), (0, 0), (0, 1), (0, 7)], "joined": [(0, 0)], "product_of_counts": [(3, 0), (0, 3), (0, 0), (0, 1), (0, 7), (1, 0), (7, 0)], "listed_columns": [(0, 0)]}


class EmptySizes(unittest.TestCase):
    library = None

    def test_a_model_has_the_result_or_fails(self):
        onnxruntime.set_default_logger_severity(4)
        with tempfile.TemporaryDirectory() as folder:
            archive, example, out = (pathlib.Path(folder, name) for name in ("program.pt", "args.pt", "model.onnx"))
            for program, axes in PROGRAMS:
                name = getattr(program, "__name__", None) or type(program).__name__
                with self.subTest(name):
                    names = sorted({axis[0] for axis in axes})
                    scripted = torch.jit.script(program.eval() if isinstance(program, nn.Module) else program)
                    scripted.save(str(archive))
                    torch.save(tuple(torch.randn(3, 4) for _ in names), example)
                    self.library.export(archive, example, out, 17, list(axes))
                    session = onnxruntime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
                    failed = [sizes for sizes in itertools.product(SIZES, repeat=len(axes))
                              if self.fails_alone(scripted, session, axes, names, sizes)]
                    self.assertEqual(failed, FAILING.get(name, []))

    def fails_alone(self, scripted, session, axes, names, sizes):
        """True if the model fails and PyTorch does not; the results agree otherwise."""
        shapes = {name: [3, 4] for name in names}
        for (name, axis, _), size in zip(axes, sizes):
            shapes[name][axis] = size
        inputs = {name: torch.randn(shape) for name, shape in shapes.items()}
        try:
            with torch.no_grad():
                expected = scripted(*inputs.values())
        except Exception:
            expected = None
        self.assertTrue(expected is not None or 0 in sizes or sizes[0] != 3, sizes)
        try:
            results = session.run(None, {i.name: inputs[i.name].numpy() for i in session.get_inputs()})
        except Exception:
            return expected is not None
        results = [item for result in results for item in (result if isinstance(result, list) else [result])]
        if expected is None:
            self.assertEqual(sum(result.size for result in results), 0, sizes)
            return False
        expected = expected if isinstance(expected, list) else [expected]
        self.assertEqual(len(results), len(expected), sizes)
        for result, tensor in zip(results, expected):
            self.assertEqual(result.shape, tuple(tensor.shape), sizes)
            numpy.testing.assert_allclose(result, tensor.numpy(), rtol=1e-4, atol=1e-5)
        return False


if __name__ == "__main__":
    EmptySizes.library = tonnx_library.Library(sys.argv.pop(1))
    unittest.main()
