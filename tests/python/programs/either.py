"""Dicts, lists of dicts and lists of strings that branches choose, with other keys, lengths and strings on each path."""
from typing import Dict, List

import torch
from torch import Tensor

from case import Family, tensor

family = Family("either", opset=13)
RUNS = [(tensor(values=v),) for v in ([[1.0, 2.0], [5.0, 6.0]], [[-1.0, 3.0], [2.0, 4.0]], [[9.0, 0.0], [-2.0, 1.0], [7.0, 2.0]],
                                      [[-1.0, 1.0], [-4.0, 1.0]])]


@family.on(*RUNS)
def keys_of_a_dict_in_a_list(x):
    items = [{"a": x, "b": x}] if bool(x[0, 0] > 0) else [{"a": x}]
    return len(items[0]), "b" in items[0]


@family.on(*RUNS)
def other_keys_of_as_many_entries(x):
    items = [{"a": x, "b": x}] if bool(x[0, 0] > 0) else [{"a": x, "c": x * 2}]
    total = torch.zeros_like(x)
    for key, value in items[0].items():
        total = total + (value if key == "c" else value * 3)
    return "b" in items[0].keys(), "c" in items[0], total


@family.on(*RUNS)
def keys_in_nested_lists(x):
    items = [[{1: x}]] if bool(x[0, 0] > 0) else [[{2: x}, {3: x}]]
    return 1 in items[0][0], len(items[0])


@family.on(*RUNS)
def dicts_that_a_loop_collects(x):
    items: List[Dict[str, Tensor]] = []
    for i in range(2):
        if bool(x[i, 0] > 0):
            items.append({"a": x, "b": x})
        else:
            items.append({"a": x})
    return len(items[0]) + 10 * len(items[1])


@family.on(*RUNS)
def three_ways(x):
    if bool(x[0, 0] > 5):
        d = {"a": x, "b": x}
    elif bool(x[0, 0] > 0):
        d = {"a": x * 2}
    else:
        d = {"c": x}
    total = x * 0
    for key, value in d.items():
        total = total + value * len(key)
    return total, len(d), "c" in d


@family.on(*RUNS)
def one_of_two_that_are_there(x):
    a = {"a": x, "b": x}
    b = {"a": x * 3}
    d = a if bool(x[0, 0] > 0) else b
    return d["a"], "b" in d, len(a), len(d)


@family.on(*RUNS)
def an_entry_that_may_be_missing(x):
    d = {"p": {"a": x}} if bool(x[0, 0] > 0) else {"q": {"a": x * 2, "b": x}}
    entry = d.get("p")
    if entry is None:
        return x
    return entry["a"] + len(entry)


@family.on(*RUNS)
def chosen_in_every_turn(x):
    total = x * 0
    for i in range(x.size(0)):
        d = {"p": x} if bool(x[i, 0] > 0) else {"q": x * 2, "r": x}
        for key, value in d.items():
            total = total + value * (1 if key == "p" else 3)
    return total


@family.on(*RUNS)
def words_in_order(x):
    words = ["a", "b"] if bool(x[0, 0] > 0) else ["b", "a", "c"]
    total = x * 0
    for word, scale in zip(words, [2, 5]):
        total = total * 2 + x * (scale if word == "a" else 1)
    return total, "-".join(words) == "a-b", words[-1] == "c", len(words)


@family.on(*RUNS)
def words_added_in_branches(x):
    words = ["u"] if bool(x[0, 0] > 0) else ["v", "w"]
    words.append("z")
    if bool(x[1, 0] > 0):
        words.append("y")
    return len(words), words[-1] == "z", "y" in words, words[1] == "w"


@family.on(*RUNS)
def sorted_keys(x):
    d = {"b": x, "a": x * 2} if bool(x[0, 0] > 0) else {"d": x, "c": x * 3, "e": x}
    total = x * 0
    for key in sorted(d.keys()):
        total = total * 2 + d[key]
    return total


@family.on(*RUNS)
def keys_set_behind_either(x):
    found = {"a": x} if bool(x[0, 0] > 0) else {"b": x * 2, "z": x}
    found["c"] = x * 3
    read = found["a"] if "a" in found else found["b"]
    return len(found), "a" in found, read, found["c"]


@family.on(*RUNS)
def a_dict_given_up_for_another(x):
    found = {"a": x, "b": x + 1}
    if bool(x[0, 0] > 0):
        found = {"b": found["b"] * 2, "a": x * 3, "d": x}
    found["c"] = found["a"] + 1
    total = x * 0
    for key, value in found.items():
        total = total * 2 + value
    return total, len(found), "d" in found


@family.on(*RUNS)
def filled_if_at_all(x):
    found: Dict[int, Tensor] = {}
    if bool(x[0, 0] > 0):
        found = {1: x, 2: x * 2}
    elif bool(x[0, 1] > 0):
        found = {3: x * 3}
    found[2] = x + 1
    return len(found), found[2], 3 in found


@family.on(*RUNS)
def sizes_of_one_or_the_other(x):
    y = x.t()
    s = x.shape
    if bool(x[0, 0] > 0):
        s = y.shape
    best = x.shape
    for t in [x.shape, y.shape, [1, x.size(0)]]:
        if t[1] > best[1]:
            best = t
    return torch.zeros(s), x.new_ones(s), torch.full(best, 2.0), torch.tensor(best)
