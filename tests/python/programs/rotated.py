"""Tensors that iterations and branches swap, and write to: by names, in lists and in tuples."""
from typing import Dict, List, Optional

import torch

from case import Family, fill, number

family = Family("rotated", opset=11)
TURNS = [(fill(3), number(3)), (fill(3), number(0)), (fill(3), number(4)), (fill(3), number(1))]


@family.on(*TURNS)
def two_buffers(x, n: int):
    now, after = x * 0, x - x
    for i in range(n):
        for j in range(3):
            after[j] = now[(j + 1) % 3] * 2 + x[j] + i
        now, after = after, now
    return now, after


@family.on(*TURNS)
def three_names(x, n: int):
    a, b, c = x + 1, x * 2, x * 3
    for i in range(n):
        a, b, c = b, c, a
        a[0] += b[1]
        c.copy_(a * 2)
    return a, b, c


@family.on(*TURNS)
def exchanged_in_branches(x, n: int):
    a, b = x + 1, x * 2
    for i in range(n):
        if bool(a.sum() > 20):
            break
        if bool(a[0] > b[0]):
            a, b = b, a
            a[0] = 7
        a[1:].add_(i)
    return a, b


@family.on(*TURNS)
def in_nested_loops(x, n: int):
    a, b = x + 1, x * 2
    for i in range(n):
        for j in range(n + i):
            a, b = b, a
            a.add_(j)
        b.mul_(2)
    return a, b


@family.on(*TURNS)
def one_is_new(x, n: int):
    a, b = x + 1, x * 2
    for i in range(n):
        a, b = b, a * b
        a.add_(1)
    return a, b


@family.on(*TURNS)
def lists_made_anew(x, n: int):
    items = [x + 1, x * 2, x * 3]
    for i in range(n):
        items = [items[1], items[2], items[0]]
        items[0].add_(1)
    return torch.stack(items)


@family.on(*TURNS)
def a_list_that_turns(x, n: int):
    items = [x + 1, x * 2, x * 3]
    for i in range(n):
        items.append(items.pop(0))
        items[0].add_(1)
        if i > 1:
            items[0], items[2] = items[2], items[0]
            items[2][0] = 9
    return torch.stack(items), items[0]


@family.on(*TURNS)
def a_chosen_list_that_grows(x, n: int):
    a, b = x + 1, x * 2
    items = [a, b] if n > 2 else [b, a]
    items.append(a)
    items[0].add_(1)
    items.insert(0, x)
    last = items.pop()
    last.mul_(3)
    return a, b, torch.stack(items), last


@family.on(*TURNS)
def views_of_one_tensor(x, n: int):
    whole = torch.zeros(4)
    a, b = whole[:2], whole[2:]
    if n > 2:
        whole.add_(x[0])
    return a, b


@family.on(*TURNS)
def the_last_and_the_one_before(x, n: int):
    before, now = torch.zeros(3), x + 1
    for i in range(n):
        before = now
        now = now * 2
        now.add_(i)
    return before, now


@family.on(*TURNS)
def first_names_read_behind(x, n: int):
    a, b = x + 1, x * 2
    now, after = a, b
    for i in range(n):
        now, after = after, now
        now[0] = i
        after.add_(now)
    return a, b, now, after


@family.on(*TURNS)
def one_first_name_read_behind(x, n: int):
    a, b, c = x + 1, x * 2, x * 3
    first = a
    for i in range(n):
        a, b, c = c, a, b
        a.mul_(2)
        b[1:] += i
    return first, a.sum() + b, c


@family.on(*TURNS)
def exchanged_where_a_run_decides(x, n: int):
    a, b = x + 1, x * 2
    first, last = a, b
    for i in range(n):
        if bool(a[0] > b[0]):
            a, b = b, a
            a.add_(7)
        if i == 2:
            a = last
        b.mul_(2)
    return first, last, a, b


@family.on(*TURNS)
def written_to_and_named_anew(x, n: int):
    a, b = x + 1, x * 2
    now, after = a, b
    for i in range(n):
        now, after = after, now
        now += 3
        for j in range(i):
            if j > 1:
                after *= 2
            else:
                now, after = after, now.sub_(1)
    return a, b, now, after


@family.on(*TURNS)
def exchanged_by_loops_in_a_loop(x, n: int):
    a, b = x + 1, x * 2
    kept = [a, b]
    for i in range(n):
        for j in range(i + 1):
            a, b = b, a
            a.add_(j)
        b[0] = i
    return kept[0], kept[1], a, b


@family.on(*TURNS)
def begun_again_with_a_first_name(x, n: int):
    a, b, c = x + 1, x * 2, x * 3
    first, last = a, c
    for i in range(n):
        b[1:] += c[:-1]
        a, b, c = first, a, c
        if i % 2 == 0:
            c.add_(i)
            c[0] = i
    return a, b, c, first, last


@family.on(*TURNS, opset=13)
def lists_exchanged_by_a_branch(x, n: int):
    a, b = [x + 1, x * 2], [x * 3]
    lists = [a, b] if n > 2 else [b, a]
    lists[0].append(x)
    lists[1][0] = lists[1][0] + 1
    return torch.stack(a), torch.stack(b), len(lists[0])


@family.on(*TURNS)
def a_chosen_list_among_lists(x, n: int):
    a, b = [x + 1, x * 2], [x * 3, x * 4]
    chosen = a if n > 2 else b
    lists = [chosen, b]
    lists[0][1].mul_(2)
    lists[1][0] = x
    return torch.stack(a), torch.stack(b), torch.stack(chosen)


@family.on(*TURNS)
def two_dicts(x, n: int):
    now = {"a": x * 1, "b": x * 2}
    after = {"a": x * 3, "b": x * 4}
    for i in range(n):
        now, after = after, now
        now["a"].add_(1)
        if i > 1:
            after["b"].mul_(2)
    return now, after["a"], after["b"]


@family.on(*TURNS)
def the_best_dict(x, n: int):
    best = {"score": x, "at": x * 2}
    second = best
    for i in range(n):
        other = {"score": x * i, "at": x + i}
        if bool(other["score"].sum() > best["score"].sum()):
            second = best
            best = other
    return best["score"], best["at"], second["at"], len(second)


@family.on(*TURNS)
def the_best_dict_if_any(x, n: int):
    best: Optional[Dict[str, torch.Tensor]] = None
    for i in range(n):
        other = {"score": x * i, "at": x + i}
        if best is None:
            best = other
        elif bool(other["score"].sum() > best["score"].sum()):
            best = other
    if best is None:
        return x, x
    return best["score"], best["at"]


@family.on(*TURNS, opset=13)
def dicts_of_numbers_and_lists(x, n: int):
    now, after = {"a": 1, "b": n}, {"a": 3, "b": 4}
    lists, others = {"a": [x], "b": [x * 2, x]}, {"a": [x * 3], "b": [x]}
    for i in range(n):
        now, after = after, now
        lists, others = others, lists
        if now["a"] > 2:
            after = {"a": now["a"] + after["a"], "b": i}
    return x * now["a"] + after["b"], lists["a"][0], lists["b"][-1], len(lists["b"])
