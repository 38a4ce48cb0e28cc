"""Dicts with dynamic keys."""
from typing import Dict, List, Optional

import torch
from torch import Tensor

from case import Family, fill, number, tensor

family = Family("keyed", opset=13)


def tokens(*values):
    return tensor(values=list(values), dtype=torch.int64)


TOKENS = [(tokens(3, 1, 3, 2, 1), number(2)), (tokens(0), number(0)), (tokens(5, 5, 5, 5, 7, 7, 0, 1, 2), number(7)),
          (tokens(1, 2, 3, 4, 5), number(1))]
ROWS = [(fill(4, 6), number(2)), (fill(4, 6), number(0)), (fill(1, 6), number(1)), (fill(9, 6), number(5)),
        (fill(4, 6), number(7))]


@family.on(*TOKENS)
def counted(t, k: int):
    found: Dict[int, int] = {}
    for i in range(t.size(0)):
        token = int(t[i])
        if token in found:
            found[token] += 1
        else:
            found[token] = 1
    most, best = 0, -1
    for token, count in found.items():
        if count > most:
            most, best = count, token
    return len(found), most, best, torch.tensor(list(found.values())), torch.tensor(list(found.keys()))


@family.on(*TOKENS)
def counted_by_get(t, k: int):
    found: Dict[int, int] = {}
    for i in range(t.size(0)):
        token = int(t[i])
        found[token] = found.get(token, 0) + 1
    if k in found:
        found.pop(k)
    return len(found), found.get(3, -1), found.get(k, -5), k in found


@family.on(*TOKENS)
def numbered_as_they_come(t, k: int):
    numbers: Dict[int, int] = {}
    ids: List[int] = []
    for i in range(t.size(0)):
        token = int(t[i])
        if token not in numbers:
            numbers[token] = len(numbers)
        ids.append(numbers[token])
    return torch.tensor(ids), len(numbers)


@family.on(*ROWS)
def one_of_three_set(x, k: int):
    parts: Dict[int, torch.Tensor] = {}
    for i in range(3):
        parts[i] = x * i
    parts[k % 3] = x + 10
    return parts[0], parts[1], parts[2], len(parts)


@family.on(*ROWS)
def sums_by_parity(x, k: int):
    sums: Dict[int, torch.Tensor] = {}
    for i in range(x.size(0)):
        if i % 2 not in sums:
            sums[i % 2] = torch.zeros(6)
        sums[i % 2] += x[i]
    return sums[0], len(sums)


@family.on(*ROWS)
def every_way_to_take_away(x, k: int):
    found: Dict[int, int] = {0: 0, 1: 1}
    for i in range(2, k + 3):
        found[i] = found[i - 1] + found[i - 2]
    del found[k]
    left = found[k + 2] if k + 2 in found else -1
    return left, len(found), found.setdefault(k, 100), found.setdefault(1, 7), found.pop(99, -3), found.pop(1), len(found)


@family.on(*ROWS)
def texts_that_may_be_there(x, k: int):
    found: Dict[str, torch.Tensor] = {"out": x}
    if k > 1:
        found["more"] = x * 2
    y = found["out"]
    if "more" in found:
        y = y + found["more"]
    for i in range(k):
        found["last"] = x + i
    if "last" in found:
        y = y * found["last"]
    return y, len(found), found.get("none", x)


@family.on(*ROWS)
def cleared_when_full(x, k: int):
    found: Dict[int, float] = {}
    for i in range(k):
        found[i] = i * 0.5
        if len(found) > 3:
            found.clear()
    total = 0.0
    for value in found.values():
        total += value
    return total, len(found)


@family.on(*ROWS)
def floats(x, k: int):
    found: Dict[float, int] = {0.5: 1}
    for i in range(k):
        found[i * 0.5] = i
    return len(found), found[0.5], 2.0 in found


