"""Outputs of dynamic rank that the program reads too."""
from typing import List

import torch

from case import Family, fill, number

family = Family("open_ranks", opset=11)
FROM_A_SUM = [(fill(3, 4), number(1)), (fill(3, 4), number(2)), (fill(2, 4), number(0)), (fill(5, 4), number(3))]
FROM_A_MATRIX = [(fill(3, 4), number(2)), (fill(3, 4), number(1)), (fill(2, 4), number(0)), (fill(5, 4), number(3))]

JOINED = [(fill(3, 4), number(1)), (fill(5, 4), number(2)), (fill(1, 4), number(0)), (fill(4, 4), number(2))]


def asked_for_its_rank(x, n: int):
    y = x if n > 1 else x.sum()
    return y, y.dim(), y.numel(), 7 if y.dim() == 0 else 9, torch.ones(y.dim() + 1)


def read_by_turns(x, n: int):
    y = x if n > 1 else x.sum()
    sizes = torch.zeros(1)
    for i in range(y.dim()):
        sizes = sizes + y.size(i)
    return y, sizes, y


def summed_in_part(x, n: int):
    y = x
    if n > 1:
        y = y.sum(0)
    elif n == 0:
        y = y.sum()
    flat = y.reshape(-1)
    return y, flat, flat.size(0), y.dim(), y.exp()


for program in (asked_for_its_rank, read_by_turns, summed_in_part):
    family.program(program.__name__ + ".from_a_sum", program, *FROM_A_SUM)
    family.program(program.__name__ + ".from_a_matrix", program, *FROM_A_MATRIX)


def squeezed(x):
    y = x.sum(1).squeeze(0)
    return y, y.dim(), len(y.shape)


family.program("squeezed.from_one", squeezed, (fill(1, 4),), (fill(3, 4),), (fill(2, 4),))
family.program("squeezed.from_three", squeezed, (fill(3, 4),), (fill(1, 4),), (fill(2, 4),))


# If the example has one row, both have the same number of elements; if it has four, as many rows as the other has
# elements.
def either(x, k: int):
    y = x[0] if k > 0 else x
    return y.numel(), torch.zeros(y.size(0)), y.reshape(-1) * 2


def one_of_three(x, k: int):
    y = (x[0] if x[0, 0] > 0 else x) if k > 0 else x.unsqueeze(0)
    return torch.cat([y.reshape(-1), x.reshape(-1)]), torch.zeros(y.numel()), y.size(-1)


def picked(x, k: int):
    y = [x, x[0]][k]
    return y.numel(), torch.zeros(y.size(0)), y.reshape(-1) * 2


def picked_the_other_way(x, k: int):
    y = [x[0], x][k]
    return y.numel(), torch.zeros(y.size(0)), y.reshape(-1) * 2


def last_of_turns(x, k: int):
    rows: List[torch.Tensor] = [x[0]]
    for i in range(k):
        rows.append(x)
    return rows[-1].numel(), torch.zeros(rows[-1].size(0)), rows[-1].reshape(-1) * 2


def made_otherwise_at_first(x, k: int):
    parts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        parts.append(x[i] if i > 0 else x)
    return torch.cat([part.reshape(-1) for part in parts])


for program in (either, one_of_three, picked, picked_the_other_way, last_of_turns, made_otherwise_at_first):
    for rows in (1, 4, 3):
        for k in (0, 1):
            runs = [(fill(other, 4), number(way)) for other in (rows, 2, 6) for way in (k, 1 - k)]
            family.program(f"{program.__name__}.{rows}.{k}", program, *runs, opset=13)


@family.on(*JOINED)
def joined_where_it_has_axes(x, k: int):
    y = x.sum() if k > 2 else x[0]
    z = y if k < 9 else x
    return torch.cat([y, y]), torch.cat((y * 2, x[0]), -1), torch.stack([z, y], 1), torch.stack((x[-1], z))


@family.on(*JOINED)
def joined_where_it_is_empty(x, k: int):
    y = x[: (k // 2) * 0, 0]
    z = x[:0, 1] if k > 1 else x
    return torch.cat([y, x]), torch.cat([x, y, z], -1) if k > 1 else torch.cat([z, y, x], 1)


@family.on(*JOINED)
def joined_as_vectors_or_matrices(x, k: int):
    y = x[0, :2] if k > 1 else x
    z = x[0] if k > 1 else x
    return torch.cat([y, z]), torch.stack([z, z])
