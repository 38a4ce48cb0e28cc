#!/usr/bin/env python
"""TorchVision's quantised networks, each layer and as a whole, to one step of the result's scale.

    run_quantised.py --library build/libtonnx.so [--networks quick|all] [--only REGEX] [--opset N]

Each layer gets the inputs of LibTorch's layer, and may differ by one step, where its rounding meets a tie. A whole network of
eight bits amplifies such a step: it may differ from LibTorch's by as much as LibTorch's own engines (x86, onednn, qnnpack)
differ, which is also reported; a quick network may differ by one step.
"""
import argparse
import pathlib
import re
import sys
import tempfile
import warnings

import onnxruntime
import torch
from torch import nn
from torchvision.models import quantization as vision

import case
import tonnx_library

SIDES = {"inception_v3": 107}
QUICK = ["resnet18"]
NETWORKS = ["googlenet", "inception_v3", "mobilenet_v2", "mobilenet_v3_large", "resnet18", "resnet50", "resnext101_32x8d",
            "shufflenet_v2_x0_5", "shufflenet_v2_x1_0"]
ENGINES = ("x86", "fbgemm", "onednn", "qnnpack")


class Layer(nn.Module):
    """A quantised layer with float inputs and outputs: `inputs` are the scale and zero point of each argument."""

    def __init__(self, call, inputs, dtype):
        super().__init__()
        self.call, self.inputs, self.dtype = call, inputs, dtype

    def forward(self, *floats):
        result = self.call(*[torch.quantize_per_tensor(x, s, z, self.dtype) for x, (s, z) in zip(floats, self.inputs)])
        return result.dequantize() if result.is_quantized else result


class Joined(nn.Module):
    """A function of two quantised tensors, or of a list of them, as a layer."""

    def __init__(self, functional, name):
        super().__init__()
        self.functional, self.name = functional, name

    def forward(self, *inputs):
        if self.name == "cat":
            return self.functional.cat(list(inputs), 1)
        return getattr(self.functional, self.name)(*inputs)


def network(name, engine="fbgemm"):
    """F278: The network with random weights, quantised as in TorchVision, with scales calibrated on a random image."""
    torch.manual_seed(sum(map(ord, name)))
    torch.backends.quantized.engine = engine
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    net = getattr(vision, name)(weights=None, quantize=False, **options)
    net = case.randomise(net, (image(name).repeat(2, 1, 1, 1),), torch.Generator().manual_seed(3))
    net.fuse_model(is_qat=False)
    net.qconfig = torch.ao.quantization.get_default_qconfig(engine)
    torch.ao.quantization.prepare(net, inplace=True)
    with torch.no_grad():
        net(image(name))
    return torch.ao.quantization.convert(net, inplace=True)


def image(name):
    side = SIDES.get(name, 64)
    return torch.rand(1, 3, side, side, generator=torch.Generator().manual_seed(7))


def quantised(values):
    return [v for v in values if isinstance(v, torch.Tensor) and v.is_quantized]


def layers_of(net, x):
    """(name, layer, quantised inputs, result) of every leaf and every concatenation or sum that one run calls."""
    found = {}
    hooks = []

    def note(name, layer):
        def hook(_, inputs, result):
            if quantised(inputs) and len(quantised(inputs)) == len(inputs) and isinstance(result, torch.Tensor):
                found.setdefault(name, (layer, list(inputs), result))
        return hook

    def record(name, functional, method):
        plain = getattr(functional, method)

        def call(*arguments, **options):
            inputs = list(arguments[0]) if method == "cat" else list(arguments)
            result = plain(*arguments, **options)
            if len(quantised(inputs)) == len(inputs):
                found.setdefault(f"{name}.{method}", (Joined(functional, method), inputs, result))
            return result
        setattr(functional, method, call)
        return lambda: delattr(functional, method)

    undo = []
    for name, module in net.named_modules():
        if isinstance(module, torch.ao.nn.quantized.QFunctional):
            undo += [record(name, module, method) for method in ("add", "add_relu", "mul", "cat")]
        elif not list(module.children()) or type(module).__module__.startswith("torch.ao.nn"):
            hooks.append(module.register_forward_hook(note(name, module)))
    with torch.no_grad():
        whole = net(x)
    for hook in hooks:
        hook.remove()
    for back in undo:
        back()
    return found, whole


