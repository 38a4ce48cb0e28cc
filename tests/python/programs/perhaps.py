"""Variables that are an object of a script class or None, and lists of them."""
from typing import List, Optional

import torch
from torch import Tensor, nn

from case import Family, tensor

family = Family("perhaps", opset=13)
RUNS = [(tensor(values=v),) for v in ([[1.0, 2.0], [5.0, 6.0]], [[-1.0, 3.0], [2.0, 4.0], [3.0, 3.0]],
                                      [[9.0, 0.0], [-2.0, 1.0], [-1.0, 5.0], [2.0, 2.0]], [[1.0, 1.0]])]


@torch.jit.script
class Sum:
    def __init__(self, value: Tensor, count: int):
        self.value = value
        self.count = count

    def add(self, more: Tensor) -> None:
        self.value = self.value + more
        self.count += 1

    def weighted(self) -> Tensor:
        return self.value * self.count


@family.on(*RUNS)
def made_on_one_way(x):
    held: Optional[Sum] = None
    if bool(x[0, 0] > 0):
        held = Sum(x, 3)
    if held is not None:
        held.add(x)
    result = x
    if held is not None:
        result = held.weighted()
    return result, held is None


@family.on(*RUNS)
def dropped_on_one_way(x):
    held: Optional[Sum] = Sum(x, 1)
    if bool(x[0, 0] > 0):
        held = None
    if held is None:
        return x * 9
    return held.weighted()


@family.on(*RUNS)
def begun_by_the_first_turn(x):
    held: Optional[Sum] = None
    for i in range(x.size(0)):
        if held is None:
            held = Sum(x[i], 1)
        else:
            held.add(x[i])
    assert held is not None
    return held.value, held.count


@family.on(*RUNS)
def dropped_by_a_turn(x):
    held: Optional[Sum] = Sum(x[0], 1)
    for i in range(x.size(0)):
        if bool(x[i, 0] < 0):
            held = None
        if held is not None:
            held.add(x[i])
    result = torch.zeros(2)
    if held is not None:
        result = held.weighted()
    return result


@family.on(*RUNS)
def the_best_of_a_loop(x):
    best: Optional[Sum] = None
    for i in range(x.size(0)):
        now = Sum(x[i], i)
        if best is None or bool(now.value[0] > best.value[0]):
            best = now
    assert best is not None
    return best.value, best.count


@family.on(*RUNS)
def searched_for(x):
    found: Optional[Sum] = None
    i = 0
    while found is None and i < x.size(0):
        if bool(x[i, 0] < 0):
            found = Sum(x[i], i)
        i += 1
    if found is None:
        return torch.zeros(2), -1
    return found.value, found.count


@family.on(*RUNS)
def kept_in_a_list(x):
    kept: List[Sum] = []
    for i in range(3):
        kept.append(Sum(x * i, i))
    if bool(x[0, 0] > 0):
        kept[0].add(x)
    for i, each in enumerate(kept):
        if each.count > 1:
            each.value = each.value * (2 + i)
    return kept[0].value, kept[1].count, kept[-1].weighted(), len(kept)


@family.on(*RUNS)
def one_object_in_two_places(x):
    one = Sum(x, 1)
    kept = [one, one, Sum(x, 5)]
    kept[0].add(x)
    last = kept.pop()
    kept[0] = last
    last.add(x)
    return one.count, kept[0].count, kept[1].value


def add_to_all(kept: List[Sum], row: Tensor):
    for each in kept:
        each.add(row)


@family.on(*RUNS)
def added_to_in_every_turn(x):
    kept = [Sum(x[0], 1), Sum(x[0] * 2, 2)]
    for i in range(x.size(0)):
        add_to_all(kept, x[i])
    best = kept[0]
    for each in kept:
        if bool(each.value[0] > best.value[0]):
            best = each
    return best.value, best.count


@torch.jit.script
class Held:
    def __init__(self):
        self.sums: List[Sum] = []

    def put(self, one: Sum) -> None:
        self.sums.append(one)

    def count(self) -> int:
        total = 0
        for one in self.sums:
            total += one.count
        return total


@family.on(*RUNS)
def held_by_an_object(x):
    held = Held()
    held.put(Sum(x, 1))
    held.put(Sum(x, 4))
    if bool(x[0, 0] > 0):
        held.sums[0].add(x)
    return held.count(), len(held.sums)


class Stateful(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def step(self, x, state: Optional[Sum]):
        if state is None:
            state = Sum(torch.zeros_like(x), 0)
        state.add(self.linear(x))
        return state.weighted(), state

    def forward(self, x):
        state: Optional[Sum] = None
        if bool(x[0, 0] > 0):
            state = Sum(x, 2)
        y, after = self.step(x, state)
        y, after = self.step(y, after)
        return y, after.count


family.program("Stateful", Stateful(), *RUNS)
