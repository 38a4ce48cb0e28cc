"""Modules with state, sub-modules in lists and dicts, classes, functions that call each other."""
import enum
from typing import Dict, List, Optional, Tuple

import torch
from torch import nn

from case import Family, fill, whole

family = Family("objects", opset=13)
X = fill(2, 3)
DATA = [(fill(2, 3, low=1, high=2),), (fill(2, 3, low=-2, high=-1),), (X,)]
SIZES = [(fill(4, 3),), (fill(1, 3),), (fill(7, 3),)]
TURNS = [(X, whole(3)), (X, whole(1)), (X, whole(0))]


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x):
        self.count += x.sum(0)
        self.count[0] = 5
        return x + self.count


class Replaced(nn.Module):
    """The attribute is another tensor after every iteration."""

    def __init__(self):
        super().__init__()
        self.state = torch.zeros(2, 3)

    def forward(self, x, n):
        for i in range(int(n)):
            self.state = self.state * 2 + x
        return self.state


class ReplacedInBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = torch.ones(2, 3)
        self.calls = 0

    def forward(self, x):
        if x.sum() > 0:
            self.state = x * 2
            self.calls += 1
        else:
            self.state = self.state - x
        return self.state + self.calls


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes: Dict[str, int] = {"a": 2, "b": 3}
        self.names: List[str] = ["a", "b"]
        self.layers = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)})

    def forward(self, x):
        total = x
        for name, layer in self.layers.items():
            total = layer(total) * self.sizes[name]
        return total


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3)])
        self.weights = nn.ParameterList([nn.Parameter(torch.ones(3) * i) for i in range(3)])

    def forward(self, x):
        outputs: List[torch.Tensor] = []
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i % 2 == 0:
                outputs.append(x)
        return torch.cat(outputs, 1), x


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cell = kind(3, 4)

    def forward(self, x):
        state = torch.zeros(x.size(0), 4)
        outputs: List[torch.Tensor] = []
        for i in range(3):
            state = self.cell(x * i, state)
            outputs.append(state)
        return torch.stack(outputs, 1), state


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, bidirectional=True)

    def forward(self, x, state: Optional[Tuple[torch.Tensor, torch.Tensor]] = None):
        out, (h, c) = self.lstm(x, state)
        return out, h, c


class LoopedLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)

    def forward(self, x):
        h = torch.zeros(1, 4)
        c = torch.zeros(1, 4)
        outputs: List[torch.Tensor] = []
        for i in range(x.size(0)):
            h, c = self.cell(x[i:i + 1], (h, c))
            outputs.append(h)
        return torch.cat(outputs), c


class Inner(nn.Module):
    def __init__(self, scale: float):
        super().__init__()
        self.scale = scale
        self.active = scale > 1

    def forward(self, x):
        if self.active:
            return x * self.scale
        return x - self.scale


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Inner(0.5)
        self.second = Inner(2.0)
        self.missing = None

    def helper(self, x):
        return self.first(x) + 1

    def forward(self, x):
        if self.missing is not None:
            x = x * 0
        if self.training:
            x = x * 100
        return self.second(self.helper(x))


class Gated(nn.Module):
    """Weights written in a branch of a loop."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([[1.0, 2.0, 3.0]]))
        self.register_buffer("steps", torch.zeros(1, dtype=torch.int64))

    def forward(self, x):
        y = x
        for i in range(x.size(0)):
            self.steps += 1
            if y.sum() > 1:
                y = y * self.weight
            else:
                y = y + self.weight
        return y, self.steps


class TracedInside(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.trace(nn.Sequential(nn.Linear(3, 3), nn.ReLU()), torch.ones(2, 3))

    def forward(self, x):
        if x.sum() > 0:
            return self.inner(x)
        return x


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.layer_norm = nn.LayerNorm(3)

    def forward(self, x):
        y = self.norm(x)
        for _ in range(2):
            y = self.layer_norm(y)
        return y


@torch.jit.script
class Accumulator:
    def __init__(self, start: torch.Tensor):
        self.total = start
        self.count = 0

    def add(self, x: torch.Tensor):
        self.total = self.total + x
        self.count += 1


@family.on(*TURNS)
def class_in_loop(x, n):
    box = Accumulator(x)
    for i in range(int(n)):
        box.add(x * i)
    return box.total, box.count


@family.on(*DATA)
def class_in_branch(x):
    box = Accumulator(x)
    if x.sum() > 0:
        box.add(x)
    return box.total * 2, box.count


def helper(x, times: int = 2):
    return x * times


@family.on(*DATA)
def functions(x):
    return helper(x) + helper(x, 3) + helper(times=4, x=x)


@family.on(*SIZES)
def forked(x):
    future = torch.jit.fork(helper, x, 5)
    return torch.jit.wait(future) + 1


class Cached(nn.Module):
    """A value computed from weights is cached under the device's name, in a dict that is empty at first."""
    cache: Dict[str, torch.Tensor]

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.tensor([[0.5, -1.0, 2.0, 3.0, 0.25]]))
        self.register_buffer("places", torch.tensor([4, 0, 2]))
        self.cache = {}

    def biases(self, device: torch.device):
        key = str(device)
        if key not in self.cache:
            self.cache[key] = self.bias[:, self.places]
        return self.cache[key]

    def forward(self, x):
        return x + self.biases(x.device), (x * 2 + self.biases(x.device)).sum(), len(self.cache)


