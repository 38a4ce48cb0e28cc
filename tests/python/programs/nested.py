"""Lists of lists of dynamic lengths."""
from typing import List

import torch
from torch import nn

from case import Family, fill, tensor

family = Family("nested", opset=13)
SIZES = [(fill(3, 4),), (fill(6, 4),), (fill(1, 4),)]


@family.on(*SIZES)
def sums_of_rows(x):
    rows: List[List[int]] = []
    for i in range(x.size(0)):
        row: List[int] = []
        for j in range(i + 1):
            row.append(i * 10 + j)
        rows.append(row)
    total = 0
    for row in rows:
        for v in row:
            total += v * len(row)
    return total, torch.tensor(rows[-1])


@family.on(*SIZES)
def beams_made_anew(x):
    beams: List[List[int]] = [[0]]
    for t in range(x.size(0)):
        new: List[List[int]] = []
        for b in beams:
            new.append(b + [t])
            if len(b) % 2 == 0:
                new.append(b + [t * 2, int(x[t].argmax())])
        if len(new) > 3:
            new = new[-3:]
        beams = new
    longest = beams[0]
    for b in beams:
        if len(b) > len(longest):
            longest = b
    return torch.tensor(longest), len(beams)


@family.on(*SIZES)
def rows_at_both_ends(x):
    rows: List[List[float]] = [[1.0], [2.0, 3.0]]
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            rows.insert(0, [float(x[i, 1])])
        else:
            rows.append([float(v) for v in x[i]])
        if len(rows) > 4:
            rows.pop()
    last = rows.pop()
    rows[0] = last
    return torch.tensor(rows[0]), len(rows), torch.tensor(rows[-1])


@family.on(*SIZES)
def parts_of_rows(x):
    rows: List[List[int]] = []
    for i in range(x.size(0)):
        rows.append([i, i + 1] if bool(x[i, 0] > 0) else [i])
    n = 0
    both = rows[1:] + rows[:-1]
    for row in both:
        n = n * 3 + len(row) + row[-1]
    return n, len(both)


@family.on(*SIZES)
def three_deep(x):
    rows: List[List[List[int]]] = []
    for i in range(x.size(0)):
        inner: List[List[int]] = []
        for j in range(i + 1):
            inner.append([j] * (j + 1))
        rows.append(inner)
    n = 0
    for row in rows:
        for cell in row:
            for v in cell:
                n += v
        n *= 2
    return n


@family.on(*SIZES)
def tensors_of_rows(x):
    rows: List[List[int]] = []
    for i in range(x.size(0)):
        rows.append([i, i * 2, x.size(0)])
    return torch.tensor(rows), torch.tensor(rows, dtype=torch.float32)


@family.on(*SIZES)
def turned(x):
    rows: List[List[float]] = x.tolist()
    columns: List[List[float]] = []
    for j in range(len(rows[0])):
        column: List[float] = []
        for i in range(len(rows)):
            column.append(rows[i][j])
        columns.append(column)
    return torch.tensor(columns)


@family.on(*SIZES)
def levels_of_each(x):
    out: List[List[torch.Tensor]] = []
    for i in range(x.size(0)):
        out.append([x[i] * 2, x[i, :1]])
    return torch.stack([torch.cat(levels) for levels in out])


@family.on(*SIZES)
def padded_rows(x):
    rows: List[List[int]] = []
    for i in range(x.size(0)):
        row: List[int] = []
        for j in range(i + 1):
            row.append(j + 5)
        rows.append(row)
    n = 0
    for row in rows:
        n = max(n, len(row))
    out = torch.zeros(x.size(0), n, dtype=torch.long)
    for i, row in enumerate(rows):
        out[i, :len(row)] = torch.tensor(row)
    return out


@family.on(*SIZES)
def unlike_rows(x):
    rows: List[List[int]] = []
    for i in range(x.size(0)):
        r = [int(v > 0) for v in x[i]]
        seen = False
        for q in rows:
            if q == r:
                seen = True
        if not seen:
            rows.append(r)
    return len(rows)


class Crf(nn.Module):
    """The best tags of each sample of a batch, found by backtracking through the scores."""

    def __init__(self):
        super().__init__()
        self.between = nn.Parameter(torch.randn(4, 4))

    def forward(self, scores, mask):
        steps, batch = mask.shape
        ends = mask.long().sum(0) - 1
        score = scores[0]
        history: List[torch.Tensor] = []
        for t in range(1, steps):
            best, index = (score.unsqueeze(2) + self.between + scores[t].unsqueeze(1)).max(1)
            score = torch.where(mask[t].unsqueeze(1), best, score)
            history.append(index)
        tags: List[List[int]] = []
        for b in range(batch):
            way: List[int] = [int(score[b].argmax())]
            for step in torch.jit.annotate(List[torch.Tensor], history[:int(ends[b])])[::-1]:
                way.append(int(step[b][way[-1]]))
            way.reverse()
            tags.append(way)
        longest = 0
        for way in tags:
            longest = max(longest, len(way))
        out = torch.zeros(batch, longest, dtype=torch.long)
        for i, way in enumerate(tags):
            out[i, :len(way)] = torch.tensor(way)
        return out


LENGTHS = [[[1, 1], [1, 1], [1, 0], [1, 0]], [[1, 1, 1], [1, 0, 1], [1, 0, 0]], [[1]]]
family.program("crf", Crf(), *[(fill(len(m), len(m[0]), 4), tensor(values=m, dtype=torch.bool)) for m in LENGTHS])
