"""Objects of script classes that branches and loops return, and modules with a dynamic index."""
from typing import List

import torch
from torch import nn

from case import Family, fill, number

family = Family("rebound", opset=11)
WAYS = [(fill(4, 5), number(2)), (fill(1, 5), number(0)), (fill(9, 5), number(1)), (fill(3, 5), number(3))]


@torch.jit.script
class Path:
    def __init__(self, x: torch.Tensor, n: int):
        self.x = x
        self.n = n
        self.steps: List[int] = [n]

    def step(self, y: torch.Tensor):
        self.x = self.x + y
        self.n += 1
        self.steps.append(self.n)
        return self


@torch.jit.script
class Pair:
    def __init__(self, path: Path, weight: torch.Tensor):
        self.path = path
        self.weight = weight


@family.on(*WAYS)
def in_a_loop(x, k: int):
    p = Path(torch.zeros(5), 0)
    for i in range(x.size(0)):
        p = Path(p.x + x[i], i)
    return p.x, p.n


@family.on(*WAYS)
def in_a_branch(x, k: int):
    p = Path(x[0], 0)
    if k > 0:
        p = Path(x[-1], k)
        p.step(x[0])
    p.step(x[0] * 2)
    return p.x, p.n, len(p.steps)


@family.on(*WAYS)
def of_either_branch(x, k: int):
    if k > 1:
        p = Path(x[0], 1)
    else:
        p = Path(x[-1] * 2, 4).step(x[0])
    p.step(torch.ones(5))
    return p.x, p.n, p.steps[-1]


@family.on(*WAYS, opset=13)
def that_return_themselves(x, k: int):
    p = Path(x[0], k)
    for i in range(x.size(0)):
        p = p.step(x[i])
    return p.x, p.n, len(p.steps), p.steps[0]


@family.on(*WAYS)
def swapped_by_turns(x, k: int):
    a, b = Path(x[0], 0), Path(x[-1] * 2, 10)
    for i in range(k):
        a, b = b, a
        a.x = a.x + 1
        a.n += i
    return a.x, b.x, a.n, b.n


@family.on(*WAYS)
def one_turn_behind(x, k: int):
    now, before = Path(x[0], 0), Path(x[0] * 0, -1)
    for i in range(x.size(0)):
        before = now
        now = Path(now.x + x[i], i)
    return now.x, now.n, before.x, before.n


@family.on(*WAYS, opset=13)
def that_hold_objects(x, k: int):
    q = Pair(Path(x[0], 0), x[-1])
    for i in range(k):
        q = Pair(q.path.step(q.weight), q.weight * 2)
    return q.path.x, q.path.n, q.weight, q.path.steps[-1], len(q.path.steps)


@family.on(*WAYS)
def in_a_tuple(x, k: int):
    t = (Path(x[0], 0), 1)
    if k > 0:
        t = (Path(x[-1], 5), 2)
    p, n = t
    p.step(x[0])
    return p.x, p.n, n


@family.on(*WAYS)
def left_at_a_break(x, k: int):
    p = Path(x[0], 0)
    for i in range(x.size(0)):
        p = Path(p.x + x[i], i)
        if bool(p.x.sum() > 1):
            break
    return p.x, p.n


def found(x, k: int):
    if k > 1:
        return Path(x[0], 1)
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            return Path(x[i], i)
    return Path(x[-1] * 2, -1)


@family.on(*WAYS)
def returned_from_a_loop(x, k: int):
    p = found(x, k)
    return p.x, p.n


@family.on(*WAYS)
def made_in_a_while(x, k: int):
    p = Path(x[0], 0)
    while p.n < x.size(0) + k:
        if p.n % 2 == 0:
            p = Path(p.x * 2, p.n + 1)
        else:
            p.x = p.x + x[0]
            p.n += 2
    return p.x, p.n


class Shift(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return self.linear(x) + self.calls


@torch.jit.interface
class Layer(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Picked(nn.Module):
    """Modules by fixed indices."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Shift(), Dense()])

    def forward(self, x, k: int):
        first: Layer = self.layers[0]
        last: Layer = self.layers[1]
        return last.forward(first.forward(x)) * k


class PickedByRun(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Shift(), Dense(), Dense()])

    def forward(self, x, k: int):
        layer: Layer = self.layers[k % 3]
        y = layer.forward(x)
        for i in range(k):
            another: Layer = self.layers[(i + 1) % 3]
            y = another.forward(y)
        return y


class PickedBySize(nn.Module):
    """By indices that may be out of range, and by those that a branch returns."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Shift(), Dense(), Dense()])

    def forward(self, x, k: int):
        layer: Layer = self.layers[min(x.size(0), 3) - 1]
        y = layer.forward(x)
        if k < len(self.layers):
            another: Layer = self.layers[k]
            y = another.forward(y)
        either: Layer = self.layers[2 if k > 1 else 0]
        return either.forward(y)


family.program("picked_modules", Picked(), *WAYS)
family.program("modules_picked_by_a_run", PickedByRun(), *WAYS)
family.program("modules_picked_by_a_size", PickedBySize(), *WAYS)
