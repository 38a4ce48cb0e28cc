#!/usr/bin/env python
"""Writes the samples of the tests: archives, their arguments and PyTorch's results, and one manifest.json.

    make_samples.py --out DIR [--slice quick|all] [--only REGEX] [--jobs N]

Keeps an existing sample whose sources have not changed. Every sample has:
  archive, args, expected        a program, a tuple of arguments, a tuple of results (flattened), as torch.save wrote them
  second                         args and expected of another size, or null
  more                           a list of further args and expected, of any size; absent if there are none
  dynamic                        the axes that differ between the two: [{"input", "axis", "dim"}]
  inputs                         the names of the program's arguments
  opset, opsets                  the oldest opset at which it must convert; those of a quick run
  sequences                      whether lists among the arguments are sequence inputs of the model; absent if there are none
  rtol, atol, compare            the tolerance, and whether values or only shapes are compared
  operators                      the operators that the program calls, "aten::add.Tensor"
  suite                          who runs it; "outside": calls operators that LibTorch alone cannot run
"""
import argparse
import copy
import hashlib
import json
import multiprocessing
import pathlib
import re
import sys
import traceback
import warnings

import torch

import case as cases
import models
import operators
import programs

HERE = pathlib.Path(__file__).resolve().parent
NEWEST = 26  # the newest opset that the tests' ONNX Runtime supports
FORMAT = "1"


def digest_of_sources(*names):
    total = hashlib.sha256((FORMAT + torch.__version__).encode())
    for name in names:
        total.update((HERE / name).read_bytes())
    return total.hexdigest()[:16]


def quick_opsets(oldest):
    return sorted({oldest, max(oldest, 13), max(oldest, 17), NEWEST})


def dynamic_axes(dims, names):
    return [{"input": name, "axis": axis, "dim": dim.name}
            for name, shape in zip(names, dims) for axis, dim in enumerate(shape) if isinstance(dim, cases.Dim)]


def save_outputs(path, outputs):
    torch.save(tuple(t.detach().resolve_conj().resolve_neg().contiguous() for t in outputs), path)


def copies(arguments):
    return tuple(a.clone() for a in arguments)


def run(module, arguments, gradients=False):
    with torch.set_grad_enabled(gradients):
        return [t.detach() for t in cases.flatten(module(*copies(arguments)))]


def check_recording(recorded, arguments, expected, what, rtol, atol):
    """Refuses a recording for which PyTorch itself returns other results."""
    got = run(recorded, arguments)
    for e, g in zip(expected, got, strict=True):
        same = e.shape == g.shape and e.dtype == g.dtype
        e, g = cases.as_model(e), cases.as_model(g)
        if not same or not torch.allclose(e.double(), g.double(), rtol, atol, equal_nan=True):
            raise AssertionError(f"the recording differs from the program {what}")


def write(folder, stem, recorded, arguments, expected, second, entry):
    """Writes one sample's files and returns its manifest entry. `second` is (arguments, expected) or None."""
    out = folder / entry["folder"]
    out.mkdir(parents=True, exist_ok=True)
    place = lambda name: f"{entry['folder']}/{name}"
    archive = f"{entry['stem']}.pt"
    torch.jit.save(recorded, str(out / archive))
    entry |= {"archive": place(archive), "args": place(f"{stem}.args.pt"), "expected": place(f"{stem}.expected.pt"), "second": None}
    torch.save(arguments, out / f"{stem}.args.pt")
    save_outputs(out / f"{stem}.expected.pt", expected)
    if second:
        entry["second"] = {"args": place(f"{stem}.args2.pt"), "expected": place(f"{stem}.expected2.pt")}
        torch.save(second[0], out / f"{stem}.args2.pt")
        save_outputs(out / f"{stem}.expected2.pt", second[1])
    # Loading renames some operators.
    entry["operators"] = operators_of(torch.jit.load(str(out / archive)))
    if any(name.startswith(("torchvision::", "quantized_decomposed::")) for name in entry["operators"]):
        entry["suite"] = "outside"
    del entry["folder"], entry["stem"]
    return entry


def operators_of(recorded):
    """The names and overloads of the operators that a program calls."""
    found = set()

    def walk(graph):
        for node in graph.nodes():
            if not node.kind().startswith("prim::"):
                schema = node.schema()
                found.add(node.kind() if schema == "(no schema)" else schema.split("(")[0])
            for block in node.blocks():
                walk(block)
    walk(recorded.inlined_graph)
    return sorted(found)


def argument_names(recorded):
    schema = recorded.schema if isinstance(recorded, torch.jit.ScriptFunction) else recorded.forward.schema
    return [a.name for a in schema.arguments if a.name != "self"]


def in_float64(module, arguments):
    """The network's results in float64, or None if it creates float32 tensors itself."""
    torch.set_default_dtype(torch.float64)
    try:
        return run(copy.deepcopy(module).double(), tuple(a.double() if a.is_floating_point() else a for a in arguments))
    except RuntimeError:
        return None
    finally:
        torch.set_default_dtype(torch.float32)


