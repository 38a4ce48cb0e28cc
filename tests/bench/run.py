#!/usr/bin/env python
"""Compares the speed and memory of tonnx and of PyTorch's own exporter on the same archives, in one run.

    run.py BUILD [--runs N] [--models a,b] [--no-python] [--no-growth] [--no-scripts] [--markdown FILE]

(a) whole process: `tonnx export` against a Python that loads the archive and calls torch.onnx.export(dynamo=False)
(b) the export call alone, both sides with their libraries and the archive loaded: PyTorch's writes its file, so tonnx's is
    export and save; loading is measured separately
(c) the largest resident memory of both processes
(d) tonnx's loading, export and save against a plain copy of the archive's bytes, with fsync on both sides
(e) --external-data archive: what it costs beyond loading
(f) growth: chains of 512, 1024, 2048 and 4096 layers, and traced residual quantisers of 400, 800 and 1600 stages of 53 nodes
(g) tracing and exporting resnet18 from C++ beside its forward pass in LibTorch, and what dynamic axes add
(h) the start of the command line, which loads no LibTorch
(i) whole process, as (a), on scripts, and the latency of both models in ONNX Runtime on one core
Times are medians. Exit status 1 if a goal is missed; a peer that fails meets none.

torch.onnx.export cannot convert the archive of vit_b_16 at any opset ("transpose for tensor of unknown rank"), nor that of a scripted
Mask R-CNN ("Unknown type"): their peer exports the same network from the Python module, and what this adds (making and tracing it)
is timed separately and subtracted.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "python"
sys.path[:0] = [str(HERE), str(SAMPLES)]

import torch  # noqa: E402

import case  # noqa: E402
import models  # noqa: E402
from measure import LATENCY_GOAL, Table, compare_models, judge, median, repeat, run, seconds, times  # noqa: E402

MODELS = ["alexnet", "resnet50", "vgg16", "densenet121", "vit_b_16"]
WHOLE_GOAL = {"alexnet": 10, "vgg16": 10, "vit_b_16": 10}
CALL_GOAL = 12
MEMORY_GOAL = 250
COPY_GOAL = 1.5
ARCHIVE_GOAL = 0.1
GROWTH_GOAL = 2.2
TRACE_GOAL = 3
START_GOAL = 0.02
SCRIPTS = ["resnet50", "word_lstm", "maskrcnn_resnet50_fpn"]
SCRIPT_GOAL = 8
# Networks that the peer exports from the module, since it fails on the archive: of a transpose, and of a script's classes
# ("Unknown type ... BoxCoder").
FROM_MODULE = {"vit_b_16", "maskrcnn_resnet50_fpn"}


def copy(source, target):
    """The bytes of one file into another that appears whole, as tonnx's own files do."""
    start = time.perf_counter()
    temporary = target.with_suffix(".part")
    with open(source, "rb") as reader, open(temporary, "wb") as writer:
        left = os.fstat(reader.fileno()).st_size
        while left:
            left -= os.copy_file_range(reader.fileno(), writer.fileno(), left)
        os.fsync(writer.fileno())
    os.replace(temporary, target)
    return time.perf_counter() - start


def make_archive(folder, name):
    """One of the networks, recorded with gradients on, as PyTorch's exporter takes it."""
    archive, args = folder / f"{name}.pt", folder / f"{name}.args.pt"
    if not archive.exists():
        model = next(m for m in models.all_models() if m.name == name)
        arguments = model.arguments(case.pick_first)
        torch.jit.save(case.trace(case.build(model), arguments, True), str(folder / "part"))
        torch.save(arguments, args)
        (folder / "part").rename(archive)
    return archive, args


def make_script(folder, name):
    archive, args = folder / f"{name}.script.pt", folder / f"{name}.script.args.pt"
    if not archive.exists():
        model = next(m for m in models.all_models() if m.name == name)
        torch.jit.save(torch.jit.script(case.build(model)), str(folder / "part"))
        torch.save(model.arguments(case.pick_first), args)
        (folder / "part").rename(archive)
    return archive, args


class ResidualQuantiser(torch.nn.Module):
    """Stages as in EnCodec: each picks the nearest vector of its codebook, and the next one quantises the difference."""

    def __init__(self, stages):
        super().__init__()
        self.codebooks = torch.nn.ParameterList(torch.randn(4, 4) for _ in range(stages))

    def forward(self, x):
        residual, quantised, picks = x, torch.tensor(0.0), []
        for codebook in self.codebooks:
            rows = residual.reshape((-1, residual.shape[-1]))
            squares = rows.pow(2).sum(1, keepdim=True) + codebook.t().pow(2).sum(0, keepdim=True)
            nearest = -(squares - 2 * rows @ codebook.t())
            picks.append(nearest.max(dim=-1).indices.view(*residual.shape[:-1]))
            picked = torch.nn.functional.embedding(picks[-1], codebook)
            residual, quantised = residual - picked, quantised + picked
        return torch.stack(picks), quantised


