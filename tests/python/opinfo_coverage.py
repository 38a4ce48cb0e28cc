#!/usr/bin/env python
"""Measures tonnx by PyTorch's own table of operators (OpInfo) and writes the result as docs/coverage.md.

    opinfo_coverage.py --library build/libtonnx.so --results DIR [--only REGEX] [--opset N ...] [--dtype float32 ...]
                       [--samples 5] [--capture traced|dynamic|scripted|exported|decomposed ...] [--resume] [--report docs/coverage.md]

Samples of each entry, spread over those it offers, are captured (arguments that are not tensors stay constant), exported,
checked, run in ONNX Runtime and compared with LibTorch. They are captured by a trace, as a script, by torch.export, or by
torch.export and its decompositions. `dynamic` is a trace with a dynamic axis, the batch axis if possible, whose model
also runs at a second size. An entry is `right` if every sample is, else it gets the worst verdict of its samples: crash,
wrong, does not run, refused, not traced (or not captured), timeout. DIR contains one result a line, so that --resume continues
an interrupted run, and several opsets, dtypes and captures are combined in one report, whose matrix has the traces. --demand fails if a
sample is neither right nor not traced.
"""
import argparse
import collections
import datetime
import itertools
import json
import multiprocessing
import multiprocessing.connection
import pathlib
import re
import sys
import tempfile
import time
import warnings

import coverage_page
from case import as_model
from opinfo_programs import Program, offered_samples, op_infos, spread, tolerance

VERDICTS = ["crash", "wrong", "does not run", "timeout", "refused", "not traced", "right"]
DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64"]
CAPTURES = ["traced", "dynamic", "scripted", "exported", "decomposed"]
TRIED = 12  # samples of an entry that are searched for an axis that can be dynamic


class Verdict(Exception):
    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Still(Exception):
    """The reason why no axis of a sample can be dynamic."""


