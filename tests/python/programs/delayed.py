"""Lists that a loop extends, whose items are written to before and after they are stored."""
from typing import List

import torch
from torch import Tensor

from case import Family, fill, number

family = Family("delayed", opset=13)
RUNS = [(fill(3, 4), number(4)), (fill(2, 4), number(1)), (fill(4, 4), number(3)), (fill(1, 4), number(2)), (fill(2, 4), number(0))]


@family.on(*RUNS)
def item_read_before_an_append(x, n: int):
    l = [x.clone()]
    for i in range(n):
        p = l[-1]
        l.append(x + i)
        p.add_(1)
        l[-1].mul_(p)
    return torch.stack(l)


@family.on(*RUNS)
def two_items_read_before_an_append(x, n: int):
    l = [x.clone(), x * 2]
    for i in range(n):
        a, b = l[-1], l[-2]
        l.append(a + b)
        a.add_(1)
        b.sub_(1)
    return torch.stack(l)


@family.on(*RUNS)
def item_inserted_at_a_dynamic_index(x, n: int):
    l = [x.clone()]
    for i in range(n):
        l.append(x * i)
    r = x + 1
    l.insert(n % 3, r)
    r.mul_(2)
    l[-1].add_(1)
    return torch.stack(l)


@family.on(*RUNS)
def first_item_is_not_the_stored_one(x, n: int):
    l = [x.clone()]
    for i in range(n):
        r = x + i
        l.append(r)
        l[0].add_(r)
        r.mul_(2)
    return torch.stack(l)


@family.on(*RUNS)
def inserted_at_both_ends(x, n: int):
    l = [x.clone()]
    for i in range(n):
        r, s, t = x + i, x * i, x - i
        l.insert(0, r)
        l.insert(-1, t)
        l.append(s)
        l[0].add_(1)
        l[-1].add_(r)
        l[-3].mul_(3)
        s.mul_(2)
        t.sub_(r)
    return torch.stack(l)


@family.on(*RUNS)
def one_branch_stores_at_each_end(x, n: int):
    l = [x.clone()]
    for i in range(n):
        r = x + i
        if i % 2 == 0:
            l.append(r)
        else:
            l.insert(0, r)
        r.mul_(2)
        l[-1].add_(1)
    return torch.stack(l)


@family.on(*RUNS)
def branch_writes_the_item_before(x, n: int):
    l = [x.clone()]
    for i in range(n):
        r = x + i
        l.append(r)
        if i > 0:
            l[-2].add_(r)
        r.mul_(2)
    return torch.stack(l)


@family.on(*RUNS)
def last_item_taken_and_stored_again(x, n: int):
    l = [x.clone()]
    for i in range(n):
        r = x + i
        l.append(r)
        l.append(x)
        del l[-1]
        q = l.pop()
        q.add_(2)
        l.append(r)
        r.mul_(2)
    return torch.stack(l)


@family.on(*RUNS)
def branch_takes_the_last_item(x, n: int):
    l = [x.clone()]
    for i in range(n):
        r = x + i
        l.append(r)
        if i % 2 == 1:
            l.pop()
        r.mul_(2)
    return torch.stack(l)


@family.on(*RUNS)
def first_items_move_to_the_end(x, n: int):
    l = [x.clone()]
    for i in range(n):
        l.append(x + i)
    for i in range(n):
        t = l.pop(0)
        t.add_(i)
        l.append(t)
    return torch.stack(l)


@family.on(*RUNS)
def item_replaced_before_it_is_written(x, n: int):
    l = [x.clone()]
    for i in range(n):
        l.append(x + i)
    o = l[-1]
    l[-1] = x * 9
    l.insert(0, x * 5)
    o.add_(1)
    return torch.stack(l), o


@family.on(*RUNS)
def other_list_stores_an_item(x, n: int):
    l = [x.clone()]
    for i in range(n):
        l.append(x + i)
    l[0].add_(1)
    m = [l[0], l[-1]]
    l.insert(0, x * 5)
    l[0].mul_(2)
    return torch.stack(l), torch.stack(m)


@family.on(*RUNS)
def read_in_a_loop_applies_what_is_stored(x, n: int):
    l: List[Tensor] = [x.clone(), x * 2]
    for i in range(n):
        l.append(x + i)
    l[-2].mul_(2)
    for i in range(n):
        l.append(x * 3)
        l.append(l[0] + i)
        l.pop(-1)
    l[n % 2] = x + 2
    total = x * 0
    for i in range(len(l)):
        total = total * 2 + l[i]
    return total, torch.stack(l)


def flat(rows: List[List[Tensor]]):
    out: List[Tensor] = []
    for row in rows:
        for y in row:
            out.append(y)
    return torch.stack(out)


@family.on(*RUNS)
def inner_list_before_the_stored_one(x, n: int):
    l = [[x + 11], [x + 12]]
    for i in range(n):
        l.append([x * 13])
    l.append([x * 14])
    l[-2].append(x * 15)
    p = l[-2]
    p[0] = x * 16
    return flat(l), torch.stack(l[-2])


@family.on(*RUNS)
def inner_list_after_an_inserted_one(x, n: int):
    l = [[x + 11], [x + 12]]
    for i in range(n):
        l.append([x * 13])
    l.insert(0, [x * 14])
    l[1].append(x * 15)
    l[-1].append(x * 16)
    return flat(l), torch.stack(l[1])