def rounding(module, arguments, expected):
    """The maximum difference of two correct float32 runs of a network: the distance from the float64 results, if there are any."""
    other = in_float64(module, arguments)
    if other is None:
        other = run(module, tuple(a * (1 + 1e-6) if a.is_floating_point() else a for a in arguments))
    return max(float((e - g.double()).abs().max()) for e, g in zip(other, expected))


def make_model(folder, model):
    """Both recordings of a network (with and without gradients)."""
    module = cases.build(model)
    arguments = model.arguments(cases.pick_first)
    other = model.arguments(cases.pick_second)
    expected, expected_other = run(module, arguments), run(module, other)
    largest = max(float(t.abs().max()) for t in expected)
    atol = max(1e-4 * max(1.0, largest), 3 * rounding(module, copies(arguments), expected))
    entries = []
    for mode, gradients in (("grad", True), ("nograd", False)):
        recorded = cases.trace(module, copies(arguments), gradients)
        check_recording(recorded, other, expected_other, "at another size", 1e-3, atol)
        names = argument_names(recorded)[: len(arguments)]
        entries.append(write(folder, model.name, recorded, arguments, expected, (other, expected_other), {
            "name": f"models.{model.name}.{mode}", "suite": "models", "quick": model.quick, "inputs": names,
            "dynamic": dynamic_axes(model.dims, names), "opset": model.opset, "opsets": [model.opset, 17, NEWEST],
            "rtol": 1e-3, "atol": atol, "compare": "values", "folder": "models", "stem": f"{model.name}.{mode}"}))
    return entries


def is_steady(module, runs, results):
    """True if the network's results are stable under rounding errors of its arguments: no two scores are nearly equal."""
    for k, scale in enumerate((1 + 1e-6, 1 - 1e-6)):
        for arguments, expected in zip(runs, results):
            with torch.backends.mkldnn.flags(enabled=k > 0):
                got = run_script(module, tuple(a * scale for a in arguments))
            for e, g in zip(expected, got):
                if e.shape != g.shape or not torch.allclose(e.double(), g.double(), 1e-3, 1e-3 * max(1.0, float(e.abs().max()) if e.numel() else 0)):
                    return False
    return True


def steady_script(item, runs):
    """The script of a network, and its results: with the first weights for which they are stable."""
    for attempt in range(40):
        module = torch.jit.script(cases.build(item, f" {attempt}" if attempt else ""))
        results = [run_script(module, arguments) for arguments in runs]
        if is_steady(module, runs, results):
            return module, results
    raise AssertionError("no weights that were tried distinguish the scores")


def make_script(folder, item):
    """The script of a network, run at its two sizes and another one."""
    picks = (cases.pick_first, cases.pick_second, *item.further)
    runs = [item.arguments(pick) for pick in picks]
    module, results = steady_script(item, runs)
    names = argument_names(module)[: len(runs[0])]
    largest = max((float(t.abs().max()) for t in results[0] if t.numel()), default=1.0)
    entry = write(folder, item.name, module, runs[0], results[0], (runs[1], results[1]), {
        "name": f"models.{item.name}.script", "suite": "models", "quick": item.quick, "inputs": names,
        "dynamic": dynamic_axes(item.dims, names), "opset": item.opset, "opsets": [17], "rtol": 1e-3,
        "atol": 1e-4 * max(1.0, largest), "compare": "values", "folder": "models",
        "stem": f"{item.name}.script"})
    entry["more"] = further_runs(folder, f"models/{item.name}", runs[2:], results[2:])
    return [entry]


def further_runs(folder, stem, runs, results):
    """Writes the runs after the first in the form of `more`."""
    more = []
    for k, (arguments, expected) in enumerate(zip(runs, results), 1):
        place = f"{stem}.run{k}"
        torch.save(arguments, folder / f"{place}.args.pt")
        save_outputs(folder / f"{place}.expected.pt", expected)
        more.append({"args": f"{place}.args.pt", "expected": f"{place}.expected.pt"})
    return more


def tolerance_of(item, module, arguments, expected):
    """The case's tolerance; default: that of the dtypes in its run."""
    weights = [*module.parameters(), *module.buffers()] if isinstance(module, torch.nn.Module) else []
    rtol, atol = cases.tolerance(item.dtype, [*arguments, *weights, *expected])
    return rtol if item.rtol is None else item.rtol, atol if item.atol is None else item.atol


def make_case(folder, item):
    """The recording of an operator's case."""
    module = item.module()
    arguments = item.arguments(cases.pick_first)
    expected = run(module, arguments)
    recorded = module
    if not item.script:
        recorded = cases.trace(module, copies(arguments), False)
    second = None
    dims = [i.dims for i in item.inputs]
    moving = any(isinstance(d, cases.Dim) for shape in dims for d in shape)
    if moving:
        other = item.arguments(cases.pick_second)
        second = (other, run(module, other))
    rtol, atol = tolerance_of(item, module, arguments, expected)
    if item.compare == "values":
        check_recording(recorded, arguments, expected, "at its own size", rtol, atol)
        if second:
            check_recording(recorded, second[0], second[1], "at another size", rtol, atol)
    names = argument_names(recorded)[: len(arguments)]
    family = item.name.split(".")[0]
    opsets = quick_opsets(item.opset) if item.first else sorted({max(item.opset, 9), max(item.opset, 17)})
    stem = item.name.removeprefix(family + ".")
    return [write(folder, stem, recorded, arguments, expected, second, {
        "name": item.name, "suite": "operators", "quick": True, "inputs": cases.names_of_parts(names, arguments), "dynamic": dynamic_axes(dims, names) if moving else [],
        "opset": item.opset, "opsets": opsets, "rtol": rtol, "atol": atol, "compare": item.compare,
        "folder": f"operators/{family}", "stem": stem})]


