#!/usr/bin/env python
"""Indices out of range: a model fails where PyTorch raises, and has its results elsewhere: check_indices.py LIBRARY"""
import pathlib
import sys
import tempfile
import unittest

import numpy
import onnxruntime
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import tonnx_library

X = torch.arange(20.0).reshape(5, 4)
SCORES = torch.log_softmax(X[:3].sin(), 1)
FAR = [-2**63, 2**63 - 1]


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(5, 3)

    def forward(self, i):
        return self.e(i + 1)


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.EmbeddingBag(5, 3, mode="sum")

    def forward(self, i):
        return self.e(i * 1, torch.tensor([0, 1]))


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.GRU(1, 2)

    def forward(self, x, i):
        return pad_packed_sequence(self.e(pack_padded_sequence(x[:, :3, None], i))[0])[0]


# A function of a tensor and indices, the tensor (None: indices only), the first opset, rows of indices. PyTorch decides which raise.
ROWS = [[0, 4, 2], [-1, 1, 2], [-5, 1, 2], [-6, 1, 2], [5, 1, 2], [0, FAR[0], 1], [0, 1, FAR[1]]]
CLASSES = [[0, 3, 3], [-1, 0, 3], [-100, 0, 3], [4, 0, 3], [-4, 0, 1], [0, FAR[0], 1], [0, 1, FAR[1]]]
LENGTHS = [[5, 3, 1], [5, 5, 5], [2, 2, 1], [3, 5, 1], [5, 1, 3], [5, 3, 0], [5, 1, -1], [6, 2, 1]]
COUNTS = [[0, 7, 1], [-1, 7, 1], [-1, -1, -1], [0, FAR[0], 1]]
PROGRAMS = {
    "embedding": (Embedding(), None, 7, [[i - 1 if i != FAR[0] else i for i in row] for row in ROWS[:-1]]),
    "embedding_bag": (Bag(), None, 7, ROWS),
    "index_select": (lambda x, i: x.index_select(0, i), X, 7, ROWS),
    "index_select.overflow": (lambda x, i: x.index_select(0, i.relu() + i.relu()), X, 7, [[0, 2, 1], [0, FAR[1], 1], [3, 0, 0]]),
    "index_select.int32": (lambda x, i: x.index_select(0, i.to(torch.int32)), X, 7, ROWS[:-2]),
    "gather": (lambda x, i: x.gather(0, i[:, None]), X, 7, ROWS),
    "take": (lambda x, i: x.take(i), X, 7, ROWS + [[-20, 19, 3], [-21, 0, 3], [20, 0, 3]]),
    "scatter": (lambda x, i: x.scatter(0, i[:, None], 7.0), X, 9, ROWS),
    "scatter.src": (lambda x, i: x.scatter(0, i[:, None], x[:3, :1] * 2), X, 9, ROWS),
    "scatter_add": (lambda x, i: x.scatter_add(0, i[:, None], x[:3, :1]), X, 7, ROWS),
    "scatter_reduce.mean": (lambda x, i: x.scatter_reduce(0, i[:, None], x[:3, :1], "mean"), X, 11, ROWS),
    "scatter_reduce.amax": (lambda x, i: x.scatter_reduce(0, i[:, None], x[:3, :1], "amax"), X, 11, ROWS),
    "index_add": (lambda x, i: x.index_add(0, i, x[:3]), X, 7, ROWS),
    "index_copy": (lambda x, i: x.index_copy(0, i, x[:3]), X, 9, ROWS),
    "index_fill": (lambda x, i: x.index_fill(0, i, 3.0), X, 9, ROWS),
    "one_hot": (lambda i: F.one_hot(i, 5), None, 7, ROWS),
    "packed_lengths": (lambda x, i: pack_padded_sequence(x[:, :3, None], i)[0], X, 9, LENGTHS),
    "packed_lengths.recurrent": (Packed(), X, 9, LENGTHS),
    "one_hot.counted": (lambda i: F.one_hot(i), None, 7, [[0, 1, 4], [-1, 2, 3], [-1, -1, -1]]),
    "nll_loss": (lambda x, i: F.nll_loss(x, i), SCORES, 9, CLASSES),
    "nll_loss.weight": (lambda x, i: F.nll_loss(x, i, weight=x[0].abs(), reduction="none"), SCORES, 9, CLASSES),
    "cross_entropy": (lambda x, i: F.cross_entropy(x, i, label_smoothing=0.1), SCORES, 9, CLASSES),
    "multi_margin_loss": (lambda x, i: F.multi_margin_loss(x, i), SCORES, 9, [[0, 3, 3], [-1, 0, 3], [4, 0, 3]]),
    "multilabel_margin_loss": (lambda x, i: F.multilabel_margin_loss(x, i), SCORES[0, :3], 11, [[0, 2, -1], [-1, 0, 0], [0, -2, 1], [3, 0, 0]]),
    "bincount": (lambda i: torch.bincount(i, minlength=5), None, 11, COUNTS),
    "bincount.weights": (lambda x, i: torch.bincount(i, x[:3, 0]), X, 11, COUNTS),
    "repeat_interleave": (lambda x, i: x[:3].repeat_interleave(i, 0), X, 11, [[1, 0, 2], [-1, 2, 2], [0, 0, 0]]),
}
OPSETS = (7, 10, 11, 17, 20)


