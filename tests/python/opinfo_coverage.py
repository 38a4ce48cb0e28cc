#!/usr/bin/env python
"""Measures tonnx by PyTorch's own table of operators (OpInfo) and writes the result as docs/coverage.md.

    opinfo_coverage.py --library build/libtonnx.so --results DIR [--only REGEX] [--opset N ...] [--dtype float32 ...]
                       [--samples 5] [--capture traced|exported|decomposed ...] [--resume] [--report docs/coverage.md]

Samples of each entry, spread over what the entry offers, are captured (what is no tensor stays constant), exported,
checked, run in ONNX Runtime and compared with LibTorch. They are captured by a trace, by torch.export, or by torch.export
and its decompositions. An entry is `right` if every sample is, else it takes the worst verdict of its samples: crash,
wrong, does not run, refused, not traced (or not captured), timeout. DIR keeps one result a line, so that --resume goes on
where a run ended, and several opsets and dtypes add up in one report, which is that of the traces. --demand fails where a
sample is neither right nor not traced.
"""
import argparse
import collections
import datetime
import hashlib
import itertools
import json
import multiprocessing
import multiprocessing.connection
import pathlib
import re
import sys
import tempfile
import time
import types
import unittest
import warnings

import coverage_page
from case import as_model

VERDICTS = ["crash", "wrong", "does not run", "timeout", "refused", "not traced", "right"]
DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64"]
OFFERED = 100  # how many samples of an entry are looked at to choose from
CAPTURES = ["traced", "exported", "decomposed"]
RTOL, ATOL = {"float16": (1e-2, 1e-2), "bfloat16": (4e-2, 4e-2)}, {}
# What they return is whatever the memory held.
UNINITIALISED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
# Which of equal elements their indices point at, PyTorch leaves open; the position of their argument `dim`.
OPEN_INDICES = {"topk": 1, "kthvalue": 1, "mode": 0, "sort": 0, "argsort": 0}
DRAWS = 64  # how many seeds are tried to see results differ where random numbers are drawn


class Verdict(Exception):
    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def op_infos():
    """PyTorch's table, in its order: "name" or "name/variant" -> OpInfo."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        # PyTorch's test helpers import it for assertions that are not used here.
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stub
    from torch.testing._internal import common_methods_invocations as table
    # The entries of random operators set a seed in every call, which would hide that they are random.
    table.wrapper_set_seed = lambda call, *args, **kwargs: call(*args, **kwargs)
    return {info.name + (f"/{info.variant_test_name}" if info.variant_test_name else ""): info for info in table.op_db}


def chosen_samples(info, dtype, count):
    """`count` of the entry's samples, the first and the last included."""
    import torch
    torch.manual_seed(int.from_bytes(hashlib.sha256(info.name.encode()).digest()[:4], "big"))
    offered = list(itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), OFFERED))
    if len(offered) <= count:
        return offered
    return [offered[round(i * (len(offered) - 1) / (count - 1))] for i in range(count)]


def tolerance(info, dtype):
    """The entry's own where it is looser than the tests' usual one."""
    from torch.testing._internal.common_device_type import toleranceOverride
    rtol, atol = RTOL.get(str(dtype).removeprefix("torch."), (1e-4, 2e-5))
    for decorated in info.decorators or ():
        for inner in getattr(decorated, "decorators", ()):
            if isinstance(inner, toleranceOverride) and dtype in inner.d:
                rtol, atol = max(rtol, inner.d[dtype].rtol), max(atol, inner.d[dtype].atol)
    return rtol, atol


