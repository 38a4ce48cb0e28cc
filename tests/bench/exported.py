#!/usr/bin/env python
"""Speed and memory of exporting a .pt2 beside PyTorch's exporter, and how good the models are.

    exported.py BUILD [--runs N] [--models a,b] [--compared a,b] [--no-python] [--no-growth] [--markdown FILE]

(a) whole process: `tonnx export` against a Python that loads the archive and calls torch.onnx.export(dynamo=True)
(b) the largest resident memory of both processes
(c) growth: chains of 512, 1024, 2048 and 4096 layers
(d) nodes, and the latency in ONNX Runtime on one core, of --compared networks' models beside the better of those of PyTorch's two
    exporters (dynamo=True of the archive, dynamo=False of the module)
Times are medians. Exit status 1 if a goal is missed.
"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from measure import Table, judge, median, repeat, run, seconds, times  # noqa: E402

MODELS = ["resnet50", "vit_b_16", "bert", "llama"]
COMPARED = ["resnet18", "densenet121", "mobilenet_v3_small", "googlenet", "squeezenet1_1", "shufflenet_v2_x1_0", "small_swin", "small_maxvit"]
WHOLE_GOAL = {"llama": 15}
MEMORY_GOAL = 80
GROWTH_GOAL = 2.2
NODES_GOAL = 1.1
LATENCY_GOAL = 1.05


def archive(folder, name):
    path = folder / f"{name}.pt2"
    if not path.exists():
        subprocess.run([sys.executable, HERE / "exported_networks.py", folder, name], check=True)
    return path


def command(options, name):
    return [options.tonnx, "export", archive(options.folder, name), "-o", options.folder / f"{name}.onnx", "--opset", 20, "-q"]


def whole(table, options, name):
    ours = command(options, name)
    run(ours)  # the archive comes into the page cache
    measured = repeat(options.runs, lambda: run(ours))
    peer = [sys.executable, HERE / "python_exported.py", options.folder / f"{name}.pt2", options.folder / f"{name}.dynamo.onnx"]
    theirs = options.python and repeat(max(1, options.runs // 2), lambda: run(peer))
    mine, other = measured and median(m[0] for m in measured), theirs and median(m[0] for m in theirs)
    goal = WHOLE_GOAL.get(name, 30)
    table.add(f"{name}: (a) whole process", seconds(mine), seconds(other) if options.python else "", times(mine, other),
              f">= {goal} x", judge(mine, other, goal) if options.python else None)
    mine, other = measured and median(m[1] for m in measured), theirs and median(m[1] for m in theirs)
    table.add(f"{name}: (b) peak memory", f"{mine:.0f} MB" if mine else "failed", f"{other:.0f} MB" if other else "",
              times(mine, other), f"<= {MEMORY_GOAL} MB", bool(mine) and mine <= MEMORY_GOAL)


def growth(table, options):
    before = None
    for layers in (512, 1024, 2048, 4096):
        measured = repeat(options.runs, lambda: run(command(options, f"chain{layers}")))
        mine = measured and median(m[0] for m in measured)
        ratio = mine / before if mine and before else None
        table.add(f"(c) chain of {layers} layers", seconds(mine), "", f"{ratio:.2f} x" if ratio else "",
                  f"<= {GROWTH_GOAL} x" if before else "", None if layers == 512 else bool(ratio) and ratio <= GROWTH_GOAL)
        before = mine


def quality(table, options, name):
    ours, dynamo, script = (options.folder / f"{name}{kind}.onnx" for kind in ("", ".dynamo", ".script"))
    run(command(options, name))
    for out, given in ((dynamo, [options.folder / f"{name}.pt2"]), (script, ["--script", name])):
        if not out.exists():
            run([sys.executable, HERE / "python_exported.py", *given, out])
    peers = [path for path in (dynamo, script) if path.exists()]
    done = run([sys.executable, HERE / "python_exported.py", "--compare", ours, *peers])
    rows = done and [[float(v) for v in line.split()] for line in done[2].splitlines()]
    mine, theirs = (rows[0], [min(column) for column in zip(*rows[1:])]) if rows and peers else (None, None)
    for i, what, goal, show in ((0, "nodes", NODES_GOAL, "{:.0f}"), (1, "latency", LATENCY_GOAL, "{:.5f} s")):
        table.add(f"{name}: (d) {what}", show.format(mine[i]) if mine else "failed", show.format(theirs[i]) if mine else "failed",
                  f"{mine[i] / theirs[i]:.2f}" if mine else "", f"<= {goal}", bool(mine) and mine[i] <= goal * theirs[i])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, help="for archives and models; default: BUILD/bench")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--compared", default=",".join(COMPARED))
    parser.add_argument("--no-python", dest="python", action="store_false", help="tonnx alone")
    parser.add_argument("--no-growth", dest="growth", action="store_false")
    parser.add_argument("--markdown", type=pathlib.Path, help="a file for the table")
    options = parser.parse_args()
    options.folder = (options.folder or options.build / "bench").resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.tonnx = (options.build / "tonnx").resolve()
    table = Table()
    named = [name for name in options.models.split(",") if name]
    for name in named:
        print(f"{name} ...", file=sys.stderr, flush=True)
        whole(table, options, name)
    if options.growth:
        print("chains ...", file=sys.stderr, flush=True)
        growth(table, options)
    for name in [*named, *filter(None, options.compared.split(","))] if options.python else []:
        print(f"{name}: models ...", file=sys.stderr, flush=True)
        quality(table, options, name)
    return table.finish(options.runs, options.markdown)


if __name__ == "__main__":
    sys.exit(main())
