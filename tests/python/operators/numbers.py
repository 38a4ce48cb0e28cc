"""Scalars that a script computes from sizes at run time."""
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


def parts(x):
    n = x.size(0) / 3
    fraction, whole = math.modf(n)
    mantissa, exponent = math.frexp(n)
    return x + fraction + whole * 2 + mantissa + exponent * 4 + math.ldexp(n, 2) + math.gamma(n) + math.factorial(x.size(0))


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


def angles(x):
    n = x.size(0)
    return x + math.degrees(n) + math.radians(n * 100) * 10 + math.degrees(n / 7)


def absolute(x):
    n = x.size(0)
    return x + math.fabs(1 - n) + math.fabs(n / -7)


def divisions(x):
    n, m = x.size(0), x.size(1)
    q, r = divmod(n * m, 3)
    s, t = divmod(-m, 4)
    u, v = divmod(n / 3, 0.25)
    return x * q + r * 10 + s * 100 + t * 1000 + u * 0.5 + v


def remainders(x):
    n, m = x.size(0), x.size(1)
    return x + math.remainder(n, 3) + math.remainder(m / 3, 2) * 10 + math.remainder(m, 1.5) * 100


def shifts(x):
    n, m = x.size(0), x.size(1)
    return x + float((n << 65) + ((m - 400) >> 66)) + float(n << (m - m - 63)) + float((-n) >> (m + 64))


def toward_zero(x):
    return x * torch.ops.aten.__round_to_zero_floordiv(x.size(1), -3) + torch.ops.aten.__round_to_zero_floordiv(-x.size(0), 2)


def membership(x):
    n, m = x.size(0), x.size(1)
    return x + float(5 in [n, m]) + float(n in [2, 7]) * 2 + float(0.5 in [n / 4, 1.5]) * 4


def listed(x):
    sizes = list([x.size(0), 3])
    copy = list(sizes)
    copy.append(x.size(1))
    return x * sizes[0] + sizes[1] * 10 + copy[2] * 100 + len(sizes)


def counted(x):
    total = 0
    for i in range(1, x.dim() + 6, 3):
        total += i
    for i in range(3, -2, -2):
        total += i * x.size(0)
    return x + total


def symbolic_sizes(x):
    return x * torch.ops.aten.sym_size(x, 0) + torch.ops.aten.sym_numel(x) + torch.ops.aten.sym_size(x)[1]


def tensors_from_numbers(x):
    n, m = x.size(0), x.size(1)
    return torch.as_tensor([n, m * 2]), torch.as_tensor(n), torch.as_tensor(m / 2), torch.as_tensor(True), torch.as_tensor(x), torch.as_tensor([0.5, 2.0])


def scaled(x, by: float, plus: int):
    return x * by + plus


def implicit(x, y, k):
    return scaled(x, y, k)


def dense(x, y):
    return x * torch.ops.aten._local_scalar_dense(y)


def truth(x, y):
    return x + float(bool(y > 0)) + int(bool(y)) * 2 + float(bool(x.size(0))) * 4


def not_zero(x, y):
    return x + float(torch.is_nonzero(y)) * 2


def same(x, y):
    return torch.where(x > 0, float(torch.equal(x, y)), float(torch.equal(y, y)))


def close(x, y):
    return x + float(torch.allclose(x, y)) + float(torch.allclose(x, x + 1e-7)) * 2 + float(torch.allclose(x, y, 0.0, 100.0)) * 4


for function in (integers, floats, comparisons, bounds, rounding, functions, parts, as_tensors, shapes, element_counts, scalars, angles,
                 absolute, divisions, remainders, shifts, toward_zero, membership, listed, counted, symbolic_sizes, tensors_from_numbers):
    family.case(function.__name__ + ".scripted", function, x, script=True)
family.case("of_tensors.scripted", of_tensors, x, script=True, rtol=1e-3)
family.case("integers.traced", lambda x: integers(x), x)
family.case("floats.traced", lambda x: x * (x.size(0) / 3) + x.size(1) ** 0.5, x)
family.case("shapes.traced", lambda x: (torch.zeros([x.size(0) + 1, x.size(1) // 2]), torch.full([x.numel()], 1.5)), x)
family.case("implicit.scripted", implicit, x, tensor(), tensor(dtype=torch.int64), script=True)
family.case("dense.scripted", dense, x, tensor(), script=True)
family.case("dense.integer", dense, x, tensor(dtype=torch.int64), script=True)
for function in (truth, not_zero):
    for value in (0.0, 0.5):
        family.case(f"{function.__name__}.{'half' if value else 'zero'}", function, x, tensor(values=value), script=True)
family.case("same.scripted", same, x, x, script=True, dtypes=(torch.float32, torch.int64))
family.case("close.scripted", close, x, x, script=True)
