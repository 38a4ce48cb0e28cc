"""Lists whose items differ in form, read at dynamic indices."""
from typing import List

import torch

from case import Family, fill, number

family = Family("mixed_lists", opset=13)
RUNS = [(fill(3, 4), number(1)), (fill(3, 4), number(2)), (fill(5, 4), number(0)), (fill(3, 4), number(5))]
ON_FIVE = [(fill(3, 4), number(5)), (fill(3, 4), number(0)), (fill(4, 4), number(1)), (fill(3, 4), number(2))]


@family.on(*RUNS)
def rank_of_the_last(x, n: int):
    items = [x.sum()]
    for i in range(n - 1):
        items.append(x)
    return items[-1].dim(), len(items)


@family.on(*ON_FIVE)
def first_stays(x, n: int):
    items = [x[0]]
    for i in range(n):
        items.append(x)
    return items[-1].dim(), items[0].dim(), items[n // 2].dim()


@family.on(*RUNS)
def columns_of_the_last(x, n: int):
    items = [x[:, :1]]
    for i in range(n):
        items.append(x)
    return items[-1].size(1), items[0].size(1), torch.zeros(items[-1].shape), items[-1].reshape(-1)


@family.on(*RUNS)
def popped(x, n: int):
    items = [x[:, :2]]
    for i in range(n):
        items.append(x)
    last = items.pop()
    items.append(x[:, :3])
    items.append(x[:, 1:])
    return last.size(1), len(items), items[-3].size(1) if n > 0 else 0


@family.on(*RUNS)
def the_other_way_round(x, n: int):
    items = [x[:, :2]]
    for i in range(n):
        items.append(x)
    turned = items[::-1]
    joined = items + [x[:, :3]]
    copied = items.copy()
    items.reverse()
    return turned[0].size(1), joined[n].size(1), joined[-1].size(1), copied[-1].size(1), items[0].size(1)


@family.on(*ON_FIVE)
def joined_from_both_sides(x, n: int):
    rows = [x for _ in range(n)]
    front, back = [x[0]] + rows, rows + [x[0]]
    rows.append(x.sum())
    return front[0].dim(), front[-1].dim(), back[0].dim(), back[-1].dim(), rows[0].dim(), rows[-1].dim()


@family.on(*RUNS)
def pairs(x, n: int):
    items = [(x[0], x.sum())]
    for i in range(n):
        items.append((x, x))
    a, b = items[-1]
    return a.dim(), b.dim()


@family.on(*RUNS)
def loop_in_a_branch(x, n: int):
    items = [x[0]]
    if n > 0:
        for i in range(n):
            items.append(x)
    return items[-1].dim()


@family.on(*ON_FIVE)
def grown_from_the_last(x, n: int):
    items = [x]
    for i in range(n):
        items.append(torch.cat([items[-1], x]))
    rows = [x[:1]]
    for i in range(n):
        rows.append(x[:rows[-1].size(0) + 1])
    return items[-1], rows[-1], rows[-1].size(0)


@family.on(*ON_FIVE)
def part_from_where_a_run_says(x, n: int):
    items = [x.sum(), x[0], x]
    rest = items[n % 3:]
    return rest[0].dim(), len(rest), [x.sum(), x][n % 2].dim()


@family.on(*RUNS)
def appended_in_a_branch(x, n: int):
    items = [x.sum()]
    widths = [x[:, :1]]
    if n > 1:
        items.append(x)
        widths.append(x)
    return items[-1].dim(), items[0].dim(), widths[-1].size(1), widths[0].size(1)


@family.on(*RUNS)
def extended(x, n: int):
    items = [x[:, :1]]
    for i in range(n):
        items.append(x)
    others = [x]
    others.extend(items)
    others.append(x[:, :2])
    return others[1].size(1), others[-1].size(1), others[-2].size(1)


@family.on(*RUNS)
def lists_of_two_lengths(x, n: int):
    lists = [[x[:, :1]]]
    for i in range(n):
        lists.append([x, x])
    return len(lists[-1]), lists[-1][-1].size(1)


@family.on(*RUNS)
def every_item(x, n: int):
    items = [x[:1]]
    for i in range(n):
        items.append(x)
    total = torch.zeros(4)
    rows = 0
    for item in items:
        total = total + item.sum(0) * item.size(0)
        rows = rows * 3 + item.size(0)
    return total, rows, items[len(items) - 1].size(0)


@family.on((fill(3, 4), number(2)), (fill(3, 4), number(0)), (fill(5, 4), number(5)), (fill(1, 4), number(1)))
def of_many_ranks(x, n: int):
    items: List[torch.Tensor] = []
    for i in range(n):
        if i % 2 == 0:
            items.append(x[0])
        else:
            items.append(x)
        items.append(x.unsqueeze(0))
    items.append(x.sum())
    total = torch.zeros(())
    for item in items:
        total = total + item.sum()
    return torch.cat([item.reshape(-1) for item in items]), total, len(items)
