"""Lists that loops and branches shorten and replace, so that in some runs they are empty or have items of other sizes."""
from typing import List

import torch

from case import Family, fill

family = Family("cut_lists", opset=13)
SIZES = [(fill(6, 3, 4),), (fill(1, 5, 2),), (fill(9, 2, 3),), (fill(2, 4, 1),)]


@family.on(*SIZES)
def popped_then_cut_in_a_branch(x):
    parts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(parts) == 0:
            parts.append(x[i])
        if len(parts) > 0:
            parts.append(parts[-1][:1])
        while len(parts) > 2:
            parts.pop(0)
        if len(parts) > 6:
            parts = parts[-3:]
    return torch.cat([torch.zeros(1)] + [part.flatten() for part in parts]), len(parts)


@family.on(*SIZES)
def replaced_in_a_branch(x):
    parts: List[torch.Tensor] = []
    last = x.sum(1)
    if last.numel() > 5:
        parts = [x.sum(1), x.sum(0)[:, :1], x[0]]
    while len(parts) > 2:
        last = parts.pop(0)
    if len(parts) > 6:
        parts = parts[-3:]
    return last, torch.cat([torch.zeros(1)] + [part.flatten() for part in parts])


@family.on(*SIZES)
def made_anew_by_turns(x):
    pair: List[torch.Tensor] = []
    last = x.sum(1)
    for i in range(x.size(0)):
        pair = [x[i][: i + 1], x[i] + 1]
    for i in range(x.size(0)):
        while len(pair) > 2:
            last = pair.pop()
        if len(pair) > 6:
            pair = pair[-3:]
    return last, pair[0], torch.zeros(pair[0].size(0), pair[1].size(1))


@family.on(*SIZES)
def read_after_cuts(x):
    parts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        parts.append(x[i])
        while len(parts) > 2:
            parts.pop(0)
        if len(parts) > 6:
            parts = parts[-3:]
    return torch.cat([part[:1].flatten() for part in parts])


@family.on(*SIZES)
def one_of_two_lengths(x):
    pair = [x[0], x[0]]
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            pair = [x[0], x[i, : i + 1]]
        else:
            pair = [x[i][:, :1], x[i]]
    return pair[0] + 1, pair[1] * 2, torch.zeros(pair[0].size(1))


@family.on(*SIZES)
def last_behind_items_of_other_ranks(x):
    parts = [x.sum(), x[0, 0], x[0][:1]]
    for i in range(x.size(0)):
        parts.append(torch.cat([x[i], x[i]]))
    return parts[-1] * 2, parts[-1].numel(), parts[0]


CUTS = [(fill(3, 4), torch.tensor(k)) for k in (2, 0, 1, 4)] + [(fill(5, 4), torch.tensor(9))]


@family.on(*CUTS)
def cut_where_data_decide(x, k):
    parts = [x[0] * 2, torch.cat([x, x]), x + 1][int(k) % 3 :]
    last = parts[:-1] + [x]
    return last[0].dim(), last[-1] + 1, len(last), torch.zeros(len(parts[:-1][:-1]))


@family.on(*CUTS)
def cut_twice(x, k):
    parts = [torch.cat([x, x, x]), torch.cat([x, x]), x + 1][(int(k) + 2) % 3 :]
    others = parts[1:][:-1] + [x]
    return others[0].size(0), torch.zeros(others[0].size(0))


@family.on(*CUTS)
def read_by_turns_after_cuts(x, k):
    parts = [x + 1, torch.cat([x, x]), x[0] * 2]
    ranks = 0
    for part in parts[: int(k) % 3 + 1][1:] + [x]:
        ranks = 10 * ranks + part.dim()
    return ranks


@family.on(*CUTS)
def popped_where_data_decide(x, k):
    parts = [x[0] * 2, torch.cat([x, x]), x + 1][int(k) % 3 :]
    parts.pop()
    ranks = -1
    if len(parts) > 1:
        ranks = parts[0].dim()
    parts.append(x)
    return parts[0].dim(), ranks


@family.on(*CUTS)
def second_of_a_cut(x, k):
    parts = [x + 1, x[0] * 2, x + 2, x + 3][int(k) % 3 :]
    return parts[1].dim(), len(parts)


@family.on(*CUTS)
def repeated_where_data_decide(x, k):
    rows = [x[0]] * (int(k) // 4)
    more = [x] * (int(k) // 4 + 1) + [x[0]]
    sizes = [2] * (int(k) // 4) + [3]
    return (rows + [x])[0].dim(), more[1].dim(), len(more), torch.zeros(sizes).dim()
