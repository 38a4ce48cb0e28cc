"""Operators with dynamic rotations, powers and orders, from inputs or their sizes."""
import torch

from case import Family, fill, number, tensor

family = Family("orders", opset=11)
SIDES = [(fill(4, 5), number(2)), (fill(1, 5), number(0)), (fill(9, 5), number(1)), (fill(4, 5), number(-1)), (fill(4, 5), number(7))]
SQUARE = [(fill(4, 4), number(2)), (fill(4, 4), number(0)), (fill(4, 4), number(1)), (fill(4, 4), number(3)), (fill(4, 4), number(-5))]
ORDERS = [(fill(4, 5), 2.0), (fill(1, 5), 1.0), (fill(9, 5), 3.5), (fill(9, 5), 0.0), (fill(4, 5), float("inf")),
          (fill(4, 5), float("-inf")), (fill(4, 5), 0.5), (fill(4, 5), -1.0)]
WHOLE = tensor(3, 3, low=-2, high=2, dtype=torch.int64)


@family.on(*SIDES)
def turned(x, k: int):
    return torch.rot90(x, k), torch.rot90(x > 0, k + 1, [1, 0])


@family.on(*SQUARE, opset=9)
def turned_square(x, k: int):
    return torch.rot90(x, k), torch.rot90(x, k, [-2, 1])


@family.on((fill(4, 5),), (fill(1, 5),), (fill(7, 5),), (fill(2, 5),))
def turned_by_size(x):
    return torch.rot90(x, x.size(0))


@family.on((fill(2, 4, 3), number(3)), (fill(2, 1, 3), number(-1)), (fill(2, 9, 3), number(4)))
def turned_in_a_batch(x, k: int):
    return torch.rot90(x, k, [1, 2])


@family.on(*[(fill(3, 3), number(n)) for n in (2, 0, 1, 3, 7, -1, -3)])
def power(x, n: int):
    return torch.matrix_power(x, n), torch.linalg.matrix_power(x.double(), n)


@family.on(*[(WHOLE, number(n)) for n in (3, 0, 1, 6)])
def power_of_integers(x, n: int):
    return torch.matrix_power(x, n)


@family.on((fill(4, 3, 3),), (fill(1, 3, 3),), (fill(7, 3, 3),))
def power_by_size(x):
    return torch.matrix_power(x, x.size(0)), torch.matrix_power(x, x.size(0) // 2)


@family.on(*[(fill(3, 3, low=1, high=2), number(n)) for n in (3, 0, 1, 2)])
def power_with_infinity(x, n: int):
    y = x.clone()
    y[0, 0] = float("inf")
    return torch.matrix_power(y, n)


@family.on(*ORDERS)
def norm(x, p: float):
    return torch.norm(x, p), x.norm(p, 1), torch.linalg.vector_norm(x, p, [0], True), torch.dist(x, x * 2 + 1, p)


@family.on((fill(4, 5), 3.0), (fill(0, 5), 3.0), (fill(9, 5), 0.0), (fill(2, 5), 1.0), (fill(0, 5), 2.0))
def norm_of_nothing(x, p: float):
    return x.norm(p), x.norm(p, 1), x.norm(p, 0)


@family.on((fill(4, 5), number(2)), (fill(1, 5), number(1)), (fill(9, 5), number(3)))
def norm_by_integer(x, p: int):
    return x.norm(p, 1), torch.nn.functional.normalize(x, float(p), 1), torch.norm(x, p, 1, dtype=torch.float64)
