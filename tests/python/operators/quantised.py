"""Quantised tensors: operators, layers with packed parameters, and networks quantised in PyTorch's ways."""
import warnings

import torch
from torch import nn
from torch.ao import quantization
from torch.ao.quantization import quantize_fx
from torch.nn import functional as F

from case import Dim, Family, tensor

# ONNX Runtime quantises biases with a Round that opset 10 lacks.
family = Family("quantised", opset=11)
B = Dim("batch", 2, 3)
matrix = tensor(B, 6, 8)
image = tensor(B, 4, Dim("height", 8, 10), 6)
ops = torch.ops.quantized
STEP = 0.05


def q(x, scale=STEP, zero=60, dtype=torch.quint8):
    return torch.quantize_per_tensor(x, scale, zero, dtype)


def given(make, *values):
    """The program that `make` returns for constant values."""
    return make(*values)


def steps(name, program, *inputs, step=STEP, **options):
    """A case whose results may differ by one quantisation step."""
    family.case(name, program, *inputs, rtol=1e-6, atol=1.01 * step, **options)


# Conversion to integers and back; properties of a quantised tensor.
for name, dtype, zero in (("quint8", torch.quint8, 128), ("qint8", torch.qint8, -3), ("qint32", torch.qint32, 7)):
    family.case(f"quantize_per_tensor.{name}", given(lambda d, z: lambda x: q(x, 0.03125, z, d).dequantize(), dtype, zero), matrix)
    family.case(f"int_repr.{name}", given(lambda d, z: lambda x: q(x, 0.03125, z, d).int_repr(), dtype, zero), matrix)
    family.case(f"quantize_per_tensor.tensors_{name}", given(lambda d: lambda x, s, z: torch.quantize_per_tensor(x, s, z, d).dequantize(), dtype),
                matrix, tensor(values=0.0625), tensor(values=3, dtype=torch.int64))
    family.case(f"quantize_per_channel.{name}", given(lambda d: lambda x, s, z: torch.quantize_per_channel(x, s, z, 1, d).dequantize(), dtype),
                tensor(B, 3, 5), tensor(values=[0.25, 0.5, 0.0625]), tensor(values=[0, 3, 2], dtype=torch.int64))
family.case("int_repr.per_channel", lambda x, s, z: torch.quantize_per_channel(x, s, z, 1, torch.quint8).int_repr(),
            tensor(B, 3, 5), tensor(values=[0.25, 0.5, 0.0625]), tensor(values=[0, 3, 2], dtype=torch.int64))
family.case("int_repr.after_max_pool", lambda x: F.max_pool2d(q(x), 2).int_repr(), image)
family.case("max_pool2d.places_behind_signed", lambda x: F.max_pool2d(q(x, STEP, -3, torch.qint8).dequantize(), 2, return_indices=True), image)
family.case("quantize_per_tensor.saturates", lambda x: q(x * 100, 0.5, 3).dequantize(), matrix)
family.case("q_scale.plain", lambda x, s: torch.tensor(torch.quantize_per_tensor(x, s, torch.tensor(3), torch.quint8).q_scale()) + x, matrix, tensor(values=0.0625), script=False)


def asks(x):
    y = torch.quantize_per_tensor(x, 0.0625, 3, torch.quint8)
    if y.is_quantized and not x.is_quantized and not y.is_floating_point() and y.dtype == torch.quint8:
        return y.dequantize() * y.q_scale() + y.q_zero_point() + y.size(0) + y.dim()
    return x


def asks_channels(x, scale, zero):
    y = torch.quantize_per_channel(x, scale, zero, 1, torch.qint8)
    return y.q_per_channel_scales(), y.q_per_channel_zero_points(), y.q_per_channel_axis() + x


def branches(x):
    y = torch.quantize_per_tensor(x, 0.0625, 3, torch.quint8)
    if bool(x.sum() > 0):
        y = torch.relu(y)
    else:
        y = y.transpose(0, 1).contiguous().transpose(0, 1)
    for _ in range(x.size(0)):
        y = torch.relu(y)
    return y.dequantize()


def in_place(x):
    y = torch.quantize_per_tensor(x, 0.0625, 3, torch.quint8)
    z = y.view(-1)
    y.relu_()
    return z.dequantize(), y.dequantize()


for function in (asks, branches, in_place):
    family.case(f"scripted.{function.__name__}", function, matrix, script=True)
family.case("scripted.asks_channels", asks_channels, tensor(B, 3, 5), tensor(values=[0.25, 0.5, 0.0625]), tensor(values=[0, 3, 2], dtype=torch.int64), script=True)

