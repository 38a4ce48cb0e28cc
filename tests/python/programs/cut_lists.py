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
