"""Sizes with a threshold that the example does not reach."""
import math
from typing import List

import torch
import torch.nn.functional as F

from case import Family, fill

family = Family("thresholds", opset=13)


def rows(*sizes):
    return [(fill(2, size),) for size in sizes]


@family.on(*rows(40, 19, 20, 21, 100))
def cut_behind_a_cut(x):
    y = x[:, :max(x.size(1) - 16, 1)][:, :4]
    return F.avg_pool1d(y, 3, 2), y.size(1), y.reshape(-1)


@family.on(*rows(40, 19, 20, 21, 100))
def least_behind_a_cut(x):
    y = x[:, :max(x.size(1) - 16, 1)]
    z = y.narrow(1, 0, min(y.size(1), 4))
    return F.avg_pool1d(z, 3, 2), z.size(1), y.split(16, 1)[0].sum(1)


@family.on(*rows(40, 4, 6, 7, 8))
def last_seven_pooled(x):
    y = F.avg_pool1d(x[:, -7:].split(20, 1)[0], 4, 3)
    return y, y.size(1), y.reshape(-1)


@family.on(*rows(100, 4, 7, 9, 10, 12, 13))
def three_of_the_windows(x):
    y = F.avg_pool1d(x, 4, 3)[:, :3]
    return y.contiguous().view(-1, 1).t(), y.size(1)


@family.on(*rows(24, 7, 8, 9, 10, 11))
def ten_of_the_windows(x):
    y = x.unfold(1, 3, 1).flatten(1)
    y = torch.cat([y, y[:, :4]], 1)[:, 16:][:, -10:]
    z = F.max_pool1d(y.split(10, 1)[0], 2, 2, ceil_mode=True)
    return z, z.size(1), y.sum(1)


@family.on(*rows(12, 199, 200, 201, 250))
def first_of_the_long(x):
    if x.size(1) > 200:
        y = x[:, :3]
    else:
        y = x
    return y, y.size(1), y.reshape(-1)


@family.on(*rows(12, 299, 300, 301, 350))
def padded_to_many(x):
    y = F.pad(x, [0, max(300 - x.size(1), 0)])
    return y.sum(1), y.size(1), y.reshape(-1, 2)


@family.on(*rows(12, 80, 81, 85, 90))
def last_of_the_padded(x):
    y = F.pad(x, [0, (-x.size(1)) % 5]).reshape(-1, 5).sum(1).unsqueeze(0)
    z = F.pad(y, [0, max(10 - y.size(1), 0)]).split(16, 1)[-1].split(5, 1)[0]
    return z, z.size(1)


@family.on(*rows(40, 1, 3, 4, 5, 6, 8))
def last_third_of_seven(x):
    y = x.narrow(1, 0, min(x.size(1), 7)).chunk(3, 1)[-1]
    return y, y.size(1), y.reshape(-1)


@family.on(*rows(9, 3, 4, 5, 6, 7, 8))
def last_third_of_the_last_piece(x):
    piece = x.split(4, 1)[-1]
    y = piece.chunk(3, 1)[-1]
    return y, y.size(1), piece.repeat(1, 3)


@family.on(*rows(17, 3, 4, 5, 9))
def half_of_the_last_piece(x):
    piece = x[:, -5:].split(4, 1)[-1]
    y = piece.chunk(3, 1)[0]
    return y, y.size(1), piece[:, :piece.size(1) // 2]


@family.on(*rows(24, 12, 13, 14, 15, 16, 17))
def thirds_of_thirds(x):
    y = x[:, :16].chunk(3, 1)[-1]
    z = F.pad(y.chunk(3, 1)[-1], [3, 1])
    return z, z.size(1), F.avg_pool1d(y, 3, 2)


@family.on(*rows(6, 48, 49, 81, 90))
def third_of_the_rest(x):
    y = F.max_pool1d(x, 3, 3, ceil_mode=True)
    z = F.pad(y, [0, max(16 - y.size(1), 0)]).repeat(1, 2).split(5, 1)[-1]
    return z[:, :z.size(1) // 3 + 1], z.size(1)


@family.on(*rows(9, 3, 5, 6, 7, 10, 11))
def one_way_of_the_rest(x):
    last = x.split(7, 1)[0].split(5, 1)[-1]
    y = last[:, :last.size(1) // 3]
    return y, y.size(1), last.split(2, 1)[0].size(1)


@family.on(*rows(8, 1, 2, 20, 21, 63, 64))
def parts_of_a_list(x):
    parts: List[torch.Tensor] = list(x.unbind(1))[:20]
    return torch.stack(parts, 1), len(parts)


@family.on(*rows(10, 2, 5, 9, 12, 15))
def equal_to_a_number(x):
    n = x.size(1)
    y = x[:, :2] if n == 5 or n == 12 else x[:, :2] * 2
    return y, y.size(1), torch.zeros(int(n == 12) + 1)


BEYOND = rows(3, 1, 60, 99, 100, 101, 127, 128, 129, 200, 256, 257)


@family.on(*BEYOND)
def padded_to_a_multiple(x):
    n = x.size(1)
    y = F.pad(x, [0, (128 - n % 128) % 128])
    return y, y.reshape(2, -1, 128), y.size(1) // 128


@family.on(*BEYOND)
def divided_by_more(x):
    n = x.size(1)
    upwards, bits = -(-n // 100), torch.zeros(n & 127)
    return (torch.zeros(n // 100), torch.zeros(int(n / 100)), torch.zeros(upwards), torch.zeros(math.floor(n * 0.01)), bits,
            torch.zeros(math.ceil(n / 100)), torch.zeros(n >> 7), torch.zeros(n | 128), torch.zeros(n ^ 128), torch.zeros(divmod(n, 100)[1]))


@family.on(*BEYOND)
def steps_beyond_all(x):
    y = x[:, ::100]
    return y, torch.arange(0, x.size(1), 100), F.max_pool1d(x, 1, 100), y.size(1), torch.zeros(3 if x.size(1) in [100, 200] else 2)


@family.on(*BEYOND)
def turns_of_more(x):
    n = x.size(1)
    items, others = [x[:, 0]], [x[:, 0]]
    for i in range(n // 100):
        items.append(x[:, i])
    for i in range((n - 200) // 2):
        others.append(x[:, i])
    for i in range(0, n, 100):
        others.append(x[:, i])
    return torch.stack(items), torch.stack(others), torch.zeros(len(items))


def products(x, y, z):
    a, b, c = x.size(0), y.size(0), z.size(0)
    return torch.zeros(a * b), torch.zeros(b * c), torch.zeros(c * a), (z.unsqueeze(1) * y).reshape(-1), torch.zeros(a * b + c)


for example in (1, 4):
    runs = [tuple(fill(size) for size in sizes) for sizes in ((example,) * 3, (3, 2, 4), (5, 1, 2), (2, 7, 3))]
    family.program(f"products.{example}", products, *runs)
