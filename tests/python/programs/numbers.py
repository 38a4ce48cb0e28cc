"""Scalars of the program: arithmetic, conversions and the sizes they come from."""
import math
from typing import List

import torch
import torch.nn.functional as F

from case import Family, fill, number, tensor, whole

family = Family("numbers", opset=11)
X = fill(2, 3)
SIZES = [(fill(4, 3),), (fill(2, 3),), (fill(7, 3),)]
INTS = [(X, number(3)), (X, number(-4)), (X, number(10))]
FLOATS = [(X, number(1.5)), (X, number(-2.25)), (X, number(8.0))]
DATA = [(fill(2, 3, low=1, high=2),), (fill(2, 3, low=-2, high=-1),), (X,)]


@family.on(*SIZES)
def size_arithmetic(x):
    n = x.size(0)
    return x + n // 2, x + n % 3, x + n / 2, x + n ** 2, x - (-n), x + abs(3 - n)


@family.on(*SIZES)
def size_functions(x):
    n = x.size(0)
    return x + math.sqrt(n), x + math.log(n), x + math.ceil(n / 2), x + math.floor(n / 3), x + min(n, 3), x + max(n, 3)


@family.on(*SIZES)
def int_of_fraction(x):
    n = int(x.size(0) * 0.5)
    return x[:n], x + float(n)


@family.on((X, number(2), number(0.1)), (X, number(7), number(-0.7)), (X, number(-3), number(0.3)), (X, number(5), number(-4.9)))
def floored_quotients(x, n: int, f: float):
    return n // f, f // 0.1, f // n, -6.0 // f, x // f, n // 3, n // -2


@family.on(*INTS)
def int_arithmetic(x, n: int):
    return x + n // 3, x + n % 3, x + n / 4, x * n, x - n, x + (n << 1), x + abs(n)


@family.on(*INTS)
def look_ups_in_a_list(x, n: int):
    ints, floats = [n, 3, n + 1, 3], [n * 0.5, 1.5]
    return x + ints.index(3), ints.count(n), ints.index(n + 1), floats.count(1.5), floats.index(1.5), [n > 3, True].index(True)


@family.on(*INTS)
def int_comparisons(x, n: int):
    if n > 2 and n != 7 or n == -4:
        x = x + 1
    flag = n >= 3
    return x, flag, not flag


@family.on(*FLOATS)
def float_arithmetic(x, f: float):
    return x * f, x + int(f), x + f // 1.5, x + f % 1.5, x + math.floor(f), x + math.ceil(f), x + round(f), x + abs(f)


@family.on(*FLOATS)
def float_functions(x, f: float):
    return x + math.exp(f), x + math.tanh(f), x * math.pi, x + math.sin(f), x + max(f, 1.0), x + f ** 2


@family.on(*DATA)
def item(x):
    n = x.sum().item()
    return x + n, x * 2 if n > 0 else x


@family.on(*DATA)
def conversions(x):
    s = x.sum()
    return x + int(s), x * float(s), torch.tensor(bool(s > 0)), torch.tensor(int(s)), torch.tensor(float(s))


@family.on(*SIZES)
def tensor_of_sizes(x):
    return torch.tensor([x.size(0), x.size(1)]), torch.tensor(x.size(0)), torch.tensor(x.shape), torch.tensor([x.size(0) * 0.5])


@family.on(*SIZES)
def arange_of_sizes(x):
    n = x.size(0)
    return torch.arange(n), torch.arange(1, n), torch.arange(0, n, 2), torch.arange(n, dtype=torch.float32) / n


@family.on(*SIZES)
def created_by_size(x):
    n = x.size(0)
    return torch.zeros(n), torch.ones(n, 2), torch.full([n], 3.5), torch.eye(n), torch.empty(n, 2).fill_(1), x.new_zeros(n)


@family.on(*SIZES)
def shape_products(x):
    n = x.size(0) * x.size(1)
    return x.reshape(n), x.view(-1), x.reshape(1, n), torch.zeros(n + 1), x.numel() + torch.zeros(1)


@family.on(*SIZES)
def size_of_list(x):
    size = torch.Size([x.size(1), x.size(0)])
    return x.view(size), x.reshape(torch.Size((-1, x.size(0)))), len(size)


