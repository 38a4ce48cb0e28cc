"""Sizes that follow an axis up to a bound, or differ if it is 1."""
from typing import List

import torch
import torch.nn.functional as F

from case import Family, fill, number, whole

family = Family("bounds", opset=13)
LARGE = [(fill(4, 5),), (fill(1, 5),), (fill(150, 5),)]
SMALL = [(fill(40, 5),), (fill(1, 5),), (fill(3, 5),)]
PAIRS = [(fill(2, 3, 4),), (fill(1, 1, 4),), (fill(5, 6, 4),)]


@family.on(*LARGE)
def clamp_then_view(x):
    y = x[:100]
    return y.reshape(-1), y.view(y.size(0), 5, 1), y.t().contiguous(), y + y, torch.cat([y, y])


@family.on(*LARGE)
def last_two(x):
    y = x[-2:]
    return y.flatten(), y.sum(0), y.reshape(-1, 5), torch.stack([y, y]), y.unsqueeze(0).expand(3, -1, -1)


@family.on(*LARGE)
def min_sizes(x):
    n = min(x.size(0), 3)
    y = x[:n]
    z = torch.zeros(n, 5) + y
    w = x.new_zeros(8, 5)
    w[:n] = y
    return z.repeat(2, 1), w, torch.arange(n), y.split(1)[0]


@family.on(*SMALL)
def topk_min(x):
    k = min(10, x.size(0))
    v, i = x[:, 0].topk(k)
    return v, x[i], x[i].sum(1) + v


@family.on(*LARGE)
def write_clamped(x):
    y = x.clone()
    y[:3] = 0
    y[-2:] += 1
    y[1:4:2] = 5
    return y


@family.on(*LARGE)
def pad_to_multiple(x):
    p = (8 - x.size(0) % 8) % 8
    return F.pad(x, [0, 0, 0, p]), F.pad(x, [0, 0, 0, max(0, 10 - x.size(0))])


@family.on(*PAIRS)
def broadcast_one(x):
    return x + x[:, :1], x * x.mean(1, keepdim=True), torch.where(x > 0, x, x[:1]), x.expand(x.size(0), -1, -1), torch.bmm(x, x.transpose(1, 2))


@family.on(*LARGE)
def window(x):
    if x.size(0) > 100:
        x = x[:100]
    return x, x.sum(0), x.size(0)


@family.on(*LARGE)
def lists_of_ints(x):
    s: List[int] = list(x.shape)
    s[0] = min(s[0], 6)
    s.append(1)
    return torch.zeros(s), x[: s[0]].reshape(s)


@family.on(*SMALL)
def narrow_half(x):
    h = x.size(0) // 2
    a, b = x[:h], x[h:]
    return a.sum(0), b, torch.cat([b, a]), x.narrow(0, h, x.size(0) - h)


@family.on(*SMALL)
def loop_shrink(x):
    while x.size(0) > 2:
        x = x[: x.size(0) // 2] + x[-(x.size(0) // 2):]
    return x


@family.on(*LARGE)
def item_math(x):
    n = int(x.abs().sum().item()) % 3 + 1
    return x.repeat(n, 1), torch.zeros(n, 2) + n, x[:n]


# Large steps and numbers of pieces have the same result; the example has a large one.
STEPS = [(fill(4, 3), number(9)), (fill(4, 3), number(1)), (fill(4, 3), number(3)), (fill(4, 3), number(2))]


@family.on(*STEPS)
def rows_at_steps(x, n: int):
    rows = x[::n]
    return rows, rows.size(0), rows.sum(0), rows + torch.ones(rows.size(0), 3)


@family.on(*STEPS)
def writes_at_steps(x, n: int):
    y = x.clone()
    y[1::n] = 7.0
    y[:, ::n] *= 2
    z = x.clone()
    z[::n].add_(1)
    z[-3:-1:n, 0] = 5.0
    return y, z


@family.on(*STEPS)
def windows_at_steps(x, n: int):
    windows = x[:2].unfold(0, 1, n)
    return windows, windows.size(0), windows.reshape(-1)


@family.on(*STEPS)
def pieces_of_any_size(x, n: int):
    parts = x.split(n)
    return parts[0], parts[0].size(0), len(parts), parts[0].reshape(-1)


@family.on(*STEPS)
def any_number_of_pieces(x, n: int):
    parts = x.chunk(n)
    return parts[0], parts[0].size(0), len(parts), parts[-1].reshape(-1)


@family.on(*STEPS)
def sections_of_any_number(x, n: int):
    parts = torch.tensor_split(x, n)
    return parts[-1], parts[-1].size(0), len(parts), parts[0].sum(0)


@family.on(*STEPS, opset=13)
def one_piece_decides(x, n: int):
    first = x.split(n)[0]
    if first.size(0) == 4:
        return first.sum(0)
    return torch.zeros(3)


@family.on((fill(3), number(9.0)), (fill(3), number(0.5)), (fill(3), number(0.25)))
def numbers_at_steps(x, step: float):
    numbers = torch.arange(0.0, 1.0, step)
    return numbers, numbers.numel(), numbers.unsqueeze(1) + x, numbers.size(0) == 1


@family.on((fill(4, 4), whole(2)), (fill(4, 4), whole(1)), (fill(5, 4), whole(4)), (fill(4, 4), whole(3)), opset=13)
def pieces_of_a_made_list(x, n):
    sizes: List[int] = []
    for _ in range(int(n)):
        sizes.append(1)
    parts = x[:int(n)].split(sizes)
    return parts[0], parts[0].size(0), x[:int(n)].split([1] * int(n))[0]


@family.on((fill(4, 4), whole(2)), (fill(4, 4), whole(3)), (fill(5, 4), whole(4)), opset=13)
def two_of_more_pieces(x, n):
    parts = x[:int(n)].split([1] * int(n))
    return parts[0] + parts[1]


@family.on((fill(2, 3), torch.tensor(0.3)), (fill(2, 3), torch.tensor(0.1)), (fill(2, 3), torch.tensor(1.0)), (fill(2, 3), torch.tensor(0.03)))
def places_at_steps_of_a_float(x, f):
    places = torch.arange(0.0, 0.25, float(f))
    return places.size(0), places.view(places.size(0), 1) * x[:1]


@family.on((fill(3, 4),), (fill(1, 1),), (fill(1, 2),), (fill(2, 1),), (fill(5, 3),))
def first_of_both_axes(x):
    y = x.flatten()[:3].unsqueeze(0)
    z = torch.ones(x.size(0), min(2, x.size(0) * x.size(1)))
    return y, y.size(1), z.sum(1, keepdim=True) + z, max(x.size(0) * x.size(1), 2)


@family.on((fill(3, 3), number(1)), (fill(2, 3), number(3)), (fill(1, 3), number(2)), (fill(8, 3), number(7)))
def from_the_rows_to_a_number(x, n: int):
    y = x + 0.5
    y[:, x.size(0):n:2] = 2
    return x[:, x.size(0):n].size(1) + 1, x[5:n].size(0) + 1, y
