"""Lists of tuples of dynamic length."""
from typing import List, Optional, Tuple

import torch

from case import Family, fill

family = Family("pairs", opset=13)
ROWS = [(fill(4, 5),), (fill(1, 5),), (fill(7, 5),)]
SOME = [(fill(4, 5),), (fill(3, 5, low=1, high=2),), (fill(7, 5, low=-2, high=-1),)]


@family.on(*ROWS)
def appended_and_read(x):
    pairs: List[Tuple[torch.Tensor, int]] = []
    for i in range(x.size(0)):
        pairs.append((x[i] + i, i * 2))
    total = x[0]
    for row, weight in pairs:
        total = total + row * weight
    return total, len(pairs)


@family.on(*SOME, opset=14)
def appended_where_it_fits(x):
    pairs: List[Tuple[torch.Tensor, float]] = []
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            pairs.append((x[i], float(x[i, 0])))
    total = torch.zeros(5)
    for k in range(len(pairs)):
        total += pairs[k][0] * pairs[k][1]
    return total, len(pairs)


@family.on(*ROWS, opset=14)
def changed_in_every_way(x):
    pairs = [(x[0], 1), (x[-1], 2)]
    for i in range(x.size(0)):
        pairs.insert(0, (x[i], i))
        if i % 2 == 1:
            row, number = pairs.pop()
            pairs.append((row * 2, number + 1))
            pairs[0] = (row - 1, number - 1)
    last = pairs[-1]
    pairs.reverse()
    del pairs[0]
    more = pairs + [(x[0] * 3, 7)]
    more.extend(pairs[:1])
    total, sum_of_numbers = torch.zeros(5), 0
    for row, number in more:
        total = total * 0.5 + row
        sum_of_numbers = sum_of_numbers * 2 + number
    return total, sum_of_numbers, last[0], last[1]


@family.on(*ROWS)
def made_anew_in_each_turn(x):
    pairs: List[Tuple[torch.Tensor, torch.Tensor]] = []
    for i in range(x.size(0)):
        pairs = pairs + [(x[i], x[i] * i)]
    first, second = pairs[x.size(0) // 2]
    return first - second, pairs[0][1]


@family.on(*SOME)
def chosen_by_a_branch(x):
    pairs = [(x, 1)]
    if bool(x.sum() > 0):
        pairs = [(x + 1, 2), (x - 1, 3)]
    total = x
    for value, weight in pairs:
        total = total + value * weight
    return total


@family.on(*ROWS)
def tuples_in_tuples(x):
    nested: List[Tuple[int, Tuple[torch.Tensor, float]]] = []
    for i in range(x.size(0)):
        nested.append((i, (x[i], i * 0.5)))
    total = torch.zeros(5)
    for i, (row, scale) in nested:
        total = total + row * scale + i
    return total


@family.on(*ROWS)
def of_known_length(x):
    pairs: List[Tuple[torch.Tensor, int]] = []
    for i in range(3):
        pairs.append((x * i, i))
    best = x
    for value, number in pairs:
        if number == 2:
            best = value
    return best, pairs[1]


@family.on(*ROWS)
def added_in_place(x):
    pairs = [(x, x * 2)]
    pairs += [(x + 1, x * 3)]
    some: List[Tuple[torch.Tensor, torch.Tensor]] = []
    for i in range(x.size(0)):
        some += [(x[i], x[i] * i)]
    return torch.stack([pair[0] for pair in some]), [pair[1] for pair in pairs], len(some)