class Measure:
    """F284, F285, F287: Runs entries in its own process, forked from one that has read the table."""

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

    def entry(self, name, dtype_name, opsets, capture):
        """(verdict, correct samples, samples, reason of the worst one) for each opset. Captures a sample once for all opsets."""
        info, dtype = self.infos[name], getattr(self.torch, dtype_name)
        try:
            offered = offered_samples(info, dtype)
        except Exception as error:
            return [("not traced", 0, 0, f"its samples cannot be made: {first_line(error)}")] * len(opsets)
        found, still = [], None
        for sample in self.order(offered, capture):
            try:
                found.append(self.sample(info, sample, dtype, opsets, capture))
            except Still as reason:
                still = str(reason)
            except Verdict as verdict:
                found.append([(verdict.kind, str(verdict))] * len(opsets))
            if len(found) == self.options.samples:
                break
        return [summary(at_opset) for at_opset in zip(*found)] or [("not traced", 0, 0, still or "it has no samples")] * len(opsets)

    def order(self, offered, capture):
        """The samples to measure, in order. For dynamic axes, returns more than needed: those with the most axes first,
        because they have a batch axis, and without those that have no axis to change."""
        if capture != "dynamic":
            return spread(offered, self.options.samples)
        ranks = lambda s: max((t.dim() for t in self.torch.utils._pytree.tree_leaves((s.input, s.args)) if hasattr(t, "dim")), default=0)
        return spread(sorted(offered, key=ranks, reverse=True), TRIED)

    def sample(self, info, sample, dtype, opsets, capture):
        """(verdict, reason) for each opset."""
        torch = self.torch
        with tempfile.TemporaryDirectory(prefix="tonnx-opinfo-", dir=self.options.scratch) as folder, torch.no_grad():
            folder = pathlib.Path(folder)
            try:
                program = Program(info, sample)
                expected = program.answer()
                random = program.random(expected)
                archive, axes, runs = getattr(self, capture)(program, expected, folder)
                if any(t.layout != torch.strided for p, e in runs for t in (*e, *p.tensors)):
                    raise TypeError("a tensor that is not strided")
            except Still:
                raise
            except Exception as error:
                raise Verdict("not traced", first_line(error)) from None
            return [self.judged(archive, axes, runs, random, tolerance(info, dtype), opset) for opset in opsets]

    def judged(self, archive, axes, runs, random, tolerances, opset):
        arguments, folder = archive.with_name("args.pt"), archive.parent
        try:
            self.export(archive, arguments if arguments.exists() else None, axes, folder / "model.onnx", opset)
            session = self.session(folder, [t for p, e in runs for t in (*p.tensors, *e)])
            for at, want in runs:
                self.compare(at, self.run(session, at), want, random, *tolerances)
        except Verdict as verdict:
            return verdict.kind, str(verdict)
        return "right", ""

    def traced(self, program, expected, folder):
        """(archive, dynamic axes, [(program, its results)]), as for the other captures."""
        self.saved(program, program.traced(), folder)
        return folder / "program.pt", [], [(program, expected)]

    def dynamic(self, program, expected, folder):
        traced = program.traced()
        try:
            second, axes = program.moved(traced)
        except ValueError as reason:
            raise Still(reason) from None
        self.saved(program, traced, folder)
        return (folder / "program.pt", [(name, axis, "batch") for name, axis in axes],
                [(program, expected), (second, second.answer())])

    def scripted(self, program, expected, folder):
        script = program.scripted()
        self.saved(program, script, folder)
        return folder / "program.pt", [], [(program, program.answer_of(script))]

    def exported(self, program, expected, folder, decompose=False):
        exported = program.exported(decompose)
        self.torch.export.save(exported, folder / "program.pt2")
        return folder / "program.pt2", [], [(program, program.answer_of(exported.module()))]

    def decomposed(self, program, expected, folder):
        return self.exported(program, expected, folder, decompose=True)

    def saved(self, program, module, folder):
        self.torch.jit.save(module, str(folder / "program.pt"))
        self.torch.save(program.tensors, folder / "args.pt")

    def export(self, archive, arguments, axes, model, opset):
        import tonnx_library
        try:
            self.library.export(archive, arguments, model, opset, axes)
        except tonnx_library.Refused as error:
            raise Verdict("refused", reason_of_refusal(str(error))) from None

    def fed(self, tensor):
        tensor = as_model(tensor)
        return (tensor.float() if tensor.dtype == self.torch.bfloat16 else tensor).numpy()

    def without_bfloat16(self, path):
        """The model with its bfloat16 inputs and outputs as float32, because NumPy has no bfloat16."""
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

    def session(self, folder, tensors):
        """The model, checked and loaded; `tensors` are its inputs and outputs."""
        path = str(folder / "model.onnx")
        try:
            self.onnx.checker.check_model(path, full_check=True)
        except Exception as error:
            raise Verdict("does not run", "checker: " + first_line(error)) from None
        if any(t.dtype == self.torch.bfloat16 for t in tensors):
            self.without_bfloat16(path)
        settings = self.runtime.SessionOptions()
        settings.intra_op_num_threads = 1
        settings.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            return self.runtime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise Verdict("does not run", first_line(error)) from None

    def run(self, session, program):
        names = [i.name for i in session.get_inputs()]
        try:
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
        """Which elements are within the tolerance, for both parts of a complex one."""
        if not (expected.dtype.is_floating_point or expected.dtype.is_complex):
            return got == expected
        parts = expected.dtype.is_complex
        got, expected = as_model(got).double(), as_model(expected).double()
        finite = expected[expected.isfinite()]
        slack = atol * max(1.0, float(finite.abs().max()) if finite.numel() else 1.0)
        close = self.torch.isclose(got, expected, rtol, slack, equal_nan=True)
        return close.all(-1) if parts else close


def summary(samples):
    worst = min(samples, key=lambda sample: VERDICTS.index(sample[0]))
    return worst[0], sum(kind == "right" for kind, _ in samples), len(samples), worst[1]


def short(dtype):
    return str(dtype).removeprefix("torch.")


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return without_places(f"{type(error).__name__}: {lines[0] if lines else ''}")


def without_places(text):
    """The text without the parts that differ between runs."""
    return re.sub(r"0x[0-9a-f]+", "0x..", re.sub(r"(/[\w.+-]+){2,}/?", "...", text))[:240]


