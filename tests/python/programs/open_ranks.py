"""Outputs whose rank a run decides, and that the program reads as well."""
import torch

from case import Family, fill, number

family = Family("open_ranks", opset=11)
FROM_A_SUM = [(fill(3, 4), number(1)), (fill(3, 4), number(2)), (fill(2, 4), number(0)), (fill(5, 4), number(3))]
FROM_A_MATRIX = [(fill(3, 4), number(2)), (fill(3, 4), number(1)), (fill(2, 4), number(0)), (fill(5, 4), number(3))]


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