class Indices(unittest.TestCase):
    library = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def export(self, program, args, opset):
        archive, example, out = (self.folder / name for name in ("program.pt", "args.pt", "model.onnx"))
        torch.jit.trace(program, args, check_trace=False).save(str(archive))
        torch.save(args, str(example))
        self.library.export(archive, example, out, opset, [])
        return out

    def check(self, program, session, args):
        """True if PyTorch raises."""
        feeds = dict(zip([i.name for i in session.get_inputs()], [a.numpy() for a in args]))
        try:
            expected = program(*args)
        except (IndexError, RuntimeError):
            with self.assertRaises(Exception):
                session.run(None, feeds)
            return True
        numpy.testing.assert_allclose(session.run(None, feeds)[0], expected.detach().numpy(), rtol=1e-5, atol=1e-6)
        return False

    def test_models_fail_where_pytorch_raises(self):
        onnxruntime.set_default_logger_severity(4)
        for name, (program, x, first, rows) in PROGRAMS.items():
            tensors = () if x is None else (x,)
            for opset in [o for o in OPSETS if o >= first]:
                with self.subTest(name, opset=opset):
                    out = self.export(program, (*tensors, torch.tensor(rows[0])), opset)
                    session = onnxruntime.InferenceSession(str(out))
                    raised = [self.check(program, session, (*tensors, torch.tensor(row))) for row in rows]
                    self.assertTrue(any(raised) and not all(raised), raised)

    def test_ids_that_are_inputs_and_indices_that_an_operator_returns_have_no_check(self):
        table = nn.Embedding(5, 3).requires_grad_(False)
        ids, x = torch.tensor([[0, 4, 2]]), X[None]
        for name, program, args in (("input", table, (ids,)), ("part", lambda i: table(i[:, :-1].reshape(-1).int()), (ids,)),
                                    ("argmax", lambda x: table(x.argmax(1)), (x,)), ("topk", lambda x: x.gather(1, x.topk(2, 1)[1]), (x,)),
                                    ("clamp", lambda i: X.index_select(0, (i[0] - 1).clamp(min=0)), (ids,)),
                                    ("remainder", lambda i: X.index_select(0, (i[0] * 7 - 3) % 5), (ids,)),
                                    ("positions", lambda i: table((i > 1).cumsum(1) * (i > 1)), (ids,)),
                                    ("nonzero", lambda x: x[0].index_select(0, (x[0, :, 0] > 1).nonzero()[:, 0]), (x,))):
            with self.subTest(name):
                self.assertNotIn(b"Less", self.export(program, args, 17).read_bytes())


if __name__ == "__main__":
    Indices.library = tonnx_library.Library(sys.argv.pop(1))
    unittest.main()