@family.on(*ROWS)
def made_anew_in_each_turn(x, k: int):
    total = 0
    for j in range(k):
        found: Dict[int, int] = {}
        for i in range(j):
            found[i % 2] = i
        total = total * 2 + len(found) + sum(found.values())
    return total


@family.on(*ROWS)
def results_kept(x, k: int):
    kept: Dict[int, torch.Tensor] = {}
    y = torch.zeros(6)
    hits = 0
    for i in range(k * 2):
        row = i % x.size(0)
        found = kept.get(row)
        if found is None:
            found = x[row].tanh()
            kept[row] = found
        else:
            hits += 1
        y = y + found
    return y, hits, len(kept)


@family.on(*ROWS)
def keys_in_order(x, k: int):
    found: Dict[int, torch.Tensor] = {}
    for i in range(k, 0, -1):
        found[i] = x[:1] * i
    order = 0
    for key in found:
        order = order * 3 + key
    y = torch.zeros(1, 6)
    for key in sorted(found.keys()):
        y = y * 0.5 + found[key]
    return order, y


CHOSEN = [(fill(rows, 5), number(k)) for rows, k in ((4, 2), (1, 0), (3, 1), (6, -1))]


@family.on(*CHOSEN, opset=11)
def chosen_of_two(x, k: int):
    d = {"a": x, "b": x + 1} if k > 0 else {"a": x * 2, "b": x}
    d["a"] = d["a"] + d["b"]
    return d["a"], len(d), d


@family.on(*CHOSEN, opset=11)
def chosen_of_three(x, k: int):
    d: Dict[str, Tensor] = {}
    if k > 1:
        d = {"a": x}
    elif k > 0:
        d = {"a": x * 3}
    else:
        d = {"a": x[:1]}
    total = torch.zeros(1)
    for name, value in d.items():
        total = total + value.sum() * len(name)
    return total, d


@family.on(*CHOSEN, opset=11)
def returned_early(x, k: int):
    if k > 0:
        return {"out": x, "aux": x.sum()}
    return {"out": x * 2, "aux": x.mean()}


def biased(x, d: Optional[Dict[str, Tensor]] = None, factors: Optional[Dict[str, int]] = None):
    if d is not None and "bias" in d:
        x = x + d["bias"]
    if factors is not None:
        x = x * factors["q"]
    return x


@family.on(*CHOSEN, opset=11)
def given_or_none(x, k: int):
    y = biased(x, {"bias": torch.ones(5)} if k > 0 else None)
    return biased(y, None if k > 1 else {"scale": x}, {"q": k} if k != 0 else None)


LABELS = [(tensor(values=v),) for v in ([[1.0, 2.0], [5.0, 6.0]], [[-1.0, 3.0], [2.0, 4.0], [3.0, 3.0]],
                                        [[9.0, 0.0], [-2.0, 1.0], [-1.0, 5.0], [2.0, 2.0]], [[1.0, 1.0]])]


@family.on(*LABELS)
def labels_counted(x):
    found: Dict[str, int] = {}
    for i in range(x.size(0)):
        label = "positive" if bool(x[i, 0] > 0) else "negative"
        found[label] = found.get(label, 0) + 1
    total = 0
    for label, count in found.items():
        total = total * 100 + (count if label == "positive" else 10 * count)
    return total, len(found), "negative" in found


@family.on(*LABELS)
def last_row_of_each_label(x):
    rows: Dict[str, Tensor] = {}
    for i in range(x.size(0)):
        rows["positive" if bool(x[i, 0] > 0) else "negative"] = x[i]
    total = torch.zeros(2)
    for label in rows.keys():
        total = total * 2 + rows[label]
    return total


@family.on(*LABELS)
def an_entry_that_a_branch_adds_among_all(x):
    d = {"a": x, "c": x * 5}
    if bool(x[0, 0] > 0):
        d["b"] = x * 2
        v = d.pop("a")
        d["a"] = v
    total = x * 0
    for key, value in d.items():
        total = total * 3 + value * len(key)
    return total, len(d), list(d.keys())[0] == "a"
