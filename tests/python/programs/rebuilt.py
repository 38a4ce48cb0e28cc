"""Dicts whose turns of a loop write to each entry, or make them anew, with the keys that they have."""
from typing import Dict, Optional

import torch
from torch import Tensor

from case import Family, fill, number

family = Family("rebuilt", opset=13)
TURNS = [(fill(3, 4), number(2)), (fill(5, 4), number(4)), (fill(1, 4), number(0)), (fill(4, 4), number(1))]


@family.on(*TURNS)
def inner_ones_set_by_their_items(x, n: int):
    d: Dict[str, Dict[str, Optional[Tensor]]] = {"s": {"k": x, "v": None}, "t": {"k": None, "v": x}}
    for i in range(n):
        for name, inner in d.items():
            for k, v in inner.items():
                if v is not None:
                    inner[k] = v + i
    a = d["s"]["k"]
    assert a is not None
    return a


@family.on(*TURNS)
def set_by_sorted_keys(x, n: int):
    d: Dict[int, Optional[Tensor]] = {3: x, 1: None}
    total = x * 0
    for i in range(n):
        for k in sorted(d.keys()):
            v = d[k]
            d[k] = x * i if v is None else v * 2 + total
            total = total + k
    a, b = d[1], d[3]
    return total if a is None else a, total if b is None else b


@family.on(*TURNS)
def read_before_one_of_two_changes_it(x, n: int):
    d = {"a": x, "b": x * 2}
    e = {"a": x + 1, "b": x * 3}
    first = d["a"] + len(d)
    for i in range(n):
        f = d if i % 2 == 0 else e
        f["a"] = f["a"] + i
    return first, d["a"], e["a"]
