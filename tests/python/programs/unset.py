"""Values, also in lists, that are None until a loop sets them."""
from typing import List, Optional, Tuple

import torch
from torch import Tensor

from case import Family, fill, whole

family = Family("unset", opset=13)
ROWS = [(fill(3, 4), whole(2)), (fill(5, 4), whole(4)), (fill(1, 4), whole(0)), (fill(4, 4), whole(1)), (fill(2, 4), whole(7))]


@family.on(*ROWS)
def handed_on(x: Tensor, n: Tensor):
    a: Optional[Tensor] = None
    b: Optional[Tensor] = None
    c: Optional[Tensor] = None
    d: Optional[Tensor] = None
    e: Optional[Tensor] = None
    for i in range(int(n)):
        e = d
        d = c
        c = b
        b = a
        a = x + i
    t = x[:1]
    if e is not None:
        t = e
    return t, t.size(0)


@family.on(*ROWS)
def tuples_handed_on(x: Tensor, n: Tensor):
    a: Optional[Tuple[Tensor, int]] = None
    b: Optional[Tuple[Tensor, int]] = None
    c: Optional[Tuple[Tensor, int]] = None
    d: Optional[Tuple[Tensor, int]] = None
    e: Optional[Tuple[Tensor, int]] = None
    for i in range(int(n)):
        e = d
        d = c
        c = b
        b = a
        a = (x, i)
    t = x[:1]
    k = 0
    if e is not None:
        t, k = e
    return t, t.size(0), k


@family.on(*ROWS)
def read_before_it_is_set(x: Tensor, n: Tensor):
    a: Optional[Tensor] = None
    b: Optional[Tensor] = None
    c: Optional[Tensor] = None
    d: Optional[Tensor] = None
    i, k = 0, 0
    while i < int(n):
        if d is not None:
            k = d.size(0)
        d = c
        c = b
        b = a
        a = x
        i += 1
    return k, torch.ones(k)


@family.on(*ROWS)
def of_either_rank(x: Tensor, n: Tensor):
    a: Optional[Tensor] = None
    b: Optional[Tensor] = None
    c: Optional[Tensor] = None
    d: Optional[Tensor] = None
    for i in range(int(n)):
        d = c
        c = b
        b = a
        a = x.unsqueeze(0) if i % 2 == 1 else x
    t = x
    if d is not None:
        t = d
    return t.dim(), t.sum()


