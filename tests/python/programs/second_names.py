"""Lists and dicts that are written to under one name and read under another."""
from typing import Dict, List

import torch

from case import Family, tensor

family = Family("second_names", opset=13)
NUMBERS = [(tensor(values=v),) for v in ([[1.0], [2.0]], [[-1.0], [3.0], [4.0]], [[0.0], [1.0]])]


@family.on(*NUMBERS)
def written_in_a_branch(x):
    inner = [1]
    lists = [[0], inner]
    second = lists[1]
    if bool(x[0, 0] > 0):
        inner.append(3)
    return len(second), torch.tensor(second)


@family.on(*NUMBERS)
def written_through_a_list(x):
    inner = [1]
    holder = [inner]
    if bool(x[0, 0] > 0):
        holder[0].append(3)
    return len(inner)


@family.on(*NUMBERS)
def written_by_a_loop_over_lists(x):
    a = [1]
    b = [2]
    for each in [a, b]:
        for k in range(x.size(0)):
            each.append(k)
    return len(a) + 100 * len(b)


@family.on(*NUMBERS)
def picked_by_a_run(x):
    lists = [[0], [1]]
    second = lists[1]
    lists[int(x[0, 0] > 0)].append(3)
    return len(second), len(lists[0])


@family.on(*NUMBERS)
def condition_on_what_was_set(x):
    inner = [1]
    lists = [[0], inner]
    second = lists[1]
    if bool(x[0, 0] > 0):
        inner[0] = 2
    if second[0] == 2:
        return x + 1
    return x - 1


@family.on(*NUMBERS)
def entry_written_in_a_loop(x):
    entries: Dict[str, List[int]] = {"a": [0]}
    second = entries["a"]
    for k in range(x.size(0)):
        entries["a"].append(k)
    return len(second)


@family.on(*NUMBERS)
def items_of_a_list_that_a_run_picked(x):
    lists = [[x + 1], [x + 2]]
    lists[int(x[0, 0] > 0)].append(x)
    total = x * 0
    for each in lists:
        for item in each:
            total = total + item
    return total