@family.on(*SIZES)
def expanded(x):
    return x.unsqueeze(0).expand(2, x.size(0), -1), x[:1].expand_as(x), x.repeat(x.size(0), 1)


@family.on(*SIZES)
def padded_to_even(x):
    if x.size(0) % 2 == 1:
        x = torch.cat([x, torch.zeros(1, x.size(1))])
    return x.reshape(-1, 2, 3)


@family.on(*SIZES)
def number_of_bool(x):
    return x + int(x.size(0) > 3), x * float(x.size(0) == 2)


@family.on(*SIZES)
def enumerate_ranges(x):
    total = 0
    for i in range(2, x.size(0) + 3, 2):
        total += i
    for j in range(x.size(0), 0, -1):
        total = total * 2 - j
    return x + total


@family.on(*SIZES)
def format_of_known(x):
    s = "{}-{}".format(x.dim(), 1.5)
    if s == "2-1.5":
        x = x + 1
    return x


@family.on(*SIZES)
def scalar_promotion(x):
    i = torch.arange(x.size(0))
    return i + 1, i * 0.5, i / 2, i // 2, x + i.unsqueeze(1), (x > 0) + 1, i.float() + x.sum(), i * x.size(0)


@family.on(*SIZES)
def dtype_questions(x):
    y = x.to(torch.int64) if x.dtype == torch.float32 else x
    if y.dtype == torch.int64 and x.is_floating_point():
        y = y * 2
    return y, x.to(x.dtype), torch.zeros(2, dtype=x.dtype, device=x.device)


@family.on(*SIZES)
def isinstance_questions(x):
    value: List[int] = [1, 2]
    if isinstance(value, list):
        x = x + len(value)
    if torch.jit.isinstance(x, torch.Tensor):
        x = x * 2
    return x


@family.on(*SIZES)
def tolist_of_shape(x):
    i: List[int] = torch.arange(3).tolist()
    j: List[float] = x[0].tolist()
    return x + i[2], x * j[1]


@family.on((X, whole(3)), (X, whole(0)), (X, whole(5)))
def factorials(x, n):
    k = int(n)
    return x + math.factorial(4), x + math.gcd(k, 6)


@family.on((X, whole(3)), (X, whole(0)), (X, whole(5)), (X, whole(20)))
def factorials_of_numbers(x, n):
    return x, math.factorial(int(n)), math.gamma(int(n) + 1)


@family.on((number(2.25),), (number(-0.5),), (number(0.0),), (number(-3.0),), (number(1e300),))
def parts_of_numbers(x: float):
    v = float(x)
    mantissa, exponent = math.frexp(v)
    fraction, whole_part = math.modf(v)
    return mantissa, exponent, fraction, whole_part, math.ldexp(mantissa, exponent), math.ldexp(1.0, int(max(min(v, 9.0), -9.0)))


@family.on((number(2.25),), (number(-0.5),), (number(-1.5),), (number(5.0),), (number(0.001),), (number(30.5),))
def gamma_of_numbers(x: float):
    v = float(x)
    return math.gamma(v), int(math.gamma(round(abs(v)) + 1))


@family.on(*DATA)
def no_grad(x):
    with torch.no_grad():
        y = x * 2
        if not torch.is_grad_enabled():
            y = y + 1
    return y


@family.on(*DATA)
def printed(x):
    print("value", x.size(0))
    return x + 1


@family.on(*((fill(5, 6), tensor(values=pair)) for pair in ([1, 2], [-3, 9], [0, 0])), opset=11)
def pairs_of_tolist(x, pair):
    numbers: List[int] = pair.long().tolist()
    first, second, third = torch.tensor_split(x, numbers, 0)
    return torch.roll(x, numbers, [0, 1]), torch.constant_pad_nd(x, numbers), first, second, third


@family.on(*((fill(12), tensor(values=sizes, dtype=torch.int64), fill(3)) for sizes in ([3, 4], [12, 1], [2, 6])))
def sizes_of_tolist(x, sizes, f):
    shape: List[int] = sizes.tolist()
    rows, columns = shape
    low, middle, high = torch.jit.annotate(List[float], f.tolist())
    first, second = torch.jit.annotate(List[bool], (sizes > 3).tolist())
    shape[0] = 2
    made = torch.zeros(rows, columns), torch.ones(shape), torch.arange(rows)
    return made, x.view(rows, columns) * middle, columns if first else -columns, second


