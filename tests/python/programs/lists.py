"""Lists of tensors of dynamic length."""
from typing import List

import torch

from case import Family, fill, tensor, whole

family = Family("lists", opset=14)
X = fill(2, 3)
TURNS = [(X, whole(3)), (X, whole(1)), (X, whole(6))]
MAY_BE_EMPTY = [*TURNS, (X, whole(0))]
SIZES = [(fill(3, 4),), (fill(1, 4),), (fill(6, 4),)]


def append_and_stack(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items.append(x + i)
    return torch.stack(items)


def append_and_cat(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items.append(x[:1] * i)
    return torch.cat(items)


def append_to_first(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(items[-1] * 2)
    return torch.stack(items, 1)


def append_plus(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items += [x + i]
    return torch.cat(items, 1)


def length(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(x)
    return x * len(items)


def last(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(x * i)
    return items[-1] + items[0]


def read_in_second_loop(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items.append(x + i)
    total = torch.zeros(2, 3)
    for item in items:
        total = total * 2 + item
    return total


def sizes_differ(x, n):
    items = [x[0]]
    for i in range(int(n)):
        items.append(torch.cat([items[-1], x[1]]))
    return torch.cat(items)


def append_in_branch(x, n):
    items = [x]
    for i in range(int(n)):
        if i % 2 == 0:
            items.append(x * i)
    return torch.stack(items)


def branch_gives_lengths(x, n):
    items = [x]
    if int(n) > 2:
        items.append(x + 1)
    return torch.cat(items)


def outputs_of_cell(x):
    h = torch.zeros(4)
    outputs: List[torch.Tensor] = []
    for i in range(x.size(0)):
        h = torch.tanh(h + x[i])
        outputs.append(h)
    return torch.stack(outputs), h


def rows_reversed(x):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        rows.append(x[x.size(0) - 1 - i])
    return torch.stack(rows, 0)


def unbound(x):
    total = torch.zeros(4)
    for row in x.unbind(0):
        total = total + row.abs()
    return total


def numbers_appended(x, n):
    numbers: List[int] = []
    for i in range(int(n)):
        numbers.append(i * i)
    return torch.tensor(numbers) + 1


def item_replaced(x, n):
    items = [x, x + 1, x + 2]
    for i in range(int(n)):
        items[i % 3] = items[(i + 1) % 3] * 2
    return torch.stack(items)


def comprehension(x):
    return torch.stack([row * 2 for row in x])


for function in (append_and_stack, append_and_cat, append_plus, read_in_second_loop):
    family.program(function.__name__, function, *TURNS)
for function in (append_to_first, length, last, sizes_differ, append_in_branch, branch_gives_lengths, item_replaced):
    family.program(function.__name__, function, *MAY_BE_EMPTY)
for function in (outputs_of_cell, rows_reversed, unbound, comprehension):
    family.program(function.__name__, function, *SIZES)
family.program("numbers_appended", numbers_appended, *TURNS)


@family.on(*SIZES)
def numbers_of_tensor_in_loop(x):
    places: List[int] = x.argmax(1).tolist()
    total = torch.zeros(4)
    for place in places:
        total = total * 2 + place
    return total, len(places)


@family.on(*SIZES, opset=11)
def numbers_seen(x):
    seen: List[int] = []
    for i in range(x.size(0)):
        place = int(x[i].argmax())
        if place not in seen:
            seen.append(place)
    return len(seen), torch.tensor(seen, dtype=torch.int64)


LENGTHS = [(fill(3, 6), tensor(values=[6, 2, 4], dtype=torch.int64)), (fill(1, 4), tensor(values=[3], dtype=torch.int64)),
           (fill(5, 9), tensor(values=[1, 9, 4, 4, 2], dtype=torch.int64))]


@family.on(*LENGTHS)
def sizes_of_cut_rows(x, lengths):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        rows.append(x[i, : int(lengths[i])])
    padded = torch.full((x.size(0), 9), -1.0)
    longest = 0
    for i, row in enumerate(rows):
        longest = max(longest, row.size(0))
        padded[i, : row.size(0)] = row
    return padded, longest, rows[0].size(0)


@family.on(*LENGTHS)
def numbers_as_bounds(x, lengths):
    ends: List[int] = []
    for i in range(x.size(0)):
        ends.append(int(lengths[i]))
    total = 0
    for i, end in enumerate(ends):
        total = total * 10 + x[i, :end].size(0)
    return total, x[0, : ends[0]].size(0)


@family.on(*MAY_BE_EMPTY)
def cut_from_either_end(x, n: int):
    items, numbers = [x], [7]
    for i in range(n):
        items.append(x * i)
        numbers.append(i)
    first, last, inner, few = items[:3], items[-3:], items[1:3], numbers[:3]
    return (torch.stack(first), torch.stack(last), torch.stack(inner + [x]), torch.tensor(few), torch.tensor(numbers[-2:]),
            len(first), len(last), len(inner), len(few), first[-1], last[0], few[-1], torch.stack(items[:1]), numbers[:1])


@family.on(*SIZES)
def rows_changed_by_index(x):
    y = x * 2
    rows = list(y.unbind(0))
    for i in range(len(rows)):
        rows[i] += float(i)
    return torch.stack(rows), y


@family.on(*SIZES)
def rows_of_a_view_changed_by_index(x):
    y = x * 2
    rows = list(y[:, 1:].unbind(0))
    for i in range(len(rows)):
        rows[i].mul_(i + 1)
        rows[i] -= y[0, 1:]
    return y, rows[0], len(rows)


@family.on(*SIZES)
def columns_changed_by_index(x):
    y = x * 2
    columns = list(y.unbind(1))
    for i in range(len(columns)):
        columns[i] *= columns[0]
    return torch.stack(columns, 1), y