# Operators that preserve scale and zero point.
KEPT = {
    "relu": lambda x: F.relu(x), "max_pool1d": lambda x: F.max_pool1d(x.flatten(0, 1), 2), "max_pool2d": lambda x: F.max_pool2d(x, 3, 2, 1),
    "reshape": lambda x: x.reshape(x.size(0), -1), "flatten": lambda x: x.flatten(1), "permute": lambda x: x.permute(0, 2, 3, 1).contiguous(),
    "transpose": lambda x: x.transpose(1, 2), "unsqueeze": lambda x: x.unsqueeze(1).squeeze(1), "slice": lambda x: x[:, 1:3, ::2],
    "select": lambda x: x[:, 1], "chunk": lambda x: x.chunk(2, 1)[1], "split": lambda x: torch.split(x, [1, 3], 1)[1],
    "upsample_nearest": lambda x: F.interpolate(x, scale_factor=2.0), "clone": lambda x: x.clone(),
    "cat": lambda x: torch.cat([x, x.relu()], 1), "topk": lambda x: torch.topk(x, 2, -1)[0], "flip": lambda x: x.flip(1),
    "channel_shuffle": lambda x: torch.channel_shuffle(x, 2), "detach": lambda x: x.detach(),
}
for name, function in KEPT.items():
    family.case(f"kept.{name}", given(lambda f: lambda x: f(q(x, 0.0625)).dequantize(), function), image, rtol=1e-6, atol=1e-6)
ROUNDED = {
    "mean": lambda x: x.mean([2, 3], keepdim=True), "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, (1, 1)),
    "adaptive_avg_pool2d_even": lambda x: F.adaptive_avg_pool2d(x, (2, 3)), "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "interpolate": lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False), "hardtanh": lambda x: F.hardtanh(x, -0.7, 1.9),
    "clamp": lambda x: torch.clamp(x, -0.7, 1.9), "leaky_relu": lambda x: F.leaky_relu(x, 0.1), "relu6": lambda x: F.relu6(x),
    "threshold": lambda x: F.threshold(x, 0.32, 0.1), "cat_of_scales": lambda x: torch.cat([x, q(x.dequantize(), 0.07, 3, x.dtype)], 1),
    "sigmoid": torch.sigmoid, "tanh": torch.tanh, "hardsigmoid": F.hardsigmoid,
}
for name, function in ROUNDED.items():
    for dtype, zero in ((torch.quint8, 60), (torch.qint8, -3)):
        steps(f"rounded.{name}_{str(dtype)[6:]}", given(lambda f, d, z: lambda x: f(q(x, STEP, z, d)).dequantize(), function, dtype, zero), image)

# quantized:: operators on tensors.
BINARY = {"add": ops.add, "add_relu": ops.add_relu, "mul": ops.mul, "mul_relu": ops.mul_relu}
for name, function in BINARY.items():
    steps(f"{name}.plain", given(lambda f: lambda x, y: f(q(x), q(y, 0.04, 100), STEP, 70).dequantize(), function), image, image)
    steps(f"{name}.broadcast", given(lambda f: lambda x, y: f(q(x), q(y, 0.04, 100), STEP, 70).dequantize(), function), image, tensor(4, 1, 1))
    steps(f"{name}.qint8", given(lambda f: lambda x, y: f(q(x, zero=-2, dtype=torch.qint8), q(y, 0.04, 3, torch.qint8), STEP, 7).dequantize(), function),
          image, image)
for number in (1.3, -0.7, 9.0, -9.0, 0.0):
    steps(f"add_scalar.{number}", given(lambda n: lambda x: ops.add_scalar(q(x), n).dequantize(), number), matrix, step=3 * STEP)
    steps(f"add_scalar_relu.{number}", given(lambda n: lambda x: ops.add_scalar_relu(q(x), n).dequantize(), number), matrix, step=3 * STEP)
    steps(f"mul_scalar.{number}", given(lambda n: lambda x: ops.mul_scalar(q(x), n).dequantize(), number), matrix, step=max(abs(number), 1) * STEP)
    steps(f"mul_scalar_relu.{number}", given(lambda n: lambda x: ops.mul_scalar_relu(q(x), n).dequantize(), number), matrix, step=max(abs(number), 1) * STEP)
