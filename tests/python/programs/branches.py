"""Branches with dynamic conditions."""
from typing import List, Optional, Tuple

import torch

from case import Family, fill, number

family = Family("branches", opset=11)
UP, DOWN, MIXED = fill(2, 3, low=1, high=2), fill(2, 3, low=-2, high=-1), fill(2, 3)
DATA = [(UP,), (DOWN,), (MIXED,)]
SIZES = [(fill(2, 3),), (fill(5, 3),), (fill(3, 3),)]


def data(x):
    if x.sum() > 0:
        return x + 1
    else:
        return x * 2


def data_without_else(x):
    y = x
    if bool(x.sum() > 0):
        y = x - 1
    return y


def elif_chain(x):
    s = x.sum()
    if s > 5:
        y = x + 1
    elif s > -5:
        y = x * 3
    else:
        y = -x
    return y


def early_return(x):
    if x.sum() > 0:
        return x * 2
    y = x - 1
    if x.max() < 0:
        return y
    return y * y


def early_return_nested(x):
    if x.sum() > 0:
        if x.max() > 1.5:
            return x
        return x + 1
    return x - 1


def nested(x):
    if x.sum() > 0:
        if x.min() > 0:
            y = x + 1
        else:
            y = x + 2
    else:
        if x.max() < 0:
            y = x - 1
        else:
            y = x - 2
    return y


def two_results(x):
    if x.sum() > 0:
        a, b = x + 1, x * 2
    else:
        a, b = x - 1, x / 2
    return a * b, a


def shared_work(x):
    y = torch.relu(x)
    if x.sum() > 0:
        z = y + x
    else:
        z = y - x
    return z + y


def passes_through(x):
    if x.sum() > 0:
        y = x
    else:
        y = x * 2
    return y + 1


def same_value_both_ways(x):
    y = x * 2
    if x.sum() > 0:
        z = y
        w = x
    else:
        z = x
        w = y
    return z, w


def number_int(x):
    if x.sum() > 0:
        n = 3
    else:
        n = 7
    return x * n


def number_float(x):
    if x.sum() > 0:
        n = 0.5
    else:
        n = 4.0
    return x * n


def number_bool(x):
    if x.sum() > 0:
        flag = x.max() > 1.5
    else:
        flag = x.max() < -1.5
    if flag:
        return x + 1
    return x


def number_out(x) -> Tuple[int, float]:
    if x.sum() > 0:
        n, f = 3, 1.5
    else:
        n, f = 4, 2.5
    return n, f


def conditions_joined(x):
    if bool(x.sum() > 0) and not bool(x.max() > 1.5):
        return x + 1
    if bool(x.sum() > 0) or bool(x.min() < -1.5):
        return x + 2
    return x


def ternary(x):
    return x + 1 if bool(x.sum() > 0) else x - 1


def size(x):
    if x.size(0) > 3:
        return x * 2
    return x + 1


def size_even(x):
    if x.size(0) % 2 == 0:
        y = x[::2]
    else:
        y = x[1:]
    return y.sum(0)


def size_and_data(x):
    if x.size(0) > 2:
        if x.sum() > 0:
            return x[:1]
        return x[1:2]
    return x[:1] * 2


def shapes_differ(x):
    if x.sum() > 0:
        y = x[:1]
    else:
        y = torch.cat([x, x])
    return y * 2


def shapes_differ_sum(x):
    if x.sum() > 0:
        y = x[:, :1]
    else:
        y = x
    return y.sum(0), y.size(1)


def ranks_differ(x):
    if x.sum() > 0:
        y = x.flatten()
    else:
        y = x
    return y.reshape(-1) * 2


def dims_kept(x):
    if x.sum() > 0:
        y = torch.relu(x)
    else:
        y = torch.sigmoid(x)
    return y.view(y.size(0), -1).softmax(1)


def dtype_cast_to_agree(x):
    if x.sum() > 0:
        y = x.to(torch.int64)
    else:
        y = torch.zeros_like(x, dtype=torch.int64)
    return y + 1


def comparison_results(x):
    if x.sum() > 0:
        m = x > 1.5
    else:
        m = x < -1.5
    return torch.where(m, x, torch.zeros_like(x))


