"""Tensors and lists that iterations and branches recreate and write to, while the old ones are read afterwards."""
from typing import Dict, List, Optional

import torch

from case import Family, fill, number

family = Family("renewed", opset=11)
TURNS = [(fill(3), number(3)), (fill(3), number(0)), (fill(3), number(4)), (fill(3), number(1))]
SIZES = [(fill(3), number(3)), (fill(5), number(0)), (fill(4), number(4)), (fill(1), number(1))]


@family.on(*SIZES)
def two_in_a_row(x, n: int):
    a, b = x + 1, x * 2
    last, now = a, b
    for i in range(n):
        now[0] += 1
        last.mul_(2)
        last, now = now, last + now
    return last, now, a, b


@family.on(*TURNS)
def three_and_a_branch(x, n: int):
    a, b, c = x + 1, x * 2, x - 1
    p, q, r = a, b, c
    for i in range(n):
        if i % 2 == 0:
            p, q, r = q, r, p * q - r
        else:
            p, q = q, p
        p[0] += 1
        r.add_(1)
    return p, q, r, a, b, c


@family.on(*TURNS)
def one_under_two_names(x, n: int):
    best, now = x * 1, x * 1
    first = now
    for i in range(n):
        now.add_(1)
        if bool(now.sum() > best.sum()):
            best = now
        now = now * 0.5
        now[0] = 3
    best.mul_(2)
    return best, now, first


@family.on(*TURNS)
def until_a_sum(x, n: int):
    a, b = x + 1, x * 2
    p, q = a, b
    while bool(p.sum() < 30) and n > 0:
        p, q = q, p + q.abs() + 1
        p.add_(1)
        n -= 1
    return p, q, a, b


@family.on(*TURNS)
def left_early(x, n: int):
    a, b = x + 1, x * 2
    p, q = a, b
    for i in range(n):
        if bool(q.sum() > 10):
            break
        p, q = q, p + q.abs() + 1
        p.add_(1)
    q.mul_(2)
    return p, q, a, b


@family.on(*TURNS)
def of_a_view(x, n: int):
    rows = torch.stack([x, x + 1, x * 2])
    p, q = rows[0], rows[1]
    for i in range(n):
        p, q = q, p + q
        p.add_(1)
    return rows, p, q


@family.on(*TURNS)
def items_of_a_list(x, n: int):
    items = [x + 1, x * 2]
    first, second = items[0], items[1]
    for i in range(n):
        items = [items[1], items[0] + items[1]]
        items[0].add_(1)
    return items[0], items[1], first, second


@family.on(*TURNS)
def items_of_a_queue(x, n: int):
    items = [x + 1, x * 2, x * 3]
    first = items[0]
    for i in range(n):
        items.append(items[0] + items[1])
        items.pop(0)
        items[0].add_(1)
        items[2].mul_(2)
    return torch.stack(items), first


@family.on(*TURNS)
def conjugate_gradients(x, n: int):
    solution = torch.zeros_like(x)
    rest = x * 2 - solution * 3
    step = rest
    squares = (rest * rest).sum()
    for i in range(n):
        ahead = step * 3
        length = squares / ((step * ahead).sum() + 1e-6)
        solution += length * step
        rest -= length * ahead
        now = (rest * rest).sum()
        step = rest + (now / (squares + 1e-6)) * step
        squares = now
    return solution, rest, step


@family.on(*TURNS)
def in_loops_in_a_loop(x, n: int):
    a, b = x + 1, x * 2
    p, q = a, b
    for i in range(n):
        p, q = p * 0.5, p
        for j in range(n):
            q += q * 0.5
            p, q = q, p
            p.mul_(0.5)
    for i in range(n):
        p[0] = 3
    return p, q, a, b


@family.on(*TURNS)
def in_a_loop_in_a_loop(x, n: int):
    a, b = x + 1, x * 2
    p, q = a, b
    for i in range(n):
        p.copy_(q * 2)
        p, q = q, p
        for j in range(i):
            p, q = q, p
            p += p * 0.5
            p = torch.tanh(q)
        p += p * 0.5
    return p, q, b


@family.on(*TURNS)
def many_loops(x, n: int):
    a, b = x + 1, x * 2
    for i in range(n):
        a, b = b, a
        a[0] += 1
    for i in range(n):
        a, b = b, a
        a[0] += 2
    for i in range(n):
        a, b = b, a
        a[0] += 3
    for i in range(n):
        a, b = b, a
        a[0] += 4
    for i in range(n):
        a, b = b, a
        a[0] += 5
    for i in range(n):
        a, b = b, a
        a[0] += 6
    for i in range(n):
        a, b = b, a
        a[0] += 7
    for i in range(n):
        a, b = b, a
        a[0] += 8
    return a, b


@family.on(*TURNS)
def one_made_on_a_way_for_two(x, n: int):
    a, b = x + 1, x * 2
    p, q = a, b
    for i in range(n):
        if i % 2 == 0:
            q = p + x
            p = q
        p[1:].sub_(1)
        p, q = q, torch.tanh(p)
    return p, q, a

@family.on(*TURNS)
def a_list_or_its_default(x, n: int):
    items: Optional[List[torch.Tensor]] = None
    if n > 2:
        items = [x, x + 1]
    if items is None:
        items = [x * 2, x * 3]
    items[0].add_(1)
    return items[0], items[1]


@family.on(*TURNS)
def a_list_or_one_of_its_items(x, n: int):
    items = [x + 1, x * 2]
    first = items[0]
    if n > 2:
        items = [x * 3, items[0]]
    if n > 3:
        items = [items[1] * 2, items[0]]
    items[0].add_(1)
    for i in range(n):
        items = [items[1], items[0]]
        items[1].mul_(2)
    return items[0], items[1], first


@family.on(*TURNS)
def one_of_two_is_written_to(x, n: int):
    a, b = x + 1, x * 2
    p, q = a, b
    for i in range(n):
        q.add_(1)
        p, q = q.clone(), q
        p[1:].sub_(1)
    for i in range(n):
        if i % 2 == 0:
            q += q * 0.5
        else:
            p += q * 0.5
            p.mul_(0.5)
    return p, q, a, b


@family.on(*TURNS)
def made_in_an_inner_loop(x, n: int):
    a, b = x + 1, x * 2
    p, q = a, b
    for i in range(n):
        for j in range(n):
            p, q = q, p.clone()
            q = p + p
        for j in range(n):
            p, q = q, p
            p, q = q, p
    p[0] = 3
    for i in range(n):
        p, q = q, p
    return p, q, b


@family.on(*TURNS)
def one_tensor_twice_in_a_list(x, n: int):
    rows = [x + 0, x * 2]
    for i in range(n):
        rows = [rows[0], rows[1]]
        rows[0].add_(1)
        if i == 1:
            rows[1] = rows[0]
    return rows[0], rows[1]


@family.on(*TURNS)
def one_tensor_twice_in_a_dict(x, n: int):
    rows: Dict[str, torch.Tensor] = {"a": x + 0, "b": x * 2}
    for i in range(n):
        rows = {"a": rows["a"], "b": rows["b"]}
        rows["a"].add_(1)
        if i == 1:
            rows["b"] = rows["a"]
    return rows["a"], rows["b"]


@family.on(*TURNS, opset=13)
def begun_with_an_item_that_was_written(x, n: int):
    rows = [x + 0]
    rows[-1].add_(x)
    for i in range(n):
        last = rows[::-1]
        rows.append(x)
        rows = rows + last[-1:]
    return torch.stack(rows)
