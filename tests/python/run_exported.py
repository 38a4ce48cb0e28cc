#!/usr/bin/env python
"""Exports torch.export programs with tonnx and compares the models with PyTorch at two sizes.

    run_exported.py --library build/libtonnx.so [--networks quick|all|outside] [--only REGEX] [--opset N] [--keep DIR]

Each case runs as captured and decomposed, with fixed sizes and, if it has dynamic axes, with these. --networks
runs the networks of the TorchScript tests instead of the cases, or those of other packages.
"""
import argparse
import copy
import dataclasses
import inspect
import json
import pathlib
import re
import sys
import tempfile
import warnings

import numpy
import onnx
import onnxruntime
import torch
from torch.export import Dim

import exported_case
import exported_cases  # noqa: F401
import exported_layers  # noqa: F401
import exported_quantised  # noqa: F401
import exported_shapes  # noqa: F401
import exported_state  # noqa: F401
import tonnx_library

FIRST, SECOND = (4, 6), (7, 9)
SKIPPED = 77  # meson's exit code for a skipped test


class Failure(Exception):
    pass


class NotCaptured(Exception):
    """torch.export's own error for a network."""


def seeded(make, size):
    torch.manual_seed(7)
    return make(*size) if make else {}


def leaves(values):
    """The tensors and numbers of a tree, numbers as tensors; None and strings are no model inputs."""
    number = lambda v: torch.tensor(v, dtype=torch.float64) if isinstance(v, float) else torch.as_tensor(v)
    return [number(v) for v in torch.utils._pytree.tree_leaves(values) if isinstance(v, (torch.Tensor, bool, int, float))]


def spec(case):
    """The case's dynamic axes in the form of torch.export."""
    def one(axes):
        return Dim.AUTO if axes == "open" else {axis: Dim.AUTO(min=2, max=512) for axis in axes}
    return {argument: one(axes) if axes else None for argument, axes in case.dynamic.items()}


def capture(case, dynamic, decompose):
    torch.manual_seed(3)
    module = case.make().eval()
    args, kwargs = seeded(case.args, FIRST), seeded(case.kwargs, FIRST)
    shapes = None
    if dynamic and case.shapes:
        shapes = case.shapes()
    elif dynamic:
        shapes = spec(case)
        names = list(inspect.signature(module.forward).parameters)[:len(args)] + list(kwargs)
        shapes = {n: shapes.get(n) for n in names}
    program = torch.export.export(module, args, kwargs, dynamic_shapes=shapes, strict=case.strict)
    return module, program.run_decompositions() if decompose else program


def nested(node, outputs):
    """Rebuilds the result of a program from the outputs of its model, by the tree in the model's metadata."""
    if "items" in node:
        items = [nested(item, outputs) for item in node["items"]]
        return dict(zip(node["names"], items)) if "names" in node else tuple(items)
    return outputs[node["output"]] if "output" in node else node["fixed"]