steps("matmul.plain", lambda x, y: ops.matmul(q(x), q(y), 0.1, 128).dequantize(), tensor(2, 3, 5), tensor(2, 5, 4), step=0.1)
for name, function in (("cat", ops.cat), ("cat_relu", ops.cat_relu)):
    steps(f"{name}.plain", given(lambda f: lambda x, y: f([q(x), q(y, 0.04, 100)], 1, STEP, 70).dequantize(), function), image, image)
    steps(f"{name}.first", given(lambda f: lambda x, y: f([q(x), q(y, 0.04, 100)], 1, None, None).dequantize(), function), image, image)
UNARY = {
    "hardswish": lambda x: ops.hardswish(x, STEP, 70), "leaky_relu": lambda x: ops.leaky_relu(x, 0.1, False, STEP, 70),
    "elu": lambda x: ops.elu(x, STEP, 70, 1.3), "celu": lambda x: ops.celu(x, STEP, 70, 0.7), "sigmoid": lambda x: ops.sigmoid(x, 1 / 200, 3),
    "softmax": lambda x: ops.softmax(x, 1, 1 / 256, 0), 
    "clamp": lambda x: ops.clamp(x, -0.7, 1.9), "relu6": lambda x: ops.relu6(x), "threshold": lambda x: ops.threshold(x, 0.32, 0.1),
    "max_pool2d": lambda x: ops.max_pool2d(x, [2, 2], [2, 2], [0, 0], [1, 1], False),
    "layer_norm": lambda x: ops.layer_norm(x, [4, 8, 6], None, None, 1e-5, STEP, 70),
    "group_norm": lambda x: ops.group_norm(x, 2, torch.tensor([1.1, 0.7, 1.3, 0.9]), torch.tensor([0.1, 0, -0.2, 0.3]), 1e-5, STEP, 70),
    "instance_norm": lambda x: ops.instance_norm(x, torch.tensor([1.1, 0.7, 1.3, 0.9]), torch.tensor([0.1, 0, -0.2, 0.3]), 1e-5, STEP, 70),
    "batch_norm2d": lambda x: ops.batch_norm2d(x, torch.tensor([1.1, 0.7, 1.3, 0.9]), torch.tensor([0.1, 0, -0.2, 0.3]),
                                               torch.tensor([0.1, 0.3, -0.2, 0.3]), torch.tensor([1.1, 0.5, 1.3, 0.9]), 1e-5, STEP, 70),
    "batch_norm2d_relu": lambda x: ops.batch_norm2d_relu(x, torch.tensor([1.1, 0.7, 1.3, 0.9]), torch.tensor([0.1, 0, -0.2, 0.3]),
                                                         torch.tensor([0.1, 0.3, -0.2, 0.3]), torch.tensor([1.1, 0.5, 1.3, 0.9]), 1e-5, STEP, 70),
}
for name, function in UNARY.items():
    steps(f"{name}.plain", given(lambda f: lambda x: f(q(x)).dequantize(), function), tensor(B, 4, 8, 6))


# Layers and networks that PyTorch quantises after calibration. Activations have seven bits: on processors without VNNI,
# LibTorch's kernels add two products of eight bits in sixteen, and saturate.
def prepared(module, shape, engine):
    warnings.simplefilter("ignore")
    module.eval()
    module.qconfig = quantization.QConfig(activation=quantization.HistogramObserver.with_args(reduce_range=True),
                                          weight=quantization.get_default_qconfig(engine).weight)
    return module, [torch.randn(shape) for _ in range(4)]


def eager(make, *shape, fuse=None, engine="x86"):
    """Builds the module, quantised in eager mode."""
    def build():
        body = make().eval()
        if fuse:
            body = quantization.fuse_modules(body, fuse)
        module, data = prepared(quantization.QuantWrapper(body), shape, engine)
        module = quantization.prepare(module)
        for x in data:
            module(x)
        return quantization.convert(module)
    return build


def by_graph(make, *shape, engine="x86"):
    """Builds the module, quantised in FX graph mode."""
    def build():
        warnings.simplefilter("ignore")
        data = [torch.randn(shape) for _ in range(4)]
        module = quantize_fx.prepare_fx(make().eval(), quantization.get_default_qconfig_mapping(engine), (data[0],))
        for x in data:
            module(x)
        return quantize_fx.convert_fx(module)
    return build


def dynamic(make, kinds, dtype=torch.qint8):
    def build():
        warnings.simplefilter("ignore")
        return quantization.quantize_dynamic(make().eval(), kinds, dtype=dtype)
    return build


def network(name, build, *inputs, atol, traced=True, scripted=True):
    """The built module as a trace and as a script."""
    if traced:
        family.ready(f"{name}.traced", build, *inputs, atol=atol)
    if scripted:
        family.ready(f"{name}.scripted", build, *inputs, atol=atol, script=True)


