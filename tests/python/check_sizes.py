#!/usr/bin/env python
"""Sizes at which PyTorch raises: a model fails there, or its export warns of the operator: check_sizes.py LIBRARY"""
import pathlib
import sys
import tempfile
import unittest

import numpy
import onnxruntime
import torch
import torch.nn.functional as F

import tonnx_library

SIZES = (4, 1, 2, 3, 5, 6, 7, 8, 12)


def set_slice(x):
    y = x.clone()
    y[1:3] = torch.ones(2, 6)
    return y


def add_to_slice(x):
    y = x.clone()
    y[1:3] += torch.ones(2, 6)
    return y


def masked_slice(x):
    y = x.clone()
    y[:2].masked_fill_(torch.ones(2, 1) > 0, 3.0)
    return y


def interpolated_slice(x):
    y = x.clone()
    y[1:4].lerp_(torch.ones(3, 6), 0.5)
    return y


def groups(x):
    return F.group_norm(x.unsqueeze(0), 2)


def two_parts(x):
    a, b = x.split(2)
    return a.sum(0) + b.sum(0)


def two_chunks(x):
    a, b = x.chunk(2)
    return a.sum(0) + b.sum(0)


def halves(x):
    return x.view(2, -1, 6) + 1


def part(x):
    return x.narrow(0, 1, 3)


def fourth(x):
    return x[3]


def windows(x):
    return x.unfold(0, 3, 1)


def convolved(x):
    return F.conv1d(x.t().unsqueeze(0), torch.ones(2, 6, 3))


def pooled(x):
    return F.max_pool1d(x.t().unsqueeze(0), 3)


def mirrored(x):
    return F.pad(x.t().unsqueeze(0), [3, 2], mode="reflect")


def wrapped(x):
    return F.pad(x.t().unsqueeze(0), [3, 2], mode="circular")


def best_three(x):
    return x.topk(3, 0)[0]


def second_least(x):
    return x.kthvalue(2, 0)[0]


def shuffled(x):
    return F.pixel_shuffle(x.reshape(1, -1, 2, 3), 2)


def selected(x):
    return x[torch.tensor([0, 3])]


def written(x):
    return x.index_copy(0, torch.tensor([3]), torch.ones(1, 6))


def table(x):
    return x + torch.arange(30.0).reshape(5, 6)[:x.size(0)]


def looked_up(x):
    return F.embedding(torch.arange(x.size(0)), torch.arange(15.0).reshape(5, 3))


def guarded(x):
    y = x
    if x.size(0) > 2:
        assert x.size(0) < 6
        y = y + 1
    return y


def third_row(x):
    rows = [x[i] for i in range(x.size(0))]
    return rows[2]


def unpacked(x):
    a, b, c = x[:3].unbind(0)
    return a + b * c


PROGRAMS = (set_slice, add_to_slice, masked_slice, interpolated_slice, groups, two_parts, two_chunks, halves, part, fourth, windows, convolved,
            pooled, mirrored, wrapped, best_three, second_least, shuffled, selected, written, table, looked_up, guarded, third_row, unpacked)


class Sizes(unittest.TestCase):
    library = None

    def test_models_fail_or_warn_where_pytorch_raises(self):
        onnxruntime.set_default_logger_severity(4)
        with tempfile.TemporaryDirectory() as folder:
            archive, example, out = (pathlib.Path(folder, name) for name in ("program.pt", "args.pt", "model.onnx"))
            torch.save((torch.randn(SIZES[0], 6),), example)
            for program in PROGRAMS:
                with self.subTest(program.__name__):
                    torch.jit.script(program).save(str(archive))
                    warnings = self.library.export(archive, example, out, 17, [("x", 0, "n")], verify=True)
                    warns = any("the program fails where" in warning for warning in warnings)
                    session = onnxruntime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
                    raised = [self.check(program, session, n, warns) for n in SIZES]
                    self.assertTrue(any(raised) and not all(raised), raised)

    def check(self, program, session, n, warns):
        """True if PyTorch raises."""
        x = torch.randn(n, 6)
        try:
            expected = program(x)
        except (RuntimeError, IndexError, AssertionError, ValueError):
            if not warns:
                with self.assertRaises(Exception, msg=f"{n} rows"):
                    session.run(None, {"x": x.numpy()})
            return True
        numpy.testing.assert_allclose(session.run(None, {"x": x.numpy()})[0], expected.numpy(), rtol=1e-4, atol=1e-5)
        return False


if __name__ == "__main__":
    Sizes.library = tonnx_library.Library(sys.argv.pop(1))
    unittest.main()
