"""Lists to which a loop only appends numbers or tensors of one shape: they need no loop-carried sequence."""
from typing import List

import torch
from torch import Tensor

from case import Family, fill, number

family = Family("collected", opset=11)
X = fill(2, 3)
TURNS = [(X, number(3)), (fill(4, 2), number(1)), (fill(1, 5), number(6))]
MAY_BE_EMPTY = [*TURNS, (X, number(0))]


@family.on(*TURNS)
def read_in_every_way(x, n: int):
    items: List[Tensor] = []
    for i in range(n):
        items.append(x * i)
    return (torch.stack(items), torch.stack(items, 1), torch.stack(items, -1), torch.cat(items), torch.cat(items, 1),
            items[0], items[-1], items[1 % n])


@family.on(*MAY_BE_EMPTY)
def returned(x, n: int):
    items: List[Tensor] = []
    for i in range(n):
        items.append(x + i)
    return items, len(items)


@family.on((X, number(3)), (X, number(1)), (X, number(6)))
def two_a_turn_behind_another(x, n: int):
    items = [x]
    for i in range(n):
        items.append(x * i)
        items += [x + i]
    return torch.stack(items), items


@family.on(*TURNS)
def left_early(x, n: int):
    items: List[Tensor] = []
    h = x
    for i in range(n):
        h = h * 2
        items.append(h)
        if bool(h.sum().abs() > 30):
            break
    return torch.stack(items, 2), h


@family.on(*MAY_BE_EMPTY)
def counted_while(x, n: int):
    items = [x]
    k = 0
    while k < n:
        items.append(x * k)
        k += 1
    items.append(x)
    return items, torch.stack(items)


@family.on(*TURNS)
def of_integers(x, n: int):
    items: List[Tensor] = []
    scalars: List[Tensor] = []
    for i in range(n):
        items.append((x > i).long())
        scalars.append(x.sum() * i)
    return torch.stack(items), torch.stack(scalars)


@family.on((X, number(1)), (fill(0, 3), number(2)), (fill(5, 3), number(4)), opset=14)
def of_no_rows(x, n: int):
    items: List[Tensor] = []
    for i in range(n):
        items.append(x * i)
        items.append(x - i)
    return torch.stack(items), len(items)


@family.on(*TURNS, opset=13)
def of_bools(x, n: int):
    items: List[Tensor] = []
    for i in range(n):
        items.append(x > i)
    return torch.stack(items), len(items)


@family.on(*TURNS, opset=13)
def growing(x, n: int):
    items: List[Tensor] = []
    h = x
    for _ in range(n):
        h = torch.cat([h, x])
        items.append(h)
    return torch.cat(items), items[-1]


@family.on(*TURNS, opset=13)
def in_loops_inside_each_other(x, n: int):
    items: List[Tensor] = []
    for i in range(n):
        rows: List[Tensor] = []
        for j in range(x.size(0)):
            rows.append(x[j] + i)
        items.append(torch.stack(rows))
    return torch.stack(items)


# The loop carries no value.
@family.on(*TURNS, opset=7)
def numbers_only(x, n: int):
    items: List[int] = []
    halves: List[float] = []
    even: List[bool] = []
    for i in range(n):
        items.append(i * 2)
        halves.append(i * 0.5)
        even.append(i % 2 == 0)
    return torch.tensor(items) + x.size(0), halves, even, len(items)


@family.on(*TURNS, opset=7)
def lengths_of_numbers(x, n: int):
    items: List[int] = []
    for i in range(n):
        inner: List[int] = []
        for j in range(i):
            inner.append(j)
        items.append(len(inner))
        if i > 3:
            break
    return items


# As long as the sizes say.
ROWS = [(fill(3, 4),), (fill(1, 4),), (fill(9, 4),), (fill(2, 4),)]


@family.on(*ROWS)
def one_a_row(x):
    items: List[Tensor] = []
    for row in x:
        items.append(row * 2)
    return torch.stack(items), torch.cat(items), torch.zeros(len(items), 2), torch.stack(items).reshape(x.size(0), 4) + x


