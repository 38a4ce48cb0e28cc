"""Dicts whose entries loops write to or recreate, with the same keys."""
from typing import Dict, Optional

import torch
from torch import Tensor

from case import Family, fill, number

family = Family("rebuilt", opset=13)
TURNS = [(fill(3, 4), number(2)), (fill(5, 4), number(4)), (fill(1, 4), number(0)), (fill(4, 4), number(1))]


@family.on(*TURNS)
def of_its_items(x, n: int):
    d = {"a": x, "b": x * 2}
    for i in range(n):
        d = {k: v + i for k, v in d.items()}
    return d["a"], d["b"], len(d)


def rolled(d: Dict[str, Tensor], i: int) -> Dict[str, Tensor]:
    r: Dict[str, Tensor] = {}
    for k, v in d.items():
        r[k] = v.roll(i, 0)
    return r


@family.on(*TURNS)
def by_a_function_and_set(x, n: int):
    d = {"a": x, "b": x * 2}
    for i in range(n):
        d = rolled(d, i)
        d["a"] = d["a"] + 1
    d["b"] = d["a"] + d["b"]
    return d["a"], d["b"]


@family.on(*TURNS)
def in_some_turns(x, n: int):
    d = {"a": x, "b": x * 2}
    for i in range(n):
        if i % 2 == 0:
            d = {k: v + i for k, v in d.items()}
        else:
            d["b"] = d["a"] + d["b"]
    return d["a"], d["b"]


@family.on(*TURNS)
def in_nested_loops(x, n: int):
    d: Dict[int, Tensor] = {1: x}
    d[5] = x * 2
    if n > 1:
        d[1] = x * 3
    for i in range(n):
        for j in range(i):
            d = {k: v * k + j for k, v in d.items()}
        d[1] = d[5] + 1
    return d[1], d[5]


@family.on(*TURNS)
def of_another_that_is_filled(x, n: int):
    d = {"a": x, "b": x * 2}
    for i in range(n):
        new: Dict[str, Tensor] = {}
        new["a"] = d["b"] + i
        new["b"] = d["a"]
        d = {k: v.relu() - 1 for k, v in new.items()}
        if i == 2:
            break
    return d["a"], d["b"]


@family.on(*TURNS)
def while_the_old_one_changes(x, n: int):
    d = {"a": x, "b": x * 2}
    for i in range(n):
        old = d
        d = {k: v + i for k, v in d.items()}
        old["a"] = x * 100
        d["b"] = old["a"] + d["b"]
    return d["a"], d["b"]


@family.on(*TURNS)
def of_none_or_tensors(x, n: int):
    d: Dict[str, Optional[Tensor]] = {"a": None, "b": x}
    for i in range(n):
        new: Dict[str, Optional[Tensor]] = {}
        for k, v in d.items():
            new[k] = x + i if v is None else torch.cat([v, x])
        d = new
    a = d["a"]
    return x if a is None else a


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


@family.on(*TURNS)
def copied_and_set(x, n: int):
    d = {"a": x, "b": x * 2}
    for i in range(n):
        e = d.copy()
        for k in d.keys():
            e[k] = e[k] + d["a"]
        d = e
    return d["a"], d["b"]
