"""Tensors that modules keep in tuples, lists and dicts, and what programs write to them."""
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn

from case import Family, fill, tensor

family = Family("attributes", opset=11)


class Keeps(nn.Module):
    """Every tensor is read by several ways."""

    pair: Tuple[Tensor, Tensor]
    listed: List[Tensor]
    named: Dict[str, Tensor]
    nested: Tuple[List[Tensor], Dict[str, Tensor]]

    def __init__(self):
        super().__init__()
        self.register_buffer("own", torch.ones(3))
        self.pair = (torch.ones(3) * 5, torch.ones(3) * 6)
        self.listed = [torch.zeros(3), torch.ones(3) * 2]
        self.named = {"p": torch.ones(3) * 3, "q": torch.ones(3) * 4}
        self.nested = ([torch.ones(3) * 7], {"r": torch.ones(3) * 8})


class WrittenInTuple(Keeps):
    def forward(self, x):
        self.pair[0].sub_(0.5)
        self.pair[1][1:] = 2.0
        return x + self.pair[0], self.pair, self.pair[1] * 2


class WrittenInBranch(Keeps):
    def forward(self, x):
        if bool(x.sum() > 3):
            self.pair[0].add_(x[0])
        elif x.size(0) > 2:
            self.nested[0][0].mul_(2)
        a, b = self.pair
        return a + x, b + self.nested[0][0], self.pair, self.nested[0][0]


class WrittenInLoop(Keeps):
    def forward(self, x):
        for row in x:
            self.pair[1].add_(row)
            self.nested[1]["r"].add_(self.pair[1])
        return self.pair, self.nested[1]["r"], x


class WrittenInListAndDict(Keeps):
    def forward(self, x):
        self.listed[0].add_(1)
        self.listed[-1][0] = 9.0
        self.named["p"].add_(self.listed[0])
        return self.listed[0] + x, self.listed[1], self.named["p"] + self.named["q"], self.named["p"]


class Rebound(Keeps):
    """The tuple is another one, its tensors are the same."""

    def forward(self, x):
        first = self.pair[0]
        self.pair = (self.pair[1], self.own)
        self.own.add_(x[0])
        first.mul_(2)
        self.pair[0].add_(first)
        return first, self.pair, self.own + x


class Shared(nn.Module):
    """A buffer that is in the tuple, too, and a tensor that is there twice."""

    pair: Tuple[Tensor, Tensor, Tensor]

    def __init__(self):
        super().__init__()
        self.register_buffer("own", torch.ones(3))
        other = torch.ones(3) * 2
        self.pair = (self.own, other, other)

    def forward(self, x):
        self.own.add_(1)
        self.pair[1].add_(x[0])
        return self.own + x, self.pair[0], self.pair[2]


for module in (WrittenInTuple, WrittenInBranch, WrittenInLoop, WrittenInListAndDict, Rebound, Shared):
    family.program(module.__name__, module(), (fill(2, 3),), (fill(4, 3),), (tensor(1, 3, low=-2, high=-1),), (tensor(3, 3, low=-2, high=-1),))


class OtherRank(nn.Module):
    """What is saved decides a branch; the model declares the axes of what the run gives."""

    def __init__(self):
        super().__init__()
        self.register_buffer("limit", torch.ones(3))
        self.register_buffer("kept", torch.arange(3.0))

    def forward(self, x):
        y = self.kept
        if bool(self.limit[0] > 2.0):
            y = x * 2
        return y


family.program("other_rank", OtherRank(), (fill(2, 3),), (fill(4, 3),), (fill(1, 3),))