def chain_of(layers):
    chain = torch.nn.Sequential(*(m for _ in range(layers) for m in (torch.nn.Linear(8, 8), torch.nn.ReLU())))
    return chain, (torch.randn(2, 8),)


def make_growing(folder, name, make, size):
    archive, args = folder / f"{name}{size}.pt", folder / f"{name}{size}.args.pt"
    if not archive.exists():
        torch.manual_seed(size)
        module, arguments = make(size)
        torch.jit.save(case.trace(module.eval(), arguments, False), str(folder / "part"))
        torch.save(arguments, args)
        (folder / "part").rename(archive)
    return archive, args


def time_rows(done):
    """The rows that a bench command printed, one for each run, without the first run, which has cold caches."""
    return done and [[float(v) for v in line.split()] for line in done[2].splitlines()][1:]


def peer_command(archive, args, out, runs, name):
    return [sys.executable, HERE / "python_export.py", archive, args, out, runs, *([name] if name in FROM_MODULE else [])]


def from_archive(measured):
    """The seconds of the peer's process, without the work that a module in place of the archive needs."""
    return measured[0] - sum(float(v) for v in measured[2].split()[2:])


def compare(table, options, tools, name):
    archive, args = make_archive(options.folder, name)
    out, peer_out = options.folder / f"{name}.onnx", options.folder / f"{name}.peer.onnx"
    size = archive.stat().st_size / 2**20
    what = lambda text: f"{name}: {text}"
    whole_command = [tools["tonnx"], "export", archive, "-o", out, "--args", args]
    run(whole_command)  # the archive comes into the page cache
    whole = repeat(options.runs, lambda: run(whole_command))
    call = run([tools["bench"], archive, args, out, options.runs + 1])
    peer = peer_call = None
    if options.python:
        peer = repeat(max(1, options.runs // 2), lambda: run(peer_command(archive, args, peer_out, 1, name)))
        peer_call = run(peer_command(archive, args, peer_out, max(2, options.runs // 2), name))
    steps, peer_steps = time_rows(call), time_rows(peer_call)
    ours = whole and median(r[0] for r in whole)
    theirs = peer and median(map(from_archive, peer))
    goal = WHOLE_GOAL.get(name, 6)
    judged = lambda a, b, at_least: judge(a, b, at_least) if options.python else None
    table.add(what("(a) whole process"), seconds(ours), seconds(theirs) if options.python else "", times(ours, theirs),
              f">= {goal} x", judged(ours, theirs, goal))
    ours, theirs = steps and median(s[1] + s[2] for s in steps), peer_steps and median(s[1] for s in peer_steps)
    table.add(what("(b) export call"), seconds(ours), seconds(theirs) if options.python else "", times(ours, theirs),
              f">= {CALL_GOAL} x", judged(ours, theirs, CALL_GOAL))
    ours, theirs = steps and median(s[0] for s in steps), peer_steps and median(s[0] for s in peer_steps)
    table.add(what("loading, for (b)"), seconds(ours), seconds(theirs) if options.python else "", "", "", None)
    ours, theirs = whole and median(r[1] for r in whole), peer and median(r[1] for r in peer)
    table.add(what("(c) peak memory"), f"{ours:.0f} MB" if ours else "failed", f"{theirs:.0f} MB" if theirs else "",
              times(ours, theirs), f"<= {MEMORY_GOAL} MB", bool(ours) and ours <= MEMORY_GOAL)
    target = options.folder / "copy"
    copied = median(copy(archive, target) for _ in range(options.runs + 1))
    target.unlink()
    ours = steps and median(sum(s) for s in steps)
    table.add(what(f"(d) call beside a copy of {size:.0f} MB"), seconds(ours), seconds(copied), f"{ours / copied:.2f}" if ours else "",
              f"<= {COPY_GOAL}" if name == "vgg16" else "", bool(ours) and ours / copied <= COPY_GOAL if name == "vgg16" else None)
    pointing = run([tools["bench"], archive, args, options.folder / f"{name}.pointing.onnx", options.runs + 1, 3])
    steps = time_rows(pointing)
    ours = steps and median(s[1] + s[2] for s in steps)
    table.add(what("(e) external data in the archive"), seconds(ours), "", "", f"<= {ARCHIVE_GOAL} s",
              bool(ours) and ours <= ARCHIVE_GOAL)


def grow(table, options, tools, name, make, sizes, what):
    before = None
    for size in sizes:
        archive, args = make_growing(options.folder, name, make, size)
        done = run([tools["bench"], archive, args, options.folder / f"{name}.onnx", options.runs + 1])
        steps = time_rows(done)
        ours = steps and median(sum(s) for s in steps)
        ratio = ours / before if ours and before else None
        is_first = size == sizes[0]
        table.add(f"(f) {what.format(size)}", seconds(ours), "", f"{ratio:.2f} x" if ratio else "",
                  "" if is_first else f"<= {GROWTH_GOAL} x", None if is_first else bool(ratio) and ratio <= GROWTH_GOAL)
        before = ours


def tracing(table, options, tools):
    rows = time_rows(run([tools["trace"], options.runs + 2]))
    columns = rows and [median(column) for column in zip(*rows)]
    forward, trace, at_sizes, exporting, calls, images, calls_at_sizes, images_at_sizes = columns or (None,) * 8
    ratio = columns and (trace + exporting) / forward
    runs = lambda calls, images: f", {calls:.0f} runs on {images:.0f} images" if columns else ""
    table.add("(g) resnet18 from C++: trace and export" + runs(calls, images), seconds(columns and trace + exporting), seconds(forward),
              f"{ratio:.2f} x" if ratio else "", f"<= {TRACE_GOAL} x", bool(ratio) and ratio <= TRACE_GOAL)
    table.add("(g) the trace, with a dynamic batch" + runs(calls_at_sizes, images_at_sizes), seconds(at_sizes), seconds(forward),
              f"{at_sizes / forward:.2f} x" if columns else "", "", None)


def start(table, options, tools):
    for command in ("version", "registry"):
        runs = repeat(2 * options.runs, lambda: run([tools["tonnx"], command]))
        ours = runs and median(r[0] for r in runs)
        peak = runs and f"{median(r[1] for r in runs):.0f} MB"
        table.add(f"(h) tonnx {command}", f"{ours:.3f} s, {peak}" if runs else "failed", "", "", f"<= {START_GOAL} s",
                  bool(runs) and ours <= START_GOAL)


def scripts(table, options, tools):
    for name in SCRIPTS:
        archive, args = make_script(options.folder, name)
        out, peer_out = options.folder / f"{name}.scripted.onnx", options.folder / f"{name}.scripted.peer.onnx"
        command = [tools["tonnx"], "export", archive, "-o", out, "--args", args, "--opset", 17]
        run(command)  # the archive comes into the page cache
        whole = repeat(options.runs, lambda: run(command))
        peer = options.python and repeat(max(1, options.runs // 2), lambda: run(peer_command(archive, args, peer_out, 1, name)))
        ours, theirs = whole and median(r[0] for r in whole), peer and median(map(from_archive, peer))
        table.add(f"(i) {name}, scripted: whole process", seconds(ours), seconds(theirs) if options.python else "", times(ours, theirs),
                  f">= {SCRIPT_GOAL} x", judge(ours, theirs, SCRIPT_GOAL) if options.python else None)
        if whole and peer:
            ours, theirs = compare_models("latency", [out, peer_out]) or (None, None)
            table.add(f"(i) {name}, scripted: latency", f"{ours:.5f} s" if ours else "failed", f"{theirs:.5f} s" if theirs else "",
                      f"{ours / theirs:.2f}" if ours else "", f"<= {LATENCY_GOAL}", bool(ours) and ours <= LATENCY_GOAL * theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--no-python", dest="python", action="store_false", help="tonnx alone")
    parser.add_argument("--no-growth", dest="growth", action="store_false")
    parser.add_argument("--no-scripts", dest="scripts", action="store_false")
    parser.add_argument("--markdown", type=pathlib.Path, help="a file for the table")
    options = parser.parse_args()
    options.folder = (options.build / "bench").resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    programs = {"tonnx": "tonnx", "bench": "tests/bench/export_bench", "trace": "tests/bench/trace_bench"}
    subprocess.run(["ninja", "-C", str(options.build), *programs.values()], check=True, stdout=subprocess.DEVNULL)
    tools = {name: (options.build / program).resolve() for name, program in programs.items()}
    table = Table()
    for name in filter(None, options.models.split(",")):
        print(f"{name} ...", file=sys.stderr, flush=True)
        compare(table, options, tools, name)
    if options.growth:
        print("chains ...", file=sys.stderr, flush=True)
        grow(table, options, tools, "chain", chain_of, (512, 1024, 2048, 4096), "chain of {} layers")
        make_stages = lambda stages: (ResidualQuantiser(stages), (torch.randn(2, 6, 4),))
        grow(table, options, tools, "stages", make_stages, (400, 800, 1600), "residual quantiser of {} stages")
    if options.scripts:
        print("scripts ...", file=sys.stderr, flush=True)
        scripts(table, options, tools)
    print("traces ...", file=sys.stderr, flush=True)
    tracing(table, options, tools)
    start(table, options, tools)
    return table.finish(options.runs, options.markdown)


if __name__ == "__main__":
    sys.exit(main())
