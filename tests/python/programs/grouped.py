"""Containers to which a value is appended before the program replaces it, and lists of any number of dicts."""
from typing import Dict, List, Tuple

import torch
from torch import Tensor

from case import Family, tensor

# A group is stored before the next row: PyTorch optimises a script at its second run, and if the new list is the last
# statement of an iteration, it then appends to the same list in every run.
family = Family("grouped", opset=13)
ROWS = [(tensor(values=v),) for v in ([[1.0, 2.0], [5.0, 6.0]], [[-1.0, 3.0], [2.0, 4.0], [7.0, 8.0]], [[9.0, 0.0]],
                                      [[0.0, 1.0], [1.0, 1.0], [2.0, 2.0], [-3.0, 4.0], [5.0, 5.0]])]


@family.on(*ROWS)
def indices(x):
    groups: List[List[int]] = []
    current: List[int] = []
    for i in range(x.size(0)):
        if bool(x[i, 0] > 1):
            groups.append(current)
            current = []
        current.append(i)
    groups.append(current)
    total = 0
    for group in groups:
        total = total * 10 + len(group)
    return total, len(groups)


@family.on(*ROWS)
def rows(x):
    groups: List[List[Tensor]] = []
    current: List[Tensor] = []
    for i in range(x.size(0)):
        if bool(x[i, 0] > 1) and len(current) > 0:
            groups.append(current)
            current = []
        current.append(x[i])
    groups.append(current)
    sums = x[:1] * 0
    for group in groups:
        sums = sums + torch.stack(group).sum(0)
    return sums, len(groups)


@family.on(*ROWS)
def sums_in_place(x):
    groups: List[Tensor] = []
    current = torch.zeros(2)
    for i in range(x.size(0)):
        current.add_(x[i])
        if bool(x[i, 0] > 1):
            groups.append(current)
            current = torch.zeros(2)
    groups.append(current)
    return torch.stack(groups)


@family.on(*ROWS)
def in_nested_loops(x):
    groups: List[List[int]] = []
    for i in range(x.size(0)):
        current: List[int] = []
        for j in range(i + 1):
            current.append(j)
            if j == 1:
                groups.append(current)
                current = []
        groups.append(current)
    return torch.tensor([len(group) for group in groups])


@family.on(*ROWS)
def in_tuples(x):
    groups: List[Tuple[List[int], int]] = []
    current: List[int] = []
    for i in range(x.size(0)):
        if bool(x[i, 0] > 1):
            groups.append((current, i))
            current = []
        current.append(i)
    total = 0
    for group, k in groups:
        total = total * 10 + len(group) + k
    return total


@family.on(*ROWS)
def dicts_of_tensors(x):
    found: List[Dict[str, Tensor]] = []
    for i in range(x.size(0)):
        keep = x[i] > 1
        found.append({"boxes": x[i][keep], "count": keep.sum()})
    boxes = torch.zeros(0)
    for each in found:
        boxes = torch.cat([boxes, each["boxes"]])
    return boxes, torch.stack([each["count"] for each in found])


@family.on(*ROWS)
def dicts_of_numbers(x):
    found: List[Dict[str, int]] = []
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            found.append({"i": i, "v": int(x[i, 1])})
    total = 0
    for each in found:
        total += each["i"] * each["v"]
    return total, len(found)


@family.on(*ROWS)
def dicts_moved(x):
    found: List[Dict[str, Tensor]] = []
    for i in range(x.size(0)):
        found.append({"a": x[i], "b": x[i].sum()})
    found.append({"a": x[0] * 2, "b": x.sum()})
    best: List[Dict[str, Tensor]] = []
    for each in found:
        if bool(each["b"] > 3):
            best.append(each)
    best.append(found[-1])
    return torch.stack([each["a"] for each in best]), len(best[1:])