def run_model(path, floats):
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    return torch.from_numpy(session.run(None, {i.name: x.numpy() for i, x in zip(session.get_inputs(), floats)})[0])


def export_and_run(library, module, floats, opset):
    with tempfile.TemporaryDirectory(prefix="tonnx-quantised-") as folder:
        archive, args, out = (pathlib.Path(folder) / n for n in ("module.pt", "args.pt", "model.onnx"))
        with torch.no_grad():
            torch.jit.save(torch.jit.trace(module, floats, check_trace=False), str(archive))
        torch.save(floats, args)
        library.export(archive, args, out, opset, [])
        return run_model(out, floats)


def steps_apart(library, layer, inputs, result, opset):
    """The maximum difference of the layer's model from LibTorch's result, in steps of its scale; or why it has no model."""
    floats = tuple(v.dequantize() for v in inputs)
    wrapped = Layer(layer, [(v.q_scale(), v.q_zero_point()) for v in inputs], inputs[0].dtype)
    got = export_and_run(library, wrapped, floats, opset)
    expected = result.dequantize() if result.is_quantized else result
    if got.shape != expected.shape:
        return f"shape {tuple(got.shape)} instead of {tuple(expected.shape)}"
    scale = result.q_scale() if result.is_quantized else max(1e-6, 1e-4 * float(expected.abs().max()))
    return round(float((got - expected).abs().max()) / scale, 3)


def distances_of_engines(name, x, whole, step):
    """The difference of the whole network between LibTorch's engines, in steps."""
    apart = {}
    for engine in ENGINES:
        if engine not in torch.backends.quantized.supported_engines or engine == "fbgemm":
            continue
        try:
            state = network(name).state_dict()
            other = network(name, engine)
            other.load_state_dict(state)
            with torch.no_grad():
                apart[engine] = float((other(x) - whole).abs().max()) / step
        except (RuntimeError, ValueError):
            continue
    torch.backends.quantized.engine = "fbgemm"
    return apart


def step_of(found, whole):
    """The step of a network's result, which its last layer returned."""
    scales = [r.q_scale() for _, _, r in found.values() if r.is_quantized and r.shape == whole.shape]
    return scales[-1]


def check(library, name, opset, engines):
    net, x = network(name), image(name)
    found, whole = layers_of(net, x)
    step = step_of(found, whole)
    bad = []
    counts = {0: 0, 1: 0}
    for layer_name, (layer, inputs, result) in found.items():
        try:
            steps = steps_apart(library, layer, inputs, result, opset)
        except tonnx_library.Refused as error:
            steps = str(error).splitlines()[-1]
        if isinstance(steps, str) or steps > 1.001:
            bad.append(f"{name}.{layer_name}: {steps} steps apart")
        else:
            counts[int(steps > 0.001)] += 1
    others = distances_of_engines(name, x, whole, step) if engines else {}
    try:
        apart = float((export_and_run(library, net, (x,), opset) - whole).abs().max()) / step
        if apart > max([1, *others.values()]) + 0.001:
            bad.append(f"{name}: the whole network is {apart:.0f} steps apart")
    except tonnx_library.Refused as error:
        apart = float("nan")
        bad.append(f"{name}: {error}")
    engine_distances = "; LibTorch's engines: " + ", ".join(f"{engine} {far:.0f}" for engine, far in others.items()) if others else ""
    print(f"{name}: {counts[0]} layers equal, {counts[1]} one step apart, {len(bad)} not right; the whole {apart:.0f} steps apart{engine_distances}",
          flush=True)
    return len(found), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--networks", choices=["quick", "all"], default="all")
    parser.add_argument("--only", default="")
    parser.add_argument("--opset", type=int, default=17)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    onnxruntime.set_default_logger_severity(4)
    library = tonnx_library.Library(options.library)
    names = QUICK if options.networks == "quick" else NETWORKS
    layers, bad = 0, []
    for name in names:
        if re.search(options.only, name):
            more, worse = check(library, name, options.opset, options.networks == "all")
            layers += more
            bad += worse
    for line in bad:
        print(line)
    print(f"{layers + len(names) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not layers else 0


if __name__ == "__main__":
    sys.exit(main())
