"""Dynamic flags of operators, such as keepdim."""
from typing import List

import torch

from case import Family, fill, number

family = Family("flags", opset=11)
BOTH = [(fill(4, 3), True), (fill(6, 3), False), (fill(3, 3), True)]
KEPT = [(fill(4, 3), False), (fill(4, 3), True), (fill(4, 3), False)]


@family.on(*BOTH)
def kept_axes(x, keep: bool):
    values, places = x.max(1, keepdim=keep)
    return x.sum(1, keep), x.mean([0, 1], keepdim=keep), values * 2, places, torch.logsumexp(x, 0, keep), x.argmax(1, keep)


@family.on(*KEPT)
def ranks_that_a_flag_decides(x, keep: bool):
    y = x.sum(1, keepdim=keep)
    if y.dim() == 2:
        return x * 2
    return x * 3


@family.on(*BOTH)
def sizes_that_a_flag_decides(x, keep: bool):
    y = x.sum(1, keepdim=keep)
    return x * y.size(-1) + y.dim()


@family.on((fill(4, 3, low=1),), (fill(4, 3, low=-2, high=-1),), (fill(6, 3),))
def ranks_that_elements_decide(x):
    y = x.sum(1, keepdim=bool(x.sum() > 0))
    if y.dim() == 2:
        return x - y
    return x * 2


@family.on(*KEPT)
def results_of_one_rank(x, keep: bool):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        rows.append(x[i].sum(0, keepdim=keep))
    return torch.stack(rows)


@family.on(*BOTH)
def written_afterwards(x, keep: bool):
    y = x.to(torch.float64, copy=keep)
    y += 1
    z = x.cumsum(0).amax(1, keepdim=keep)
    z.mul_(2)
    return x, y, z


@family.on(*BOTH)
def orders(x, down: bool):
    return x.sort(1, descending=down)[0], x.argsort(0, down), x.topk(2, 1, down)[0]


@family.on(*BOTH)
def orders_of_turns(x, down: bool):
    for i in range(x.size(0)):
        down = not down
        x = x + x.sort(0, descending=down)[0] * 0.5
    return x


@family.on(*BOTH)
def other_flags(x, flag: bool):
    added = torch.zeros(3).index_put((torch.tensor([0, 0]),), x[0, :2] * 0 + 1, accumulate=flag)
    wide = torch.nn.functional.interpolate(x[None], scale_factor=2.0, mode="linear", align_corners=flag)
    pooled = torch.nn.functional.avg_pool1d(x, 2, padding=1, count_include_pad=flag)
    attended = torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=flag)
    return added, wide, pooled, attended, torch.bucketize(x, torch.tensor([-1.0, 0.5]), right=flag), x.var(0, flag)


@family.on(*BOTH)
def written_with_a_flag(x, flag: bool):
    y = torch.ones(3, 3)
    y[0].index_put_((torch.tensor([0, 0]),), torch.tensor([1.0, 2.0]) + 0 * x[0, :2], accumulate=flag)
    y.scatter_reduce_(0, torch.tensor([[0, 1, 0], [1, 1, 0]]), x[:2], "sum", include_self=flag)
    return y


@family.on((fill(4, 3, low=-300, high=300), number(2)), (fill(4, 3, low=-300, high=300), number(0)),
           (fill(6, 3, low=-300, high=300), number(-1)))
def decimals(x, n: int):
    return torch.round(x, decimals=n), x.double().round(decimals=n + 1)


@family.on(*KEPT)
def axes_and_dtypes_of_a_choice(x, flag: bool):
    total = x.sum([0, 1] if flag else [0])
    wide = x.to(torch.float64 if flag else torch.int64)
    turned = x.permute([1, 0] if flag else [0, 1])
    more = torch.nn.functional.pad(x, [0, 1] if flag else [1, 1, 2, 0])
    return total.dim(), total.sum(), wide.to(torch.float32) * 2, turned.size(0), turned * 2, more + 1, x.mean([0] if flag else [1])


# More than 1, less than -1, and between.
CHOSEN = [(fill(4, 3, low=1, high=2),), (fill(6, 3, low=-2, high=-1),), (fill(4, 3, low=0, high=0),), (fill(5, 3, low=1, high=2),)]


@family.on(*CHOSEN)
def axes_of_a_choice_of_three(x):
    total = float(x.sum())
    if total > 1:
        dims = [0]
    elif total < -1:
        dims = [1]
    else:
        dims = [0, 1]
    pad = [0, 1] if total > 1 else ([1, 1, 2, 0] if total < -1 else [2, 0])
    return x.mean(dims, keepdim=True), x.sum(dims).sum(), x.amax(dims, keepdim=total > 0).sum(), torch.nn.functional.pad(x, pad) + 1


@family.on(*CHOSEN)
def dtypes_of_a_choice_of_three(x):
    total = float(x.sum())
    dtype = torch.float64 if total > 1 else (torch.int64 if total < -1 else torch.float32)
    wide = x.to(dtype)
    return wide.to(torch.float32) * 2, x.sum(0, dtype=dtype).float()


@family.on(*CHOSEN)
def ranks_and_dtypes_of_three_ways(x):
    if bool(x.sum() > 1):
        y = x.double()
    elif bool(x.sum() < -1):
        y = x.int()
    else:
        y = x.sum(0)
    return (y * 2).float().sum(), y.dim()
