"""Tensors in tuples, lists and dicts of modules, and writes of programs to them."""
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn

from case import Family, fill, tensor

family = Family("attributes", opset=11)


class Keeps(nn.Module):
    """Every tensor is read under several names."""

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
    """The tuple is replaced, but its tensors are the same."""

    def forward(self, x):
        first = self.pair[0]
        self.pair = (self.pair[1], self.own)
        self.own.add_(x[0])
        first.mul_(2)
        self.pair[0].add_(first)
        return first, self.pair, self.own + x


class Shared(nn.Module):
    """A buffer that is also in the tuple, and a tensor that is in it twice."""

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


class Nests(nn.Module):
    """Lists and dicts in lists, dicts and tuples; they share tensors."""

    listed: List[Tensor]
    lists: List[List[Tensor]]
    named: Dict[str, List[Tensor]]
    dicts: Dict[str, Dict[str, Tensor]]
    pairs: List[Tuple[Tensor, int]]
    both: Tuple[List[Tensor], Dict[str, Tensor]]

    def __init__(self):
        super().__init__()
        a, b = torch.ones(3), torch.ones(3) * 2
        self.listed = [a, b]
        self.lists = [self.listed, [torch.ones(3) * 3, b]]
        self.named = {"p": self.listed, "q": [torch.ones(3) * 4]}
        self.dicts = {"m": {"x": torch.ones(3) * 5, "y": a}}
        self.pairs = [(torch.ones(3) * 6, 1), (b, 2)]
        self.both = ([torch.ones(3) * 7], {"z": torch.ones(3) * 8})


class NestedSet(Nests):
    def forward(self, x):
        self.lists[1][0] = x[0]
        self.dicts["m"]["x"] = x[0] * 2
        self.both[0][0] = x[-1]
        self.both[1]["z"] = x[-1] * 3
        return self.lists[1], self.dicts["m"], self.both, self.lists[0]


class NestedGrown(Nests):
    def forward(self, x):
        self.listed.append(x[0])
        self.named["p"].append(x[-1])
        self.named["q"].append(self.listed[2])
        self.pairs.append((x[0], 3))
        total = torch.zeros(3)
        for tensor, number in self.pairs:
            total = total + tensor * number
        return torch.stack(self.listed), torch.stack(self.named["p"] + self.named["q"]), len(self.listed), total


class NestedByAnotherName(Nests):
    """A list that a branch chooses, one that is stored in an object, and one that is in a list."""

    def forward(self, x):
        picked = self.listed if bool(x.sum() > 3) else self.named["q"]
        picked[0] = x[0]
        held = [self.lists[1], self.both[0]]
        held[0][0] = x[-1]
        held[1].append(x[0])
        return self.listed, self.named["q"], self.lists[1], torch.stack(self.both[0])


class NestedChangedInLoop(Nests):
    def forward(self, x):
        for row in x:
            for part in self.lists:
                part[0] = part[-1] + row
            self.dicts["m"]["y"] = self.lists[0][0] * 2
        return self.listed, self.lists[1], self.dicts["m"]["y"], self.named["p"][0]


class Lower(nn.Module):
    kept: List[Tensor]
    both: Tuple[Tensor, List[Tensor]]

    def __init__(self, kept):
        super().__init__()
        self.kept = kept
        self.both = (torch.ones(3) * 9, kept)

    def forward(self, x):
        self.kept[0] = x[0]
        return self.both[1][0] + self.both[0]


class Upper(nn.Module):
    kept: List[Tensor]

    def __init__(self):
        super().__init__()
        self.kept = [torch.ones(3), torch.ones(3) * 2]
        self.lower = Lower(self.kept)

    def forward(self, x):
        y = self.lower(x)
        self.kept[1] = y
        return self.lower.both[1], self.kept[0], y


class ListsOfNumbers(nn.Module):
    sizes: List[List[int]]
    table: Dict[str, List[int]]

    def __init__(self):
        super().__init__()
        self.sizes = [[1, 2], [3]]
        self.table = {"a": [4, 5]}

    def forward(self, x):
        self.sizes[0].append(x.size(0))
        self.table["a"][1] = len(self.sizes[0])
        total = 0
        for part in self.sizes:
            for size in part:
                total += size
        return x * total, torch.tensor(self.sizes[0]), torch.tensor(self.table["a"])


for module in (NestedSet, NestedGrown, NestedByAnotherName, NestedChangedInLoop, Upper, ListsOfNumbers):
    family.program(module.__name__, module(), (fill(2, 3),), (fill(4, 3),), (tensor(1, 3, low=-2, high=-1),), (tensor(3, 3, low=-2, high=-1),))


@torch.jit.script
class Head:
    def __init__(self, weight: Tensor, gains: List[float]):
        self.weight = weight
        self.gains = gains
        self.runs = 0

    def apply(self, x):
        self.runs += 1
        return x * self.weight + self.gains[0]


class ChosenObject(nn.Module):
    """A branch chooses one of two objects of the module; they are read and written to under the new name."""

    one: Head
    other: Head

    def __init__(self):
        super().__init__()
        self.one = Head(torch.ones(3), [0.5])
        self.other = Head(torch.arange(3.0), [2.0, 3.0])

    def forward(self, x):
        head = self.one
        if bool(x.sum() > 3):
            head = self.other
        y = head.apply(x)
        return y, head.runs, head.weight, len(head.gains)


family.program("chosen_object", ChosenObject(), (fill(2, 3),), (tensor(4, 3, low=-2, high=-1),), (fill(1, 3),))


class OtherRank(nn.Module):
    """A saved value decides a branch; the model declares the axes of the run's result."""

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
