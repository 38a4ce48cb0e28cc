#!/usr/bin/env python
"""Exports random scripted programs and compares the models with PyTorch; none may be wrong or fail.

    fuzz_scripts.py --library build/libtonnx.so [--count N] [--seed N] [--least PERCENT]

A program that is wrong, or whose model fails in ONNX Runtime, is reduced to the smallest program with the same outcome, and
printed. `--least` is the percentage that must be right; the others are refused.
"""
import argparse
import collections
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import sys
import tempfile
import types
import typing
import warnings

import random_script


class Judge:
    def __init__(self, library, opset):
        import numpy
        import onnxruntime
        import torch
        import random_objects
        import tonnx_library
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        onnxruntime.set_default_logger_severity(4)
        self.torch, self.runtime, self.numpy = torch, onnxruntime, numpy
        self.called = random_objects.CALLED
        self.library, self.refused, self.opset = tonnx_library.Library(library), tonnx_library.Refused, opset
        self.folder = tempfile.TemporaryDirectory(prefix="tonnx-fuzz-")

    def inputs(self, rows, k):
        generator = self.torch.Generator().manual_seed(rows * 10 + k)
        return self.torch.randint(-3, 4, (rows, 4), generator=generator).float(), self.torch.tensor(k)

    def compile(self, source):
        torch, Tensor, Fixed, Cell, shown = self.torch, self.torch.Tensor, *self.called.values()  # the source finds them here
        module = type("Program", (torch.nn.Module,), {})()
        for name, value in random_script.kept(torch).items():
            setattr(module, name, value)
        module = self.torch.jit.script(module)
        module.define(source)
        return module

    def function(self, source):
        scope = {"torch": self.torch, "Tensor": self.torch.Tensor, "List": typing.List, "Optional": typing.Optional, **self.called}
        exec(source, scope)
        return lambda *inputs: scope["forward"](types.SimpleNamespace(**random_script.kept(self.torch)), *inputs)

    def results(self, program, run):
        results = program(*(t.clone() for t in run))
        return [t.clone() if isinstance(t, self.torch.Tensor) else self.torch.tensor(t) for t in results]

    def judge(self, source):
        """("made" | "refused" | "wrong" | "broken" for a model that fails | "not made" for a program that PyTorch refuses, text)"""
        folder = pathlib.Path(self.folder.name)
        archive, args, model = folder / "a.pt", folder / "args.pt", folder / "m.onnx"
        try:
            self.compile(source).save(str(archive))
            runs = [self.inputs(*run) for run in random_script.RUNS]
            expected = [self.results(self.function(source), run) for run in runs]
            scripted = [self.results(self.torch.jit.load(str(archive)), run) for run in runs]
        except (RuntimeError, IndexError) as error:
            return "not made", str(error).strip().splitlines()[-1]
        # TorchScript's optimiser moves reads of lists past writes to their items: Python's result is the reference.
        if not all(self.torch.equal(a, b) for own, other in zip(expected, scripted) for a, b in zip(own, other)):
            return "not made", "TorchScript and Python answer differently"
        self.torch.save(runs[0], args)
        try:
            self.library.export(archive, args, model, self.opset, [("x", 0, "rows")])
        except self.refused as error:
            if error.status != 1:
                return "wrong", f"status {error.status}: {error}"
            return "refused", next((line.strip() for line in str(error).splitlines() if "::" in line), str(error))
        try:
            session = self.runtime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
            for run, results in zip(runs, expected):
                got = session.run(None, {i.name: t.numpy() for i, t in zip(session.get_inputs(), run)})
                for place, (g, e) in enumerate(zip(got, results, strict=True)):
                    if g.shape != e.shape or g.dtype != e.numpy().dtype or not (g == e.numpy()).all():
                        return "wrong", f"rows {run[0].size(0)}, output {place}: {g.tolist()} instead of {e.tolist()}"
        except Exception as error:
            return "broken", str(error)
        return "made", ""


def work(connection, library, opset):
    judge = Judge(library, opset)
    while (source := connection.recv()) is not None:
        connection.send(judge.judge(source))


class Worker:
    """A process with a judge; replaced if it dies."""

    def __init__(self, library, opset):
        self.settings = library, opset
        self.start()

    def start(self):
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=work, args=(theirs, *self.settings), daemon=True)
        self.process.start()
        theirs.close()

    def answer(self):
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            code = self.process.exitcode
            self.start()
            return "wrong", f"the process ended with {code}"

    def judge(self, source):
        self.connection.send(source)
        return self.answer()


def shrink(worker, block, results, outcome):
    """The smallest program found with the same outcome."""
    found = True
    while found:
        found = False
        for less in block.smaller():
            if worker.judge(random_script.source_of(less, results))[0] == outcome:
                block, found = less, True
                break
    return random_script.source_of(block, results)

SLICES = 6  # `make test` runs other programs from slice to slice, and the same ones again after so many


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--count", type=int, default=int(os.environ.get("TONNX_FUZZ") or 75))
    parser.add_argument("--seed", type=int, help="of the first program; each next one has the next. Default: by $TONNX_SLICE")
    parser.add_argument("--least", type=float, default=86, help="percentage of programs that must export and agree")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.seed is None:
        options.seed = 1 + int(os.environ.get("TONNX_SLICE") or 0) % SLICES * options.count
    workers = [Worker(options.library, options.opset) for _ in range(options.jobs)]
    counts, reasons, failed = collections.Counter(), collections.Counter(), []
    seeds = iter(range(options.seed, options.seed + options.count))
    busy = {}

    def assign(worker):
        seed = next(seeds, None)
        if seed is None:
            return
        program = random_script.Generator(seed).program()
        busy[worker] = seed, program
        worker.connection.send(random_script.source_of(*program))

    for worker in workers:
        assign(worker)
    while busy:
        ready = multiprocessing.connection.wait([worker.connection for worker in busy])
        for worker in [w for w in busy if w.connection in ready]:
            seed, program = busy.pop(worker)
            outcome, text = worker.answer()
            counts[outcome] += 1
            if outcome == "refused":
                reasons[text.split("): ")[-1]] += 1
            if outcome in ("wrong", "broken"):
                failed.append((seed, program, outcome, text))
            assign(worker)
    for worker in workers[1:]:
        worker.connection.send(None)
    for text, count in reasons.most_common(12):
        print(f"{count} x refused: {text[:300]}")
    for seed, program, outcome, text in failed[:5]:
        print(f"\nprogram {seed} is {outcome}: {text[:500]}\n{shrink(workers[0], *program, outcome)}")
    workers[0].connection.send(None)
    programs = counts["made"] + counts["refused"] + counts["wrong"] + counts["broken"]
    part = 100 * counts["made"] / max(1, programs)
    print(f"\n{programs} programs, {part:.1f} % right, {counts['wrong']} wrong, {counts['broken']} models that end with an error; "
          f"{counts['not made']} were none for PyTorch")
    return 1 if failed or part < options.least or programs < options.count / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
