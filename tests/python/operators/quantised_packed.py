"""Operators on quantised tensors and packed weights that a program calls itself; weights are packed at run time."""
import torch
from torch import nn
from torch.ao import quantization
from torch.ao.nn import quantized
from torch.nn import functional as F

from case import Dim, Family, tensor

family = Family("quantised_packed", opset=11)
B = Dim("batch", 2, 3)
ops = torch.ops.quantized
STEP = 0.05


def q(x, scale=STEP, zero=60, dtype=torch.quint8):
    return torch.quantize_per_tensor(x, scale, zero, dtype)


def weight(w):
    return q(w, 0.02, 0, torch.qint8)


def given(make, *values):
    """The program that `make` returns for constant values."""
    return make(*values)


def steps(name, program, *inputs, step=STEP, **options):
    """A case whose results may differ by one quantisation step."""
    family.case(name, program, *inputs, rtol=1e-6, atol=1.01 * step, **options)


# Convolutions whose input is quantised by its own range. The bias is a constant, because LibTorch requires a float
# bias.
SIZES = (7, 6, 5)
for rank, prepack, dynamic, back, back_dynamic in (
        (1, ops.conv1d_prepack, ops.conv1d_dynamic, ops.conv_transpose1d_prepack, ops.conv_transpose1d_dynamic),
        (2, ops.conv2d_prepack, ops.conv2d_dynamic, ops.conv_transpose2d_prepack, ops.conv_transpose2d_dynamic),
        (3, ops.conv3d_prepack, ops.conv3d_dynamic, ops.conv_transpose3d_prepack, ops.conv_transpose3d_dynamic)):
    image = tensor(B, 4, *SIZES[:rank], low=-2, high=2)
    ones, twos = [1] * rank, [2] * rank
    for reduced in (False, True):
        name = f"conv{rank}d_dynamic.{'reduced' if reduced else 'plain'}"
        family.case(name, given(lambda p, d, a, b, r: lambda x, w, v: d(x, p(weight(w), v, b, a, a, 1), r), prepack, dynamic, ones, twos, reduced),
                    image, tensor(6, 4, *[3] * rank, low=-1, high=1), tensor(6), rtol=1e-5, atol=2e-4)
    family.case(f"conv_transpose{rank}d_dynamic.plain", given(
        lambda p, d, a, b: lambda x, w, v: d(x, p(weight(w), v, b, a, a, a, 1), False), back, back_dynamic, ones, twos),
        image, tensor(4, 6, *[3] * rank, low=-1, high=1), tensor(6), rtol=1e-5, atol=2e-4)

# Sums and activations that are fused into a layer.
rows = tensor(B, 8, low=-2, high=2)
matrix, bias = tensor(5, 8, low=-1, high=1), tensor(5)
LINEAR = {
    "linear_relu_dynamic": lambda x, w, b: ops.linear_relu_dynamic(x, ops.linear_prepack(weight(w), b), True),
    "linear_dynamic_fp16": lambda x, w, b: ops.linear_dynamic_fp16(x, ops.linear_prepack_fp16(w, b)),
    "linear_relu_dynamic_fp16": lambda x, w, b: ops.linear_relu_dynamic_fp16(x, ops.linear_prepack_fp16(w, b)),
    "linear_with_input_q_dq_qweight_dq_output_fp32": lambda x, w, b: ops.linear_with_input_q_dq_qweight_dq_output_fp32(
        x, STEP, 60, ops.linear_prepack(weight(w), b)),
    "linear_with_input_q_dq_qweight_dq_relu_output_fp32": lambda x, w, b: ops.linear_with_input_q_dq_qweight_dq_relu_output_fp32(
        x, STEP, 60, ops.linear_prepack(weight(w), b)),
}
for name, function in LINEAR.items():
    family.case(f"{name}.plain", function, rows, matrix, bias, rtol=1e-5, atol=2e-4)

