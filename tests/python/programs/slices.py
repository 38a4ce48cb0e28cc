"""Slices of lists and tensors with dynamic bounds, steps or number of pieces."""
from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor

from case import Family, fill, number, tensor, whole

family = Family("slices", opset=13)
X = fill(3, 4)
SIZES = [(fill(3, 4),), (fill(1, 4),), (fill(6, 4),)]
STEPS = [(X, whole(2)), (fill(1, 4), whole(-1)), (fill(5, 4), whole(-3)), (fill(4, 4), whole(1))]
TIMES = [(X, whole(2)), (fill(1, 4), whole(1)), (fill(4, 4), whole(0))]


@family.on(*STEPS)
def numbers_by_step(x, n):
    v: List[int] = []
    for i in range(x.size(0) * 2):
        v.append(i * 3)
    k = int(n)
    a, b, c, d = torch.tensor(v[::k]), torch.tensor(v[k:]), torch.tensor(v[:k]), torch.tensor(v[k::-1])
    return a, b, c, d, torch.tensor(v[-2:5:k]), len(v[100:]), len(v[:-100]), torch.tensor(v[-1:0:-1])


@family.on(*STEPS)
def sizes_by_step(x, n):
    k = int(n)
    sizes = list(x.unsqueeze(0).shape)
    return torch.tensor(sizes[k:]), torch.tensor(sizes[::-1]), torch.tensor(sizes[::k]), torch.tensor(sizes[1:])


@family.on(*STEPS)
def tensors_by_step(x, n):
    v: List[Tensor] = []
    for i in range(x.size(0) * 2):
        v.append(x[0] + i)
    k = int(n)
    parts = v[::k]
    return torch.stack(v[k::-1] + v[:1]), torch.stack(parts + v[:1]), len(parts), len(v[1::k]), len(v[:2:k]), len(v[k:5:k])


@family.on((X, whole(2)), (fill(1, 4), whole(1)), (fill(6, 4), whole(4)))
def tensor_by_step(x, n):
    return x[:: int(n)], x[:, 1 :: int(n)], x[: int(n) : x.size(0)]


@family.on(*TIMES)
def lists_repeated(x, n):
    v: List[float] = []
    for i in range(x.size(0)):
        v.append(i * 0.5)
    return torch.tensor(v * 2), torch.tensor([0.5, 1.5] * int(n)), len([0] * x.size(0)), torch.tensor([True, False] * x.size(0))


@family.on(*SIZES)
def pieces_of_computed_sizes(x):
    y = torch.cat([x, x])
    return torch.split(y, [x.size(0) - 1, x.size(0) + 1])


@family.on(*SIZES)
def pieces_between(x):
    return torch.tensor_split(x, 2, 0), torch.tensor_split(x, [1, 2], 1), torch.hsplit(x, 2)


@family.on((fill(3, 4),), (fill(1, 7),), (fill(5, 2),), (fill(2, 1),), (fill(2, 0),), opset=9)
def pieces_between_computed(x):
    n = x.size(1) // 2
    return (torch.tensor_split(x, [2, n + 1], 1), torch.tensor_split(x, [-n, n], -1), torch.vsplit(x, [x.size(0) - 1]),
            torch.hsplit(x, [n, -1])[1])


@family.on((X, number(1), number(3)), (fill(5, 2), number(2), number(-1)), (fill(2, 7), number(-3), number(-1)), (fill(2, 5), number(4), number(1)), (fill(2, 5), number(9), number(0)), (fill(2, 5), number(-9), number(2)), opset=9)
def pieces_between_numbers(x, first: int, second: int):
    a, b, c = torch.tensor_split(x, [first, second], dim=1)
    return a, b * 2, c


@family.on((fill(1, 2, 4, 6), fill(1, 2, 5, 5)), (fill(1, 2, 4, 6), fill(1, 2, 8, 3)), (fill(1, 2, 4, 6), fill(1, 2, 2, 9)))
def interpolated_to_sizes_of_another(x, y):
    return F.interpolate(x, size=y.shape[2:]), F.interpolate(x, size=y.shape[-2:], mode="bilinear", align_corners=False)


@family.on(*SIZES)
def unique_without_inverse(x):
    return torch.unique((x * 3).to(torch.int64))


@family.on((X, whole(1), whole(1)), (fill(1, 4), whole(0), whole(1)), (fill(4, 4), whole(9), whole(6)), (fill(4, 4), whole(3), whole(3)))
def as_many_rows_as_numbers_differ_by(x, n, m):
    i, j = int(n), int(m)
    y = x.clone()
    y[i:i + 1] = 7
    return x[i:i + 1], x[i:j + 1], y, torch.zeros(abs(i - j) + 2), torch.arange(i, i + 2), torch.ones(max(i - 2, 1), 2)


@family.on((X,), (fill(3, 4, low=-2, high=-1),), (fill(5, 4, low=0, high=1),), (fill(1, 4, low=-1, high=0),))
def first_of_those_found(x):
    found = x[x[:, 0] > 0]
    return found[:1], found[:2, 0], found[:1].sum()


SELECTED = [(tensor(4, 3, low=5, high=8),), (tensor(4, 3, low=-8, high=-5),), (tensor(4, 3, low=-2, high=2),)]


@family.on(*SELECTED)
def means_of_what_is_left(x):
    y = x[x[:, 0] > 0]
    return y.mean(), y.mean(0), y.mean(1, True), y.var(0, unbiased=False), y.std(0), y.var(correction=0)


