"""Lists that start empty, whose items depend on earlier ones, with dynamic sizes only."""
from typing import List

import torch

from case import Family, fill

family = Family("begun_empty", opset=13)
SIZES = [(fill(6, 3, 4),), (fill(1, 5, 2),), (fill(9, 2, 3),), (fill(2, 4, 1),)]


@family.on(*SIZES)
def sums_so_far(x):
    sums: List[torch.Tensor] = []
    twice = x[0]
    for i in range(x.size(0)):
        if len(sums) == 0:
            sums.append(x[i])
        else:
            sums.append(sums[-1] + x[i])
            twice = sums[-1] * 2
    return sums, twice


@family.on(*SIZES)
def items_grow(x):
    parts: List[torch.Tensor] = []
    last = x[0]
    for i in range(x.size(0)):
        if len(parts) == 0:
            parts.append(x[i])
        else:
            parts.append(torch.cat([parts[-1], x[i]]))
            last = parts[-1] * 2
    return last


@family.on(*SIZES)
def later_items_are_cut(x):
    parts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(parts) == 0:
            parts.append(x[i])
        elif len(parts) == 3:
            parts.append(parts[-1][:, :1])
        else:
            parts.append(parts[-1] * 2)
    return parts[-1] + 1, torch.zeros(parts[-1].size(1)), len(parts)


@family.on(*SIZES)
def transposed_in_turn(x):
    parts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(parts) == 0:
            parts.append(x[i].t())
        else:
            parts.append(parts[-1].t())
    return parts[-1], torch.ones(parts[-1].size(0))


@family.on(*SIZES)
def stacked_so_far(x):
    rows: List[torch.Tensor] = []
    total = x[0]
    for i in range(x.size(0)):
        if len(rows) > 0:
            total = torch.stack(rows).sum(0) + x[i]
        rows.append(total)
    return total, torch.stack(rows)


@family.on(*SIZES)
def joined_until_long(x):
    parts: List[torch.Tensor] = []
    joined = x[0]
    for i in range(x.size(0)):
        if len(parts) > 0:
            joined = torch.cat(parts)
        if len(parts) < 2:
            parts.append(joined)
        else:
            parts.append(joined[:2])
    return joined


@family.on(*SIZES)
def of_each_other(x):
    sums: List[torch.Tensor] = []
    products: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(sums) > 0:
            products.append(sums[-1] * x[i])
        if len(products) > 0:
            sums.append(products[-1] + 2)
        else:
            sums.append(x[i])
    return sums[-1], sums, products


@family.on(*SIZES)
def last_item_is_cut_by_data(x):
    parts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(parts) > 0 and bool(parts[-1].sum() > 0):
            parts[-1] = parts[-1][:, :1]
        parts.append(x[i])
    return parts[0], parts[-1], torch.zeros(parts[0].size(1))


@family.on(*SIZES)
def nested_lists(x):
    groups: List[List[torch.Tensor]] = []
    last = x[0]
    for i in range(x.size(0)):
        if len(groups) == 0:
            groups.append([x[i]])
        else:
            groups.append([groups[-1][0] + x[i], x[i]])
            last = groups[-1][0] * 2
    return last
