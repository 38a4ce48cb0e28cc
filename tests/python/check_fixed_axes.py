#!/usr/bin/env python
"""Dynamic axes of torch.export programs that are fixed, by value and by refusal: check_fixed_axes.py TONNX"""
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
import torch
from torch.export import Dim


class Derived(torch.nn.Module):
    def forward(self, x, y):
        return torch.cat([x, y], 0).sum(1), x.reshape(2, -1) * y.shape[0], y.view(4, -1, 3).mean(1)


class Nested(torch.nn.Module):
    def forward(self, x, more):
        n = x.shape[0]
        return (x @ more["w"][0]) * n, torch.arange(n, dtype=x.dtype) + more["v"][:, 0], more["z"].cumsum(0) / more["z"].shape[0]


class Product(torch.nn.Module):
    def forward(self, x, y):
        return x.reshape(-1) + y, x.t() * (x.shape[0] // 2)


class Checked(torch.nn.Module):
    def forward(self, x):
        torch._check(x.shape[0] % 3 == 0)
        return x.reshape(3, -1) * 2


class Branched(torch.nn.Module):
    """Takes another branch at one size, which only a guard shows."""

    def forward(self, x):
        return x * 3 if x.shape[0] == 7 else x + 1


class Squeezed(torch.nn.Module):
    def forward(self, x):
        return x.squeeze(0) + 1


class Joined(torch.nn.Module):
    """Its operators run at sizes that its guards exclude, and return another rank there."""

    def forward(self, x):
        return x.reshape(-1, 12).squeeze(0)


class Numbers(torch.nn.Module):
    """Two integers, the second in a dict, and an axis whose size equals the first by chance."""

    def forward(self, x, count, more):
        return x.sum() * count, torch.arange(count) * more["m"], x.repeat(1, more["m"]), more["m"] // 2


half, rows = Dim("half", max=64), Dim("rows", min=1, max=32)
DYNAMIC = Dim.DYNAMIC
PROGRAMS = {
    "derived": (Derived(), lambda n: (torch.randn(2 * n, 3), torch.randn(4 * n, 3)), ({0: 2 * half}, {0: 4 * half}), False),
    "nested": (Nested(), lambda n, m=6: (torch.randn(n, 3), {"w": [torch.randn(3, 5)], "v": torch.randn(n, 2), "z": torch.randn(m)}),
               {"x": {0: rows}, "more": {"w": [None], "v": {0: rows}, "z": {0: DYNAMIC}}}, False),
    "product": (Product(), lambda n, m=5: (torch.randn(n, m), torch.randn(n * m)), ({0: DYNAMIC, 1: DYNAMIC}, {0: DYNAMIC}), False),
    "checked": (Checked(), lambda n: (torch.randn(n, 2),), ({0: DYNAMIC},), False),
    "asserted": (Checked(), lambda n: (torch.randn(n, 2),), ({0: DYNAMIC},), True),
    "branched": (Branched(), lambda n: (torch.randn(n, 2),), ({0: DYNAMIC},), False),
    "counted": (Branched(), lambda n: (torch.randn(n, 2),), ({0: DYNAMIC},), True),
    "squeezed": (Squeezed(), lambda n: (torch.randn(n, 2),), ({0: DYNAMIC},), False),
    "joined": (Joined(), lambda n, m=3: (torch.randn(n, m),), ({0: DYNAMIC, 1: DYNAMIC},), False),
    "numbers": (Numbers(), lambda n, c=5, m=7: (torch.randn(n, 2), c, {"m": m}), ({0: DYNAMIC}, DYNAMIC, {"m": DYNAMIC}), False),
}

# Program, options, the sizes of the inputs, the dims of the model's inputs; a string is a dynamic dim.
FIXED = [
    ("derived", ["*"], (4,), [[8, 3], [16, 3]]),
    ("derived", ["x:0=6"], (3,), [[6, 3], [12, 3]]),
    ("derived", ["y:-2=20"], (5,), [[10, 3], [20, 3]]),
    ("derived", ["x:0=6", "y:0=12", "x:1=3"], (3,), [[6, 3], [12, 3]]),
    ("nested", ["x:0=7"], (7,), [[7, 3], [7, 2], [3, 5], [""]]),
    ("nested", ["more_v:0=1"], (1,), [[1, 3], [1, 2], [3, 5], [""]]),
    ("nested", ["x:0", "more_z:0=9"], (4, 9), [[4, 3], [4, 2], [3, 5], [9]]),
    ("nested", ["*", "more_z:0=1"], (4, 1), [[4, 3], [4, 2], [3, 5], [1]]),
    ("product", ["x:0=3", "y:0=21"], (3, 7), [[3, 7], [21]]),
    ("product", ["x:1=2"], (4, 2), [["", 2], [""]]),
    ("product", ["*"], (4, 5), [[4, 5], [20]]),
    ("checked", ["x:0=9"], (9,), [[9, 2]]),
    ("asserted", ["x:0=9"], (9,), [[9, 2]]),
    ("branched", ["x:0=9"], (9,), [[9, 2]]),
    ("counted", ["x:0=9"], (9,), [[9, 2]]),
    ("squeezed", ["x:0=5"], (5,), [[5, 2]]),
    ("joined", ["*"], (4,), [[4, 3]]),
    ("numbers", ["count=3"], (4, 3, 8), [["", 2], []]),
    ("numbers", ["count", "x:0=9"], (9, 5, 6), [[9, 2], []]),
    ("numbers", ["more_m=2"], (6, 9, 2), [["", 2], []]),
    ("numbers", ["*"], (4, 5, 7), [[4, 2]]),
    ("numbers", ["*", "more_m=3", "count=2"], (4, 2, 3), [[4, 2]]),
]

REFUSED = [
    ("derived", ["x:0=5"], "which can never be 5"),
    ("derived", ["x:0=8", "y:0=8"], "the size is 4*"),
    ("derived", ["x:0=130"], "the program accepts sizes from"),
    ("derived", ["x:1=4"], "exported with the size 3"),
    ("derived", ["x:2=4"], "out of range"),
    ("derived", ["z:0=4"], "there is no input 'z', only x, y"),
    ("derived", ["x=4"], "write an axis of an input as NAME:AXIS"),
    ("derived", ["x:0=-4"], "not a non-negative integer"),
    ("derived", ["x:0=4x"], "not a non-negative integer"),
    ("numbers", ["count:0=4"], "out of range: its rank is 0"),
    ("numbers", ["count=x"], "not a non-negative integer"),
    ("numbers", ["m=4"], "there is no dynamic size or number 'm', only count, more_m,"),
    ("nested", ["x:0=0"], "the program accepts sizes from 1 to 32"),
    ("nested", ["x:0=33"], "the program accepts sizes from 1 to 32"),
    ("nested", ["more_z:0=0"], "the program accepts sizes from 2 on"),
    ("product", ["y:0=20"], "fix the sizes that it depends on"),
    ("product", ["x:0=3", "y:0=20"], "which can never be 20"),
    ("checked", ["x:0=10"], "% 3) == 0, which does not hold at these sizes"),
    ("asserted", ["x:0=10"], "a check of the program does not hold at these sizes"),
    ("branched", ["x:0=7"], "x.size()[0] != 7, which does not hold at these sizes"),
    ("counted", ["x:0=7"], "not hold at these sizes"),
    ("squeezed", ["x:0=1"], "export it in PyTorch with that size fixed"),
]


def dims(value):
    return [d.dim_value if d.HasField("dim_value") else d.dim_param for d in value.type.tensor_type.shape.dim]


def export(tonnx, folder, name, fixed, *more):
    command = [tonnx, "export", folder / f"{name}.pt2", "-o", folder / "model.onnx", "--fixed-axes", ",".join(fixed), *more]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr


def check(tonnx, folder, name, fixed, sizes, inputs):
    module, make = PROGRAMS[name][:2]
    code, text = export(tonnx, folder, name, fixed)
    assert code == 0, text
    model = onnx.shape_inference.infer_shapes(onnx.load(folder / "model.onnx"), strict_mode=True, data_prop=True)
    named = {value.name: dims(value) for value in model.graph.input}
    open_axes = [["" if isinstance(d, str) else d for d in value] for value in named.values()]
    assert sorted(open_axes, key=str) == sorted(inputs, key=str), named
    if not any("" in value or not value for value in inputs):  # an integer is dynamic
        for value in [*model.graph.output, *model.graph.value_info]:
            assert all(isinstance(d, int) and d > 0 for d in dims(value)), (value.name, dims(value))
        assert not {"Shape", "Size"} & {node.op_type for node in model.graph.node}
    torch.manual_seed(1)
    given = make(*sizes)
    leaves = torch.utils._pytree.tree_leaves(given)
    names = {"nested": ["x", "more_w_0", "more_v", "more_z"], "numbers": ["x", "count", "more_m"]}.get(name, list("xy"))
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    got = session.run(None, {n: torch.as_tensor(t).numpy() for n, t in zip(names, leaves) if n in named})
    for g, e in zip(got, map(torch.as_tensor, torch.utils._pytree.tree_leaves(module(*given))), strict=True):
        assert g.shape == tuple(e.shape) and numpy.allclose(g, e.numpy(), 1e-4, 1e-5), (g, e)
    if "LibTorch none" not in subprocess.run([tonnx, "version"], capture_output=True, text=True, check=True).stdout:
        code, text = export(tonnx, folder, name, fixed, "--verify")
        assert code == 0 and "verified: ONNX Runtime agrees" in text, text


def check_with_dynamic(tonnx, folder):
    code, text = export(tonnx, folder, "nested", ["*"], "--dynamic-axes", "x:0=batch")
    assert code == 0, text
    graph = onnx.load(folder / "model.onnx").graph
    named = {value.name: dims(value) for value in graph.input}
    assert named["x"] == ["batch", 3] and named["more_v"] == ["batch", 2] and named["more_z"] == [6], named
    code, text = export(tonnx, folder, "nested", ["x:0=4"], "--dynamic-axes", "more_v:0=batch")
    assert code != 0 and "is fixed, but a dynamic axis names it" in text, text
    code, text = export(tonnx, folder, "derived", ["*"], "--input", "x=float32[12,3]", "--input", "y=float32[24,3]")
    assert code == 0, text
    assert [dims(value) for value in onnx.load(folder / "model.onnx").graph.input] == [[12, 3], [24, 3]]


def check_excluded_sizes(tonnx, folder):
    """Verification does not compare at sizes that guards exclude."""
    command = [tonnx, "export", folder / "joined.pt2", "-o", folder / "model.onnx"]
    subprocess.run(command, check=True, capture_output=True)
    symbols = dims(onnx.load(folder / "model.onnx").graph.input[0])
    if "LibTorch none" in subprocess.run([tonnx, "version"], capture_output=True, text=True, check=True).stdout:
        return
    done = subprocess.run([*command, "--verify"], capture_output=True, text=True)
    assert done.returncode == 0 and "only at the example's size" in done.stderr and "does not hold at these sizes" in done.stderr, done.stderr
    done = subprocess.run([*command, "--verify", "--verify-size", f"{symbols[0]}=8,{symbols[1]}=6"], capture_output=True, text=True)
    assert done.returncode == 2 and "does not hold at these sizes" in done.stderr, done.stderr
    done = subprocess.run([*command, "--verify", "--verify-size", f"{symbols[0]}=6,{symbols[1]}=2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def main(tonnx):
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, (module, make, shapes, deferred) in PROGRAMS.items():
            example = make({"checked": 6, "asserted": 6}.get(name, 4))
            program = torch.export.export(module, example, dynamic_shapes=shapes,
                                          prefer_deferred_runtime_asserts_over_guards=deferred)
            torch.export.save(program, folder / f"{name}.pt2")
        for name, fixed, sizes, inputs in FIXED:
            try:
                check(tonnx, folder, name, fixed, sizes, inputs)
            except Exception as error:  # noqa: BLE001
                failed.append((name, fixed, repr(error)[:500]))
        for name, fixed, why in REFUSED:
            code, text = export(tonnx, folder, name, fixed)
            if code == 0 or why not in text:
                failed.append((name, fixed, text))
        check_with_dynamic(tonnx, folder)
        check_excluded_sizes(tonnx, folder)
    for failure in failed:
        print(*failure)
    print(f"{len(FIXED) + len(REFUSED) + 2 - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1])
