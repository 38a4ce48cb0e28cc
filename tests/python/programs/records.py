"""Lists and dicts of known lengths and keys whose content depends on data."""
from collections import OrderedDict
from typing import Dict, List

import torch

from case import Family, fill

family = Family("records", opset=13)
ROWS = [(fill(4, 8),), (fill(7, 8),), (fill(0, 8),)]
FOUND = [(fill(5, 4),), (fill(9, 4, low=-3, high=-1),), (fill(1, 4, low=1, high=2),)]


def found_in(x):
    return {"rows": x[x[:, 0] > 0], "sums": x.sum(1)}


@family.on(*FOUND)
def changed_by_index(x):
    records: List[Dict[str, torch.Tensor]] = []
    for part in (x, -x):
        records.append(found_in(part))
    for i, record in enumerate(records):
        records[i]["rows"] = record["rows"] * (i + 2)
    return records[0]["rows"], records[1]["rows"], records[1]["sums"]


@family.on(*FOUND)
def asked_for_keys(x):
    records = [found_in(x)]
    for record in records:
        if "masks" in record:
            record["sums"] = record["masks"] + 1
        if "rows" in record:
            record["sums"] = record["sums"] - 1
    return records[0]["rows"], records[0]["sums"], len(records[0])


@family.on(*FOUND)
def as_long_as_each_other(x):
    kept, numbers = [x[x > 0], x[x < 0], x.flatten()], [1.5, 2.5]
    total = torch.zeros(1)
    for k, number in zip(kept, numbers):
        total = total + k.sum() * number
    return total, len(kept)


@family.on(*FOUND)
def split_as_joined(x):
    kept = [x[x > 0], x[x < 0]]
    sizes = [part.size(0) for part in kept]
    sums: List[torch.Tensor] = []
    for piece in (torch.cat(kept) * 2).split(sizes):
        sums.append(piece.sum())
    return torch.stack(sums)


@family.on(*FOUND)
def made_of_pairs(x):
    record = OrderedDict([("first", x[x[:, 1] > 0]), ("second", x + 1)])
    record["first"] = record["first"] * 2
    return record["first"], record["second"], len(record)


@family.on(*FOUND)
def empty_at_first(x):
    record: Dict[str, torch.Tensor] = dict()
    for name in ("a", "b"):
        record[name] = x[x[:, 2] > 0]
    return record["a"] + record["b"]


@family.on(*ROWS)
def of_another_rank_when_empty(x):
    y = x
    if x.size(0) > 0:
        y = x.reshape(x.size(0), -1, 4)
    left, right = y[..., 0::2].clamp(min=-1), y[..., 1::2].clamp(max=1)
    return torch.stack((left, right), dim=y.dim()).reshape(-1, 4)


@family.on(*FOUND, opset=14)
def a_length_that_data_decide(x):
    kept: List[torch.Tensor] = []
    for i in range(3):
        if bool(x[0, i] > 0):
            kept.append(x[:, i])
    return torch.tensor(len(kept)), torch.stack(kept + [x[:, 3]])
