"""Programs for torch.export with quantised weights, as quantisation of captured programs produces them."""
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, defines quantized_decomposed
import torch.nn.functional as F
from torch import nn

from exported_case import BATCH, STEPS, case

decomposed = torch.ops.quantized_decomposed
STEP = 2.0 ** -5


class _Channels(nn.Module):
    """A weight as integers, with a scale and a zero point for each row."""

    def __init__(self, *sizes):
        super().__init__()
        weight = torch.randn(*sizes)
        scales = weight.flatten(1).abs().amax(1) / 120
        zeros = torch.arange(sizes[0]) % 3
        self.register_buffer("integers", decomposed.quantize_per_channel(weight, scales, zeros, 0, -127, 127, torch.int8))
        self.register_buffer("scales", scales)
        self.register_buffer("zeros", zeros)
        self.bias = nn.Parameter(torch.randn(sizes[0]))

    def forward(self):
        return decomposed.dequantize_per_channel(self.integers, self.scales, self.zeros, 0, -127, 127, torch.int8)


def _snap(x, scale, zero):
    return decomposed.dequantize_per_tensor(decomposed.quantize_per_tensor(x, scale, zero, -128, 127, torch.int8), scale, zero,
                                            -128, 127, torch.int8)


@case(lambda b, s: (torch.randn(b, 3, 8, 8),), BATCH, tolerance=STEP * 1.01)
class quantised_ahead(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.deep, self.last = _Channels(4, 3, 3, 3), _Channels(4, 1, 3, 3), _Channels(5, 4)

    def forward(self, x):
        x = _snap(F.relu(F.conv2d(_snap(x, STEP, 3), self.first(), self.first.bias, padding=1)), STEP, -128)
        x = _snap(x + F.hardtanh(F.conv2d(x, self.deep(), self.deep.bias, padding=1, groups=4), 0.0, 6.0), STEP, -128)
        x = _snap(F.adaptive_avg_pool2d(x, 1), STEP, -128).flatten(1)
        return _snap(F.linear(x, self.last(), self.last.bias) / 16, STEP, -5)


@case(lambda b, s: (torch.randn(b, 3, 8, 8),), BATCH, tolerance=1e-3)
class quantised_as_it_runs(nn.Module):
    """A convolution, because ONNX Runtime rounds once more when it multiplies with a quantised matrix."""

    def __init__(self):
        super().__init__()
        self.weight = _Channels(4, 3, 3, 3)

    def forward(self, x):
        bounds = (-128, 127, torch.int8)
        scale, zero = decomposed.choose_qparams.tensor(x, -128, 127, 1e-7, torch.int8)
        x = decomposed.dequantize_per_tensor.tensor(decomposed.quantize_per_tensor.tensor(x, scale, zero, *bounds), scale, zero, *bounds)
        return F.conv2d(x, self.weight(), self.weight.bias)


@case(lambda b, s: (torch.randn(b, s, 32),), STEPS, tolerance=1e-2)
class quantised_by_groups(nn.Module):
    """Weights of 4 bits, with a scale for each 8 columns, and activations with one for each row."""

    def __init__(self):
        super().__init__()
        self.register_buffer("integers", torch.randint(-8, 8, (6, 32), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(6, 4) / 8)
        self.register_buffer("zeros", torch.randint(-3, 4, (6, 4), dtype=torch.int32))

    def forward(self, x):
        scale, zero = decomposed.choose_qparams_per_token_asymmetric(x, torch.int8)
        x = decomposed.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
        x = decomposed.dequantize_per_token(x, scale, zero, -128, 127, torch.int8, torch.float32)
        weight = decomposed.dequantize_per_channel_group(self.integers, self.scales, self.zeros, -8, 7, torch.int8, 8, torch.float32)
        return F.linear(x, weight)


class _Observed(nn.Module):
    """What an observer stores: its switches, its range, and the scale and zero point that it chose."""

    def __init__(self, on, count=1):
        super().__init__()
        self.per_row = count > 1
        self.symmetric = self.per_row
        for name, value in {"on": torch.tensor([on]), "fake": torch.tensor([1]), "low": torch.full((count,), -1.0),
                            "high": torch.full((count,), 1.5), "scale": torch.full((count,), 0.5),
                            "zero": torch.full((count,), 3, dtype=torch.int32)}.items():
            self.register_buffer(name, value)

    def quantised(self, x, on=None):
        return torch.fused_moving_avg_obs_fake_quant(x, self.on if on is None else on, self.fake, self.low, self.high, self.scale,
                                                     self.zero, 0.25, 0, 127, 0 if self.per_row else -1, self.per_row, self.symmetric)


@case(lambda b, s: (torch.randn(b, s, 32),), STEPS, tolerance=1e-5, written=True)
class quantised_by_an_observer_that_is_off(_Observed):
    """Chooses its scale from the range of the input, not from its buffers."""

    def __init__(self):
        super().__init__(on=0)

    def forward(self, x):
        return self.quantised(x) * 2


@case(lambda b, s: (torch.randn(b, s, 32),), STEPS, tolerance=0.05, verify=False, written=True)
class quantised_by_an_observer_that_is_on(_Observed):
    """Each call moves the range, and chooses the scale from it. LibTorch multiplies by the reciprocal of the scale, so elements
    between two steps may be rounded to the other one."""

    def __init__(self):
        super().__init__(on=1)

    def forward(self, x):
        return self.quantised(x), self.quantised(x * 4)


@case(lambda b, s: (torch.randn(3, b, s),), {"x": {1: "batch", 2: "steps"}}, tolerance=0.05, verify=False, written=True)
class quantised_by_an_observer_of_channels(_Observed):
    """The first call replaces an infinite range."""

    def __init__(self):
        super().__init__(on=1, count=3)
        self.low.fill_(float("inf"))
        self.high.fill_(-float("inf"))

    def forward(self, x):
        return self.quantised(x), self.quantised(x.abs() - 3)


@case(lambda b, s: (torch.randn(b, s, 32), torch.tensor([s % 2])), STEPS, tolerance=0.05, verify=False, written=True)
class quantised_by_an_observer_with_a_switch(_Observed):
    """An input switches the observer on and off."""

    def __init__(self):
        super().__init__(on=1)

    def forward(self, x, on):
        return self.quantised(x, on)


@case(lambda b, s: (torch.randn(b, s, 32) * 1e-6,), STEPS, tolerance=1e-5, written=True)
class quantised_by_an_observer_of_tiny_values(_Observed):
    """LibTorch bounds the scale from below, and moves the zero point accordingly."""

    def __init__(self):
        super().__init__(on=1)
        self.low.fill_(float("inf"))
        self.high.fill_(-float("inf"))

    def forward(self, x):
        return self.quantised(x)
