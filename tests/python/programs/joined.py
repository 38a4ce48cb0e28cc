"""Lists that branches change or choose, and whose items have other names; items at dynamic indices and keys."""
from typing import List, Optional

import torch
from torch import Tensor, nn

from case import Family, fill, number

family = Family("joined", opset=13)
WAYS = [(fill(4, 5), number(2)), (fill(1, 5), number(0)), (fill(9, 5), number(1)), (fill(3, 5), number(3))]


@family.on(*WAYS)
def appended_in_a_branch(x, k: int):
    v, items = x * 3, [x + 1, x * 2]
    others = [items[0], v]
    if k > 1:
        items.append(v)
    items[0].add_(1)
    items[-1].mul_(2)
    v.sub_(1)
    return torch.stack(items), torch.stack(others), len(items)


@family.on(*WAYS)
def new_item_of_a_branch(x, k: int):
    items = [x + 1, x * 2]
    first = items[0]
    if k > 1:
        made = x - 4
        items.append(made)
        made.add_(1)
        items.append(made[:])
    items[-1].mul_(2)
    first.add_(3)
    return torch.stack(items), first


@family.on(*WAYS)
def removed_in_a_branch(x, k: int):
    items = [x + 1, x * 2, x * 3]
    a, b = items[0], items[1]
    if k % 2 == 0:
        items.pop(0)
    elif k == 1:
        b = items.pop()
    for e in items[:2]:
        e[0] = 7.0
    a.add_(1)
    return torch.stack(items), a, b


@family.on(*WAYS)
def nested_branches(x, k: int):
    a, items = x - 1, [x + 1]
    if k > 0:
        if k > 1:
            items.append(a)
        else:
            items.insert(0, a)
        if k > 2:
            items.reverse()
    items[0].mul_(2)
    a.add_(5)
    items[-1].add_(1)
    return torch.stack(items), a


@family.on(*WAYS)
def list_that_a_branch_replaces(x, k: int):
    v, items = x * 5, [x + 1, x * 2]
    old = items
    if k > 0:
        items = [v, items[-1], items[0]]
    items[0].add_(1)
    old[0] = v
    old[1].mul_(3)
    items.append(old[0])
    items[-1].sub_(2)
    return torch.stack(items), torch.stack(old), v


@family.on(*WAYS)
def list_that_a_branch_chooses(x, k: int):
    a, b = [x + 1, x * 2], [x * 3]
    c = a if k > 0 else b
    c.append(x - 1)
    a[0].add_(1)
    c[-1].mul_(2)
    b[0] = c[0]
    c[0].sub_(4)
    d = c if k > 1 else a
    d.pop(0)
    return torch.stack(a), torch.stack(b), torch.stack(c), torch.stack(d), len(d)


@family.on(*WAYS)
def sum_of_lists(x, k: int):
    items = [x + 1, x * 2]
    a = items[1]
    if k > 1:
        items = items + items[-1:]
    both = items + items
    both[0] = a
    both[-1].add_(1)
    a.mul_(2)
    return torch.stack(both), torch.stack(items), a


@family.on(*WAYS)
def item_at_a_dynamic_index(x, k: int):
    items = [x + 1, x * 2, x * 3]
    items = items[:3] + [items[0]]
    a = items[1]
    items[k % 4].add_(1)
    items[-(k % 4) - 1][0] = 9.0
    b = items[(k + 1) % len(items)]
    a.mul_(2)
    return torch.stack(items), a, b


@family.on(*WAYS)
def item_set_at_a_dynamic_index(x, k: int):
    items = [x + 1, x * 2, x * 3]
    a, v = items[1], x - 1
    items[k % 3] = v
    v.add_(1)
    items[1].mul_(2)
    taken = items.pop(k % 2)
    taken.sub_(3)
    items[k % 2 - 1].add_(5)
    return torch.stack(items), a, v, taken


@family.on(*WAYS)
def shared_lists_in_a_list(x, k: int):
    items = [x + 1, x * 2]
    groups = [items, [x * 3]]
    if k > 1:
        groups = [groups[1], items]
    items.append(x - 1)
    groups[0][0].add_(1)
    groups[k % 2].append(items[0])
    return torch.stack(items), torch.stack(groups[0]), torch.stack(groups[1])


@family.on(*WAYS)
def written_in_a_loop(x, k: int):
    v, items = x * 7, [x + 1, x * 2]
    if k > 1:
        items.append(v)
    for i in range(k + 1):
        items[i % len(items)].add_(float(i + 1))
        v.mul_(2)
    return torch.stack(items), v


@family.on(*WAYS)
def changed_in_each_iteration(x, k: int):
    v = x.clone()
    total = x * 0
    for i in range(k + 1):
        items = [v, x + i]
        if i % 2 == 1:
            items.append(v)
        items[-1].add_(1)
        total = total + torch.stack(items).sum(0)
    return total, v


@family.on(*WAYS)
def of_other_sizes(x, k: int):
    row, items = x[0].clone(), [x[1:] + 1]
    if k > 1:
        items.append(row)
    items[-1].mul_(3)
    row.add_(1)
    return items[0], row, len(items)


@family.on(*WAYS)
def dict_of_a_branch(x, k: int):
    v = x * 3
    d = {"a": v, "b": v} if k > 1 else {"a": x + 1, "b": x * 2}
    d["a"].add_(1)
    d["b"] = d["b"] - 1
    v.mul_(2)
    return d["a"], d["b"], v


@family.on(*WAYS)
def entry_at_a_dynamic_key(x, k: int):
    a, b = x + 1, x * 2
    d = {"a": a, "b": b}
    d["a"] = b
    key = "a" if k > 1 else "b"
    d[key].add_(1)
    if k > 2:
        d["b"] = a
    d[key].mul_(2)
    a.sub_(3)
    return d["a"], d["b"], a, b, d[key]


@family.on(*WAYS)
def only_item(x, k: int):
    a = x + 1
    items = [a]
    items[k - k].add_(1)
    if k > 1:
        items = [a, x]
    items[-(k // 5) - 1].mul_(2)
    return torch.stack(items), a


@family.on(*WAYS)
def numbers_beside_tensors(x, k: int):
    sizes, items = [1, 2, 3], [x + 1]
    a = items[0]
    if k > 1:
        sizes.append(k)
        items.append(a)
    n = sizes.pop()
    sizes[0] += n
    items[-1].add_(float(sizes[-1]))
    other = sizes if k > 0 else [7, 8]
    other[0] = 5
    a.mul_(2)
    return torch.stack(items), a, n, sizes[0], other[1], len(other)


@family.on(*WAYS)
def views_in_lists(x, k: int):
    a = x.clone()
    items = [a[0], a[-1]]
    if k > 1:
        items.append(a[:, 0][:1].expand(5))
        items.pop()
        items.append(a[0])
    items[-1].add_(1)
    items[k % len(items)].mul_(2)
    return a, torch.stack(items)


@family.on(*WAYS)
def none_stored_in_a_branch(x, k: int):
    items: List[Optional[Tensor]] = [None, x + 1]
    a = items[1]
    if k > 1:
        items.insert(1, None)
    count = 0
    for e in items:
        if e is not None:
            e.add_(1)
        else:
            count += 1
    assert a is not None
    return a, count, len(items)


class Banks(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("even", torch.zeros(5))
        self.register_buffer("odd", torch.ones(5))

    def forward(self, x, k: int):
        items = [self.even, self.odd]
        if k > 1:
            items = items[::-1] + [x[0] * 1]
        items[k % 2] += x[0]
        return self.even * 1, self.odd * 1, torch.stack(items)


family.program("buffers", Banks(), *WAYS)
