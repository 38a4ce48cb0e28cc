"""Lists of lists with a dynamic index, for writes and reads."""
from typing import List

import torch

from case import Family, fill, number

family = Family("buckets", opset=13)
ROWS = [(fill(4, 6), number(2)), (fill(4, 6), number(0)), (fill(1, 6), number(1)), (fill(9, 6), number(5)),
        (fill(4, 6), number(7))]


@family.on(*ROWS)
def of_numbers(x, k: int):
    found = [torch.jit.annotate(List[int], []) for _ in range(3)]
    for i in range(k):
        found[i % 3].append(i * i)
    return len(found[0]), len(found[1]), sum(found[2])


@family.on(*ROWS)
def of_tensors(x, k: int):
    found = [torch.jit.annotate(List[torch.Tensor], []) for _ in range(3)]
    for i in range(k):
        found[i % 3].append(x[i % x.size(0)])
    return found[0], len(found[1]), len(found[2])


@family.on(*ROWS)
def table_filled(x, k: int):
    table = [[0] * 5 for _ in range(5)]
    for i in range(1, 5):
        for j in range(1, 5):
            if (i * k) % 3 == j % 3:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return torch.tensor(table), table[4][4], table[k % 5][k % 3]


@family.on(*ROWS)
def table_changed(x, k: int):
    table = [[0, 0, 0] for _ in range(3)]
    for i in range(k):
        table[i % 3][(i * 2) % 3] += i
    return torch.tensor(table[0]), table[1][2], len(table)


@family.on(*ROWS)
def one_list_twice(x, k: int):
    row = [0, 0]
    table = [row for _ in range(2)]
    table[k % 2][0] = 5
    return table[0][0], table[1][0], row[0]


@family.on(*ROWS)
def only_read(x, k: int):
    numbers = [[1, 2], [3], [4, 5, 6]]
    rows = [[x, x + 1], [x * 2]]
    total = 0
    for i in range(k):
        for value in numbers[i % 3]:
            total = total * 2 + value
    return torch.tensor(numbers[k % 3]), len(rows[k % 2]), rows[k % 2][0], sum(numbers[(k + 1) % 3]), total


@family.on(*ROWS)
def walk_of_a_graph(x, k: int):
    edges: List[List[int]] = [[1, 2], [3], [3], [4], [0]]
    seen = [False] * 5
    waiting = [k % 5]
    order: List[int] = []
    while len(waiting) > 0:
        node = waiting.pop(0)
        if seen[node]:
            continue
        seen[node] = True
        order.append(node)
        for other in edges[node]:
            waiting.append(other)
    return torch.tensor(order)


@family.on(*ROWS)
def removed(x, k: int):
    numbers = [i * 2 for i in range(k)]
    numbers.append(7)
    numbers.remove(7)
    floats = [0.5]
    for i in range(k):
        floats.append(i * 0.5)
    floats.remove(0.5)
    several = [1, 2, 1]
    if k > 1:
        several.append(1)
    several.remove(1)
    return len(numbers), sum(floats), len(floats), torch.tensor(several)


PLACES = [(fill(4, 3), number(1)), (fill(6, 3), number(0)), (fill(3, 3), number(2)), (fill(5, 3), number(4))]


@family.on(*PLACES)
def places_of_tensors(x, k: int):
    wanted = x[k % x.size(0), 0]
    firsts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        firsts.append(x[i, 0])
    none: List[torch.Tensor] = []
    for i in range(k - 1):
        none.append(x[0, :1])
    return firsts.index(wanted), firsts.count(wanted), none.count(x[0, :1]), [x[0, 0], x[1, 1], wanted].index(wanted)


@family.on(*PLACES)
def removed_tensors(x, k: int):
    firsts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        firsts.append(x[i, :1])
    firsts[0] = firsts[0] + 1
    firsts.remove(x[1, :1])
    if k > 1:
        firsts.remove(x[0, 0] + 1)
    return torch.cat(firsts) * 2, len(firsts)


@family.on(*ROWS)
def of_forty_lists(x, k: int):
    found = [torch.jit.annotate(List[torch.Tensor], []) for _ in range(40)]
    for i in range(k):
        row = x[i % x.size(0)] + i
        found[i * 7 % 40].append(row)
        row.mul_(2)
    return found[0], found[28], len(found[39])


@family.on(*ROWS)
def of_sixty_tensors(x, k: int):
    sums = [x[0].clone() for _ in range(60)]
    for i in range(k):
        sums[-i - 1].add_(i)
    return torch.stack(sums)
