#!/usr/bin/env python
"""Speed and memory of exporting a .pt2 beside PyTorch's exporter, and how good the models are.

    exported.py BUILD [--runs N] [--models a,b] [--compared a,b] [--networks quick|all] [--no-python] [--no-growth] [--no-latency]
                [--timeout SECONDS] [--markdown FILE]

(a) whole process: `tonnx export` against a Python that loads the archive and calls torch.onnx.export(dynamo=True)
(b) the largest resident memory of both processes
(c) growth: chains of 512, 1024, 2048 and 4096 layers
(d) nodes, and the latency in ONNX Runtime on one core, of --compared networks' models beside the better of those of PyTorch's two
    exporters (dynamo=True of the archive, dynamo=False of the module); --networks takes those of the tests in their place
Times are medians. Exit status 1 if a goal is missed. A network that cannot be exported, or takes too long, is a line of the table.
"""
import argparse
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from measure import LATENCY_GOAL, Table, compare_models, judge, median, repeat, run, seconds, times  # noqa: E402

MODELS = ["resnet50", "vit_b_16", "bert", "llama"]
COMPARED = ["resnet18", "densenet121", "mobilenet_v3_small", "googlenet", "squeezenet1_1", "shufflenet_v2_x1_0", "small_swin", "small_maxvit"]
WHOLE_GOAL = {"llama": 15}
MEMORY_GOAL = 80
GROWTH_GOAL = 2.2
NODES_GOAL = 1.1


def archive(options, name):
    """The archive of a network, made where it is not there yet; whether it is there then is for who reads it."""
    path = options.folder / f"{name}.pt2"
    if not path.exists():
        run([sys.executable, HERE / "exported_networks.py", options.folder, name], options.timeout)
    return path


def command(options, name):
    return [options.tonnx, "export", archive(options, name), "-o", options.folder / f"{name}.onnx", "--opset", 20, "-q"]


def whole(table, options, name):
    ours = command(options, name)
    peer = [sys.executable, HERE / "python_exported.py", options.folder / f"{name}.pt2", options.folder / f"{name}.dynamo.onnx"]

    def from_nothing(process, *outputs):
        for output in outputs:  # freeing the blocks of an old file is not part of an export
            (options.folder / output).unlink(missing_ok=True)
        return run(process, options.timeout)

    run(ours, options.timeout)  # the archive comes into the page cache
    measured = repeat(options.runs, lambda: from_nothing(ours, f"{name}.onnx"))
    theirs = options.python and repeat(max(1, options.runs // 2), lambda: from_nothing(peer, f"{name}.dynamo.onnx", f"{name}.dynamo.onnx.data"))
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
        measured = repeat(options.runs, lambda: run(command(options, f"chain{layers}"), options.timeout))
        mine = measured and median(m[0] for m in measured)
        ratio = mine / before if mine and before else None
        table.add(f"(c) chain of {layers} layers", seconds(mine), "", f"{ratio:.2f} x" if ratio else "",
                  f"<= {GROWTH_GOAL} x" if before else "", None if layers == 512 else bool(ratio) and ratio <= GROWTH_GOAL)
        before = mine


def quality(table, options, name):
    ours, dynamo, script = (options.folder / f"{name}{kind}.onnx" for kind in ("", ".dynamo", ".script"))
    nothing = lambda what, met: table.add(f"{name}: (d) {what}", "", "", "", "", met)
    if not archive(options, name).exists():
        return nothing("torch.export does not take it", None)
    if not run(command(options, name), options.timeout):
        return nothing("the export failed", False)
    for out, given in ((dynamo, [options.folder / f"{name}.pt2"]), (script, ["--script", name])):
        if not out.exists():
            run([sys.executable, HERE / "python_exported.py", *given, out], options.timeout)
    peers = [path for path in (dynamo, script) if path.exists()]
    if not peers:
        return nothing("PyTorch exports it by neither exporter", None)
    wanted = [("nodes", NODES_GOAL, "{:.0f}")] + ([("latency", LATENCY_GOAL, "{:.5f} s")] if options.latency else [])
    for what, goal, show in wanted:
        mine, *others = compare_models(what, [ours, *peers], options.timeout) or [None]
        others = [other for other in others if not math.isnan(other)]
        if mine is None:
            nothing(f"{what}: the models cannot be compared", False)
            continue
        if not others:
            nothing(f"{what}: none of PyTorch's models runs", None)
            continue
        theirs = min(others)
        table.add(f"{name}: (d) {what}", show.format(mine), show.format(theirs), f"{mine / theirs:.2f}", f"<= {goal}",
                  mine <= goal * theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, help="for archives and models; default: BUILD/bench")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--compared", default=",".join(COMPARED))
    parser.add_argument("--networks", choices=["quick", "all"], help="in the place of --compared: those that the tests take")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one process")
    parser.add_argument("--no-latency", dest="latency", action="store_false", help="nodes alone, which other processes do not disturb")
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
    compared = [name for name in options.compared.split(",") if name]
    if options.networks:
        listed = run([sys.executable, HERE / "exported_networks.py", "--list", options.networks], options.timeout)
        compared = listed[2].split() if listed else []
    for name in dict.fromkeys([*named, *compared]) if options.python else []:
        print(f"{name}: models ...", file=sys.stderr, flush=True)
        quality(table, options, name)
    return table.finish(options.runs, options.markdown)


if __name__ == "__main__":
    sys.exit(main())