class Program:
    """A call of an operator as a function of its tensors; everything else is constant."""

    def __init__(self, info, sample):
        import torch
        from torch.utils import _pytree
        self.torch, self.pytree, self.info, self.sample = torch, _pytree, info, sample
        leaves, self.spec = _pytree.tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.leaves = leaves
        self.tensors = tuple(leaves[i].detach() for i in self.places)

    def whole(self, tensors):
        leaves = list(self.leaves)
        for i, t in zip(self.places, tensors):
            leaves[i] = t
        given, args, kwargs = self.pytree.tree_unflatten(leaves, self.spec)
        return self.info.op(given, *args, **kwargs)

    def results(self, value):
        """The result's leaves; numbers, which a trace cannot return, become tensors."""
        leaves, self.result_spec = self.pytree.tree_flatten(value)
        return tuple(v if isinstance(v, self.torch.Tensor) else self.torch.tensor(v) for v in leaves if v is not None)

    def forward(self):
        def run(*tensors):
            return self.results(self.whole(tensors))
        return run

    def exported(self, decompose):
        """The program of torch.export."""
        torch, pytree, whole = self.torch, self.pytree, self.whole

        class Call(torch.nn.Module):
            def forward(self, *tensors):
                return tuple(v for v in pytree.tree_leaves(whole(tensors)) if v is not None)
        program = torch.export.export(Call(), self.tensors)
        return program.run_decompositions() if decompose else program

    def answer_of(self, exported):
        """What an exported program gives; a float is a double there."""
        self.torch.manual_seed(0)
        results = exported.module()(*(t.clone() for t in self.tensors))
        dtypes = {float: self.torch.float64, complex: self.torch.complex128}
        return tuple(v if isinstance(v, self.torch.Tensor) else self.torch.tensor(v, dtype=dtypes.get(type(v))) for v in results)

    def answer(self, seed=0):
        self.torch.manual_seed(seed)
        return self.results(self.whole(tuple(t.clone() for t in self.tensors)))

    def random(self, expected):
        """Whether random numbers enter the results, or memory that nobody wrote."""
        before = self.torch.manual_seed(0).get_state()
        self.answer()
        draws = DRAWS if not self.torch.equal(before, self.torch.random.get_rng_state()) else 2
        return any(not self.same(expected, self.answer(seed)) for seed in range(1, draws))

    def same(self, results, others):
        return all(a.shape == b.shape and self.torch.equal(self.torch.nan_to_num(as_model(a)), self.torch.nan_to_num(as_model(b)))
                   for a, b in zip(results, others))

    def precise(self, expected):
        """The results computed in float64 and rounded; those of a short float dtype as they are where that cannot be had."""
        short_float = {self.torch.float16, self.torch.bfloat16}
        if not short_float & {t.dtype for t in expected}:
            return expected
        try:
            found = self.results(self.whole(tuple(t.double() if t.dtype in short_float else t for t in self.tensors)))
        except Exception:
            return expected
        return tuple(f.to(e.dtype) if f.shape == e.shape else e for f, e in zip(found, expected))

    def comparable(self, tensors):
        """What the entry itself says is determined, singular vectors without their signs for example."""
        process = self.sample.output_process_fn_grad
        leaves = list(tensors)
        if self.info.name in OPEN_INDICES and not self.sample.kwargs.get("stable"):
            *values, indices = leaves
            return values + self.elements_at(indices)
        if len(leaves) != self.result_spec.num_leaves:
            return leaves
        value = process(self.pytree.tree_unflatten(leaves, self.result_spec))
        return [v for v in self.pytree.tree_leaves(value) if isinstance(v, self.torch.Tensor)]

    def elements_at(self, indices):
        """What indices along the sample's `dim` point at, and whether they differ from each other."""
        place = OPEN_INDICES[self.info.name]
        dim = self.sample.kwargs.get("dim", self.sample.args[place] if len(self.sample.args) > place else -1)
        given = self.tensors[0]
        if given.dim() == 0 or given.numel() == 0:
            return [indices]
        indices = indices if indices.dim() == given.dim() else indices.unsqueeze(dim)
        return [given.gather(dim, indices), indices.sort(dim)[0].diff(dim=dim) != 0]