# Activations, normalisations and movement of elements.
image = tensor(B, 4, 6, 8)
four = (torch.tensor([1.1, 0.7, 1.3, 0.9]), torch.tensor([0.1, 0.0, -0.2, 0.3]), torch.tensor([0.1, 0.3, -0.2, 0.3]), torch.tensor([1.1, 0.5, 1.3, 0.9]))
NORMS = {"batch_norm1d": ops.batch_norm1d, "batch_norm1d_relu": ops.batch_norm1d_relu, "batch_norm3d": ops.batch_norm3d,
         "batch_norm3d_relu": ops.batch_norm3d_relu, "batch_norm": ops.batch_norm, "batch_norm_relu": ops.batch_norm_relu}
for name, function in NORMS.items():
    shape = (B, 4, 6) if "1d" in name else (B, 4, 3, 2, 5) if "3d" in name else (B, 4, 6, 5)
    steps(f"{name}.plain", given(lambda f: lambda x: f(q(x), *four, 1e-5, STEP, 70).dequantize(), function), tensor(*shape))
steps("quantized_batch_norm.plain", lambda x: torch.quantized_batch_norm(q(x), *four, 1e-5, STEP, 70).dequantize(), image)
steps("prelu.plain", lambda x: ops.prelu(q(x), q(torch.tensor([0.25, -0.5, 1.0, 0.1]), 0.01, 100), STEP, 70).dequantize(), image)
family.case("quantize_per_tensor_dynamic.plain", lambda x: torch.quantize_per_tensor_dynamic(x, torch.quint8, False).dequantize(), rows, atol=1e-5)
family.case("quantize_per_tensor_dynamic.reduced", lambda x: torch.quantize_per_tensor_dynamic(x, torch.quint8, True).dequantize(), rows, atol=1e-5)
KEPT = {
    "quantized_max_pool1d": lambda x: torch.quantized_max_pool1d(x.flatten(0, 1), 2), "quantized_max_pool2d": lambda x: torch.quantized_max_pool2d(x, 2),
    "max_pool1d": lambda x: ops.max_pool1d(x.flatten(0, 1), [2], [2], [0], [1], False), "swapaxes": lambda x: x.swapaxes(1, 2),
    "movedim": lambda x: x.movedim(1, 3), "narrow": lambda x: x.narrow(1, 1, 2), "split": lambda x: x.split(2, 1)[1], "unbind": lambda x: x.unbind(1)[2],
    "unflatten": lambda x: x.unflatten(3, (2, 4)), "t": lambda x: x[0, 0].t(), "alias": lambda x: torch.ops.aten.alias(x), "cpu": lambda x: x.cpu(),
    "expand": lambda x: x[:, :1].expand(-1, 3, -1, -1), "expand_as": lambda x: x[:, :1].expand_as(x), "concat": lambda x: torch.concat([x, x], 2),
    "dropout": lambda x: ops.dropout(x, 0.5, False),
    "index_select": lambda x: x.index_select(1, torch.tensor([2, 0])), "repeat": lambda x: x.repeat(1, 2, 1, 1), "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2), "sort": lambda x: torch.sort(x, -1)[0],
}
for name, function in KEPT.items():
    family.case(f"{name}.kept", given(lambda f: lambda x: f(q(x, 0.0625)).dequantize(), function), image, rtol=1e-6, atol=1e-6)
PADDED = {"reflection_pad1d": (lambda x: F.pad(x, (2, 1), "reflect"), (B, 4, 6)), "reflection_pad2d": (lambda x: F.pad(x, (2, 1, 1, 3), "reflect"), (B, 4, 6, 5)),
          "upsample_nearest3d": (lambda x: F.interpolate(x, scale_factor=2.0), (B, 4, 3, 2, 2)), "max_pool3d": (lambda x: F.max_pool3d(x, 2), (B, 4, 4, 4, 4))}
for name, (function, shape) in PADDED.items():
    family.case(f"{name}.kept", given(lambda f: lambda x: f(q(x, 0.0625)).dequantize(), function), tensor(*shape), rtol=1e-6, atol=1e-6)