class Noted(nn.Module):
    """Lists that are extended, shortened and written to, and read before and after."""
    sizes: List[int]
    kept: List[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.sizes = [3, 1]
        self.kept = [torch.ones(3), torch.zeros(3)]

    def note(self, x):
        self.sizes.append(x.size(0))
        self.kept.append(x.sum(0))

    def forward(self, x):
        before = len(self.sizes)
        self.note(x)
        self.note(x[:1])
        self.sizes[0] = 7
        first = self.kept.pop(0)
        return torch.stack(self.kept) + first, self.sizes[0] + self.sizes[2] * 10 + self.sizes[-1], before, len(self.kept)


class NotedInBranch(nn.Module):
    last: Dict[str, torch.Tensor]

    def __init__(self):
        super().__init__()
        self.last = {"a": torch.ones(3), "b": torch.zeros(3)}

    def forward(self, x):
        if bool(x.sum() > 0):
            self.last["a"] = x.sum(0)
        y = x + self.last["a"]
        self.last["b"] = y.mean(0)
        return y, self.last["a"] + self.last["b"]


class Mode(enum.Enum):
    HALF = 0.5
    TWICE = 2.0


class Moded(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = Mode.TWICE

    def forward(self, x):
        if self.mode == Mode.HALF:
            return x
        return x * self.mode.value if self.mode.name == "TWICE" else -x


class Recipe:
    """The number of parts of each axis of an input, and the order of all of them."""

    def __init__(self, parts: List[Tuple[List[int], int]], order: List[int]):
        self.parts = parts
        self.order = order


def arranged(recipe: Recipe, x: torch.Tensor) -> torch.Tensor:
    sizes: List[int] = []
    for axis, (known, unknown) in enumerate(recipe.parts):
        length = x.shape[axis]
        if len(known) == 0:
            sizes.append(length)
            continue
        for size in known:
            length = length // size
        for size in known:
            sizes.append(size)
        if unknown > 0:
            sizes.append(length)
    return x.reshape(sizes).permute(recipe.order)


class Arranged(nn.Module):
    """A recipe for each possible rank of an input; this layer supports one rank only."""
    recipes: Dict[int, Recipe]

    def __init__(self):
        super().__init__()
        self.recipes = {3: Recipe([([], 1), ([2], 1), ([], 1)], [0, 3, 1, 2])}

    def forward(self, x):
        recipe = self.recipes[x.ndim]
        return arranged(recipe, x * 2)


for make in (Cached, Noted, NotedInBranch):
    family.program(make.__name__, make().eval(), *DATA)
    family.program(make.__name__ + ".sizes", make().eval(), *SIZES)
for make in (Counter, ReplacedInBranch, Table, Stack, Outer, TracedInside):
    family.program(make.__name__, make(), *DATA)
family.program("Replaced", Replaced(), *TURNS)
family.program("gru_cell", Recurrent(nn.GRUCell), *SIZES)
family.program("rnn_cell", Recurrent(nn.RNNCell), *SIZES)
family.program("LoopedLstm", LoopedLstm(), *SIZES)
family.program("lstm", Sequence(), *[(fill(n, 2, 3),) for n in (5, 1, 8)])
family.program("Gated", Gated(), *SIZES)
family.program("Norm", Norm(), *DATA)
family.program("Moded", Moded(), *DATA)
family.program("Arranged", Arranged(), *[(fill(b, 6, n),) for b, n in [(2, 5), (3, 1), (1, 8)]])


@family.on(*SIZES, opset=13)
def forked_in_turns(x):
    futures: List[torch.jit.Future[torch.Tensor]] = []
    for i in range(x.size(0)):
        futures.append(torch.jit.fork(helper, x, i))
    total = x * 2
    for future in futures:
        total = total + torch.jit.wait(future)
    return total