@family.on(*((X, tensor(values=sizes)) for sizes in ([1, 2, 3], [4, 1, 2], [2, 2, 0])))
def created_by_tolist(x, sizes):
    numbers: List[int] = sizes.long().tolist()
    half = torch.zeros(numbers, dtype=torch.float16)
    return torch.zeros(numbers), torch.ones(numbers), torch.full(numbers, 2), torch.full(numbers, 0.5), x.new_ones(numbers), half


@family.on((X, whole(3)), (X, whole(0)), (X, whole(5)))
def rows_of_numbers(x, n):
    k = int(n)
    return torch.tensor([[1.0, float(n)], [2.0, 3.0]]), torch.tensor([[1, 2], [k, x.size(0)], [3, 4]]), torch.tensor([[k > 2], [True]])


@family.on(*DATA)
def tolist_of_matrix(x):
    rows: List[List[float]] = x.tolist()
    signs: List[List[bool]] = (x > 0).tolist()
    total = 0.0
    for row in rows:
        for value in row:
            total += value
    positive = 0
    for i in range(len(signs)):
        if signs[i][0]:
            positive += 1
    return rows[1][0], sum(rows[-1]), total, positive, torch.tensor(rows)


@family.on(*SIZES)
def tolist_of_rows(x):
    rows: List[List[float]] = x.tolist()
    return len(rows), sum(rows[-1])


@family.on(*FLOATS)
def float_of_activation(x, f: float):
    s = abs(f)
    return (F.leaky_relu(x, f), F.elu(x, s), F.celu(x, f), F.threshold(x, f, 1.0), F.hardtanh(x, -s, s), F.softplus(x, f), F.softshrink(x, s),
            F.hardshrink(x, s))


@family.on((fill(3, 4), number(1)), (fill(3, 4), number(0)), (fill(3, 4), number(-2)), (fill(3, 4), number(4)), (fill(5, 4), number(-3)))
def int_of_diagonal(x, k: int):
    return torch.triu_indices(3, 4, k), torch.tril_indices(4, abs(k), 1), torch.diagonal(x, k), torch.diag(x, k), torch.diagonal(x.unsqueeze(0), k, 2, 1)


@family.on((fill(2, 3),), (fill(1, 3),), (fill(4, 3),), opset=13)
def largest_of_tolist(x):
    values: List[float] = x.flatten().tolist()
    return torch.tensor(max(values)), torch.tensor(min(values) * 2 + 1), torch.tensor(sum(values))


NAN = float("nan")
BOUNDS = [(fill(3, 4), tensor(values=0.5)), (fill(5, 4), tensor(values=NAN)), (fill(2, 4), tensor(values=-1.0))]


# A single NaN bound that is a number has no effect; a NaN tensor bound, and a NaN number with another bound, yield NaN.
@family.on(*BOUNDS)
def bounds_that_are_nan(x, t):
    return torch.clamp(x, max=t.item()), torch.clamp(x, min=float(t)), torch.clamp_max(x, t.item()), torch.clamp(x.double(), max=t.item() / 2)


@family.on(*BOUNDS)
def pairs_of_bounds_with_nan(x, t):
    return torch.clamp(x, -1.0, float(t)), torch.clamp(x, float(t), 1.0), torch.clamp(x, torch.tensor(-1.0), t), torch.clamp(x, max=t)


def flags(*values):
    return tensor(values=values, dtype=torch.bool)


# The mean of no elements is NaN, also over axes that are spatial elsewhere.
@family.on((fill(4, 3, 5, 6), flags(1, 0, 1, 0, 1)), (fill(4, 3, 5, 6), flags(0, 0, 0, 0, 0)), (fill(4, 3, 5, 6), flags(1, 1, 1, 1, 1)))
def means_of_a_map_selected(x, mask):
    y = x[:, :, mask]
    return y.mean(2), y.mean((-1, -2), True), torch.relu(y).mean(2)


@family.on((fill(2, 3, 4, 5), number(2)), (fill(2, 3, 4, 5), number(0)), (fill(3, 3, 6, 5), number(3)))
def means_of_a_map_cut(x, k: int):
    y = x[:, :, :k]
    return y.mean(2), (y * 2).mean((2, 3)), y.var((2, 3), correction=0), torch.zeros(2, 2, k, 3).mean(2)


