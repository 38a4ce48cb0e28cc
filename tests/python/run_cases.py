#!/usr/bin/env python
"""Exports the samples and compares the models with PyTorch, using onnx's checker and the Python package of ONNX Runtime.

    run_cases.py --tonnx build/tonnx --samples DIR [--only REGEX] [--opset N ...] [--library build/libtonnx.so]

--tonnx runs the command line, one process for each model; --library calls the C API in this process, which is much faster.
Each case runs static and, if it has dynamic axes, again with them, exported at one size and run at both.
Failures are printed in groups of one error. A case in the list of known gaps that passes is a failure too.
"""
import argparse
import collections
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
KNOWN_GAPS = HERE.parent / "known_gaps.txt"
REFUSED = 1  # the command line's exit code for a program that cannot be exported


class Failure(Exception):
    """Why a run failed: the stage, and the text by which failures are grouped."""

    def __init__(self, stage, text):
        super().__init__(f"{stage}: {text}")
        self.stage = stage


class Judge:
    """Exports with tonnx and checks the model, in its own process."""

    def __init__(self, options):
        import numpy
        import onnx
        import onnxruntime
        import torch
        from case import as_model, parts_of
        self.as_model, self.parts_of = as_model, parts_of
        self.numpy, self.onnx, self.runtime, self.torch = numpy, onnx, onnxruntime, torch
        self.missing_kernel = onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented
        torch.set_num_threads(1)
        onnxruntime.set_default_logger_severity(4)
        self.options = options
        self.library = None
        if options.library:
            import tonnx_library
            self.library = tonnx_library.Library(options.library)

    def export(self, case, opset, dynamic, out):
        archive, args = self.options.samples / case["archive"], self.options.samples / case["args"]
        if self.library:
            import tonnx_library
            axes = [(d["input"], d["axis"], d["dim"]) for d in case["dynamic"]] if dynamic else []
            try:
                return self.library.export(archive, args, out, opset, axes, sequences=case.get("sequences", False), target=self.options.target)
            except tonnx_library.Refused as error:
                raise Failure("refused" if error.status == REFUSED else f"export, status {error.status}", str(error)) from None
        command = [self.options.tonnx, "export", archive, "-o", out, "--args", args, "--opset", str(opset)]
        if case.get("sequences"):
            command += ["--sequence-inputs"]
        if self.options.target:
            command += ["--target", self.options.target]
        for d in case["dynamic"] if dynamic else []:
            command += ["--dynamic-axes", f"{d['input']}:{d['axis']}={d['dim']}"]
        if self.options.verbose:
            print(" ".join(map(str, command)), flush=True)
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=self.options.timeout)
        if done.returncode:
            stage = "refused" if done.returncode == REFUSED else f"export, exit code {done.returncode}"
            raise Failure(stage, done.stderr.strip() or done.stdout.strip())
        if not out.exists():
            raise Failure("export", "no file was written")
        return done.stderr.splitlines()

    def tensors(self, name):
        return self.torch.load(self.options.samples / name, weights_only=True)

    def session(self, path):
        settings = self.runtime.SessionOptions()
        settings.intra_op_num_threads = 1
        if not self.options.optimised:
            settings.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return self.runtime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])

    def check(self, path, model, case, opset, dynamic):
        try:
            self.onnx.checker.check_model(str(path), full_check=True)
        except Exception as error:
            raise Failure("checker", str(error)) from None
        versions = {o.domain: o.version for o in model.opset_import}
        if versions.get("") != opset:
            raise Failure("opset", f"the model says {versions}")
        weights = {w.name for w in model.graph.initializer}
        names = [i.name for i in model.graph.input if i.name not in weights]
        if names != case["inputs"]:
            raise Failure("input names", f"{names} instead of {case['inputs']}")
        moving = {(d["input"], d["axis"]): d["dim"] for d in case["dynamic"]} if dynamic else {}
        for i in model.graph.input:
            for axis, dim in enumerate(i.type.tensor_type.shape.dim):
                if i.name not in weights and dim.dim_param != moving.get((i.name, axis), ""):
                    raise Failure("input shapes", f"{i.name} axis {axis} is {dim.dim_param or dim.dim_value!r}")

    def run(self, session, model, case, args, expected):
        weights = {w.name for w in model.graph.initializer}
        names = [i.name for i in model.graph.input if i.name not in weights]
        given = [part for a in self.tensors(args) if a is not None
                 for part in (self.parts_of(a) if isinstance(a, self.torch.Tensor) else [a])]
        feed = {n: [self.as_input(item) for item in a] if isinstance(a, list) else self.as_input(a)
                for n, a in zip(names, given, strict=True)}
        try:
            got = session.run(None, feed)
        except Exception as error:
            raise Failure("run", str(error)) from None
        expected = self.tensors(expected)
        flat = [(declared, g) for declared, value in zip(model.graph.output, got)
                for g in (value if isinstance(value, list) else [] if value is None else [value])]
        if len(flat) != len(expected):
            raise Failure("outputs", f"{len(flat)} instead of {len(expected)}")
        sizes = {dim.dim_param: size for i in model.graph.input if i.name in feed and not isinstance(feed[i.name], list)
                 for dim, size in zip(i.type.tensor_type.shape.dim, feed[i.name].shape) if dim.dim_param}
        for position, ((declared, g), e) in enumerate(zip(flat, expected)):
            self.compare(case, position, declared, g, e, sizes)

    def as_input(self, argument):
        """The argument in the form of a model input; a Python float is a double in LibTorch."""
        dtype = self.torch.float64 if isinstance(argument, float) else None
        return self.as_model(self.torch.as_tensor(argument, dtype=dtype)).detach().numpy()

    @staticmethod
    def is_declared(dim, size, sizes):
        """True if a declared size is `size`. Its name may be an expression of the inputs' sizes, which a size of 0 need
        not match: a slice of an empty axis is empty."""
        if not dim.dim_param or 0 in sizes.values() or not set(re.findall(r"[A-Za-z_]\w*", dim.dim_param)) <= {*sizes, "max", "min"}:
            return not dim.HasField("dim_value") or dim.dim_value == size
        return eval(dim.dim_param, {"max": max, "min": min}, dict(sizes)) == size

    def compare(self, case, position, declared, got, expected, sizes):
        numpy = self.numpy
        expected = self.as_model(expected).detach().numpy()
        if got.dtype != expected.dtype:
            raise Failure("dtype", f"output {position} is {got.dtype} instead of {expected.dtype}")
        if got.shape != expected.shape:
            raise Failure("shape", f"output {position} is {got.shape} instead of {expected.shape}")
        if declared.type.tensor_type.HasField("shape"):
            said = declared.type.tensor_type.shape.dim
            # The checker requires a rank; a dynamic one is declared as the example's, with dynamic axes.
            open_rank = all(not d.HasField("dim_value") and not d.dim_param for d in said)
            if (len(said) != got.ndim and not open_rank) or not all(self.is_declared(d, n, sizes) for d, n in zip(said, got.shape)):
                text = [d.dim_param or d.dim_value for d in said]
                raise Failure("declared shape", f"output {position} says {text} and is {got.shape}")
        if case["compare"] == "shapes":
            return
        exact = got.dtype.kind in "biu"
        close = got == expected if exact else numpy.isclose(got, expected, case["rtol"], case["atol"], equal_nan=True)
        if not close.all():
            place = tuple(int(i) for i in numpy.argwhere(~numpy.atleast_1d(close))[0])
            flat = numpy.atleast_1d(got)[place], numpy.atleast_1d(expected)[place]
            raise Failure("values", f"output {position}: {int((~close).sum())} of {close.size} differ, first at {place}: "
                                    f"{flat[0]} instead of {flat[1]}")

    def judge(self, case, opset, dynamic):
        with tempfile.TemporaryDirectory(prefix="tonnx-run-") as folder:
            path = pathlib.Path(folder) / "model.onnx"
            warnings = self.export(case, opset, dynamic, path)
            is_warned = any("no CPU kernel" in warning for warning in warnings)
            if self.options.keep:
                self.options.keep.mkdir(parents=True, exist_ok=True)
                kept = self.options.keep / f"{case['name']}.{opset}{'.dynamic' if dynamic else ''}.onnx"
                kept.write_bytes(path.read_bytes())
            model = self.onnx.load(str(path), load_external_data=False)
            self.check(path, model, case, opset, dynamic)
            if opset > self.options.newest:
                return "checked"
            try:
                session = self.session(path)
            except Exception as error:
                if not isinstance(error, self.missing_kernel):
                    raise Failure("load", str(error)) from None
                if not is_warned:
                    raise Failure("load", "no kernel, and no warning says so: " + str(error)) from None
                session = Reference(self, path, str(error))
            else:
                if is_warned:
                    raise Failure("kernel", "a warning says that there is no kernel, and the model loads")
            self.run(session, model, case, case["args"], case["expected"])
            if dynamic and case["second"]:
                try:
                    self.run(session, model, case, case["second"]["args"], case["second"]["expected"])
                except Failure as failure:
                    raise Failure("other size, " + failure.stage, str(failure).split(": ", 1)[1]) from None
            for k, other in enumerate(case.get("more", []), 1):
                if not dynamic and case["dynamic"] and not self.same_sizes(case, case["args"], other["args"]):
                    continue
                try:
                    self.run(session, model, case, other["args"], other["expected"])
                except Failure as failure:
                    raise Failure("further run, " + failure.stage, f"run {k}: " + str(failure).split(": ", 1)[1]) from None
            return "passed"

    def same_sizes(self, case, args, others):
        moving = {d["input"] for d in case["dynamic"]}
        first = lambda a: a[0] if isinstance(a, list) and a else a
        shapes = lambda name: [getattr(first(a), "shape", ()) for given, a in zip(case["inputs"], self.tensors(name))
                               if given in moving or not isinstance(a, list)]
        return shapes(args) == shapes(others)


