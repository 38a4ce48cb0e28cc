"""Writes to pieces of dynamic axes."""
from typing import List

import torch

from case import Family, fill, number, whole

family = Family("pieces", opset=11)
# Sizes with and without a remainder, the smallest with two pieces, and rows of size 1 and 0.
SIZES = [(fill(3, 6),), (fill(2, 8),), (fill(1, 2),), (fill(4, 7),), (fill(3, 3),), (fill(0, 9),)]
EVEN = [(fill(2, 6),), (fill(4, 4),), (fill(6, 2),)]


@family.on(*SIZES)
def chunks(x):
    y = x.clone()
    first, second = y.chunk(2, -1)
    first.mul_(2)
    second += first.sum()
    return y, second * 3


@family.on(*SIZES)
def halves(x):
    y = x.clone()
    n = y.size(1) // 2
    parts = y.split(n, 1)
    parts[0].add_(1)
    parts[-1].mul_(2)
    return y, parts[1]


@family.on(*SIZES)
def named_sizes(x):
    y = x.clone()
    n = y.size(1) // 2
    first, second = y.split([n, y.size(1) - n], 1)
    second.sub_(4)
    first.copy_(first.flip(0))
    return y


@family.on(*SIZES)
def sections(x):
    y = x.clone()
    parts = torch.tensor_split(y, 3, 1)
    parts[0].add_(1)
    parts[2].mul_(2)
    parts[1].sub_(5)
    return y


@family.on(*SIZES)
def sections_between(x):
    y = x.clone()
    n = y.size(1) // 2
    a, b, c, d = torch.tensor_split(y, [n + 1, n, -1], 1)
    a += 1
    b *= 3
    c -= 2
    d *= 7
    return y


@family.on(*EVEN)
def equal_sections(x):
    y = x.clone()
    left, right = torch.hsplit(y, 2)
    upper, lower = torch.vsplit(y, 2)
    left += 1
    lower.mul_(2)
    return y, right, upper


@family.on(*SIZES)
def one_after_another(x):
    y = x.clone()
    for p in y.split(2, 1):
        p *= 2
        p += y.sum()
    return y


@family.on(*SIZES)
def one_after_another_of_sizes(x):
    y = x.clone()
    n = y.size(1) // 2
    k = 1
    for p in y.split([n, y.size(1) - n], 1):
        k += 1
        p.mul_(k)
    for p in torch.tensor_split(y, [n, n + 1], 1):
        k += 1
        p.mul_(k)
    return y


@family.on(*SIZES)
def sizes_of_any_length(x):
    y = x.clone()
    sizes: List[int] = [0]
    for i in range(y.size(1)):
        sizes.append(1)
    parts = y.split(sizes, 1)
    parts[1].mul_(4)
    parts[-1].add_(3)
    return y


@family.on(*SIZES)
def rows(x):
    y = x.clone()
    for i, row in enumerate(y.unbind(0)):
        row.mul_(i + 2)
    return y


@family.on(*SIZES)
def from_the_end(x):
    y = x.clone()
    parts = y.split(2, 1)
    for i in range(len(parts)):
        parts[-1 - i].mul_(i + 1)
        parts[-1].add_(1)
    return y, parts[0]


@family.on(*SIZES)
def pieces_of_pieces(x):
    y = x.clone()
    a, b = y.t().chunk(2, 0)
    c, d = torch.tensor_split(b, 2, 1)
    d.mul_(3)
    y.add_(1)
    a.zero_()
    c.sub_(b.sum())
    return y, a, b, c, d


@family.on(*SIZES)
def overlapping(x):
    y = x.clone()
    a, b = y.chunk(2, 1)
    pairs = y.split(2, 1)
    pairs[0].mul_(3)
    a.add_(1)
    pairs[-1].mul_(5)
    b.sub_(2)
    return y, a, b


@family.on(*SIZES)
def by_a_branch(x):
    y = x.clone()
    parts = torch.tensor_split(y, 3, 1)
    k = 0
    if y.size(1) % 2 == 0:
        k = 1
    parts[k].mul_(3)
    if bool(y.sum() > 0):
        parts[k - 2].add_(1)
    return y, parts[k]


@family.on((fill(3, 6), number(2), number(1)), (fill(2, 8), number(3), number(0)), (fill(4, 7), number(7), number(6)), (fill(2, 2), number(1), number(-1)), (fill(2, 9), number(4), number(-3)))
def of_numbers(x, count: int, place: int):
    y = x.clone()
    y.chunk(count, 1)[place].add_(10)
    torch.tensor_split(y, count, -1)[place].mul_(2)
    return y


# One row, and more than three.
ROWS = [(fill(3, 4),), (fill(2, 4),), (fill(1, 4),), (fill(7, 4),)]


@family.on(*ROWS)
def rows_read_in_branches(x):
    rows = x.unbind(0)
    y = rows[0]
    if x.size(0) > 2:
        y = y + rows[2] * rows[1]
        if x.size(0) > 6:
            y = y - rows[6]
    if len(rows) == 2:
        a, b = rows
        y = y * a - b
    return y


@family.on(*ROWS)
def rows_read_in_turns(x):
    rows = x.unbind(0)
    y = rows[0]
    for i in range(x.size(0) // 3):
        y = y + rows[2] * i
    return y


@family.on((fill(6, 4), whole([1, 2, 3])), (fill(6, 4), whole([4, 2])), (fill(6, 4), whole([6])))
def lengths_read_in_branches(x, lengths):
    counts: List[int] = lengths.tolist()
    parts = x.split(counts, 0)
    y = parts[0].sum(0)
    if len(parts) > 2:
        y = y + parts[2].sum(0)
    if len(parts) == 2:
        a, b = parts
        y = y * a.sum(0) - b.sum(0)
    return y


@family.on(*SIZES)
def gathered(x):
    y = x.clone()
    rows = [row for row in y]
    again = [row for row in rows]
    columns = [y[:, i] for i in range(y.size(1))]
    for row in again:
        row[0:1].mul_(2)
        row.add_(1)
    columns[y.size(0) % 2].sub_(3)
    total = y.sum()
    for column in columns:
        total = total * 2 + column.sum()
    return y, total, len(rows)


@family.on(*SIZES)
def in_a_list_of_its_own(x):
    y = x.clone()
    parts = list(y.split(2, 1))
    for i in range(len(parts)):
        if i % 2 == x.size(0) % 2:
            parts[i].add_(i + 1)
    parts[-1].mul_(2)
    return y, parts[0]


@family.on(*SIZES[:5])
def gathered_in_turns(x):
    y = x.clone()
    for i in range(2):
        rows = [row for row in y]
        rows[i % len(rows)].mul_(3)
        y = y + rows[0]
        rows[-1].add_(1)
    return y


@family.on(*SIZES)
def gathered_behind_a_change(x):
    y = x.clone()
    rows = [row for row in y]
    count = len(rows)
    rows.append(x.sum(0))
    few: List[torch.Tensor] = []
    for i in range(count):
        few.append(rows[i])
    return torch.stack(rows), len(few)