ROUNDED = {"adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 2), (B, 4, 4, 4, 4)), "avg_pool3d": (lambda x: F.avg_pool3d(x, 2), (B, 4, 4, 4, 4)),
           "pad.by_number": (lambda x: F.pad(x, (1, 2, 0, 1), value=1.52), (B, 4, 6)), "pad.beyond": (lambda x: F.pad(x, (-1, 1), value=-99.), (B, 4, 6)),
           "constant_pad_nd": (lambda x: torch.constant_pad_nd(x, (1, 1), 0.3), (B, 4, 6)),
           "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 2), (B, 4, 6)), "avg_pool1d": (lambda x: F.avg_pool1d(x, 2), (B, 4, 6))}
for name, (function, shape) in ROUNDED.items():
    steps(f"{name}.rounded", given(lambda f: lambda x: f(q(x)).dequantize(), function), tensor(*shape))


class Enlarging(nn.Module):
    """Branches for ranks and modes; only one is for the tensor."""

    def __init__(self, **options):
        super().__init__()
        self.upsample = nn.Upsample(**options)

    def forward(self, x):
        return self.upsample(torch.quantize_per_tensor(x, 0.0625, 10, torch.quint8)).dequantize()


steps("upsample.nearest_script", Enlarging(scale_factor=2), tensor(B, 4, 5, 6), script=True)
steps("upsample.bilinear_script", Enlarging(scale_factor=2, mode="bilinear"), tensor(B, 4, 5, 6), script=True)
COMPARED = {"ge": lambda x: x >= 0.3, "le": lambda x: x <= 0.3}
for name, function in COMPARED.items():
    family.case(f"{name}.plain", given(lambda f: lambda x: f(q(x, 0.0625)), function), image)


def embedding(kind, dtype, **options):
    """A table with a scale for each row, as PyTorch quantises one."""
    def build():
        module = kind(7, 8, dtype=dtype, **options)
        w = torch.randn(7, 8)
        scales = (w.amax(1) - w.amin(1)) / (255 if dtype == torch.quint8 else 15)
        module.set_weight(torch.quantize_per_channel(w, scales, -w.amin(1) / scales, 0, dtype))
        return module
    return build


flat, offsets = tensor(values=[0, 6, 2, 2, 5, 1, 3], dtype=torch.int64), tensor(values=[0, 2, 5], dtype=torch.int64)
for dtype in (torch.quint8, torch.quint4x2):
    name = str(dtype).removeprefix("torch.")
    for script in (False, True):
        way = "scripted" if script else "traced"
        family.ready(f"embedding.{name}_{way}", embedding(quantized.Embedding, dtype), tensor(B, low=0, high=6, dtype=torch.int64), atol=1e-5, script=script)
        family.ready(f"embedding_bag.{name}_{way}", embedding(quantized.EmbeddingBag, dtype), flat, offsets, atol=1e-5, script=script)


def observer(on=False, **options):
    """A fake quantisation after calibration."""
    def build():
        module = quantization.FusedMovingAvgObsFakeQuantize(**options)
        module(torch.randn(3, 8))
        if not on:
            module.disable_observer()
        return module
    return build


per_tensor = {"observer": quantization.MovingAverageMinMaxObserver, "quant_min": 0, "quant_max": 255, "dtype": torch.quint8}
per_row = {"observer": quantization.MovingAveragePerChannelMinMaxObserver, "quant_min": -128, "quant_max": 127, "dtype": torch.qint8, "ch_axis": 0,
           "qscheme": torch.per_channel_symmetric}
family.ready("fused_moving_avg_obs_fake_quant.plain", observer(**per_tensor), rows, atol=0.03)
family.ready("fused_moving_avg_obs_fake_quant.scripted", observer(**per_tensor), rows, atol=0.03, script=True)
family.ready("fused_moving_avg_obs_fake_quant.rows", observer(**per_row), tensor(3, 8, low=-2, high=2), atol=0.03)
family.ready("fused_moving_avg_obs_fake_quant.observed", observer(True, **per_tensor), rows, atol=0.03)
family.ready("fused_moving_avg_obs_fake_quant.observed_scripted", observer(True, **per_tensor), rows, atol=0.03, script=True)
family.ready("fused_moving_avg_obs_fake_quant.observed_rows", observer(True, **per_row), tensor(3, 8, low=-2, high=2), atol=0.03)
