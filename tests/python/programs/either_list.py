"""Lists that are one of two, chosen by a size and a dynamic number; at the example's size both have the same shape."""
from typing import List

import torch

from case import Family, fill, number

family = Family("either_list", opset=13)
SIZES = [(fill(5, 4), number(1)), (fill(3, 2), number(1)), (fill(3, 7), number(2)), (fill(2, 3), number(2)), (fill(1, 7), number(1))]


@family.on(*SIZES)
def of_another_size(x, k: int):
    short: List[torch.Tensor] = []
    long: List[torch.Tensor] = []
    if x.size(1) > 4:
        long = [x[0]]
    else:
        short = [torch.ones(4)]
    if k > 1:
        short = long
    if len(short) > 0:
        return short[0] + 1
    return x[0]


@family.on(*SIZES)
def stacked(x, k: int):
    short: List[torch.Tensor] = []
    long: List[torch.Tensor] = []
    if x.size(1) > 4:
        long = [x[0], x[0]]
    else:
        short = [torch.ones(4)]
    if k > 1:
        short = long
    if len(short) > 0:
        return torch.stack(short).sum(0)
    return x[0]


@family.on(*SIZES)
def begun_again_with_another_size(x, k: int):
    items: List[torch.Tensor] = []
    last = x[0]
    if x.size(1) > 4:
        if k > 2:
            last = last + 1
        else:
            items = [torch.ones(x.size(1))]
    items = items[:1]
    if k > 1:
        if x.size(1) > 4:
            items = items + [torch.ones(4)]
    if len(items) > 0:
        last = items[0] + 1
    return last


@family.on(*SIZES)
def asked_for_its_rank(x, k: int):
    whole: List[torch.Tensor] = []
    row: List[torch.Tensor] = []
    if x.size(1) > 4:
        whole = [x]
    else:
        row = [x[0]]
    if k > 1:
        row = whole
    rank = 0
    if len(row) > 0:
        rank = row[0].dim()
    return rank


@family.on(*SIZES)
def exchanged_by_turns(x, k: int):
    one: List[torch.Tensor] = []
    two = [x[0]]
    three = [torch.ones(4)]
    for i in range(x.size(0) * k):
        one, two, three = two, three, two
    if len(one) > 0:
        return one[0] + 1, two[0] * 2
    return x[0], two[0] * 2
