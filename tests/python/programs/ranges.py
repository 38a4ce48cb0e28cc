"""Operators with dynamic scalars: one float, or the type of each, decides the dtype."""
import torch

from case import Family, fill

family = Family("ranges", opset=13)


def scalars(*values):
    return [(fill(n, 3), torch.tensor(value)) for n, value in zip((4, 2, 1), values)]


FLOATS = scalars(8.5, 7.0, 9.9)
INTS = scalars(8, 7, 12)


@family.on(*FLOATS)
def float_end(x, end):
    return torch.arange(x.size(0), end, 1.5), torch.arange(end), torch.arange(x.size(0), end)


@family.on(*INTS)
def int_end(x, end):
    return torch.arange(x.size(0), end), torch.arange(x.size(0), end, 2), torch.arange(end)


@family.on(*INTS)
def known_float(x, end):
    return torch.arange(x.size(0), end, 1.5), torch.arange(0.5, end), torch.arange(0.0, end, x.size(0))


@family.on(*INTS)
def filled(x, end):
    return torch.full((2, x.size(0)), end), torch.full_like(x, end), torch.scalar_tensor(end), x.new_full((2,), end)


@family.on(*FLOATS)
def filled_by_floats(x, end):
    return torch.full((2, x.size(0)), end), torch.full_like(x, end), torch.scalar_tensor(end), x.new_full((2,), end)


@family.on(*INTS)
def spaced(x, end):
    return torch.linspace(0, end, 5), torch.linspace(x.size(0), end, x.size(0) + 1), torch.logspace(0, float(end) / 8, 5)


@family.on(*FLOATS)
def chosen(x, end):
    return torch.where(x > 0, x, end), x.clamp(min=end), x.clamp(-float(end), float(end)), x ** int(end), x.masked_fill(x > 0, end)


@family.on(*INTS)
def chosen_of_ints(x, end):
    rows = torch.arange(x.size(0))
    return rows.clamp(max=end), rows ** end, rows * end, rows / end, torch.where(rows > 1, rows, end)


@family.on(*INTS)
def read_behind(x, end):
    r = torch.arange(x.size(0), end, 1.5)
    return r.sum() + x, r[:1] * 2, torch.arange(x.size(0), end).float().mean()