@family.on(*ROWS)
def appended(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = []
    for i in range(int(n)):
        items.append(x[i % x.size(0)] if i % 2 == 0 else None)
    t = torch.zeros(4)
    for item in items:
        if item is not None:
            t = t + item
    return t, len(items)


@family.on(*ROWS)
def of_another_dtype(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [None]
    for i in range(int(n)):
        items.append(torch.arange(i + 1) if i % 2 == 0 else None)
    t = torch.zeros(1, dtype=torch.int64)
    for item in items:
        if item is not None:
            t = torch.cat([t, item])
    return t


@family.on(*ROWS)
def all_set(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [None, None]
    for i in range(int(n)):
        items[0] = x
        items[1] = x * 2
    found: List[Tensor] = []
    for item in items:
        if item is not None:
            found.append(item)
    return len(found), torch.cat(found) if len(found) > 0 else x


@family.on(*ROWS)
def moved_along(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [None, None, None, None, None]
    for i in range(int(n)):
        items = items[1:]
        items.append(x + i)
    item = items[0]
    t = x[:1]
    if item is not None:
        t = item
    return t, t.size(0)


@family.on(*ROWS)
def of_other_sizes(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = []
    for i in range(int(n) + 1):
        items.append(None if i == 0 else torch.cat([x, x[:1]]))
    k = 0
    for item in items:
        if item is not None:
            k += item.size(0)
    return k, torch.zeros(k)


@family.on(*ROWS)
def never_set(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = []
    for i in range(int(n)):
        items.append(None)
        items.append(None)
    items.append(x)
    item = items[len(items) - 1]
    assert item is not None
    return item, torch.zeros(len(items))


@family.on(*ROWS)
def caches(x: Tensor, n: Tensor):
    kept: List[Optional[Tensor]] = [None, None, None]
    h = x[:1]
    for step in range(int(n)):
        for i in range(3):
            before = kept[i]
            now = h * (i + 1)
            if before is not None:
                now = torch.cat([before, now])
            kept[i] = now
            h = torch.tanh(now.sum(0, keepdim=True))
    found: List[Tensor] = []
    for item in kept:
        if item is not None:
            found.append(item)
    return h, torch.cat(found) if len(found) > 0 else x


@family.on(*ROWS)
def ring(x: Tensor, n: Tensor):
    kept: List[Optional[Tensor]] = [None, None, None]
    head = 0
    total = x
    for i in range(int(n)):
        old = kept[head]
        if old is not None:
            total = total - old
        kept[head] = x * i
        total = total + x * i
        head = (head + 1) % 3
    return total, head


@family.on(*ROWS)
def states(x: Tensor, n: Tensor):
    kept: List[Optional[Tuple[Tensor, Tensor]]] = [None, None]
    out = x
    for step in range(int(n)):
        for k in range(2):
            state = kept[k]
            h, c = (torch.zeros_like(out), torch.zeros_like(out)) if state is None else state
            c = c + out * 0.5
            h = torch.tanh(h + c)
            kept[k] = (h, c)
            out = h
    return out


@family.on(*ROWS)
def numbers(x: Tensor, n: Tensor):
    wholes: List[Optional[int]] = [None, 3]
    flags: List[Optional[bool]] = []
    for i in range(int(n)):
        wholes[i % 2] = i if i % 3 == 0 else None
        flags.append(None if i == 2 else i % 2 == 0)
    total = 0
    for flag in flags:
        if flag is None:
            total += 100
        elif flag:
            total += 1
    whole_one = wholes[int(n) % 2]
    return total, x if whole_one is None else x * whole_one


@family.on(*ROWS)
def picked(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [x, None, x.sum()]
    item = items[int(n) % 3]
    return x.mean() if item is None else item.mean()


@family.on(*ROWS)
def taken_out(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [x, None]
    for i in range(int(n)):
        items.insert(0, None if i % 3 == 1 else x * i)
    items.reverse()
    last = items.pop()
    more = items[1:]
    more.extend(items)
    k = 0
    t = x if last is None else last + 1
    for item in more:
        if item is None:
            k += 1
        else:
            t = t + item
    return t, k


@family.on(*ROWS)
def made_anew(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [x, None]
    for i in range(int(n)):
        new: List[Optional[Tensor]] = []
        for item in items:
            if item is None:
                new.append(x * i)
            elif item.sum() > 0:
                new.append(None)
            else:
                new.append(item + 1)
        items = new
    k = 0
    t = x
    for item in items:
        if item is None:
            k += 1
        else:
            t = t + item
    return t, k


@family.on(*ROWS)
def picked_from_what_is_never_set(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [None, x[-1] * 2]
    nothing: List[Optional[Tensor]] = [None, None, None]
    i = int(n)
    item, none = items[i % len(items)], nothing[i % len(nothing)]
    total = x.sum()
    if item is not None:
        total = (total + item.sum()).clamp(-99, 99)
    if none is not None:
        total = (total + none.sum()).clamp(-9, 9)
    return total


@family.on(*ROWS)
def written_to_where_it_is_set(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [None, x[-1] * 2]
    i = int(n)
    item = items[i % len(items)]
    if item is not None:
        item.add_(2).clamp_(-9, 9)
    last = items[1]
    assert last is not None
    return last


@family.on(*ROWS)
def placed_where_they_say(x: Tensor, n: Tensor):
    wholes: List[Optional[int]] = [None, None, None, None, None, None, None]
    for i in range(int(n)):
        wholes[i] = i
        wholes.insert(i, i)
    total = 0
    for number in wholes:
        total = total * 2 + (1 if number is None else number)
    return total, x


@family.on(*ROWS)
def one_stays_unset(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [x, None]
    for i in range(int(n)):
        items = [None, items[0]] if i % 2 == 0 else [items[1], None]
        items.append(None)
    t = x
    for item in items:
        if item is not None:
            t = t + item
    return t, len(items)


def rows_shown(items: List[Optional[Tensor]], other: Tensor) -> Tensor:
    rows = [other]
    for item in items:
        rows.append(other if item is None else item + 1)
    return torch.stack(rows)


@family.on(*ROWS)
def set_in_a_loop_of_one_way(x: Tensor, n: Tensor):
    items: List[Optional[Tensor]] = [None, None, None]
    i = int(n)
    if i > 3:
        items.pop()
    if bool((x > 9).any()):
        pass
    else:
        for _ in range(i % 4):
            items[0] = x[0] * 2
    return rows_shown(items, x[-1] * 3), len(items)


@family.on(*ROWS)
def exchanged_and_set_behind(x: Tensor, n: Tensor):
    a: Optional[Tensor] = None
    b: Optional[Tensor] = None
    c: Optional[Tensor] = x[0] * 2
    for i in range(int(n) % 4):
        a, b = b, a
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            b = c
    return x[0] if a is None else a + 1, x[0] if b is None else b + 2


@family.on(*ROWS)
def exchanged_in_a_branch(x: Tensor, n: Tensor):
    a: Optional[Tensor] = None
    b: Optional[Tensor] = None
    c = x[0]
    d = c
    for i in range(int(n)):
        if bool(x[0, i % 4] > 0):
            a, b = b, a
            c, d = d, c
        for j in range(i):
            a, b = b, a
            c, d = d, c + 0 if j > 5 else c
    return c + d, x[0] if a is None else a + 1, x.sum() if b is None else b


@family.on(*ROWS)
def exchanged_with_one_set(x: Tensor, n: Tensor):
    a: Optional[Tensor] = None
    b: Optional[Tensor] = x[0]
    for i in range(int(n)):
        a, b = b, a
        if i == 4:
            b = x[-1] + i
    return x.sum(1) if a is None else a, x if b is None else b


@family.on(*ROWS)
def lists_exchanged(x: Tensor, n: Tensor):
    first = [x[0], x[-1]]
    second = first
    for i in range(int(n)):
        first, second = second, first
    first.append(x.sum(0))
    second[0] = x[0] - 1
    return torch.stack(first), torch.stack(second), len(first), first is second


@family.on(*ROWS)
def written_after_exchange(x: Tensor, n: Tensor):
    a = x + 1
    b = a
    for i in range(int(n)):
        a, b = b, a
        b.mul_(2)
    a.add_(x.sum())
    return a, b, a is b
