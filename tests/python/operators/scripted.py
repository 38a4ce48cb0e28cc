"""Compiled programs without control flow that depends on data."""
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
    """Branches that the module's own attributes decide."""

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


family.case("module.mlp", Mlp(), tensor(B, 4), script=True)
family.case("module.convolution", Convolution(), tensor(B, 3, 8, 8), script=True)
family.case("module.branches", Branches(), tensor(B, 4), script=True)
family.case("module.unrolled", Unrolled(), tensor(B, 4), script=True)
family.case("function.pair", pair, x, script=True)
family.case("function.sizes", sizes, x, script=True)
family.case("function.shape_branch", shape_branch, x, script=True)