class Measure:
    """Runs entries; lives in a process of its own, forked from one that has read the table."""

    def __init__(self, options):
        import onnx
        import onnxruntime
        import torch
        import tonnx_library
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        onnxruntime.set_default_logger_severity(4)
        self.torch, self.onnx, self.runtime, self.options = torch, onnx, onnxruntime, options
        self.library = tonnx_library.Library(options.library)
        self.infos = options.infos

    def entry(self, name, dtype_name, opset, capture):
        """(verdict, samples that are right, samples, reason of the worst one)"""
        info, dtype = self.infos[name], getattr(self.torch, dtype_name)
        try:
            samples = chosen_samples(info, dtype, self.options.samples)
        except Exception as error:
            return "not traced", 0, 0, f"its samples cannot be made: {first_line(error)}"
        right, worst = 0, ("right", "")
        for sample in samples:
            try:
                self.sample(info, sample, dtype, opset, capture)
                right += 1
            except Verdict as verdict:
                if VERDICTS.index(verdict.kind) < VERDICTS.index(worst[0]):
                    worst = verdict.kind, str(verdict)
        if not samples:
            return "not traced", 0, 0, "it has no samples"
        return worst[0], right, len(samples), worst[1]

    def sample(self, info, sample, dtype, opset, capture):
        torch = self.torch
        with tempfile.TemporaryDirectory(prefix="tonnx-opinfo-", dir=self.options.scratch) as folder, torch.no_grad():
            folder = pathlib.Path(folder)
            archive = folder / ("program.pt" if capture == "traced" else "program.pt2")
            try:
                program = Program(info, sample)
                expected = program.answer()
                random = info.name in UNINITIALISED or program.random(expected)
                if capture == "traced":
                    self.trace(program, archive)
                    torch.save(program.tensors, folder / "args.pt")
                else:
                    exported = program.exported(capture == "decomposed")
                    torch.export.save(exported, archive)
                    expected = program.answer_of(exported)
                if any(t.layout != torch.strided for t in (*expected, *program.tensors)):
                    raise TypeError("a tensor that is not strided")
            except Exception as error:
                raise Verdict("not traced", first_line(error)) from None
            self.export(archive, folder / "args.pt" if capture == "traced" else None, folder / "model.onnx", opset)
            got = self.run(folder, program, expected)
            self.compare(program, got, expected, random, *tolerance(info, dtype))

    def trace(self, program, archive):
        torch = self.torch
        torch.manual_seed(0)
        recorded = torch.jit.trace(program.forward(), program.tensors, check_trace=False)
        torch.jit.save(recorded, str(archive))

    def export(self, archive, arguments, model, opset):
        import tonnx_library
        try:
            self.library.export(archive, arguments, model, opset, [])
        except tonnx_library.Refused as error:
            raise Verdict("refused", reason_of_refusal(str(error))) from None

    def fed(self, tensor):
        tensor = as_model(tensor)
        return (tensor.float() if tensor.dtype == self.torch.bfloat16 else tensor).numpy()

    def without_bfloat16(self, path):
        """The model with its bfloat16 inputs and outputs, for which NumPy has no name, as float32."""
        onnx, half = self.onnx, self.onnx.TensorProto.BFLOAT16
        model = onnx.load(path)
        before, after = [], []
        for values, nodes, ends in ((model.graph.input, before, 1), (model.graph.output, after, 0)):
            for value in values:
                if value.type.tensor_type.elem_type == half:
                    names = [value.name, value.name + ".float32"]
                    nodes.append(onnx.helper.make_node("Cast", [names[ends]], [names[1 - ends]], to=half if ends else onnx.TensorProto.FLOAT))
                    value.name, value.type.tensor_type.elem_type = names[1], onnx.TensorProto.FLOAT
        nodes = before + list(model.graph.node) + after
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        onnx.save(model, path)

    def run(self, folder, program, expected):
        path = str(folder / "model.onnx")
        try:
            self.onnx.checker.check_model(path, full_check=True)
        except Exception as error:
            raise Verdict("does not run", "checker: " + first_line(error)) from None
        if any(t.dtype == self.torch.bfloat16 for t in (*program.tensors, *expected)):
            self.without_bfloat16(path)
        settings = self.runtime.SessionOptions()
        settings.intra_op_num_threads = 1
        settings.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = self.runtime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
            names = [i.name for i in session.get_inputs()]
            return session.run(None, {n: self.fed(t) for n, t in zip(names, program.tensors, strict=True)})
        except Exception as error:
            raise Verdict("does not run", first_line(error)) from None

    def compare(self, program, got, expected, random, rtol, atol):
        torch = self.torch
        if len(got) != len(expected):
            raise Verdict("wrong", f"{len(got)} results instead of {len(expected)}")
        got = [torch.from_numpy(g.copy()) for g in got]
        got = [torch.complex(g[..., 0], g[..., 1]) if e.is_complex() and g.dtype == e.dtype.to_real() and g.shape[-1:] == (2,) else g
               for g, e in zip(got, expected)]
        got = [g.to(e.dtype) if e.dtype == torch.bfloat16 else g for g, e in zip(got, expected)]
        for g, e in zip(got, expected):
            if g.dtype != e.dtype or g.shape != e.shape:
                raise Verdict("wrong", f"{short(g.dtype)}{list(g.shape)} instead of {short(e.dtype)}{list(e.shape)}")
        if random:
            return
        wanted = [program.comparable(t) for t in (got, expected, program.precise(expected))]
        for position, (g, e, p) in enumerate(zip(*wanted)):
            close = self.close(g, e, rtol, atol)
            if p is not e:
                close |= self.close(g, p, rtol, atol)
            if not close.all():
                at = tuple(torch.nonzero(~close)[0].tolist())
                raise Verdict("wrong", f"result {position}: {int((~close).sum())} of {close.numel()} differ, "
                                       f"{g[at].item():.6g} instead of {e[at].item():.6g}")

    def close(self, got, expected, rtol, atol):
        """Which elements are within the tolerance, a complex one by both of its parts."""
        if not (expected.dtype.is_floating_point or expected.dtype.is_complex):
            return got == expected
        parts = expected.dtype.is_complex
        got, expected = as_model(got).double(), as_model(expected).double()
        finite = expected[expected.isfinite()]
        slack = atol * max(1.0, float(finite.abs().max()) if finite.numel() else 1.0)
        close = self.torch.isclose(got, expected, rtol, slack, equal_nan=True)
        return close.all(-1) if parts else close