def make_program(folder, item):
    """The script of a program, with all its runs."""
    recorded = item.module()
    runs = [item.arguments(run) for run in range(len(item.runs))]
    results = [run_script(item.module(), arguments, item.parts) for arguments in runs]  # a run may change the module's state
    names = argument_names(recorded)
    family, stem = item.name.split(".", 1)
    entry = write(folder, stem, recorded, runs[0], results[0], None, {
        "name": item.name, "suite": "programs", "quick": True,
        "inputs": [name for name, argument in zip(names, runs[0]) if argument is not None],
        "dynamic": [{"input": names[position], "axis": axis, "dim": dim} for position, axis, dim in item.dynamic()],
        "opset": item.opset, "opsets": quick_opsets(item.opset), "rtol": item.rtol, "atol": item.atol,
        "compare": item.compare, "folder": f"programs/{family}", "stem": stem})
    if item.has_lists():
        entry["sequences"] = True
    entry["more"] = further_runs(folder, f"programs/{family}/{stem}", runs[1:], results[1:])
    return [entry]


def run_script(script, arguments, parts=False):
    with torch.no_grad():
        result = script(*(copy.deepcopy(a) for a in arguments))
        return [t.detach() for t in cases.flatten(cases.by_part(result) if parts else result)]


def plan(folder, slice_name, only):
    """The groups to make: (name, sources' digest, function, argument)."""
    shared = digest_of_sources("case.py", "make_samples.py")
    network_sources = digest_of_sources("models.py", "networks.py", "vision_networks.py")
    for model in models.all_models():
        name = f"models.{model.name}"
        if (slice_name == "all" or model.quick) and re.search(only, name):
            yield name, shared + network_sources, make_script if model.script else make_model, model.name
    for family in operators.families():
        sources = digest_of_sources(f"operators/{family.name}.py")
        for item in family.cases:
            if re.search(only, item.name):
                yield item.name, shared + sources, make_case, item.name
    for family in programs.families():
        sources = digest_of_sources(f"programs/{family.name}.py")
        for item in family.cases:
            if re.search(only, item.name):
                yield item.name, shared + sources, make_program, item.name


_items = {}


def look_up(name):
    if not _items:
        _items.update({m.name: m for m in models.all_models()})
        _items.update({c.name: c for package in (operators, programs) for f in package.families() for c in f.cases})
    return _items[name]


def make(task):
    folder, name, stamp, function, key = task
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    entry_file = folder / "entries" / f"{name}.json"
    if entry_file.exists():
        known = json.loads(entry_file.read_text())
        if known["stamp"] == stamp:
            return name, known["entries"], None
    try:
        entries = function(folder, look_up(key))
    except Exception as error:
        return name, None, f"{type(error).__name__}: {str(error).strip().splitlines()[-1] if str(error).strip() else ''}\n" + traceback.format_exc()
    entry_file.parent.mkdir(parents=True, exist_ok=True)
    entry_file.write_text(json.dumps({"stamp": stamp, "entries": entries}))
    return name, entries, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--slice", choices=["quick", "all"], default="quick")
    parser.add_argument("--only", default="", help="a regular expression: only cases whose name it finds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="show where a case failed")
    parser.add_argument("--keep-going", action="store_true", help="exit with 0 all the same; the manifest lists what failed")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tasks = [(options.out, *row) for row in plan(options.out, options.slice, options.only)]
    if not tasks:
        sys.exit(f"no case's name matches {options.only!r}; names are FAMILY.NAME, such as activation.relu.plain: see tests/python/operators")
    manifest, failures = [], []
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for name, entries, error in pool.imap(make, tasks, chunksize=1 if len(tasks) < 100 else 8):
            if error:
                failures.append((name, error))
            else:
                manifest += entries
    target = options.out / "manifest.json"
    if options.only and target.exists():
        made = {e["name"] for e in manifest}
        manifest = [e for e in json.loads(target.read_text())["cases"] if e["name"] not in made] + manifest
    target.write_text(json.dumps({"version": 1, "newest_opset": NEWEST, "cases": manifest,
                                  "not_made": [{"name": name, "error": error} for name, error in failures]}, indent=1) + "\n")
    for name, error in failures:
        print(f"{name}: {error if options.verbose else error.splitlines()[0]}", file=sys.stderr)
    print(f"{len(manifest)} samples in {options.out}, {len(failures)} could not be made", file=sys.stderr)
    return 1 if failures and not options.keep_going else 0


if __name__ == "__main__":
    sys.exit(main())