LAYERS = {
    "linear": (lambda: nn.Linear(8, 5), None, (4, 8)), "linear_no_bias": (lambda: nn.Linear(8, 5, bias=False), None, (4, 8)),
    "linear_relu": (lambda: nn.Sequential(nn.Linear(8, 5), nn.ReLU()), [["0", "1"]], (4, 8)),
    "linear_of_images": (lambda: nn.Linear(6, 5), None, (2, 4, 3, 6)),
    "conv1d": (lambda: nn.Conv1d(4, 6, 3, padding=1, stride=2), None, (2, 4, 9)),
    "conv1d_relu": (lambda: nn.Sequential(nn.Conv1d(4, 6, 3, dilation=2), nn.ReLU()), [["0", "1"]], (2, 4, 9)),
    "conv2d": (lambda: nn.Conv2d(4, 6, 3, padding=(1, 0), stride=(2, 1)), None, (2, 4, 9, 7)),
    "conv2d_groups": (lambda: nn.Conv2d(4, 8, 3, groups=4, bias=False), None, (2, 4, 9, 7)),
    "conv2d_relu": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6), nn.ReLU()), [["0", "1", "2"]], (2, 4, 9, 7)),
    "conv3d": (lambda: nn.Conv3d(4, 6, 3, padding=1), None, (2, 4, 5, 6, 7)),
    "conv3d_relu": (lambda: nn.Sequential(nn.Conv3d(4, 6, 3), nn.ReLU()), [["0", "1"]], (2, 4, 5, 6, 7)),
    "hardswish": (nn.Hardswish, None, (4, 8)), "elu": (nn.ELU, None, (4, 8)), "leaky_relu": (nn.LeakyReLU, None, (4, 8)),
    "sigmoid": (nn.Sigmoid, None, (4, 8)), "layer_norm": (lambda: nn.LayerNorm(8), None, (4, 8)),
    "group_norm": (lambda: nn.GroupNorm(2, 4), None, (2, 4, 5)), "instance_norm": (lambda: nn.InstanceNorm2d(4, affine=True), None, (2, 4, 5, 6)),
    "batch_norm2d": (lambda: nn.BatchNorm2d(4), None, (2, 4, 5, 6)),
}
for name, (make, fuse, shape) in LAYERS.items():
    network(f"eager.{name}", eager(make, *shape, fuse=fuse), tensor(Dim("batch", shape[0], shape[0] + 1), *shape[1:], low=-2, high=2), atol=0.06,
            scripted=name != "batch_norm2d")  # PyTorch cannot compile it
for engine in ("fbgemm", "qnnpack", "onednn"):
    network(f"{engine}.conv2d_relu", eager(LAYERS["conv2d_relu"][0], 2, 4, 9, 7, fuse=[["0", "1", "2"]], engine=engine),
            tensor(B, 4, 9, 7, low=-2, high=2), atol=0.06)
    network(f"{engine}.linear", eager(LAYERS["linear"][0], 4, 8, engine=engine), tensor(B, 8, low=-2, high=2), atol=0.06)


def per_tensor(make):
    """A transposed convolution is quantised with one scale for its weights."""
    def build():
        warnings.simplefilter("ignore")
        module = quantization.QuantWrapper(make().eval())
        module.qconfig = quantization.QConfig(activation=quantization.MinMaxObserver.with_args(dtype=torch.quint8, reduce_range=True),
                                              weight=quantization.MinMaxObserver.with_args(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric))
        return module
    return build


def transposed(make, *shape):
    def build():
        module = quantization.prepare(per_tensor(make)())
        for _ in range(4):
            module(torch.randn(shape))
        return quantization.convert(module)
    return build


for rank, kind in ((1, nn.ConvTranspose1d), (2, nn.ConvTranspose2d), (3, nn.ConvTranspose3d)):
    shape = (2, 4, 7, 6, 5)[: rank + 2]
    network(f"eager.conv_transpose{rank}d", transposed(given(lambda k: lambda: k(4, 6, 3, stride=2, padding=1, output_padding=1), kind), *shape),
            tensor(B, *shape[1:], low=-2, high=2), atol=0.06)


class Block(nn.Module):
    """A residual block with typical layers."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.side = nn.Conv2d(4, 8, 1)
        self.pool = nn.MaxPool2d(2)
        self.last = nn.Linear(16, 5)
        self.sum = torch.ao.nn.quantized.FloatFunctional()
        self.joined = torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.pool(self.sum.add_relu(self.conv(x), self.side(x)))
        x = self.joined.cat([x, x], 1)
        return self.last(F.adaptive_avg_pool2d(x, (1, 1)).flatten(1))


class Plain(nn.Module):
    """The same for FX graph mode, which finds sums and pools itself."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.side = nn.Conv2d(4, 8, 1)
        self.last = nn.Linear(16, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x) + self.side(x)), 2)
        x = torch.cat([x, x * 0.5], 1)
        return self.last(F.adaptive_avg_pool2d(x, (1, 1)).flatten(1))


