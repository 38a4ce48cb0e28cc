"""Writes to tensors that branches choose, including views and new ones; all are read before and after."""
import torch
from torch import nn

from case import Family, fill, number

family = Family("chosen", opset=11)
WAYS = [(fill(4, 5), number(2)), (fill(1, 5), number(0)), (fill(9, 5), number(1)), (fill(3, 5), number(3))]


@family.on(*WAYS)
def swapped(x, k: int):
    a = x + 1
    b = x * 2
    if k > 0:
        a, b = b, a
    a.add_(1)
    return a, b


@family.on(*WAYS)
def swapped_and_known_by_both_names(x, k: int):
    a, b = x + 1, x * 2
    first, second = a, b
    if k > 0:
        a, b = b, a
    a += 1
    b *= 3
    c = a + b
    a -= 2
    return a, b, first, second, c


@family.on(*WAYS)
def read_by_a_view_before(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    v = c[0]
    c.mul_(2)
    d = a.sum() + v.sum()
    a.add_(1)
    return a, b, c, d, v


@family.on(*WAYS)
def written_by_views(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    c[0].mul_(5)
    c[:, 1] = 3.0
    return a, b, c


@family.on(*WAYS)
def views_of_views(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    v = c.view(-1)
    w = v[2:]
    s = w.sum()
    a += 5
    b -= 1
    w[0] = 100.0
    return a, b, c, v, w, s


@family.on(*WAYS)
def by_turns_of_a_loop(x, k: int):
    a, b = x[0] + 1, x[0] * 2
    for i in range(x.size(0)):
        t = a if i % 2 == 0 else b
        t.add_(x[i])
    return a, b


@family.on(*WAYS)
def under_another_branch(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    if bool(x.sum() > 0):
        c[:, 0] = 9.0
    else:
        for i in range(x.size(0)):
            c[i] += i
    return a, b, c


@family.on(*WAYS)
def by_positions_of_the_input(x, k: int):
    a, b = torch.zeros(5), torch.zeros(5)
    t = a if bool(x.sum() > 0) else b
    t[k] = 4.0
    t[k:] += 1
    return a, b


@family.on(*WAYS)
def by_masks_and_diagonals(x, k: int):
    a, b = torch.zeros(5, 5), torch.ones(5, 5)
    c = a if k > 0 else b
    c.t()[0] = x[0]
    c.diagonal().fill_(3.0)
    c[c > 2] = -1.0
    c[:, torch.tensor([0, 1])] *= 2
    return a, b


@family.on(*WAYS)
def two_that_meet(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    d = b if k > 0 else a
    c.add_(d)
    d.mul_(c)
    c -= d
    return a, b, c, d


@family.on(*WAYS)
def chosen_of_what_was_chosen(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    d = c if k < 3 else a
    d.add_(1)
    c.mul_(3)
    b -= 1
    return a, b, c, d


@family.on(*WAYS)
def chosen_of_what_is_made_of_it(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    y = c + 1
    d = y if k > 2 else a
    d.mul_(2)
    c.add_(1)
    z = c.sub_(3)
    e = z if k > 0 else b
    e.mul_(2)
    return a, b, c, d, e, y


@family.on(*WAYS)
def a_view_or_itself(x, k: int):
    y = x + 1
    z = y[1:] if k > 0 else y
    z.mul_(2)
    return y, z


@family.on(*WAYS)
def a_copy_or_itself(x, k: int):
    y = x + 1
    z = y
    if k > 0:
        z = z.clone()
    z[0] = 5.0
    z[:, 1] += 2
    return y, z


@family.on(*WAYS)
def something_new_or_itself(x, k: int):
    y = x + 1
    z = y * 3 if k > 0 else y
    y -= 1
    z += 1
    return y, z


@family.on(*WAYS)
def a_row_or_a_copy(x, k: int):
    y = x * 2
    z = y.select(0, 0).unsqueeze(0) if k % 2 == 0 else y.clone()
    z[0] = 6.0
    return y, z


@family.on(*WAYS)
def one_of_four(x, k: int):
    a, b = x + 1, x * 2
    if k > 0:
        if k > 1:
            z = a
        else:
            z = b[:, :2]
    else:
        z = a[0] if bool(x.sum() > 0) else x.sum()
    z.add_(1).mul_(2)
    z.sub_(a.sum())
    return a, b, z.sum()


@family.on(*WAYS)
def a_view_of_one_of_two(x, k: int):
    a, b = x + 1, x * 2
    if k >= 1:
        c = a if k > 1 else b
        z = c.t()[0]
    else:
        z = a[0, :1]
    z.fill_(3)
    a += 1
    return a, b, z


@family.on(*WAYS)
def places_that_the_ways_compute(x, k: int):
    y = torch.zeros(12, 5)
    if k > 0:
        i = k * 2 - 1
        z = y[i:i + k]
    else:
        z = y.view([-1])[x.size(0):]
    z += 4
    y[0] = z.sum()
    return y, z


@family.on(*WAYS)
def written_on_the_way(x, k: int):
    y = x + 1
    if k > 0:
        y += 1
        z = y
    else:
        z = y * 2
        z -= 1
    z.mul_(3)
    return y, z


def halved(x, keep: bool, k: int):
    if k < 1:
        return x.clamp_(0, 1)
    if keep:
        x = x.clone()
    return x.mul_(0.5)


@family.on(*WAYS)
def read_where_its_own_memory_changes(x, k: int):
    y = x + 1
    part, row = y[:, 1:], y[0]
    z = part if k > 0 else y[:, 1:] * 2
    w = row if k > 1 else x[0]
    y.add_(1)
    v = z.t()
    y[0].mul_(3)
    return z, w, v, y


@family.on(*WAYS)
def read_where_its_own_memory_changes_in_turns(x, k: int):
    y = x.clone()
    z = y[1:] if k > 0 else y[1:] + 0
    total = z.sum()
    for i in range(k + 1):
        y += i + 1
        total = total + z.sum()
    return z, total


@family.on(*WAYS)
def by_early_returns(x, k: int):
    y = x + 1
    z = halved(y, k > 2, k)
    return y, z


@family.on(*WAYS)
def by_turns_of_a_loop_in_three_ways(x, k: int):
    y = x + 1
    for i in range(x.size(0)):
        if i % 2 == 0:
            z = y[i]
        elif i == k:
            z = y[i].clone()
        else:
            z = y[:, 0]
        z += i
    return y


@family.on(*WAYS)
def a_loop_over_a_chosen_view(x, k: int):
    y = x + 1
    z = y[1:] if k > 0 else y[:1]
    for i in range(z.size(0)):
        z[i] += i
        y[0] += z[i]
    return y, z


class Banks(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("even", torch.zeros(5))
        self.register_buffer("odd", torch.ones(5))

    def forward(self, x, k: int):
        bank = self.even if k % 2 == 0 else self.odd
        bank += x[0]
        return self.even * 1, self.odd * 1, bank


family.program("buffers", Banks(), *WAYS)


@family.on((fill(300, 300), number(1)), (fill(300, 300), number(0)), (fill(300, 300), number(2)))
def a_large_one(x, k: int):
    y = x + 1
    z = y * 3 if k > 0 else y
    y -= 1
    z += 1
    return y, z


@family.on((fill(4, 6), number(1)), (fill(4, 6), number(0)), (fill(4, 6), number(2)))
def views_of_a_list_that_changes(x, k: int):
    y = x * 2
    s = [3, 8]
    z = y.view(s) if k > 0 else y
    s[0] = 8
    s[1] = 3
    z[0] = 7.0
    return y


@family.on(*WAYS)
def zeros_of_which_one_is_written(x, k: int):
    a, b = torch.zeros(2), torch.zeros(2)
    c = a if k > 1 else b
    c.add_(1)
    return (x + 1 if bool(a[0] == 1) else x * 5), x.repeat(int(b.sum()) + 1, 1)


@family.on(*WAYS)
def zeros_written_through_views(x, k: int):
    a, b, e = torch.zeros(4), torch.zeros(4), torch.zeros(4)
    if k > 2:
        c = a if k > 2.5 else b
    else:
        c = e
    c.view(2, 2)[0].fill_(3.0)
    c[3] = 7
    return x + float(a[0]) + 10 * float(b[1]) + 100 * float(e[3])


@family.on(*WAYS)
def zeros_or_a_computed_one(x, k: int):
    a, b = torch.zeros(5), x[0] * 0
    c = a if k > 1 else b
    c.unsqueeze(0).add_(1)
    return x + 1 if bool(a[0] == 0) else x * 5


@family.on(*WAYS)
def zeros_in_containers(x, k: int):
    a, b = torch.zeros(2), torch.zeros(2)
    t = (a, x) if k > 1 else (b, x)
    t[0].add_(1)
    d = {"k": a} if k > 0 else {"k": b}
    d["k"].add_(10)
    return x + float(a[0]) + 100 * float(b[1])


@family.on(*WAYS)
def zeros_rewritten_on_the_way(x, k: int):
    a = torch.zeros(2)
    c = a
    for i in range(3):
        if k > i:
            c = torch.zeros(2)
        c.add_(1)
    return x + 1 if bool(a[0] == 3) else x * 5 + float(c[0])


@family.on(*WAYS)
def one_is_written_by_its_own_name(x, k: int):
    a, b, c = x + 1, x * 2, x - 3
    if k > 2:
        d = a
    elif k > 1:
        d = b[:, 1:]
    else:
        d = c
    before = d * 3
    a.add_(1)
    b[:, 2:].mul_(5)
    return before, d * 3, a, b, c


@family.on(*WAYS)
def written_by_its_own_name_in_turns(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    total = x * 0
    for i in range(k):
        d = a if i % 2 == 0 else b
        a.add_(1)
        total = total + c - 2 * d
        b.mul_(2)
    return total, a, b, c


@family.on(*WAYS)
def lists_of_which_items_are_written(x, k: int):
    a, b = x + 1, x * 2
    items = [a, b] if k > 1 else [b, b]
    items[0].add_(1)
    items[1].mul_(3)
    rest = [a] if k > 2 else [x]
    for item in rest:
        item += 1
    return a, b, items[0] + 0, rest[0] * 2


@family.on(*WAYS)
def lists_that_turns_make(x, k: int):
    items = [x + 1, x * 2]
    for i in range(k):
        items = [items[1] * 2, items[0] + 1]
        items[0].add_(1)
    return items[0] + 0, items[1]


@family.on(*WAYS)
def entries_of_a_dict_that_a_key_picks(x, k: int):
    d = {"a": x + 1, "b": x * 2, "c": torch.zeros_like(x)}
    key = "a" if k > 1 else ("b" if k > 0 else "c")
    d[key].add_(1)
    e = {0: x - 1, 1: x - 2}
    for i in range(k):
        e[i % 2].mul_(2)
    return d["a"], d["b"], d["c"], d[key] * 3, e[0], e[1]


@family.on(*WAYS)
def picked_items_written_through_views(x, k: int):
    items = [x + 1, x * 2, x - 1]
    items[k % 3].mul_(2).clamp_(-9, 9)
    items[k % 3 - 3][:, 1:] += 1
    one = items[(k + 1) % 3]
    before = one * 2
    items[1].add_(1)
    for i in range(k + 1):
        items[i % 3][0] = items[(i + 1) % 3][0]
    return torch.stack(items), one, before


@family.on(*WAYS)
def entries_set_by_a_chosen_key_and_written(x, k: int):
    d = {"a": x + 1, "b": x * 2}
    d["a" if k > 1 else "b"] = x * 5
    d["a"].add_(1)
    d["b"][0] = 3
    total = x[0] * 0
    rows = [x[0] + 1, x[0] * 2]
    for row in rows:
        total = total + row
        if k > 1:
            break
    rows[1].add_(1)
    return d["a"], d["b"], total, rows[0], rows[1]


@family.on(*WAYS)
def of_two_dtypes_or_ranks(x, k: int):
    a, b = x + 1, torch.arange(5)
    c = a if k > 1 else b
    c.add_(1)
    c[0] = 7
    d = a if k > 0 else x[0] * 2
    d.mul_(2)
    d[0] += 1
    return a, b, c * 1.0, d.sum()


@family.on(*WAYS)
def made_by_both_ways_and_kept(x, k: int):
    kept = [x]
    if k > 1:
        a = x + 1
        kept.append(a)
    else:
        a = x * 2
        kept.append(a)
    a.add_(3)
    kept[1][0] -= 1
    return a, kept[1], x


@family.on(*WAYS)
def made_under_a_condition_of_the_way(x, k: int):
    a, b = x + 1, x * 2
    if k > 0:
        limit = a.sum() + k
        if bool(limit > 10):
            c = a
        else:
            c = x - 5
        c += 1
    else:
        c = b[:, 1:]
    c.mul_(2)
    c[:, 0] = c[:, 1] + k
    a -= 1
    d = c * 1
    b.add_(a)
    return a, b, c, d


@family.on(*WAYS)
def a_view_whose_place_the_way_computes(x, k: int):
    a, b = x + 1, x * 2
    for i in range(k + 1):
        if i % 2 == 0:
            last = x.size(0) - 1
            row = a[last]
        else:
            first = i // 3
            row = b[first]
        row[1:] += i
        row *= row[0] * 1
    a[0] += 1
    return a, b


@family.on(*WAYS)
def written_with_itself(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else b
    c += c
    c *= c[0] * 1
    c.copy_(c.flip(0))
    c[1:] = c[:-1] * 2
    torch.mul(c, 2, out=c)
    d = c.detach()
    d.sub_(1)
    e = c.reshape(-1)
    e[0] = 50.0
    return a, b, c, d, e


@family.on(*WAYS)
def written_in_loops_of_branches(x, k: int):
    a, b = x + 1, x * 2
    c = a if k > 1 else x * 3
    for i in range(k):
        if i == 1:
            c[0] += i
            d = b
        else:
            d = c
        for j in range(2):
            d.add_(j)
            if j == 1:
                a[:, 0] = d[:, 1]
        c[:, 2] += d[:, 0]
    return a, b, c


@family.on(*WAYS)
def yielded_by_a_loop(x, k: int):
    a, b = x + 1, x * 2
    c = a
    for i in range(k):
        new = b + i
        if i % 2 == 0:
            c = new
        else:
            c = b
        c.mul_(2)
        new.add_(1)
        b = b + new
    c = c + 1
    return a, b, c


@family.on(*WAYS)
def resized_by_out(x, k: int):
    a, b = torch.empty(0), torch.empty(0)
    c = a if k > 0 else b
    torch.add(x, 1, out=c)
    y = x * 2
    if b.numel() == 0:
        y = y + 5
    return y, a.size(0), b.size(0), c


@family.on(*WAYS)
def resized_before_it_is_read_under_another_name(x, k: int):
    a, b = torch.empty(0), torch.ones(1)
    c = a if k > 0 else b
    torch.add(x, 1, out=a)
    return c.size(0), c.numel(), a
