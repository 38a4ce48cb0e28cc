"""PyTorch's side of the comparison for exported programs.

    python_exported.py ARCHIVE.pt2 OUT.onnx              loads the archive and calls torch.onnx.export(dynamo=True)
    python_exported.py --script NETWORK OUT.onnx         makes the network and calls torch.onnx.export(dynamo=False)
    python_exported.py --nodes MODEL.onnx ...            prints the nodes of each
    python_exported.py --latency OURS.onnx THEIRS.onnx ...   prints the median seconds of a run of each
"""
import pathlib
import statistics
import sys
import time
import warnings

warnings.simplefilter("ignore")
OPSET = 20


def export(archive, out):
    import torch
    torch.onnx.export(torch.export.load(archive), f=out, dynamo=True, opset_version=OPSET, verbose=False)


def export_script(name, out):
    import torch

    import exported_networks
    network, arguments = exported_networks.make(name)
    torch.onnx.export(network, arguments, out, dynamo=False, opset_version=OPSET)  # with gradients: else it meets fused layers


def nodes(path):
    import onnx
    def count(graph):
        return sum(1 + sum(count(a.g) for a in node.attribute if a.HasField("g")) for node in graph.node if node.op_type != "Constant")
    model = onnx.load(path, load_external_data=False)
    functions = {(f.domain, f.name): f for f in model.functions}
    calls = [functions[n.domain, n.op_type] for n in model.graph.node if (n.domain, n.op_type) in functions]
    return count(model.graph) + sum(count(f) - 1 for f in calls)


def compare(paths, runs=15):
    """The median seconds of each."""
    import numpy
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.log_severity_level = 4
    random = numpy.random.default_rng(3)
    sessions = [onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"]) for path in paths]
    times = [[] for _ in sessions]
    made = {}
    for number, i in enumerate(sessions[0].get_inputs()):
        made[number] = (random.integers(0, 2, i.shape) if "int" in i.type else random.standard_normal(i.shape)).astype(
            numpy.int64 if "int64" in i.type else bool if "bool" in i.type else numpy.float32)
    for run in range(runs + 1):
        for i in random.permutation(len(sessions)):  # whoever is always first runs in another's caches
            session, seconds = sessions[i], times[i]
            given = {v.name: made[number] for number, v in enumerate(session.get_inputs())}
            start = time.perf_counter()
            session.run(None, given)
            seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds[1:]) for seconds in times]


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    mode, *rest = sys.argv[1:]
    if mode == "--script":
        export_script(*rest)
    elif mode == "--nodes":
        print(*map(nodes, rest))
    elif mode == "--latency":
        print(*compare(rest))
    else:
        export(mode, *rest)