small = tensor(B, 4, 8, 6, low=-2, high=2)
network("eager.block", eager(Block, 2, 4, 8, 6, fuse=[["conv.0", "conv.1", "conv.2"]]), small, atol=0.03)
network("graph.block", by_graph(Plain, 2, 4, 8, 6), small, atol=0.03)
network("dynamic.linear", dynamic(lambda: nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 3)), {nn.Linear}), tensor(B, 8), atol=0.02)
network("dynamic.linear_fp16", dynamic(lambda: nn.Sequential(nn.Linear(8, 6), nn.ReLU()), {nn.Linear}, torch.float16), tensor(B, 8), atol=1e-4)
family.case("linear_prepack.run_time", lambda x, w, b: ops.linear_relu(q(x), ops.linear_prepack(q(w, 0.02, 0, torch.qint8), b), 0.1, 3).dequantize(),
            tensor(B, 8), tensor(5, 8, low=-1, high=1), tensor(5), atol=0.101)
family.case("conv2d_prepack.run_time", lambda x, w, b: ops.conv2d(q(x), ops.conv2d_prepack(q(w, 0.02, 0, torch.qint8), b, [2, 1], [1, 0], [1, 1], 1), 0.1, 90).dequantize(),
            image, tensor(6, 4, 3, 3, low=-1, high=1), tensor(6), atol=0.101)

# Quantised tensors as inputs and results: integers, scale and zero point.
for name, dtype, zero in (("quint8", torch.quint8, 60), ("qint8", torch.qint8, -3)):
    whole = tensor(B, 6, 8, dtype=dtype, steps=(STEP, zero))
    picture = tensor(B, 4, 8, 6, dtype=dtype, steps=(STEP, zero))
    family.case(f"dequantize.input_{name}", lambda x: x.dequantize(), whole)
    family.case(f"relu.input_{name}", lambda x: torch.relu(x), whole)
    family.case(f"max_pool2d.input_{name}", lambda x: (F.max_pool2d(x, 2), x.int_repr()), picture)
    family.case(f"cat.inputs_{name}", lambda x, y: torch.cat([x, y], 1), whole, whole)
    family.case(f"add.inputs_{name}", lambda x, y: ops.add(x, y, 0.0625, 30), whole, tensor(B, 6, 8, dtype=dtype, steps=(0.125, zero + 5)))
    family.case(f"mean.result_{name}", given(lambda d, z: lambda x: q(x, 0.0625, z, d).mean([1]), dtype, zero), matrix)
    family.case(f"mean.input_{name}", lambda x: x.mean([1]), tensor(B, 5, 8, dtype=dtype, steps=(STEP, zero)))
    family.case(f"leaky_relu.input_{name}", lambda x: F.leaky_relu(x, 0.13), whole)
    family.case(f"interpolate.input_{name}", lambda x: F.interpolate(x, scale_factor=2.0), picture)
    family.case(f"reshape.input_{name}", lambda x: x.permute(0, 2, 1).flatten(1), whole)
    family.case(f"quantize_per_tensor.result_{name}", given(lambda d, z: lambda x: (x + 1, q(x, 0.0625, z, d), x), dtype, zero), matrix)
family.case("dequantize.input_qint32", lambda x: x.dequantize(), tensor(B, 4, dtype=torch.qint32, steps=(2.0 ** -12, 9)))
family.case("int_repr.input_qint32", lambda x: (x.int_repr(), x), tensor(B, 4, dtype=torch.qint32, steps=(2.0 ** -12, 9)))


def asks_input(x):
    return x.q_scale() + x.dequantize(), x.q_zero_point() + x.int_repr().long()


family.case("q_scale.input", asks_input, tensor(B, 4, dtype=torch.quint8, steps=(0.0625, 9)), script=True)
family.case("quantize_per_channel.result", lambda x: torch.quantize_per_channel(x, torch.tensor([0.25, 0.5]), torch.tensor([-3, 9]), 1, torch.qint8), tensor(B, 2, 3))
family.case("quantize_per_tensor_dynamic.result", lambda x: torch.quantize_per_tensor_dynamic(x, torch.quint8, False), matrix)
