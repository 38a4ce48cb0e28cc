"""Lists that loops lengthen and shorten, and that later turns ask for their length or for sizes in them."""
from typing import Dict, List

import torch

from case import Family, fill

family = Family("growing", opset=13)
SIZES = [(fill(3, 4),), (fill(10, 4),), (fill(1, 4),)]


@family.on(*SIZES)
def popped_while_long(x):
    rows = [x[0].clone(), x[-1] * 2, x[0] + 1, x[0] + 2, x[0] + 3, x[0] + 4, x[0] + 6]
    for i in range(x.size(0)):
        if len(rows) > 4:
            rows.pop()
    return torch.stack(rows), len(rows)


@family.on(*SIZES)
def popped_in_nested_loop(x):
    rows = [x[0].clone(), x[-1] * 2, x[0] + 1, x[0] + 2, x[0] + 3, x[0] + 4, x[0] + 6]
    for i in range(x.size(0)):
        for j in range(2):
            if len(rows) > 1:
                rows.pop(0)
    return torch.stack(rows), x


@family.on(*SIZES)
def numbers_popped(x):
    numbers = [1, 2, 3, 4, 5, 6, 7]
    for i in range(x.size(0)):
        if len(numbers) > 4:
            numbers.pop()
    return torch.tensor(numbers)


@family.on(*SIZES)
def appended_while_short(x):
    rows = [x[0].clone(), x[-1] * 2]
    for i in range(x.size(0)):
        if len(rows) < 6:
            rows.append(x[i])
    return torch.stack(rows), len(rows)


@family.on(*SIZES)
def first_item_grows(x):
    rows = [x[0], x[-1] * 2]
    for i in range(x.size(0)):
        rows[0] = torch.cat([rows[0], x[i]])
        if rows[0].size(0) > 20:
            rows[1] = rows[1] + 1
    return rows[0], rows[1]


@family.on(*SIZES)
def left_at_a_length(x):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(rows) == 5:
            break
        rows.append(x[i])
    return torch.stack(rows)


@family.on(*SIZES)
def first_dropped_of_many(x):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(rows) >= 5:
            rows = rows[1:]
        rows.append(x[i])
    return torch.stack(rows)


@family.on(*SIZES)
def until_a_length(x):
    rows = [x[0]]
    skipped = 0
    while len(rows) < x.size(0):
        if len(rows) >= 5:
            skipped += 1
        rows.append(x[skipped])
    return torch.stack(rows), skipped


@family.on(*SIZES)
def begun_anew(x):
    rows: List[torch.Tensor] = []
    sums: List[torch.Tensor] = []
    for i in range(x.size(0)):
        rows.append(x[i])
        if len(rows) == 4:
            sums.append(torch.stack(rows).sum(0))
            rows = rows[:0]
    if len(rows) > 0:
        sums.append(torch.stack(rows).sum(0))
    return torch.stack(sums)


@family.on(*SIZES)
def cleared(x):
    rows: List[torch.Tensor] = []
    sums: List[torch.Tensor] = []
    for i in range(x.size(0)):
        rows.append(x[i])
        if len(rows) == 4:
            sums.append(torch.stack(rows).sum(0))
            rows.clear()
    if len(rows) > 0:
        sums.append(torch.stack(rows).sum(0))
    return torch.stack(sums)


@family.on(*SIZES)
def last_five(x):
    window = [torch.zeros(4), torch.zeros(4), torch.zeros(4)]
    total = torch.zeros(4)
    for i in range(x.size(0)):
        window.append(x[i])
        if len(window) > 5:
            window.pop(0)
        total = total + torch.stack(window).mean(0)
    return total, len(window)


@family.on(*SIZES)
def lists_in_a_dict(x):
    parts: Dict[str, List[torch.Tensor]] = {"few": [x[0]], "more": [x[0]]}
    for i in range(x.size(0)):
        if len(parts["few"]) < 4:
            parts["few"].append(x[i])
        else:
            parts["more"].append(x[i])
    return torch.stack(parts["few"]), torch.stack(parts["more"])