def untaken_raise(x):
    if x.dim() != 2:
        raise RuntimeError("two axes are needed")
    if x.sum() > 1000:
        raise RuntimeError("too large")
    return x + 1


def asserts(x):
    assert x.size(1) == 3, "three columns"
    assert bool(x.sum() < 1000)
    return x * 2


def raise_in_else(x):
    if x.sum() > 0:
        y = x + 1
    elif x.sum() > -1000:
        y = x - 1
    else:
        raise ValueError("no such case")
    return y


class Weighted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 3)
        self.second = torch.nn.Linear(3, 3)

    def forward(self, x):
        if x.sum() > 0:
            return self.first(x)
        return self.second(self.first(x))


class Returned(torch.nn.Module):
    """A branch returns a weight unchanged."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([[1.0, 2.0, 3.0]]))

    def forward(self, x):
        if x.sum() > 0:
            y = self.weight
        else:
            y = x[:1]
        return y + x


def list_of_equal_length(x):
    if x.sum() > 0:
        items = [x, x + 1]
    else:
        items = [x * 2, x]
    a, b = items
    return a - b


def list_joined(x):
    items: List[torch.Tensor] = []
    if x.sum() > 0:
        items = [x, x + 1]
    else:
        items = [x * 2, x]
    return torch.cat(items, 0)


def numbers_in_list(x):
    if x.sum() > 0:
        shape = [3, 2]
    else:
        shape = [6, 1]
    return x.reshape(shape)


def shape_of_either(x):
    y = x[:, :2]
    if x.sum() > 0:
        s = x.shape
    else:
        s = y.shape
    return torch.zeros(s) + 1


def tuple_of_either(x) -> Tuple[torch.Tensor, int]:
    if x.sum() > 0:
        p = (x, 1)
    else:
        p = (x * 2, 2)
    return p


def none_on_both_sides(x):
    y: Optional[torch.Tensor] = None
    if x.sum() > 0:
        z = x + 1
        y = z
    else:
        z = x
        y = x * 2
    assert y is not None
    return z + y


def write_in_branch(x):
    y = x.clone()
    if x.sum() > 0:
        y[0] = 5
    else:
        y.add_(1)
    return y


def write_view_in_branch(x):
    y = x.clone()
    row = y[0]
    if x.sum() > 0:
        row.mul_(10)
    return y + row


def write_column_in_branch(x):
    y = torch.zeros_like(x)
    if x.sum() > 0:
        y[:, 1] = x[:, 0]
    else:
        y[1, :] = x[0]
    return y


def write_then_branch(x):
    y = x.clone()
    y[0, 0] = 100
    if y.sum() > 99:
        y[1] = y[0]
    return y


def masked_write_in_branch(x):
    y = x.clone()
    if x.sum() > 0:
        y[y > 1.5] = 0
    return y


def depends_on_int(x, n: int):
    if n > 2:
        return x * n
    return x - n


def deep(x):
    s = x.sum()
    y = x
    if s > 0:
        if s > 4:
            if s > 8:
                y = y + 3
            else:
                y = y + 2
        else:
            y = y + 1
    return y * 2


def branch_after_branch(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x * 3
    if y.max() > 3:
        y = y - 1
    if y.min() < -3:
        y = y + 1
    return y


def scalar_tensor(x):
    if x.sum() > 0:
        y = torch.tensor(2.0)
    else:
        y = x.max()
    return x + y



def text_of_either(x):
    mode = "up" if bool(x.sum() > 0) else "down"
    y = x * 2 if mode == "up" else x
    z = x + 1 if mode in ["down", "level"] else x - 1
    return y, z, len(mode)


def text_made_of_either(x):
    if x.sum() > 5:
        mode = "sum"
    elif x.sum() > 0:
        mode = "mean"
    else:
        mode = "other"
    w = x + 1
    w[0] = 5
    name = "{}_{}".format(mode, 3)
    assert mode in ["sum", "mean", "other"]
    if name == "sum_3":
        return w.sum(0), w
    elif name == "mean_3":
        return w.mean(0), w
    return w[0], w


def text_in_turns(x):
    total = x
    for i in range(int(x.abs().sum() * 0.5)):
        kind = "even" if i % 2 == 0 else "odd"
        total = total + i if kind == "even" else total * 2
    return total


def rank_of_either(x):
    y = x if bool(x.sum() > 0) else x.unsqueeze(0)
    return y.dim(), y.sum(), y.size(0), y.dim() * 2 + x.size(0)


for function in (data, data_without_else, elif_chain, early_return, early_return_nested, nested, two_results, shared_work,
                 passes_through, same_value_both_ways, number_int, number_float, number_bool, number_out,
                 conditions_joined, ternary, dims_kept, dtype_cast_to_agree, comparison_results, untaken_raise, asserts,
                 raise_in_else, list_of_equal_length, list_joined, numbers_in_list, tuple_of_either,
                 none_on_both_sides, write_in_branch, write_view_in_branch, write_column_in_branch, write_then_branch,
                 masked_write_in_branch, branch_after_branch, scalar_tensor, deep, ranks_differ, shapes_differ, shapes_differ_sum,
                 shape_of_either, text_of_either, text_made_of_either, text_in_turns, rank_of_either):
    family.program(function.__name__, function, *DATA)
for function in (size, size_even, size_and_data):
    family.program(function.__name__, function, *SIZES)
for function in (data, dims_kept, early_return, shapes_differ, write_in_branch, number_int):
    family.program(f"{function.__name__}.sizes", function, (UP,), (fill(4, 3, low=-2, high=-1),), (fill(3, 3, low=1, high=2),))
family.program("weighted", Weighted(), *DATA)
family.program("returned", Returned(), *DATA)
family.program("depends_on_int", depends_on_int, (MIXED, number(1)), (MIXED, number(5)), (MIXED, number(-3)))


WAYS = [(fill(4, 6), number(2)), (fill(4, 6), number(0)), (fill(1, 6), number(1)), (fill(9, 6), number(5)), (fill(4, 6), number(7))]


@family.on(*WAYS, opset=13)
def lists_of_unlike_lengths(x, k: int):
    if k > 1:
        numbers = [1, 2] if k > 3 else [1]
        rows = [x, x] if k > 3 else [x]
    else:
        numbers = [1] if k > 0 else [1, 2]
        rows = [x] if k > 0 else [x, x]
    return torch.zeros(len(numbers)), torch.tensor(numbers), len(numbers), torch.zeros(len(rows)), torch.cat(rows)


@family.on(*WAYS)
def sizes_in_lists(x, k: int):
    if k > 1:
        sizes = [3, 2] if k > 3 else [2, 2]
    else:
        sizes = [2, 2] if k > 0 else [3, 2]
    return x.new_zeros(sizes), torch.tensor(sizes).sum(), sizes[0]


@family.on(*[(fill(2, 3), number) for (_, number) in WAYS])
def sizes_in_tensors(x, k: int):
    s = torch.tensor([2, 3])
    counts = torch.tensor([1, 2])
    if k > 1:
        s = torch.tensor([3, 2])
        counts = torch.tensor([2, 2])
    return x.reshape(int(s[0]), int(s[1])), x.repeat_interleave(counts, 0), x.view(int(s[0]), -1)


@family.on(*[(fill(2, 3), number) for (_, number) in WAYS])
def sizes_written_to_tensors(x, k: int):
    s = torch.tensor([2, 3])
    if k > 1:
        s[0] = 3
        s[1] = 2
    return x.reshape(int(s[0]), int(s[1])) * 2


@family.on(*SIZES)
def written_before_it_is_made_contiguous(x):
    z = (x.sum() * torch.ones(2, 3)).t()
    if z.is_contiguous():
        y = z
    else:
        z.add_(1)
        y = z.contiguous()
    return y


@family.on(*[(x, fill(n, 3)) for n in (4, 0, 1, 2) for x in (UP, DOWN)])
def first_rows_of_perhaps_none(x, y):
    if x.sum() > 0:
        z, first = y[:1], torch.cat([y[:1], y])
    else:
        z, first = y[:1] * 2, y[1:]
    return first, z.sum(0)
