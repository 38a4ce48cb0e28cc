"""Compares the sizes and latencies of models of one network.

    compared_models.py --nodes MODEL.onnx ...            prints the nodes of each
    compared_models.py --latency OURS.onnx THEIRS.onnx ...   prints the median seconds of a run of each in ONNX Runtime, on one core
"""
import math
import statistics
import sys
import time


def nodes(path):
    import onnx
    def count(graph):
        return sum(1 + sum(count(a.g) for a in node.attribute if a.HasField("g")) for node in graph.node if node.op_type != "Constant")
    model = onnx.load(path, load_external_data=False)
    functions = {(f.domain, f.name): f for f in model.functions}
    calls = [functions[n.domain, n.op_type] for n in model.graph.node if (n.domain, n.op_type) in functions]
    return count(model.graph) + sum(count(f) - 1 for f in calls)


def latencies(paths, at_least=15, at_most=2000, seconds=4):
    """The median seconds of each, of as many runs as fit into that time; NaN for a model that does not run, but for the first."""
    import numpy
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.log_severity_level = 4
    random = numpy.random.default_rng(3)
    times, sessions, made = [[] for _ in paths], {}, {}

    def run(i):
        start = time.perf_counter()
        sessions[i].run(None, {v.name: made[number] for number, v in enumerate(sessions[i].get_inputs())})
        times[i].append(time.perf_counter() - start)

    for i, path in enumerate(paths):
        try:
            sessions[i] = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
            for number, v in enumerate(sessions[i].get_inputs() if i == 0 else []):
                made[number] = (random.integers(0, 2, v.shape) if "int" in v.type else random.standard_normal(v.shape)).astype(
                    numpy.int64 if "int64" in v.type else bool if "bool" in v.type else numpy.float32)
            run(i)  # not counted
        except Exception as error:
            if i == 0:
                raise
            print(f"{path}: {str(error).splitlines()[0]}", file=sys.stderr)
            del sessions[i]
    runs = max(at_least, min(at_most, int(seconds / sum(times[i][0] for i in sessions))))
    for _ in range(runs):
        for i in random.permutation(list(sessions)):  # a fixed order would leave the same model warm caches each time
            run(i)
    return [statistics.median(times[i][1:]) if i in sessions else math.nan for i in range(len(paths))]


if __name__ == "__main__":
    mode, *paths = sys.argv[1:]
    print(*(latencies(paths) if mode == "--latency" else map(nodes, paths)))