def short(dtype):
    return str(dtype).removeprefix("torch.")


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return without_places(f"{type(error).__name__}: {lines[0] if lines else ''}")


def without_places(text):
    """The text without what differs from run to run."""
    return re.sub(r"0x[0-9a-f]+", "0x..", re.sub(r"(/[\w.+-]+){2,}/?", "...", text))[:240]


def reason_of_refusal(message):
    lines = [line.strip() for line in message.splitlines()]
    reason = next((line for line in lines if re.match(r"[\w]+::\w", line)), lines[0] if lines else "")
    return without_places(re.sub(r" \((\d+ times; )?(first )?at [^)]*\)+", "", reason))


def worker(connection, options):
    measure = Measure(options)
    while (task := connection.recv()) is not None:
        connection.send(measure.entry(*task))


class Crew:
    """Worker processes with a time limit a task; one that dies or takes too long is replaced."""

    def __init__(self, options):
        self.options, self.members = options, {}
        self.context = multiprocessing.get_context("fork")

    def hire(self):
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=worker, args=(theirs, self.options), daemon=True)
        process.start()
        theirs.close()
        self.members[ours] = [process, None, 0.0]
        return ours

    def run(self, tasks):
        waiting = collections.deque(tasks)
        for _ in range(min(self.options.jobs, len(waiting))):
            self.give(self.hire(), waiting)
        while any(task for _, task, _ in self.members.values()):
            for connection in multiprocessing.connection.wait(list(self.members), timeout=1):
                task = self.members[connection][1]
                try:
                    answer = connection.recv()
                except (EOFError, ConnectionResetError):
                    connection, answer = self.replace(connection, "crash", "the process ended with {}")
                yield task, answer
                self.give(connection, waiting)
            for connection, (process, task, started) in list(self.members.items()):
                if task and time.time() - started > self.options.limit:
                    process.kill()
                    connection, answer = self.replace(connection, "timeout", f"more than {self.options.limit:.0f} s")
                    yield task, answer
                    self.give(connection, waiting)

    def replace(self, connection, verdict, text):
        process = self.members.pop(connection)[0]
        process.join()
        return self.hire(), (verdict, 0, 0, text.format(process.exitcode))

    def give(self, connection, waiting):
        member = self.members[connection]
        member[1:] = (waiting.popleft() if waiting else None), time.time()
        if member[1]:
            connection.send(member[1])


