"""Numbers that a compiled program computes from sizes at run time."""
import math

import torch

from case import Dim, Family, tensor

family = Family("numbers", opset=9)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 7)
x = tensor(B, N)


def integers(x):
    n, m = x.size(0), x.size(1)
    return x * (n + m) + (n * m - 3) * (m // n) - (m % n) + (-n // 3) + (-m % 4)


def floats(x):
    n, m = x.size(0), x.size(1)
    return x * (n / m) + float(n) * 0.5 - (m * 1.5) // 2 + math.sqrt(float(m)) + n ** 0.5 + 2 ** n


def comparisons(x):
    n, m = x.size(0), x.size(1)
    return x + float(n == m) + float(n < m) * 2 + float(n >= 3 and m > 4) * 4 + float(not n != 2) * 8


def bounds(x):
    n, m = x.size(0), x.size(1)
    return x + max(n, m) * 10 + min(n, 3) + max(float(n), 2.5) + abs(n - m)


def rounding(x):
    n = x.size(0) / 4
    return x + math.floor(n) + math.ceil(n) * 10 + int(n * 3) + round(n)


def functions(x):
    n = x.size(0) / 7
    return x + math.exp(n) + math.log(n) + math.sin(n) + math.cos(n) + math.tanh(n) + math.atan(n) + math.pow(n, 2.5)


def of_tensors(x):
    return x * int(x.sum()) + float(x.max()) + x.mean().item()


def as_tensors(x):
    return torch.tensor(x.size(0)) + torch.tensor([x.size(0), x.size(1) * 2]), torch.tensor(x.size(1) / 2)


def shapes(x):
    return torch.zeros([x.size(0) + 1, x.size(1) // 2]), torch.full([x.numel()], 1.5), torch.arange(x.size(0), 2 * x.size(1))


def element_counts(x):
    return x * x.numel() + x.dim() + len(x) + len(x.shape)


def scalars(x):
    n = x.size(0)
    return (x * n).clamp(-n, n * 1.5) + (x > n - 3).float() + torch.pow(x.abs(), n) + torch.add(x, x, alpha=n)


for function in (integers, floats, comparisons, bounds, rounding, functions, as_tensors, shapes, element_counts, scalars):
    family.case(function.__name__ + ".scripted", function, x, script=True)
family.case("of_tensors.scripted", of_tensors, x, script=True, rtol=1e-3)
family.case("integers.traced", lambda x: integers(x), x)
family.case("floats.traced", lambda x: x * (x.size(0) / 3) + x.size(1) ** 0.5, x)
family.case("shapes.traced", lambda x: (torch.zeros([x.size(0) + 1, x.size(1) // 2]), torch.full([x.numel()], 1.5)), x)