class Reference:
    """onnx's own evaluator, for operators without an ONNX Runtime kernel."""

    def __init__(self, judge, path, why):
        self.why = why
        try:
            self.evaluator = judge.onnx.reference.ReferenceEvaluator(str(path))
        except Exception:
            raise Failure("no kernel", why) from None

    def run(self, names, feed):
        try:
            return self.evaluator.run(names, feed)
        except Exception as error:
            raise RuntimeError(f"no kernel: {self.why}; reference: {error}") from None


def worker(connection, options):
    judge = None
    while (task := connection.recv()) is not None:
        case, opset, dynamic = task
        if judge is None:
            import onnx.reference  # noqa: F401
            judge = Judge(options)
        try:
            answer = judge.judge(case, opset, dynamic), ""
        except Failure as failure:
            answer = failure.stage, str(failure).split(": ", 1)[1]
        except subprocess.TimeoutExpired:
            answer = "export", "took too long"
        except Exception as error:
            answer = "test", f"{type(error).__name__}: {error}"
        connection.send(answer)


class Crew:
    """Worker processes; one that dies is replaced, and its task counts as a crash."""

    def __init__(self, options):
        self.options = options
        self.context = multiprocessing.get_context("spawn")
        self.members = {}

    def hire(self):
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=worker, args=(theirs, self.options), daemon=True)
        process.start()
        theirs.close()
        self.members[ours] = (process, None)
        return ours

    def run(self, tasks):
        waiting = collections.deque(tasks)
        for _ in range(min(self.options.jobs, len(waiting))):
            connection = self.hire()
            self.assign(connection, waiting)
        while any(task for _, task in self.members.values()):
            ready = multiprocessing.connection.wait(list(self.members), timeout=1)
            for connection in ready:
                process, task = self.members[connection]
                try:
                    answer = connection.recv()
                except (EOFError, ConnectionResetError):
                    process.join()
                    answer = "crash", f"the process ended with {process.exitcode}"
                    del self.members[connection]
                    connection = self.hire()
                yield task, answer
                self.assign(connection, waiting)

    def assign(self, connection, waiting):
        process, _ = self.members[connection]
        task = waiting.popleft() if waiting else None
        self.members[connection] = process, task
        if task:
            connection.send(task)

    def dismiss(self):
        for connection, (process, _) in self.members.items():
            try:
                connection.send(None)
            except OSError:
                pass
            process.join(5)