def plain(value):
    """A result in the form of nested()."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, (tuple, list)):
        return tuple(map(plain, value))  # archives do not contain the field names of a named tuple
    return value if value is None or isinstance(value, str) else torch.as_tensor(value)


def same_tree(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_tree(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_tree, a, b))
    return a.shape == b.shape if isinstance(a, torch.Tensor) else a == b


def check_adapters(flat, session, given, result, tensors, expected):
    """Checks the library's conversion from the trees of a call to the model's inputs, and back by its metadata."""
    for what, got, wanted in (("inputs", flat("inputs", *given), tensors), ("outputs", flat("outputs", (result,), {}), expected)):
        same = lambda g, w: g.dtype == w.dtype and g.shape == w.shape and torch.equal(g.nan_to_num(), w.nan_to_num())
        if len(got) != len(wanted) or not all(map(same, got, wanted)):
            raise Failure(f"flat {what} are {got} instead of {wanted}")
    call = json.loads(session.get_modelmeta().custom_metadata_map["tonnx.call"])
    back = nested(call["result"], dict(zip([o.name for o in session.get_outputs()], expected)))
    if not same_tree(back, plain(result)):
        raise Failure(f"the metadata declare the result as {back}")


def run(session, program, reference, case, size, flat=None):
    """Compares decomposed programs with themselves in PyTorch, because its decompositions change some shapes."""
    args, kwargs = seeded(case.args, size), seeded(case.kwargs, size)
    state, called = copy.deepcopy(reference), copy.deepcopy((args, kwargs))
    try:
        result = state(*called[0], **called[1])
    except AssertionError as error:
        if "Guard failed" in str(error):  # a decomposition restricted the program to other sizes
            return
        raise
    expected = leaves(result)
    given = leaves(args) + leaves([kwargs[k] for k in program_keywords(program, kwargs)])
    wanted = [s for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
    tensors = [a for a, s in zip(given, [s for s in wanted if not is_text(s)], strict=True) if not is_constant(s)]
    names = [i.name for i in session.get_inputs()]
    plain_count = len(expected)
    if case.written:
        kept = dict(state.named_buffers(remove_duplicate=False)) | dict(zip(names, leaves(called)))
        written = [o.name.removesuffix("_written") for o in session.get_outputs()[plain_count:]]
        before = dict(reference.named_buffers(remove_duplicate=False)) | dict(zip(names, tensors))
        changed = {name for name, value in kept.items() if name in before and not torch.equal(value, before[name])}
        if not changed <= set(written):
            raise Failure(f"writes to {changed}, and has outputs of {written}")
        expected += [kept[name] for name in written]
    if len(tensors) != len(names):
        raise Failure(f"inputs {names} for {len(tensors)} tensors")
    if flat:
        check_adapters(flat, session, (args, kwargs), result, tensors, expected[:plain_count])
    try:
        got = session.run(None, {n: t.detach().numpy() for n, t in zip(names, tensors)})
    except Exception as error:
        raise Failure(f"run: {error}") from None
    if len(got) != len(expected):
        raise Failure(f"{len(got)} outputs instead of {len(expected)}")
    for i, (g, e) in enumerate(zip(got, expected)):
        e = e.detach().numpy()
        if g.shape != e.shape:
            raise Failure(f"output {i} is {g.shape} instead of {e.shape}")
        if g.dtype != e.dtype:
            raise Failure(f"output {i} is {g.dtype} instead of {e.dtype}")
        scale = max(1.0, numpy.abs(e[numpy.isfinite(e)]).max(initial=0)) if e.dtype.kind == "f" else 1.0
        if not numpy.allclose(g, e, case.tolerance, case.tolerance * scale, equal_nan=True):
            raise Failure(f"output {i}: {numpy.ravel(g)[:5]} instead of {numpy.ravel(e)[:5]}")


def program_keywords(program, kwargs):
    order = [s.arg.name for s in program.graph_signature.input_specs]
    return sorted(kwargs, key=order.index)


def is_constant(spec):
    return type(spec.arg).__name__ == "ConstantArgument"


def is_text(spec):
    return is_constant(spec) and not isinstance(spec.arg.value, (bool, int, float))


def is_open(program, case):
    """True if PyTorch kept all axes dynamic that have another size in the second run."""
    wanted = {s.arg.name for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT" and not is_constant(s)}
    held = [n.meta["val"] for n in program.graph.nodes if n.op == "placeholder" and n.name in wanted]
    given = [v for v in leaves((seeded(case.args, SECOND), seeded(case.kwargs, SECOND))) if v.dim()]
    tensors = [h for h in held if isinstance(h, torch.Tensor) and h.dim()]
    number = lambda size: size if isinstance(size, int) else size.node.expr if size.node.expr.is_number else None
    fixed = lambda h, g: any(number(a) is not None and number(a) != b for a, b in zip(h.shape, g.shape))
    return not any(fixed(h, g) for h, g in zip(tensors, given))


def has_objects(case):
    """True if the example inputs contain objects, which tonnx does not read from the archive."""
    plain = (torch.Tensor, bool, int, float, str, type(None))
    def is_plain(value):
        if type(value) in (tuple, list):
            return all(map(is_plain, value))
        return all(map(is_plain, value.values())) if type(value) is dict else isinstance(value, plain)
    return not is_plain((seeded(case.args, FIRST), seeded(case.kwargs, FIRST)))


def judge(library, case, dynamic, decompose, options, folder):
    try:
        module, program = capture(case, dynamic, decompose)
    except Exception as error:
        raise NotCaptured(f"not captured: {error}") from None
    archive, model = folder / "program.pt2", folder / "model.onnx"
    refused = case.refused or (dynamic and case.refused_open) or (decompose and case.refused_decomposed)
    torch.export.save(program, archive)
    def compare(handle):
        run_at_sizes(model, program, module, case, dynamic, decompose,
                     None if options.networks else lambda what, a, k: library.flat(what, handle, a, k))

    try:
        verify = library.has_libtorch and case.verify and not options.networks and not has_objects(case)
        library.export(archive, None, model, max(options.opset, case.opset), [], verify, compare, case.written)
    except tonnx_library.Refused as error:
        if refused and refused in str(error):
            return
        raise Failure(str(error)) from None
    if refused:
        raise Failure(f"is not refused with '{refused}'")


def run_at_sizes(model, program, module, case, dynamic, decompose, flat):
    onnx.checker.check_model(str(model), full_check=True)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])
    reference = program.module() if decompose and not case.by_module else module
    run(session, program, reference, case, FIRST, flat)
    if dynamic and is_open(program, case):
        for size in (SECOND, *case.sizes):
            run(session, program, reference, case, size, flat)


def network_case(model):
    """A network of models.py; the axes with two sizes are dynamic."""
    import models
    axes = [{i: d.name for i, d in enumerate(dims) if isinstance(d, models.Dim)} for dims in model.dims]
    names = list(inspect.signature(model.make().forward).parameters)[:len(axes)]
    pick = {FIRST: models_pick("first"), SECOND: models_pick("second")}
    return exported_case.Case(
        model.name, lambda: prepared(model), lambda b, s: model.arguments(pick[b, s]), dict(zip(names, axes)),
        tolerance=1e-3)


def models_pick(which):
    import case
    return getattr(case, f"pick_{which}")


def prepared(model):
    from case import pick_first, randomise, seeded as generator
    module = model.make().eval()
    randomise(module, model.arguments(pick_first), generator(model.name))
    return module.eval()


def cases_of(options):
    if not options.networks:
        return [case for case in exported_case.CASES if re.search(options.only, case.name)]
    if options.networks == "outside":
        import outside_networks
        return [case for case in outside_networks.cases() if re.search(options.only, case.name)]
    import models
    chosen = [m for m in models.all_models() if not m.script and (m.quick or options.networks == "all")]
    return [network_case(m) for m in chosen if re.search(options.only, m.name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--networks", choices=["quick", "all", "outside"])
    parser.add_argument("--only", default="")
    parser.add_argument("--opset", type=int, default=20)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    onnxruntime.set_default_logger_severity(4)
    library = tonnx_library.Library(options.library)
    passed, failed, skipped = 0, 0, 0
    cases = cases_of(options)
    if options.networks == "outside" and not cases and not options.only:
        print("transformers and diffusers are not there: scripts/deps networks brings them")
        sys.exit(SKIPPED)
    for case in cases:
        for dynamic in (False, True) if case.is_open else (False,):
            for decompose in (False, True) if case.decompose else (False,):
                name = f"{case.name}{'.dynamic' if dynamic else ''}{'.decomposed' if decompose else ''}"
                with tempfile.TemporaryDirectory(prefix="tonnx-exported-") as folder:
                    folder = options.keep / name if options.keep else pathlib.Path(folder)
                    folder.mkdir(parents=True, exist_ok=True)
                    try:
                        judge(library, case, dynamic, decompose, options, folder)
                        passed += 1
                    except Exception as error:  # noqa: BLE001
                        if options.networks and isinstance(error, NotCaptured):
                            skipped += 1
                        else:
                            failed += 1
                        print(f"{name}: {type(error).__name__ if not isinstance(error, Failure) else ''} {str(error)[:700]}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
