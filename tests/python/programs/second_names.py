"""Lists and dicts that are written to under one name and read under another (aliases)."""
from typing import Dict, List

import torch

from case import Family, fill, number, tensor, whole

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


@family.on(*NUMBERS)
def entry_set_in_a_branch(x):
    dicts = [{"a": x}]
    second = dicts[0]
    if bool(x[0, 0] > 0):
        dicts[0]["a"] = torch.cat([x, x])
    return second["a"], second["a"].shape[0]


@family.on(*NUMBERS)
def condition_on_an_entry(x):
    dicts = [{"a": 1}]
    second = dicts[0]
    if bool(x[0, 0] > 0):
        dicts[0]["a"] = 5
    if second["a"] == 5:
        return x + 1
    return x - 1


@family.on(*NUMBERS)
def entry_counted_in_a_loop(x):
    dicts = [{"n": 0, "m": 1}]
    second = dicts[0]
    while second["n"] < x.size(0):
        dicts[0]["n"] += 1
    return second["n"], second["m"]


@family.on(*NUMBERS)
def entry_of_a_dict_in_a_dict(x):
    inner = {"a": 1}
    dicts = {"p": inner}
    second = dicts["p"]
    if bool(x[0, 0] > 0):
        dicts["p"]["a"] = 5
    return second["a"], inner["a"]


@family.on(*NUMBERS)
def keys_added_and_taken(x):
    dicts = [{"a": x, "b": x + 1}]
    second = dicts[0]
    if bool(x[0, 0] > 0):
        dicts[0]["c"] = x + 5
    else:
        dicts[0].pop("b")
    return len(second), "b" in second, "c" in second


@family.on(*NUMBERS)
def values_of_a_second_name(x):
    dicts = [{"a": 1, "b": 2}]
    second = dicts[0]
    if bool(x[0, 0] > 0):
        dicts[0]["a"] = 5
    total = 0
    for value in second.values():
        total += value
    return total


@family.on(*NUMBERS)
def truth_of_an_entry(x):
    dicts = [{"a": False}]
    second = dicts[0]
    dicts[0]["a"] = bool(x[0, 0] > 0)
    dicts.append({"a": True})
    if second["a"]:
        return x + 1
    return x


@family.on(*NUMBERS)
def key_that_a_run_picks(x):
    dicts = [{"a": 1, "b": 2}]
    second = dicts[0]
    dicts[0]["a" if bool(x[0, 0] > 0) else "b"] = 9
    return second["a"], second["b"]


@family.on(*NUMBERS)
def dict_that_a_run_picks(x):
    dicts = [{"a": 1}, {"a": 2}]
    second = dicts[1]
    dicts[int(x[0, 0] > 0)]["a"] = 9
    return second["a"], dicts[0]["a"]


@family.on(*NUMBERS)
def content_of_an_entry(x):
    w = torch.zeros(1)
    dicts = [{"w": w}]
    second = dicts[0]
    if bool(x[0, 0] > 0):
        dicts[0]["w"] = torch.ones(1)
    if bool(second["w"][0] > 0):
        return x + 1
    return x


@family.on(*NUMBERS)
def update_in_a_branch(x):
    dicts = [{"a": 1}]
    second = dicts[0]
    if bool(x[0, 0] > 0):
        dicts[0].update({"a": 5, "b": 6})
    return len(second), second["a"]


@family.on(*NUMBERS)
def put_into_a_list_that_nobody_reads(x):
    dicts: List[Dict[str, int]] = []
    first = {"a": 1}
    dicts.append(first)
    if bool(x[0, 0] > 0):
        dicts[0]["a"] = 5
    return first["a"]


@family.on(*NUMBERS)
def chosen_by_a_branch(x):
    a = [1]
    b = [2]
    chosen = a if bool(x[0, 0] > 0) else b
    chosen.append(3)
    return len(a), len(b)


@family.on(*NUMBERS)
def chosen_of_a_list(x):
    dicts = [{"a": 1}, {"a": 2}]
    chosen = dicts[0] if bool(x[0, 0] > 0) else dicts[1]
    chosen["a"] = 9
    if dicts[0]["a"] == 9:
        return x
    return x + dicts[1]["a"]


@family.on(*NUMBERS)
def chosen_in_each_turn(x):
    a = {"n": 0}
    b = {"n": 0}
    for i in range(x.size(0)):
        chosen = a if bool(x[i, 0] > 1) else b
        chosen["n"] += i + 1
    return a["n"], b["n"]


@family.on(*NUMBERS)
def chosen_and_read(x):
    a = [x, x + 1]
    b = [x + 2]
    chosen = a if bool(x[0, 0] > 0) else b
    first = chosen[0]
    chosen[0] = first * 2
    chosen.append(first)
    return len(a), len(b), a[0], b[0], first


@family.on(*NUMBERS)
def sizes_of_results_given(x):
    result = torch.zeros(9)
    second = result
    torch.sum(x, 1, out=result)
    total = result[0] * 0
    for i in range(result.shape[0]):
        total = total + second[i]
    return result, second.size(0), result.numel(), torch.ones(len(result)), total


@family.on(*NUMBERS)
def given_results_are_chosen(x):
    result = torch.zeros(9)
    if bool(x.sum() > 0):
        chosen = torch.sum(x, 1, out=result)
    else:
        chosen = torch.sum(x * 2, 1, out=result)
    return chosen, chosen.shape[0], result.size(0)


TURNS = [(fill(6, 4), whole(3)), (fill(6, 4), whole(5)), (fill(6, 4), whole(1)), (fill(7, 4), whole(2))]


@family.on(*TURNS)
def last_item_added_to(x, n):
    rows: List[torch.Tensor] = []
    for i in range(int(n)):
        rows.append(x[i] * 2)
    rows[-1] += 1
    return torch.stack(rows)


@family.on(*TURNS)
def items_multiplied(x, n):
    rows = [x[i] * 1 for i in range(int(n))]
    for i in range(int(n)):
        rows[i] *= x[0]
        rows[len(rows) - 1 - i] += rows[0]
    return torch.stack(rows)


@family.on(*TURNS)
def items_of_two_names(x, n):
    rows = [x[0] * 1, x[1] * 1]
    second = rows
    for i in range(int(n)):
        rows[0] += second[1]
        second[i % 2] -= x[i]
    return rows[0], second[1]


@family.on(*TURNS)
def set_to_another_first(x, n):
    rows = [x[0] * 1, x[1] * 1]
    first = rows[0]
    rows[0] = rows[1]
    first += int(n)
    rows[0] += first
    return rows[0], rows[1], first


CHOICES = [(fill(2, 3), number(2)), (fill(2, 3), number(0)), (fill(2, 3), number(5)), (fill(2, 3), number(4))]


@family.on(*CHOICES)
def list_that_branches_select(x, k: int):
    many, one = [x, x], [x + 6]
    for _ in range(k + 1):
        many.append(x)
    selected = one
    if k % 2 == 0:
        selected = many if k > 1 else one
    one.append(x * 2)
    return len(selected), torch.stack(selected).sum(0)


@family.on(*CHOICES)
def item_that_branches_select(x, k: int):
    first = [1]
    lists = [first, [3, 4]]
    selected = [1]
    if k > 1:
        selected = lists[k % 2]
    selected[0] = 7
    return first[0], lists[1][0], x
