"""Scripts with objects whose attributes are set in branches and loops."""
from typing import List, Optional

import torch
from torch import Tensor, nn

from case import Dim, Family, tensor

family = Family("scripted_objects", opset=9)
x = tensor(Dim("batch", 2, 5), Dim("n", 4, 6))


@torch.jit.script
class Box:
    def __init__(self, value: Tensor, count: int):
        self.value = value
        self.count = count

    def grow(self, factor: int):
        self.value = self.value * factor
        self.count += 1
        return self


@torch.jit.script
class Record:
    def __init__(self):
        self.count = 0
        self.last = torch.jit.annotate(Optional[Tensor], None)
        self.items = torch.jit.annotate(List[Tensor], [])

    def add(self, value: Tensor):
        self.count += 1
        self.last = value
        self.items.append(value)


def chained(x):
    box = Box(x, 1)
    box.grow(3).grow(2)
    return box.value + box.count


def loop(x):
    box = Box(x, 1)
    for i in range(3):
        for j in range(2):
            if i != j:
                box.grow(i + 1)
    return box.value + box.count


def branches(x):
    a = Box(x, 1)
    b = Box(x * 2, 5)
    if x.dim() == 2:
        a.grow(3)
    else:
        b.grow(7)
    return a.value + b.value, a.count * 10 + b.count


def other_name(x):
    a = Box(x, 1)
    b = a
    if x.dim() == 2:
        b.grow(3)
    return a.value + a.count


def raising_side(x):
    box = Box(x, 1)
    if x.dim() == 2:
        box.grow(3)
    else:
        raise ValueError("a matrix is wanted")
    return box.value + box.count


def exchanged(x):
    a = Box(x, 1)
    b = Box(x * 2, 2)
    for i in range(3):
        kept = a.value
        a.value = b.value
        b.value = kept + i
    return a.value, b.value


def recorded(x):
    record = Record()
    for i in range(3):
        record.add(x * i)
    last = record.last
    assert last is not None
    return last + record.count, torch.cat(record.items)


class Settings(nn.Module):
    """Attributes of the module, set temporarily."""

    def __init__(self):
        super().__init__()
        self.count = 3
        self.scale = 2.0

    def forward(self, x):
        if x.dim() == 2:
            self.count = 5
        for i in range(2):
            self.scale = self.scale * 2
        result = x * self.count + self.scale
        self.count = 3
        self.scale = 2.0
        return result


for program in (chained, loop, branches, other_name, raising_side, exchanged, recorded):
    family.case(f"{program.__name__}.plain", program, x, script=True)
family.case("of_module.plain", Settings(), x, script=True)