def known_gaps(path):
    gaps = {}
    if path.exists():
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                name, mode, reason = line.split("\t")
                gaps[name, mode == "dynamic"] = reason
    return gaps


def group_of(stage, text):
    """The error without the parts that differ between cases."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if stage == "refused":
        first = next((line.strip() for line in text.splitlines() if "::" in line), first)
    if stage in ("values", "other size, values"):
        first = ""
    first = re.sub(r"/\S+/", "", first)
    return f"{stage}: " + re.sub(r"0x[0-9a-f]+|\d+", "N", first)[:160]


def plan(options, manifest):
    for case in manifest["cases"]:
        if not re.search(options.only, case["name"]) or options.suite not in ("", case["suite"]):
            continue
        opsets = options.opset or (range(7, options.newest + 1) if options.every_opset else case["opsets"])
        if options.slice is not None:
            number = zlib.crc32(case["name"].encode()) + options.slice
            if number % options.parts:
                continue
            opsets = [opsets[number // options.parts % len(opsets)]]
        for opset in opsets:
            if not options.dynamic_only:
                yield case, opset, False
            if case["dynamic"] and not options.static_only:
                yield case, opset, True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tonnx", default="build/tonnx")
    parser.add_argument("--library", help="libtonnx.so, to call in this process instead of the command line")
    parser.add_argument("--samples", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--only", default="", help="a regular expression: only cases whose name it finds")
    parser.add_argument("--suite", default="", help="only cases of this suite")
    parser.add_argument("--opset", type=int, action="append", help="instead of the case's own; may be repeated")
    parser.add_argument("--every-opset", action="store_true")
    parser.add_argument("--newest", type=int, help="the newest opset to run; models of newer ones are checked only")
    parser.add_argument("--slice", type=int, default=os.environ.get("TONNX_SLICE") or None,
                        help="one opset a case, chosen by the slice's number and the case's name; default: $TONNX_SLICE, else all opsets")
    parser.add_argument("--parts", type=int, default=1, help="with a slice, one of this many parts of the cases; each slice takes another part")
    parser.add_argument("--static-only", action="store_true")
    parser.add_argument("--dynamic-only", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--optimised", action="store_true", help="with ONNX Runtime's own optimiser, which most users leave on")
    parser.add_argument("--target", choices=["onnxruntime", "onnx"], help="the runtime that the models are made for")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the models")
    parser.add_argument("--gaps", type=pathlib.Path, default=KNOWN_GAPS)
    parser.add_argument("--names", action="store_true", help="print all names of a group")
    parser.add_argument("--verbose", action="store_true", help="print the commands")
    options = parser.parse_args()
    if not options.library and not os.access(options.tonnx, os.X_OK):
        parser.error(f"{options.tonnx} is not executable; build it, or name it with --tonnx")
    manifest = json.loads((options.samples / "manifest.json").read_text())
    options.newest = options.newest or manifest["newest_opset"]
    gaps = known_gaps(options.gaps)
    tasks = list(plan(options, manifest))
    if not tasks and options.slice is None:
        sys.exit("no sample matches --only and --suite: nothing was run")
    groups, passed, refused_early, gap_runs = collections.defaultdict(list), 0, 0, collections.Counter()
    gap_failures = collections.Counter()
    started = time.time()
    crew = Crew(options)
    for (case, opset, dynamic), (stage, text) in crew.run(tasks):
        name, label = case["name"], f"{case['name']} at opset {opset}{', dynamic' if dynamic else ''}"
        gap = (name, dynamic) in gaps
        gap_runs[name, dynamic] += gap
        if stage in ("passed", "checked"):
            passed += 1
        elif stage == "refused" and opset < case["opset"]:
            refused_early += 1
        elif gap:
            gap_failures[name, dynamic] += 1
        else:
            groups[group_of(stage, text)].append((label, text))
    crew.dismiss()
    for group, members in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"\n{len(members)} x {group}")
        shown = members if options.names else members[:4]
        for label, text in shown:
            lines = [line for line in text.strip().splitlines() if line.strip()]
            print(f"    {label}" + (f"\n        {' | '.join(lines)[:400]}" if not options.names else ""))
        if len(members) > len(shown):
            names = sorted({label.split(" at ")[0] for label, _ in members})
            print("    of: " + " ".join(names)[:600])
    closed = [one for one, count in gap_runs.items() if count and not gap_failures[one] and options.slice is None]
    for name, dynamic in closed:
        print(f"\n{name}{', dynamic' if dynamic else ''} passes and is listed as a known gap: {gaps[name, dynamic]}")
    failed = sum(map(len, groups.values())) + len(closed)
    extra = f"; {sum(gap_failures.values())} known gaps" if gap_failures else ""
    extra += f"; {refused_early} refused below their opset" if refused_early else ""
    print(f"\n{len(tasks)} runs in {time.time() - started:.0f} s{extra}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