def reason_of_refusal(message):
    lines = [line.strip() for line in message.splitlines()]
    reason = next((line for line in lines if re.match(r"[\w]+::\w", line)), next(iter(lines[1:2] or lines), ""))
    return without_places(re.sub(r" \((\d+ times; )?(first )?at [^)]*\)+", "", reason))


def worker(connection, options):
    measure = Measure(options)
    while (task := connection.recv()) is not None:
        connection.send(measure.entry(*task))


class Crew:
    """Worker processes with a time limit for each task; a worker that dies or takes too long is replaced. A task of
    several opsets that ended so is retried opset by opset."""

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
            self.assign(self.hire(), waiting)
        while any(task for _, task, _ in self.members.values()):
            for connection in multiprocessing.connection.wait(list(self.members), timeout=1):
                task = self.members[connection][1]
                try:
                    answer = connection.recv()
                except (EOFError, ConnectionResetError):
                    connection, answer = self.replace(connection, "crash", "the process ended with {}", waiting)
                if answer:
                    yield task, answer
                self.assign(connection, waiting)
            for connection, (process, task, started) in list(self.members.items()):
                if task and time.time() - started > self.options.limit * len(task[2]):
                    process.kill()
                    connection, answer = self.replace(connection, "timeout", f"more than {self.options.limit:.0f} s", waiting)
                    if answer:
                        yield task, answer
                    self.assign(connection, waiting)

    def replace(self, connection, verdict, text, waiting):
        """Starts another worker, and returns the verdicts for the task of this one; none if each of its opsets is retried."""
        process, (name, dtype, opsets, capture), _ = self.members.pop(connection)
        process.join()
        if len(opsets) > 1:
            waiting.extend((name, dtype, (opset,), capture) for opset in opsets)
            return self.hire(), None
        return self.hire(), [(verdict, 0, 0, text.format(process.exitcode))]

    def assign(self, connection, waiting):
        member = self.members[connection]
        member[1:] = (waiting.popleft() if waiting else None), time.time()
        if member[1]:
            connection.send(member[1])


def dtype_of_column(info, dtype):
    """The dtype for an entry in the column of float32: its first one if it does not support float32."""
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
            row.setdefault("date", "")
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
    columns = collections.defaultdict(list)  # by the measured dtype: an entry without float32 is in that column and in its own
    for capture, dtype, opset in itertools.product(
            options.capture or ["traced"], options.dtype or ["float32"], options.opset or [20]):
        for name, info in infos.items():
            used = dtype_of_column(info, dtype)
            if used and re.search(options.only, name) and not (options.resume and ((capture, dtype, opset), name) in results):
                columns[name, used, opset, capture].append(dtype)
    tasks = collections.defaultdict(list)
    for name, used, opset, capture in columns:
        tasks[name, used, capture].append(opset)
    started, counts = time.time(), collections.Counter()
    with store.open("a") as out:
        for (name, used, opsets, capture), answers in Crew(options).run((n, u, tuple(o), c) for (n, u, c), o in tasks.items()):
            for opset, (verdict, right, samples, reason) in zip(opsets, answers, strict=True):
                for dtype in columns[name, used, opset, capture]:
                    row = {"date": options.date, "capture": capture, "dtype": dtype, "opset": opset, "entry": name, "verdict": verdict,
                           "right": right, "samples": samples, "reason": reason}
                    results[column_of(row), name] = row
                    counts[verdict] += 1
                    print(json.dumps(row), file=out, flush=True)
                if options.verbose and verdict != "right":
                    print(f"{name} ({capture}, {used}, opset {opset}): {verdict}, {right} of {samples} right: {reason}", flush=True)
    print(f"{counts.total()} entries in {time.time() - started:.0f} s: "
          + ", ".join(f"{counts[v]} {v}" for v in reversed(VERDICTS) if counts[v]))
    if options.report:
        options.report.write_text(coverage_page.page(list(results.values()), VERDICTS, options.torch))
    return 1 if options.demand and any(counts[v] for v in VERDICTS if v not in ("right", "not traced")) or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())
