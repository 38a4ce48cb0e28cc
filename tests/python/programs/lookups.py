"""Dicts read by dynamic keys, and queries of lists of numbers of dynamic length."""
from typing import Dict, List

import torch

from case import Family, fill, number, tensor

family = Family("lookups", opset=11)
KEYS = [(fill(4, 5), number(1)), (fill(1, 5), number(0)), (fill(7, 5), number(2))]
MAYBE = [(fill(4, 5), number(1)), (fill(1, 5), number(0)), (fill(7, 5), number(5))]
COLUMNS = [(fill(4, 5),), (fill(1, 5),), (fill(7, 5),)]
COUNTS = [(fill(3, 4), tensor(values=[1, 0, 2], dtype=torch.int64)), (fill(1, 4), tensor(values=[3], dtype=torch.int64)),
          (fill(2, 4), tensor(values=[0, 4], dtype=torch.int64))]


@family.on(*KEYS)
def by_key(x, k: int):
    d = {0: x, 1: x * 2, 2: x[:, :3]}
    return d[k]


@family.on((fill(4, 5), number(1)), (fill(1, 5), number(0)), (fill(7, 5), number(-1)))
def tuple_by_index(x, k: int):
    t, weights = (x, x * 2, x[:1]), (0.5, 1.5, 2.5)
    pairs = ((x, 1), (x + 1, 2), (x * 3, 3))
    y, n = pairs[k]
    return t[k] * weights[k], y * n, ([x, x], [x + 5], [x[:1]])[k][0]


@family.on(*MAYBE)
def where_it_is(x, k: int):
    d = {0: x, 1: x * 2}
    if k in d:
        return d[k]
    return x * 7


@family.on(*MAYBE)
def with_default(x, k: int):
    d = {0: 1.5, 1: 2.5}
    return x * d.get(k, 9.0)


@family.on(*COLUMNS)
def by_truth(x):
    d = {True: x + 1, False: x - 1}
    return d[bool(x.sum() > 0)]


@family.on((fill(4, 5), number(1)), (fill(1, 5), number(0)), (fill(7, 5), number(1)))
def copied_and_changed(x, k: int):
    d = {0: x, 1: x * 2}
    e = d.copy()
    e[0] = x + 5
    return d[k], e[k], d[0]


@family.on(*COLUMNS)
def in_loop(x):
    weights: Dict[int, float] = {0: 0.5, 1: 2.0, 2: -1.0}
    total = torch.zeros(5)
    for i in range(x.size(0)):
        total = total + x[i] * weights[i % 3]
    return total


@family.on(*COLUMNS)
def of_floats(x):
    values: List[float] = []
    for i in range(x.size(0)):
        values.append(float(x[i, 0]) * 0.5)
    return sum(values), max(values), min(values), 0.25 in values, values[0] in values


@family.on(*COLUMNS)
def of_whole_numbers(x):
    values: List[int] = []
    for i in range(x.size(0)):
        values.append(i * i - 3)
    return sum(values), max(values), min(values), 6 in values, 5 in values


@family.on(*COUNTS)
def positions_repeated(x, n):
    i = torch.repeat_interleave(n)
    return i, x[i]


@family.on(*MAYBE)
def constants_of_columns(x, k: int):
    columns = [x[:, 0], x[:, 1], x[:, 2]]
    total = torch.zeros(x.size(0))
    for i, (column, weight) in enumerate(zip(columns, [1.0, 2.0, 3.5])):
        if i == k:
            continue
        total = total + column * weight
    return total


@family.on(*KEYS)
def constant_at_a_place(x, k: int):
    scales = [0.5, 2.0, 4.0]
    flags = [True, False, True]
    return x * scales[k - 1], flags[k], scales[-k]


@family.on(*MAYBE, opset=13)
def one_of_forty_keys(x, k: int):
    d = {i: x * i for i in range(40)}
    counts = {i: [i] for i in range(40)}
    counts[k * 3].append(k)
    d[k * 7] += 1
    return d[k * 7], d[k + 30], counts[k * 3], len(counts[k])


@family.on(*MAYBE)
def one_of_forty_lists(x, k: int):
    lists = [[x * i, x + i] for i in range(40)]
    return lists[k * 7][0] + lists[-k - 1][k % 2]
