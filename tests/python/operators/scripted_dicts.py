"""Scripts with dicts of known keys: written, read, iterated, returned."""
from typing import Dict, List

import torch
from torch import Tensor

from case import Dim, Family, tensor

family = Family("scripted_dicts", opset=9)
x = tensor(Dim("batch", 2, 5), Dim("n", 4, 6))


def set_item(x):
    d = {"a": x}
    d["b"] = x + 1
    d["a"] = d["a"] * 2
    return d["a"] + d["b"]


def returned(x) -> Dict[str, Tensor]:
    d: Dict[str, Tensor] = {}
    d["z"] = x
    d["a"] = x * 2
    d["z"] = x * 3
    return d


def pop(x):
    d = {"a": x, "b": x * 3}
    taken = d.pop("a")
    return taken + d["b"] * len(d) + d.pop("c", x * 9)


def pop_item(x):
    d = {"a": x, "b": x * 3}
    key, value = d.popitem()
    return value + len(d) + len(key)


def pop_number(x):
    d = {"a": 3, "b": x.size(0)}
    return x * d.pop("b") + len(d) + d.pop("zero", 7)


def update(x):
    d = {"a": x}
    d.update({"b": x * 3, "a": x * 5})
    return d["a"] + d["b"] * 2


def delete(x):
    d = {"a": x, "b": x * 2}
    del d["a"]
    return d["b"] + len(d) + (1 if "a" in d else 100) + (7 if "a" not in d else 0)


def items(x):
    d = {"a": x, "b": x * 2}
    d["c"] = x * 3
    total = x
    for i, (key, value) in enumerate(d.items()):
        total = total + value * (i + 1)
        if key == "b":
            total = total * 2
    return total


def keys(x):
    d = {"a": x, "bcd": x * 2}
    n = 0
    for key in d.keys():
        n += len(key)
    for key in d:
        n = n * 2 + len(key)
    return x + n


def values(x):
    d = {"a": x, "b": x * 2}
    d["b"] = x * 5
    total = torch.cat(list(d.values()), 1)
    for value in d.values():
        total = total + value.sum()
    return total


def get(x):
    d = {"a": x}
    total = x
    missing = d.get("b")
    if missing is not None:
        total = total + missing
    found = d.get("a")
    if found is not None:
        total = total * found
    return total + d.get("c", x + 5) + d.get("a", x + 9)


def set_default(x):
    d = {"a": x}
    return d.setdefault("a", x * 9) + d.setdefault("b", x * 7) * d["b"]


def clear(x):
    d = {"a": x}
    d.clear()
    d["q"] = x * 2
    return d["q"] + len(d)


def copied(x):
    d = {"a": x}
    e = d.copy()
    e["a"] = x * 2
    f = dict(e)
    f["b"] = x
    return d["a"] + e["a"] * 3 + len(e) + len(f)


def aliased(x):
    d = {"a": x}
    e = d
    e["a"] = x * 2
    return d["a"] + len(d)


def written_in_place(x):
    y = x.clone()
    d = {"a": y, "b": x * 2}
    d["a"].add_(1)
    d["b"][0] = 7.0
    return y, d["a"] * 2, d["b"]


def of_lists(x):
    d: Dict[str, List[Tensor]] = {}
    d["a"] = []
    d["a"].append(x)
    d["a"].append(x * 2)
    return torch.cat(d["a"])


def of_dicts(x):
    d = {"a": {"b": x}}
    d["a"]["c"] = x * 2
    return d["a"]["b"] + d["a"]["c"] * 3


def of_integers(x):
    d: Dict[int, Tensor] = {}
    for i in range(3):
        d[i] = x * i
    total = x
    for key, value in d.items():
        total = total + key * value
    return total + d[1]


def of_numbers(x):
    d = {"a": 1}
    d["b"] = x.size(1)
    d["a"] += 5
    return x + d["a"] * d["b"]


def comprehended(x):
    d = {i: x * i for i in [1, 2, 3]}
    return d[1] + d[3]


def branch_of_rank(x):
    d = {"a": x}
    if x.dim() == 2:
        d["b"] = x * 2
    return d["b"] if "b" in d else x


def truth_in_dict(x):
    """A value that depends on a size still does after it was in a dict and a list."""
    d = {"odd": x.size(0) == 5}
    l = [False]
    d["even"] = x.size(0) == 2
    l[0] = x.size(0) == 5
    return torch.tensor([d["odd"], d["even"], l[0]]).to(torch.int64)


for program in (set_item, returned, pop, pop_item, pop_number, update, delete, items, keys, values, get, set_default, clear, copied,
                aliased, written_in_place, of_lists, of_dicts, of_integers, of_numbers, comprehended, branch_of_rank):
    family.case(f"{program.__name__}.plain", program, x, script=True)
family.case("truth_in_dict.plain", truth_in_dict, x, script=True, opset=11)