@family.on((fill(2, 3, 6, 5), number(2)), (fill(2, 3, 6, 5), number(0)), (fill(2, 3, 6, 5), number(6)), opset=14)
def means_of_a_map_sized(x, k: int):
    return (x.topk(k, 2)[0].mean(2), x[:, :, torch.arange(k)].mean(2), x.repeat(1, 1, k, 1).mean(2), torch.split(x, [k, 6 - k], 2)[0].mean(2),
            F.pad(x, (0, 0, 0, k - 6)).mean(2))


@family.on((fill(3, 4), fill(3, 4), number(1e-6)), (fill(2, 4), fill(2, 4), number(0.5)), (fill(5, 4), fill(5, 4), number(0.0)))
def distance_with_a_margin(x, y, eps: float):
    return F.pairwise_distance(x, y, 2.0, eps), F.pairwise_distance(x, y, 1.0, eps, True)


# The device is that of the tensor, the value only that of the number.
@family.on((X, number(3)), (X, number(0)), (X, number(1)))
def truths_on_a_device(x, n: int):
    y, z = x > 0, x * 1
    y[0] = n
    z[0] = n > 1
    return (y, z, torch.tensor(n > 1, device=x.device), torch.tensor([n, n], dtype=torch.bool, device=x.device),
            torch.full([2], n, dtype=torch.bool, device=x.device), torch.scalar_tensor(n, dtype=torch.bool, device=x.device))


def flag(value):
    return tensor(values=value, dtype=torch.bool)


ELEMENTS = [(X, whole(3), tensor(values=0.5), flag(True)), (X, whole(0), tensor(values=-1.5), flag(False)),
            (X, whole(5), tensor(values=2.0), flag(True))]


@family.on(*ELEMENTS)
def tensors_given_for_numbers(x, n: int, s: float, up: bool):
    for i in range(n):
        x = x * s + i
    return (x if up else -x), torch.zeros(n), s * n


@family.on((X, tensor(values=[2], dtype=torch.int32), tensor(values=[[2]], dtype=torch.int64)),
           (X, tensor(values=[1], dtype=torch.int32), tensor(values=[[-3]], dtype=torch.int64)),
           (X, tensor(values=[4], dtype=torch.int32), tensor(values=[[0]], dtype=torch.int64)))
def elements_given_for_numbers(x, n: int, s: float):
    return x.repeat(n, 1) * s, n // 2, s


@family.on(*SIZES)
def lists_returned(x):
    sizes: List[int] = []
    halves: List[float] = []
    signs: List[bool] = []
    for i in range(x.size(0)):
        sizes.append(i * 2)
        halves.append(float(x[i, 0]) / 2)
        signs.append(bool(x[i, 1] > 0))
    return sizes, halves, signs, [0.5, 1.5], [True, False], [x.size(1), 3], [float(x.size(0)), 0.5], [x.size(0) > 2, True]


@family.on(*[(tensor(values=values, dtype=torch.int64),) for values in ([-2, -1, 0, 1, 2, 3], [0, -1, -2], [1, 2])])
def divides_what_is_not_there(x):
    y = x[x > 0]
    n = y.size(0)
    return y % n, y // n, torch.fmod(y, n), y.int() % torch.tensor(n), torch.div(y, n, rounding_mode="trunc"), y.float() // n


@family.on(*[(fill(n, 3),) for n in (2, 5, 3)])
def divides_an_empty_tensor_by_0(x):
    none = (x[:0] * 4).long()
    y = x
    if x.size(0) > 4:
        z = none // 0
        y = x + z.sum() + (none.int() % 0).sum() + torch.fmod(none, torch.zeros(1, 3, dtype=torch.int64)).sum()
    return y, torch.div(none, torch.tensor([0, 1, 0]), rounding_mode="trunc"), none % 0


@family.on((fill(2, 5),), (fill(1, 7),), (fill(3, 4),))
def complex_as_tensor(x):
    z = torch.as_tensor(torch.fft.fft(x), device=x.device)
    return torch.view_as_real(z), torch.abs(torch.as_tensor(x, dtype=torch.complex64)), torch.as_tensor(z).real
