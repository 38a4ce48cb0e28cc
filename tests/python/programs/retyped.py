"""Values whose dtype or rank depends on the branch or changes in a loop."""
from typing import List

import torch

from case import Family, fill, number, whole

family = Family("retyped", opset=11)
UP, DOWN = fill(2, 3, low=1, high=2), fill(4, 3, low=-2, high=-1)
DATA = [(UP,), (DOWN,), (fill(1, 3),)]
TURNS = [(fill(3, 3), number(3)), (fill(3, 3), number(1)), (fill(3, 3), number(5))]
MAY_BE_NONE = [*TURNS, (fill(3, 3), number(0))]


@family.on(*DATA)
def read_as_float(x):
    y = x if bool(x.sum() > 0) else x.double()
    z = y * 2 + 1
    return z.float(), z.sum().float(), y.size(0)


@family.on(*DATA)
def whole_on_one_way(x):
    y = x * 1.5
    if bool(x.sum() > 0):
        y = y.long()
    for i in range(x.size(0)):
        y = y + i
    return y.float()


@family.on(*DATA)
def branch_after_branch(x):
    y = x
    if bool(x.sum() > 0):
        y = x.long()
    if bool(x.sum() > 4):
        y = y * 2
    else:
        y = y // 2
    return (y * 1.5).mean()


@family.on(*DATA)
def number_of_two_dtypes(x):
    y = torch.tensor(1) if bool(x.sum() > 0) else torch.tensor(1.5)
    return x * y


@family.on(*DATA)
def summed_from_a_whole_number(x):
    total = torch.tensor(7)
    for i in range(x.size(0)):
        total = total // 2 + x[i].sum()
    return total


@family.on(*MAY_BE_NONE)
def read_behind_no_turn(x, n: int):
    total = torch.zeros(3, dtype=torch.int64)
    for i in range(n):
        total = total + 0.5 * i + x[0]
    return total.double() * 2


@family.on(*TURNS)
def while_it_grows(x, n: int):
    total = torch.tensor(7)
    k = 0
    while k < n:
        total = total * x.mean()
        k += 1
    return total, k


DEEP = [(fill(3, 2, 4, 5), whole(1)), (fill(2, 6, 4, 5), whole(3)), (fill(1, 1, 4, 5), whole(0))]


@family.on(*DEEP)
def fewer_axes_a_turn(x, n):
    y = x
    while y.dim() > 2:
        y = y[0]
    z = x
    for i in range(10):
        if z.dim() == 2:
            break
        z = z.flatten(-2)
    return y, z, z.size(1)


@family.on(*DEEP)
def written_a_turn(x, n):
    whole = x.clone()
    y = whole
    while y.dim() > 2:
        y = y[0]
        y.add_(1)
    return whole, y


@family.on(*DEEP)
def fewer_axes_in_turns_of_another_loop(x, n):
    total = x.sum()
    for i in range(int(n)):
        y = x
        while y.dim() > 1:
            y = y.mean(0)
            total = total + y.sum() * i
    y = x
    for i in range(3):
        while y.dim() > 3 - i:
            y = y.amax(-1)
            total = total + y.sum() * (i + 1)
    return total, y


@family.on(*DEEP)
def halved_a_turn(x, n):
    y = x
    while y.size(3) > 1:
        y = y[..., ::2] + y.size(3)
    sizes: List[int] = []
    z = x
    while z.dim() > 1:
        sizes.append(z.size(-1))
        z = z[..., 0]
    return y, y.size(0), len(sizes), sizes[0]