def dtype_of_column(info, dtype):
    """The dtype to run an entry with in the column of float32: its first one where it does not take that."""
    import torch
    if getattr(torch, dtype) in info.dtypes:
        return dtype
    return next((d for d in DTYPES if getattr(torch, d) in info.dtypes), None) if dtype == "float32" else None


def read_results(path):
    results = {}
    if path.exists():
        for line in path.read_text().splitlines():
            row = json.loads(line)
            row.setdefault("capture", "traced")
            results[column_of(row), row["entry"]] = row
    return results


def column_of(row):
    return row["capture"], row["dtype"], row["opset"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True, help="the folder that keeps the results")
    parser.add_argument("--only", default="", help="a regular expression: only entries whose name it finds")
    parser.add_argument("--opset", type=int, action="append")
    parser.add_argument("--dtype", choices=DTYPES, action="append")
    parser.add_argument("--capture", choices=CAPTURES, action="append")
    parser.add_argument("--demand", action="store_true", help="fail where an entry is neither right nor not traced")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--resume", action="store_true", help="leave alone what has a result")
    parser.add_argument("--report", type=pathlib.Path, help="the page to write")
    parser.add_argument("--limit", type=float, default=90, help="seconds for an entry")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scratch", help="the folder for programs and models (default: the system's)")
    parser.add_argument("--verbose", action="store_true", help="print every entry that is not right")
    options = parser.parse_args()
    import torch
    options.torch, options.date = torch.__version__.split("+")[0], datetime.date.today().isoformat()
    options.results.mkdir(parents=True, exist_ok=True)
    store = options.results / "results.jsonl"
    results = read_results(store)
    infos = options.infos = op_infos()
    tasks = []
    for capture, dtype, opset in itertools.product(
            options.capture or ["traced"], options.dtype or ["float32"], options.opset or [20]):
        for name, info in infos.items():
            used = dtype_of_column(info, dtype)
            if used and re.search(options.only, name) and not (options.resume and ((capture, dtype, opset), name) in results):
                tasks.append((dtype, (name, used, opset, capture)))
    columns = collections.defaultdict(collections.deque)
    for dtype, task in tasks:
        columns[task].append(dtype)
    started, counts = time.time(), collections.Counter()
    with store.open("a") as out:
        for task, (verdict, right, samples, reason) in Crew(options).run([t for _, t in tasks]):
            name, used, opset, capture = task
            dtype = columns[task].popleft()
            row = {"capture": capture, "dtype": dtype, "opset": opset, "entry": name, "verdict": verdict, "right": right,
                   "samples": samples, "reason": reason}
            results[column_of(row), name] = row
            counts[verdict] += 1
            print(json.dumps(row), file=out, flush=True)
            if options.verbose and verdict != "right":
                print(f"{name} ({capture}, {used}, opset {opset}): {verdict}, {right} of {samples} right: {reason}", flush=True)
    print(f"{len(tasks)} entries in {time.time() - started:.0f} s: "
          + ", ".join(f"{counts[v]} {v}" for v in reversed(VERDICTS) if counts[v]))
    if options.report:
        traced = [row for row in results.values() if row["capture"] == "traced"]
        options.report.write_text(coverage_page.page(traced, VERDICTS, options.date, options.torch))
    return 1 if options.demand and any(counts[v] for v in VERDICTS if v not in ("right", "not traced")) or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())
