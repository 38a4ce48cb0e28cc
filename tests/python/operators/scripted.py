"""Scripts without data-dependent control flow."""
from typing import List, Optional, Tuple

import torch
from torch import nn
from torch.nn import functional as F

from case import FLOAT, Dim, Family, index, tensor

family = Family("scripted", opset=9)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)
x = tensor(B, N)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3))

    def forward(self, x):
        return F.log_softmax(self.layers(x), dim=-1)


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)), inplace=True)
        return F.max_pool2d(x, 2).flatten(1)


class Branches(nn.Module):
    """Branches that depend on the module's attributes."""

    def __init__(self):
        super().__init__()
        self.wide = True
        self.linear = nn.Linear(4, 4)

    def forward(self, x, y: Optional[torch.Tensor] = None):
        if self.wide:
            x = self.linear(x)
        if y is not None:
            x = x + y
        if self.training:
            x = x * 2
        return x


class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        results: List[torch.Tensor] = []
        for layer in self.layers:
            x = torch.tanh(layer(x))
            results.append(x)
        return torch.cat(results, 1)


def pair(x) -> Tuple[torch.Tensor, torch.Tensor]:
    return x + 1, x * 2


def sizes(x):
    return x.view(x.size(0), 2, -1).permute(0, 2, 1)


def shape_branch(x):
    if x.dim() == 2:
        return x.unsqueeze(1)
    return x


def conv1d(x, weight, bias):
    return torch.conv1d(x, weight, bias, stride=2, padding=1)


def conv2d(x, weight, bias):
    return torch.conv2d(x, weight, bias, padding=[1, 0], dilation=[1, 2])


def conv3d(x, weight, bias):
    return torch.conv3d(x, weight, bias)


def conv2d_same(x, weight, bias):
    return torch.conv2d(x, weight, bias, padding="same")


def conv_transpose1d(x, weight, bias):
    return torch.conv_transpose1d(x, weight, bias, stride=2, padding=1, output_padding=1)


def conv_transpose2d(x, weight, bias):
    return torch.conv_transpose2d(x, weight, bias, stride=[2, 1], groups=1)


def conv_transpose3d(x, weight, bias):
    return torch.conv_transpose3d(x, weight, bias)


def convolution(x, weight):
    return torch.convolution(x, weight, None, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)


def convolution_transposed(x, weight):
    return torch.convolution(x, weight, None, [2, 2], [1, 1], [1, 1], True, [1, 0], 1)


def concat(x, y):
    return torch.concat([x, y], 1)


def item_multiplied(x, y):
    return x * y.item()


def item_float(x, y):
    return x + float(y) * 2.0


def item_int(x, y):
    return x + int(y)


def item_of_result(x):
    return x / x.abs().max().item()


def pooled_with_indices(x) -> Tuple[torch.Tensor, torch.Tensor]:
    return F.max_pool2d_with_indices(x, 2)


def size_arithmetic(x):
    n = x.size(1)
    return x.reshape(-1, n // 2) * float(n)


def unwrapped(x):
    y: Optional[torch.Tensor] = x
    return torch.jit._unwrap_optional(y) + 1


def data_of(x):
    return torch.ops.aten.data(x) * x.data


def batch_norm_index(x, weight, bias, mean, var):
    return torch.ops.aten._batch_norm_impl_index(x, weight, bias, mean, var, False, 0.1, 1e-5, False)[0]


for rank in (1, 2, 3):
    sides = [Dim("depth", 6, 7), Dim("height", 7, 9), Dim("width", 8, 6)][-rank:]
    arguments = tensor(B, 4, *sides), tensor(6, 4, *[3] * rank, low=-1, high=1), tensor(6)
    family.case(f"conv{rank}d.plain", globals()[f"conv{rank}d"], *arguments, script=True, opset=7)
    arguments = tensor(B, 4, *sides), tensor(4, 6, *[3] * rank, low=-1, high=1), tensor(6)
    family.case(f"conv_transpose{rank}d.plain", globals()[f"conv_transpose{rank}d"], *arguments, script=True, opset=7)
image = tensor(B, 4, 7, Dim("width", 8, 6))
family.case("conv2d.same", conv2d_same, image, tensor(6, 4, 3, 3, low=-1, high=1), tensor(6), script=True, opset=7)
family.case("convolution.plain", convolution, image, tensor(6, 4, 3, 3, low=-1, high=1), script=True, opset=7)
family.case("convolution.transposed", convolution_transposed, image, tensor(4, 6, 3, 3, low=-1, high=1), script=True, opset=7)
family.case("concat.plain", concat, tensor(B, 3), tensor(B, 2), script=True, opset=7)
family.case("item.multiplied", item_multiplied, x, tensor(), script=True, opset=7)
family.case("item.integer", item_multiplied, x, tensor(dtype=torch.int64, low=2), script=True, opset=7)
family.case("item.float", item_float, x, tensor(), script=True, opset=7)
family.case("item.int", item_int, x, tensor(dtype=torch.int64), script=True, opset=7)
family.case("item.of_result", item_of_result, x, script=True, opset=7)
family.case("max_pool2d_with_indices.plain", pooled_with_indices, tensor(B, 3, 6, 8), script=True)
family.case("size.arithmetic", size_arithmetic, x, script=True)
family.case("module.mlp", Mlp(), tensor(B, 4), script=True)
family.case("module.convolution", Convolution(), tensor(B, 3, 8, 8), script=True)
family.case("module.branches", Branches(), tensor(B, 4), script=True)
family.case("module.unrolled", Unrolled(), tensor(B, 4), script=True)
family.case("function.pair", pair, x, script=True)
family.case("function.sizes", sizes, x, script=True)
family.case("function.shape_branch", shape_branch, x, script=True)
family.case("_unwrap_optional.plain", unwrapped, x, script=True)
family.case("data.plain", data_of, x, script=True)
family.case("_batch_norm_impl_index.plain", batch_norm_index, tensor(B, 4, N), tensor(4), tensor(4), tensor(4), tensor(4, low=0.5), script=True)
