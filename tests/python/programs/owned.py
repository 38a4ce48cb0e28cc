"""Lists whose items have no other name, written to at dynamic indices."""
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn

from case import Family, fill, number

family = Family("owned", opset=13)
SIZES = [(fill(3, 4),), (fill(6, 4),), (fill(1, 4),)]


@family.on(*SIZES)
def beams_appended(x):
    beams: List[List[int]] = [[0] for _ in range(x.size(0))]
    for t in range(3):
        for i in range(len(beams)):
            k = int((x[i] * (t + 1)).argmax())
            beams[i].append(k)
    out = torch.zeros(len(beams), 4, dtype=torch.long)
    for i in range(len(beams)):
        out[i] = torch.tensor(beams[i])
    return out


@family.on(*SIZES)
def items_written(x):
    l: List[Tensor] = []
    for i in range(x.size(0)):
        l.append(torch.zeros(4))
    for i in range(x.size(0)):
        l[i].add_(x[i])
        l[i][0] = 7
    return torch.stack(l)


@family.on(*SIZES)
def items_written_each(x):
    l = [r.clone() for r in x.unbind(0)]
    for t in l:
        t.mul_(2)
    return torch.stack(l)


@family.on(*SIZES)
def row_name_later(x):
    rows: List[List[int]] = []
    for i in range(x.size(0)):
        rows.append([i])
    r = rows[0]
    rows[0].append(3)
    rows.append([9])
    r.append(4)
    n = 0
    for q in rows:
        n = n * 2 + len(q)
    return n, torch.tensor(r)


@family.on(*SIZES)
def item_to_tuple(x):
    l: List[Tensor] = []
    for i in range(x.size(0)):
        l.append(x[i] * 2)
    t = (l[0], 1)
    l[0].add_(1)
    return torch.stack(l), t[0]


@family.on(*SIZES)
def extend_owned(x):
    l: List[Tensor] = []
    for i in range(x.size(0)):
        l += [x[i] * 2, x[i] * 3]
    for i in range(len(l)):
        l[i] += i
        l[i][0] = 0
    return torch.stack(l)


@family.on(*SIZES)
def nested_loops(x):
    rows: List[List[Tensor]] = []
    for i in range(x.size(0)):
        rows.append([x[i]])
        for j in range(len(rows)):
            rows[j].append(x[i] * j)
    return torch.stack([torch.stack(r).sum(0) for r in rows])


@family.on(*SIZES)
def sub_writes(x):
    l: List[Tensor] = []
    for i in range(x.size(0)):
        l.append(torch.zeros(2, 4))
    for i in range(x.size(0)):
        for j in range(2):
            l[i][j] = x[i] + j
        l[i][:, 1:3].mul_(2)
        l[(i + 1) % len(l)].t()[0] += 1
    return torch.stack(l)


@family.on(*SIZES)
def while_name(x):
    l: List[Tensor] = []
    for i in range(x.size(0)):
        l.append(x[i] * 2)
    r = l[0]
    for i in range(x.size(0)):
        r.add_(l[i] * 0.5)
        l[0].mul_(0.5)
    return torch.stack(l), r


@family.on(*SIZES)
def reads_in_first_turn(x):
    l: List[Tensor] = []
    out: List[Tensor] = []
    for i in range(x.size(0)):
        l.append(x[i] * 2)
        first = l[0]
        out.append(first.clone())
        l[0].add_(1)
        out.append(first.clone())
    return torch.stack(out)


@family.on(*SIZES)
def appended_if(x):
    l: List[Tensor] = []
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            l.append(x[i] * 2)
        elif len(l) > 0:
            l[-1].add_(x[i])
    if len(l) == 0:
        l.append(torch.zeros(4))
    return torch.stack(l)


class Clusters(nn.Module):
    def forward(self, boxes):
        clusters: List[List[Tensor]] = []
        for i in range(boxes.size(0)):
            hit = -1
            for k in range(len(clusters)):
                if hit < 0 and float((clusters[k][0] - boxes[i]).abs().sum()) < 4.0:
                    hit = k
            if hit < 0:
                clusters.append([boxes[i]])
            else:
                clusters[hit].append(boxes[i])
        out: List[Tensor] = []
        for cluster in clusters:
            out.append(torch.stack(cluster).mean(0))
        return torch.stack(out)


family.program("clusters", Clusters(), (fill(6, 4),), (fill(12, 4),), (fill(1, 4),))


LATE = [(fill(4, 3), number(3)), (fill(6, 3), number(1)), (fill(5, 3), number(5)), (fill(3, 3), number(2))]


@family.on(*LATE)
def written_behind_the_append(x, n: int):
    rows: List[torch.Tensor] = []
    for i in range(n):
        row = torch.full((4,), -1.0)
        rows.append(row)
        row[: i % 3] = x[0, : i % 3]
        if i % 2 == 0:
            row[0] = 7.0
    return torch.stack(rows), len(rows)


@family.on(*LATE)
def two_lists_written_behind_the_append(x, n: int):
    sums: List[torch.Tensor] = []
    pairs: List[Tuple[torch.Tensor, int]] = []
    dicts: List[Dict[str, torch.Tensor]] = []
    for i in range(n):
        both = x[:2] * i
        first, second = both[0], both[1]
        sums.append(first)
        pairs.append((second, i))
        named = {"first": first * 1, "turn": second * 1}
        dicts.append(named)
        both.add_(1)
        second.mul_(2)
        named["first"].add_(3)
    total = x[0] * 0
    for second, i in pairs:
        total = total + second * i
    return torch.stack(sums), total, torch.stack([named["first"] for named in dicts])


@family.on(*LATE)
def entries_written_behind_the_setting(x, n: int):
    d: Dict[int, torch.Tensor] = {}
    last = [x[0] * 1]
    for i in range(n):
        t = x[0] * i
        d[i % 2] = t
        last[0] = t
        t.add_(1)
    return d[0], last[0]