@family.on(*ROWS)
def fewer_and_more_than_rows(x):
    items, more = [x[0]], [x[0].sum()]
    for i in range(x.size(0) - 2):
        items.append(x[i])
    for i in range(2 * x.size(0) + 1):
        more.append(x.sum())
        more.append(x.max())
    return torch.stack(items), torch.stack(more)


@family.on(*ROWS, opset=13)
def as_many_again(x):
    items: List[Tensor] = []
    for i in range(x.size(0)):
        items.append(x[i])
    for i in range(len(items)):
        items.append(items[i] * 2)
    return torch.stack(items), len(items)


@family.on(*ROWS, opset=13)
def parts_that_differ(x):
    items: List[Tensor] = []
    for i in range(x.size(0)):
        items.append(x[i:])
        items.append(x[:1])
    return torch.cat(items), len(items)


@family.on(*ROWS, opset=13)
def what_grows_itself(x):
    items: List[Tensor] = []
    y = x
    for i in range(x.size(0)):
        y = torch.cat([y, x[:1]])
        items.append(y)
    return torch.cat(items), y


@family.on(*ROWS)
def steps_and_halves(x):
    items, others = [x[0]], [x[0]]
    for i in range(1, x.size(0), 3):
        items.append(x[i])
    for i in range(x.size(0) // 2):
        others.append(x[i])
    return torch.stack(items), torch.stack(others)


@family.on(*[(fill(n, 4), fill(m, 4)) for n, m in ((3, 2), (1, 4), (5, 5), (2, 7))], opset=13)
def of_two_sizes(x, y):
    sums, rows, more = [x[0]], [x[0]], [x[0]]
    for i in range(x.size(0)):
        for j in range(y.size(0)):
            sums.append(x[i] + y[j])
    for a, b in zip(x, y):
        rows.append(a - b)
    for i in range(x.size(0) - y.size(0)):
        more.append(x[i])
    return torch.stack(sums), torch.stack(rows), torch.stack(more)


@family.on(*ROWS)
def lengthened_on_every_way(x):
    items, others = [x[0]], [x[0].sum()]
    for row in x:
        if bool(row.sum() > 0):
            items.append(row)
            items.append(row * 2)
        elif bool(row.sum() > -1):
            items.append(row * 3)
            items.append(row * 4)
        else:
            items += [row * 5, row * 6]
        if bool(row.max() > 0):
            others.append(row.max())
        else:
            others.append(row.min())
    return torch.stack(items), torch.cat(items), torch.hstack(others), torch.vstack(items), len(items)


@family.on(*ROWS)
def joined_along_every_axis(x):
    items, empty = [x[:1].unsqueeze(-1)], [x[:, :0]]
    for row in x:
        items.append(row.unsqueeze(0).unsqueeze(-1))
        empty.append(x[:, :0])
    return torch.cat(items), torch.cat(items, 1), torch.cat(items, 2), torch.cat(items, -2), torch.cat(empty), torch.cat(empty, 1)


@family.on(*ROWS)
def numbers(x):
    whole, real, truth = [7], [0.5], [True]
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            whole.append(i)
        else:
            whole.append(-i)
        real.append(float(x[i].sum()))
        real.append(i * 0.5)
        truth.append(bool(x[i].max() > 0))
    return torch.tensor(whole), torch.tensor(real), torch.tensor(truth), whole, whole[-1], len(real), sum(whole)


@family.on(*ROWS)
def numbers_until_a_break(x):
    whole = [7]
    for i in range(x.size(0)):
        whole.append(i * 2)
        if bool(x[i].sum() > 1):
            break
    whole.append(3)
    return torch.tensor(whole), whole[1], whole[-2]


@family.on(*[(fill(n, 4),) for n in (3, 2, 5, 9)], opset=13)
def windows(x):
    items, pairs = [x[:2]], [x[:2]]
    for i in range(x.size(0) - 1):
        items.append(x[i : i + 2])
    for i in range(x.size(0) // 2):
        pairs.append(x[2 * i : 2 * i + 2])
    again: List[Tensor] = []
    for item in items:
        again.append(item)
    return torch.stack(items), torch.stack(pairs), torch.stack(again), torch.cat(items, 1)


family.program("windows.of_two", windows, *[(fill(n, 4),) for n in (2, 3, 7)], opset=13)
