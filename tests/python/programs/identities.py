"""Tests whether two names are the same object, where branches and loops decide."""
from typing import List

import torch
from torch import nn

from case import Family, fill, number, tensor

family = Family("identities", opset=13)
RUNS = [(fill(4, 3), number(2)), (fill(6, 3), number(0)), (fill(1, 3), number(5)), (fill(4, 3), number(-3)), (fill(4, 3), number(1))]
PAIRS = [(fill(4, 2, 8), fill(4, 2, 8), number(2)), (fill(6, 2, 8), fill(6, 2, 8), number(0)), (fill(1, 2, 8), fill(1, 2, 8), number(1))]


@family.on(*RUNS)
def one_of_two(x, n: int):
    a, b = x + 1, x * 2
    one = a if n > 0 else b
    other = b if n > 1 else a
    if one is a:
        x = x * 3
    if one is not other:
        x = x - 5
    return one + x


@family.on(*RUNS)
def chosen_together(x, n: int):
    if n > 0:
        one = x + 1
        other = one
    else:
        one = x * 2
        other = x * 3
    return one * 7 if one is other else other


@family.on(*RUNS)
def changed_by_a_turn(x, n: int):
    best = x
    for i in range(n):
        better = x + i
        if better.sum() > best.sum() + 3:
            best = better
    return x - 1 if best is x else best


@family.on(*RUNS)
def of_the_turn_before(x, n: int):
    before = x
    count = 0
    for i in range(n):
        now = x * i
        count += 1 if now is before else 10
        before = now
        if before is now:
            count += 100
    return before * count


@family.on(*RUNS)
def exchanged(x, n: int):
    a, b = x + 1, x * 2
    first = a
    for i in range(n):
        a, b = b, a
    if a is first:
        return a * 2
    return a * 7 if b is not first else a * 3


@family.on(*RUNS)
def followed_while_exchanged(x, n: int):
    a, b = x + 1, x * 2
    c = a
    for i in range(n):
        a, b = b, a
        if a is c:
            c = b
    return a * 2 if c is a else c * 3


@family.on(*RUNS)
def in_nested_loops(x, n: int):
    a, b, c = x * 2, x * 3, x
    for i in range(n + 1):
        for j in range(n):
            c = a if (i + j) % 2 == 0 else b
        if c is b:
            x = x + 1
    return x, c


@family.on(*RUNS)
def written_to_under_both_names(x, n: int):
    a = x + 0.5
    b = a.add_(1)
    c = a if n > 0 else x.clone()
    if b is c:
        c.mul_(2)
    return a, b, c * 1


@family.on(*RUNS)
def lists(x, n: int):
    a: List[torch.Tensor] = [x, x]
    b = [x * 2, x]
    for i in range(n):
        b = a
    return x * 5 if b is a else x


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)

    def forward(self, x, y, n: int):
        query = y
        for i in range(n):
            query = x
        return self.attention(query, x, x)[0]


family.program("attention_of_a_query_that_a_loop_hands_on", Attention(), *PAIRS)


def doubled_if_same(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if a is b:
        return a * 2
    if a is not a:
        return a * 5
    return a + b


@family.on((fill(2, 3), tensor(values=[1, 2], dtype=torch.int64)), (fill(2, 3), tensor(values=[0, 0], dtype=torch.int64)), (fill(2, 3), tensor(values=[4, 1], dtype=torch.int64)))
def same_of_a_size_of_the_run(x, index):
    y = x.new_zeros([int(index.max()) + 1, 2, 3]) + x
    return doubled_if_same(y, y)
