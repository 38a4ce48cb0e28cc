"""Convolutions of every rank, plain and transposed."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOAT, FLOATS, Dim, Family, tensor

family = Family("convolution", opset=7)
B = Dim("batch", 2, 3)
sides = [Dim("depth", 7, 9), Dim("height", 8, 11), Dim("width", 9, 7)]
plain = [nn.Conv1d, nn.Conv2d, nn.Conv3d]
transposed = [nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d]


def deltas(x):
    """The slope along the last axis, separately for each row, as added to speech features."""
    rows = x.reshape(1, -1, x.shape[-1])
    kernel = torch.arange(-1.0, 2.0).repeat(rows.shape[1], 1, 1)
    return F.conv1d(F.pad(rows, (1, 1), mode="replicate"), kernel, groups=rows.shape[1]).reshape(x.shape)


def parts_of_the_batch(x, w, v):
    """Each sample has its own kernel: the samples are the groups of one convolution."""
    n, c, height, width = x.shape
    y = F.conv2d(x.reshape(1, n * c, height, width), w.repeat(n, 1, 1, 1), None, (2, 1), (1, 0), (1, 2), n)
    return y, F.conv_transpose2d(y, v.repeat(n, 1, 1, 1), None, 2, 1, 1, n, (1, 2))


class UpTo(nn.Module):
    """Resizes a map to the size of another one, as decoders with skip connections do."""

    def __init__(self, **settings):
        super().__init__()
        self.up = nn.ConvTranspose2d(4, 6, 3, **settings)

    def forward(self, x, skip):
        return self.up(x, output_size=skip.shape[-2:])


for rank in (1, 2, 3):
    x = tensor(B, 4, *sides[-rank:])
    conv = plain[rank - 1]
    name = f"conv{rank}d"
    family.case(name + ".plain", conv(4, 6, 3), x, dtypes=FLOATS)
    family.case(name + ".no_bias", conv(4, 6, 3, bias=False), x)
    family.case(name + ".stride_padding", conv(4, 6, 3, stride=2, padding=1), x, dtypes=FLOATS)
    family.case(name + ".dilation", conv(4, 6, 3, dilation=2, padding=2), x)
    family.case(name + ".groups", conv(4, 6, 3, groups=2), x)
    family.case(name + ".depthwise", conv(4, 8, 3, groups=4, padding=1), x)
    family.case(name + ".kernel1", conv(4, 6, 1), x)
    family.case(name + ".same", conv(4, 6, 3, padding="same"), x)
    family.case(name + ".same_even", conv(4, 6, 4, padding="same", dilation=1), x)
    family.case(name + ".same_dilation", conv(4, 6, 2, padding="same", dilation=3), x)
    family.case(name + ".valid", conv(4, 6, 3, padding="valid", stride=2), x)
    family.case(name + ".reflect", conv(4, 6, 3, padding=1, padding_mode="reflect"), x)
    family.case(name + ".replicate", conv(4, 6, 3, padding=1, padding_mode="replicate"), x)
    family.case(name + ".circular", conv(4, 6, 3, padding=1, padding_mode="circular"), x)
    family.case(name + ".unbatched", conv(4, 6, 3), tensor(4, *sides[-rank:]))
    scope = {"op": getattr(F, name)}
    family.case(name + ".weight_input", eval("lambda x, weight, bias: op(x, weight, bias, padding=1)", scope), x,
                tensor(6, 4, *[3] * rank, low=-1, high=1), tensor(6))
    family.case(name + ".weight_input_no_bias", eval("lambda x, weight: op(x, weight)", scope), x,
                tensor(6, 4, *[3] * rank, low=-1, high=1))
    name = f"conv_transpose{rank}d"
    conv = transposed[rank - 1]
    family.case(name + ".plain", conv(4, 6, 3), x, dtypes=FLOATS)
    family.case(name + ".stride_padding", conv(4, 6, 3, stride=2, padding=1), x)
    family.case(name + ".output_padding", conv(4, 6, 3, stride=2, padding=1, output_padding=1), x)
    family.case(name + ".dilation", conv(4, 6, 3, dilation=2), x)
    family.case(name + ".groups", conv(4, 6, 3, groups=2, bias=False), x)
    family.case(name + ".unbatched", conv(4, 6, 3), tensor(4, *sides[-rank:]))
    scope = {"op": getattr(F, name)}
    family.case(name + ".weight_input", eval("lambda x, weight: op(x, weight, stride=2)", scope), x,
                tensor(4, 6, *[3] * rank, low=-1, high=1))
image = tensor(B, 4, *sides[-2:])
family.case("conv2d.uneven", nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(0, 1), dilation=(1, 2)), image)
family.case("conv2d.same_uneven", nn.Conv2d(4, 6, (2, 5), padding="same", dilation=(3, 1)), image)
family.case("conv_transpose2d.uneven", nn.ConvTranspose2d(4, 6, (3, 2), stride=(2, 3), padding=(1, 0), output_padding=(0, 2)), image)
# Output padding of at least a stride, below the dilation: elements that no input reaches contain only the bias.
family.case("conv_transpose1d.long_output_padding", nn.ConvTranspose1d(4, 6, 3, dilation=3, padding=1, output_padding=2),
            tensor(B, 4, sides[-1]))
family.case("conv_transpose2d.long_output_padding", nn.ConvTranspose2d(4, 6, 3, stride=(2, 1), padding=(0, 2), output_padding=(2, 1), dilation=3),
            image)
family.case("conv_transpose2d.unreached", lambda x, w: F.conv_transpose2d(x, w, None, 1, 0, 1, 1, 2), image, tensor(4, 6, 3, 3, low=-1, high=1))
family.case("convolution.plain", lambda x, w, b: torch.convolution(x, w, b, [2, 1], [1, 0], [1, 1], False, [0, 0], 1), image,
            tensor(6, 4, 3, 3, low=-1, high=1), tensor(6))
family.case("convolution.transposed", lambda x, w: torch.convolution(x, w, None, [2, 2], [1, 1], [1, 1], True, [1, 0], 1), image,
            tensor(4, 6, 3, 3, low=-1, high=1))
family.case("convolution_mode.same", lambda x, w: F.conv2d(x, w, padding="same"), image, tensor(6, 4, 3, 3, low=-1, high=1))
H, W = Dim("high", 5, 6), Dim("wide", 4, 5)
family.case("conv_transpose2d.output_size", UpTo(stride=2, padding=1), tensor(B, 4, H, W), tensor(1, 1, Dim("tall", 9, 12), Dim("long", 8, 9)),
            script=True, opset=11)
family.case("conv_transpose2d.output_size_of_3", UpTo(stride=(3, 1), dilation=(2, 1)), tensor(4, H, W),
            tensor(Dim("tall", 18, 20), Dim("long", 6, 7)), script=True, opset=11)
N = Dim("samples", 3, 5)
family.case("conv1d.groups_of_rows", deltas, tensor(N, 4, sides[2]), script=True, opset=11)
family.case("conv2d.groups_of_samples", parts_of_the_batch, tensor(N, 4, 7, 8), tensor(6, 4, 3, 2, low=-1, high=1),
            tensor(6, 2, 2, 3, low=-1, high=1), script=True, opset=11)
family.case("conv2d.shared_weight", lambda x, w: F.conv2d(F.conv2d(x, w, padding=1), w), tensor(B, 4, 8, 8), tensor(4, 4, 3, 3, low=-.5, high=.5))
family.case("conv2d.then_batch_norm", nn.Sequential(nn.Conv2d(4, 6, 3, bias=False), nn.BatchNorm2d(6), nn.ReLU(inplace=True)), image,
            dtypes=FLOATS)

# Dtypes for which ONNX Runtime has no kernel: float64, and integers, which are exact and wrap around.
for name, dtype, high in (("double", torch.float64, 3), ("whole", torch.int64, 2 ** 40)):
    x, small = tensor(B, 4, *sides[1:], dtype=dtype, high=high, low=-high), {"dtype": dtype, "low": -9, "high": 9}
    kernel, bias = tensor(6, 2, 3, 2, **small), tensor(6, **small)
    family.case(f"{name}.conv2d", lambda x, w, b: F.conv2d(x, w, b, (2, 1), (1, 2), (1, 2), 2), x, kernel, bias, opset=9)
    family.case(f"{name}.conv2d.same", lambda x, w: F.conv2d(x, w[:, :, :1], padding="same", groups=2), x, kernel, opset=9)
    family.case(f"{name}.conv_transpose2d", lambda x, w, b: F.conv_transpose2d(x, w, b, (2, 3), (1, 2), (1, 0), 2, (1, 2)), x, tensor(4, 3, 3, 2, **small),
                bias, opset=9)
    family.case(f"{name}.conv1d.no_batch", lambda x, w: (F.conv1d(x, w), F.conv_transpose1d(x, w.transpose(0, 1), stride=2, padding=3, output_padding=1)),
                tensor(4, sides[2], dtype=dtype), tensor(6, 4, 3, **small), opset=9)
    family.case(f"{name}.conv3d", lambda x, w: F.conv3d(x, w, padding=1), tensor(B, 2, 4, 3, sides[2], dtype=dtype), tensor(3, 2, 2, 3, 2, **small),
                opset=9)

# Kernels of dynamic size, as for searching one image in another.
K = Dim("kernel", 3, 5)
family.case("conv1d.open_kernel", lambda x, w, b: F.conv1d(x, w, b, padding=1), tensor(2, 3, 9), tensor(4, 3, K), tensor(4))
family.case("conv2d.open_kernel", lambda x, w: F.conv2d(x, w, stride=2, groups=2), tensor(2, 4, 9, 9), tensor(4, 2, K, 3))
family.case("conv3d.open_kernel", lambda x, w: F.conv3d(x, w), tensor(1, 2, 6, 6, 6), tensor(3, 2, K, K, 2))
family.case("conv_transpose1d.open_kernel", lambda x, w: F.conv_transpose1d(x, w, stride=2, output_padding=1), tensor(2, 3, 5), tensor(3, 4, K))
