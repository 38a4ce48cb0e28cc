"""Comparison of whole lists and tensors of dynamic size."""
from typing import List

import torch

from case import Family, fill

family = Family("compared", opset=11)
SIZES = [(fill(3, 4), fill(3, 4)), (fill(6, 4), fill(5, 4)), (fill(1, 4), fill(1, 4)), (fill(3, 4), fill(4, 4))]


@family.on(*SIZES)
def lists(x, y):
    a: List[int] = []
    b: List[int] = []
    for i in range(x.size(0)):
        a.append(i)
    for i in range(y.size(0)):
        b.append(i)
    return a == b, a != b, a[:1] == b[:1], a[1:] == b[1:], a == [0, 1, 2]


@family.on(*SIZES)
def tensors(x, y):
    return torch.equal(x, y), torch.equal(x, x * 1), torch.equal(x[:, 0] * 0, y[:, 1] * 0), torch.equal(x[:0], y[:0])


@family.on(*SIZES)
def kept(x, y):
    a = x[x[:, 0] > 0]
    b = x[x[:, 0] > 0.5]
    n = 0
    while not torch.equal(a, b):
        b = torch.cat([b, x[:1] * 0])
        n += 1
        if n > 3:
            break
    return n, torch.equal(a, x[x[:, 0] > 0]), torch.equal(a > 0, b > 0)