@family.on(*SELECTED)
def losses_of_what_is_left(x):
    y = x[x > 0]
    return torch.nn.functional.mse_loss(y, y * 2), torch.nn.functional.l1_loss(y, y * 3, reduction="sum"), y.sum()


@family.on((fill(4, 3), whole(2)), (fill(4, 3), whole(0)), (fill(4, 3), whole(5)))
def mean_of_the_first(x, n):
    y = x[: int(n)]
    return y.mean(0), y.mean(), y.var(0, unbiased=False)


@family.on((fill(3, 4),), (fill(2, 2),), (fill(1, 7),), (fill(4, 2),))
def writes_to_the_row_or_none(x):
    y, z = x.reshape(1, -1) * 2, x * 3
    y[: abs(x.size(1) - 2)] += 1
    z[: abs(x.size(1) - 2)] = 4.0
    return y, z


@family.on(*SIZES, (fill(0, 4),))
def writes_to_the_first_or_no_row(x):
    first, last = x * 2, x * 3
    first[0:1] = 1.5
    last[-1:, -2:] = -1
    return first, first + x, last


WAVES = [(fill(2, 33), number(8), number(4)), (fill(2, 8), number(8), number(3)), (fill(2, 50), number(5), number(2))]


def framed(wave: Tensor, window: int, shift: int):
    count = 1 + (wave.size(0) - window) // shift
    return wave.as_strided([count, window], [shift * wave.stride(0), wave.stride(0)])


@family.on(*WAVES)
def windows_by_strides(x, window: int, shift: int):
    channel = x[0]
    padded = torch.cat([channel.flip(0), channel]) if window > 5 else channel[: x.size(1) // 2 * 2]
    return framed(channel, window, shift), framed(padded, window, shift), framed(x[0, 1:] * 2, window - 1, shift)


@family.on(*SIZES, (fill(0, 4),))
def strides_asked_for(x):
    y = x.view(x.size(0), 2, 2)
    turned = x.t().contiguous()
    again = turned.as_strided(turned.shape, turned.stride())
    return x.stride(), y.stride(0), y.stride(-1), again, y[1:].stride(1), turned.is_contiguous()


@family.on((fill(3, 4), number(2)), (fill(2, 4), number(0)), (fill(1, 4), number(3)), (fill(0, 4), number(1)), opset=9)
def repeated_each(x, n: int):
    none = x[:, :0]
    return x.repeat_interleave(n, 0), x.repeat_interleave(n, 1), none.repeat_interleave(2, 0), none.repeat_interleave(2, 1)


FEW = [(fill(5, 4),), (fill(2, 4),), (fill(3, 4),), (fill(9, 4),)]


@family.on(*FEW)
def windows_of_a_few_rows(x):
    return x[:3].unfold(0, 2, 1), x.split(3)[0].unfold(0, 2, 1), x[:3].size(0)


@family.on(*FEW)
def windows_of_a_few_columns(x):
    return x.t()[:, :3].unfold(1, 2, 1) * x[:3].size(0)


STEPPED = [(fill(4, 4),), (fill(2, 4),), (fill(3, 4),), (fill(5, 4),)]


@family.on(*STEPPED)
def every_second_row_copied(x):
    x = x.clone()
    y = x[1::2].clone().flatten()
    y[0] = 7
    return x, y


class Truncated(torch.nn.Module):
    """Steps of a signal; uses a few at most, and does not run on short signals."""

    def __init__(self, width, stride, most):
        super().__init__()
        self.layer = torch.nn.Conv1d(2, 3, width, stride)
        self.most = most

    def forward(self, x):
        y = self.layer(x)[:, :, :self.most]
        return y.size(2), y.flatten(1), torch.zeros(y.size(2)), x[:, :, :self.most].size(2)


def signals(*lengths):
    return [(fill(2, 2, length),) for length in lengths]


family.program("truncated_steps", Truncated(10, 1, 20), *signals(40, 15, 28, 50))
family.program("truncated_strides", Truncated(25, 10, 20), *signals(400, 100, 200, 30))


@family.on((fill(1, 2, 64, 64),), (fill(1, 2, 30, 60),), (fill(1, 2, 90, 25),))
def truncated_map(x):
    y = F.max_pool2d(F.avg_pool2d(x, 7, 4), 3, 2)[:, :, :6, :5]
    return y.size(2), y.size(3), y.flatten(1)


ODD_ENDS = [(fill(2, columns),) for columns in (24, 13, 12, 31, 81)]


@family.on(*ODD_ENDS)
def the_last_of_pairs(x):
    y = x[:, :max(x.size(1) - 7, 1)]
    return y.split(2, 1)[-1], y.split(2, 1)[-1].size(1), y.unfold(1, 3, 1)


@family.on((fill(2, 64),), (fill(2, 5),), (fill(2, 25),), (fill(2, 13),))
def a_third_of_the_last_piece(x):
    y = x.split(16, 1)[-1]
    z = y[:, :y.size(1) // 3]
    return z[:, :3], z[:, :3].size(1), z[:, ::2].size(1)


@family.on((fill(2, 40),), (fill(2, 13),), (fill(2, 16),), (fill(2, 81),))
def windows_of_a_half(x):
    y = x.chunk(2, 1)[-1][:, 1::2]
    return y.narrow(1, 0, min(y.size(1), 5)).unfold(1, 3, 2).flatten(1)


@family.on(*[(fill(1, columns),) for columns in (6, 40, 2, 90)])
def behind_the_first_of_found_rows(x):
    found = (x > 0).nonzero()
    return found[8:], found[:5] + 1, found[2:9].sum(1), x[x > 0][12:]
