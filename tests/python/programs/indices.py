"""Reads and writes by index in programs with branches and loops."""
from typing import List

import torch
import torch.nn.functional as F

from case import Family, fill, index, number, whole

family = Family("indices", opset=11)
X = fill(4, 5)
SIZES = [(fill(4, 5),), (fill(2, 5),), (fill(7, 5),)]
TURNS = [(X, whole(3)), (X, whole(1)), (X, whole(0)), (X, whole(4))]
CUBE = [(fill(3, 4, 5),), (fill(2, 4, 5),), (fill(6, 4, 5),)]
PICKED = [(X, index(2, below=4)), (X, index(3, below=4)), (X, index(1, below=4))]
SIGNED = [(X, index(2, above=-4, below=4)), (X, index(3, above=-4, below=4)), (X, index(1, above=-4, below=0))]


@family.on(*SIZES)
def rows_written_in_loop(x):
    y = torch.zeros_like(x)
    for i in range(x.size(0)):
        y[i] = x[i] * i
    return y


@family.on(*SIZES)
def rows_written_backwards(x):
    y = x.clone()
    for i in range(x.size(0)):
        y[-i - 1] = x[i]
    return y


@family.on(*SIZES)
def elements_written(x):
    y = torch.zeros(x.size(0), x.size(1))
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            y[i, j] = x[i, j] + i * 10 + j
    return y


@family.on(*SIZES)
def slice_written_in_loop(x):
    y = x.clone()
    for i in range(x.size(0)):
        y[i:i + 1, 1:3] = float(i)
    return y


@family.on(*TURNS)
def growing_slice(x, n):
    y = x.clone()
    for i in range(int(n)):
        y[: i + 1] += 1
    return y


@family.on(*TURNS)
def column_accumulated(x, n):
    y = torch.zeros(4, 5)
    for i in range(int(n)):
        y[:, i] += x[:, i + 1]
    return y


@family.on(*PICKED)
def tensor_read(x, i):
    return x[i], x[:, i], x[i, 1], x[i, :2]


@family.on(*SIGNED)
def tensor_read_signed(x, i):
    return x[i] + 1, x[i, i]


@family.on(*PICKED)
def tensor_written(x, i):
    y = x.clone()
    y[i] = 7.0
    return y


@family.on(*SIGNED)
def tensor_written_signed(x, i):
    y = x.clone()
    y[i, 2:4] = 3.0
    y[0, i] += 2
    return y


@family.on(*PICKED)
def outer_index(x, i):
    return x[i.unsqueeze(1), i.unsqueeze(0)]


@family.on(*CUBE)
def apart_read(x):
    a = torch.tensor([0, 1])
    b = torch.tensor([2, 4])
    return x[a, :, b], x[:, a, b], x[a][:, b - 1]


@family.on(*CUBE)
def apart_written(x):
    y = x.clone()
    a = torch.tensor([0, 1])
    b = torch.tensor([2, 4])
    y[a, :, b] = 5.0
    y[:, a, b] += 1
    return y


@family.on(*CUBE)
def broadcast_value(x):
    y = x.clone()
    i = torch.tensor([[0, 1], [1, 0]])
    y[i, 1:3] = torch.arange(5.0)
    return y


@family.on(*CUBE)
def ellipsis(x):
    y = x.clone()
    y[..., 1] = x[..., 2]
    y[0, ..., 0] = 4
    return y, x[..., None, 1], x[None, ..., -1]


@family.on(*SIZES)
def mask_read(x):
    return x[x > 0.5], x[x.sum(1) > 0]


@family.on(*SIZES)
def mask_written_number(x):
    y = x.clone()
    y[y > 0.5] = 0
    y[y.sum(1) < 0] = -1
    return y


@family.on(*SIZES)
def mask_written_tensor(x):
    y = x.clone()
    m = x > 0
    y[m] = x[m] * 2
    return y


@family.on(*SIZES)
def mask_in_loop(x):
    y = x.clone()
    for i in range(3):
        y[y > i] -= 1
    return y


@family.on(*PICKED)
def accumulate(x, i):
    y = x.clone()
    return y.index_put_([i], torch.ones(1, 5), accumulate=True)


@family.on(*PICKED)
def repeated_with_accumulate(x, i):
    j = torch.cat([i, i])
    return torch.index_put(x, (j, j), torch.tensor(1.5), accumulate=True)


@family.on(*PICKED)
def index_add_copy_fill(x, i):
    y = x.index_add(0, i, torch.ones(i.size(0), 5))
    z = x.clone()
    z.index_fill_(1, i, 3.0)
    w = x.clone()
    w.index_copy_(0, i, torch.zeros(i.size(0), 5))
    return y, z, w


@family.on((X, whole(2)), (X, whole(3)), (X, whole(4)), (X, whole(0)))
def places_of_some_rank(x, n):
    i = (torch.arange(4) >= n).nonzero().squeeze()
    y = x.index_select(0, i) * 2
    return y, x.index_copy(0, i, y), x.index_add(0, i, y), x.index_fill(0, i, 3.0), x.index_reduce(0, i, y, "amax")


@family.on((X, number(1)), (X, number(-1)), (X, number(3)))
def int_of_input(x, i: int):
    y = x.clone()
    y[i] = x[i - 1] * 2
    y[:, i] = 0
    return y, x[i], x[:i + 2]


@family.on((X, whole(1)), (X, whole(3)), (X, whole(0)))
def tensor_as_int(x, i):
    y = x.clone()
    y[i] = 8
    return y, x[i], x[int(i)], x[:, i]


@family.on(*SIZES)
def slices_with_steps(x):
    return x[::2], x[1::3, ::2], x[:-1], x[-3:], x[x.size(0) // 2:]


@family.on((X, number(0), number(3)), (X, number(1), number(2)), (X, number(-3), number(-1)))
def slice_bounds_of_input(x, a: int, b: int):
    y = x.clone()
    y[a:b] = 1
    return x[a:b], y, x[:, a:b]


@family.on(*SIZES)
def narrow_and_select(x):
    n = x.size(0)
    return x.narrow(0, n - 2, 2), x.select(0, n - 1), torch.narrow(x, 1, 1, 3)


@family.on(*CUBE)
def indices_from_list(x):
    rows: List[int] = [0, 1, 0]
    return x[rows], x[:, rows, rows]


@family.on(*CUBE)
def write_into_view(x):
    y = x.clone()
    v = y[0]
    v[1] = 9
    w = v.transpose(0, 1)
    w[2] += 5
    return y, v, w


@family.on(*CUBE)
def write_into_reshaped(x):
    y = x.clone()
    v = y.view(-1, 5)
    v[0] = 1
    v[:, 1] = v[:, 2]
    return y


@family.on(*SIZES)
def diagonal_and_unbound(x):
    y = x.clone()
    y.diagonal().fill_(3)
    first, second = y[:2].unbind(0)
    second.mul_(2)
    return y, first


@family.on(*SIZES)
def swap_rows(x):
    y = x.clone()
    t = y[0].clone()
    y[0] = y[1]
    y[1] = t
    return y


@family.on(*SIZES)
def shifted(x):
    y = torch.zeros_like(x)
    y[1:] = x[:-1]
    y[0] = x[-1]
    return y


@family.on(*SIZES)
def where_and_nonzero(x):
    i = torch.nonzero(x > 0)
    a, b = torch.where(x > 0)
    return i, x[a, b], x[a[:1], b[:1]]


@family.on(*SIZES)
def grid_of_indices(x):
    i = torch.arange(x.size(0)).unsqueeze(1)
    j = torch.tensor([0, 2]).unsqueeze(0)
    y = x.clone()
    y[i, j] = torch.arange(2.0)
    return y, x[i, j]


@family.on(*SIZES)
def gather_scatter(x):
    i = x.argsort(1)
    y = torch.zeros_like(x).scatter_(1, i, x)
    z = torch.zeros_like(x).scatter_add(1, i, x)
    return x.gather(1, i), y, z


@family.on(*SIZES)
def write_if_condition(x):
    y = x.clone()
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            y[i] = 0
        else:
            y[i, 0] = x[i].max()
    return y


@family.on(*SIZES)
def dtype_of_target(x):
    y = torch.zeros(x.size(0), 5, dtype=torch.int64)
    y[:, 1] = 3
    y[0] = torch.tensor([1.7, -2.5, 3.0, 0.2, 9.9])
    y[:, 2:] += 2
    return y


@family.on(*SIZES)
def bool_target(x):
    y = torch.zeros(x.size(0), 5, dtype=torch.bool)
    y[:, 1] = True
    y[0] = x[0] > 0
    return y


@family.on(*[(fill(n, 4), index(n, below=4)) for n in (5, 9, 1)], opset=13)
def losses_of_rows_that_a_mask_picks(x, labels):
    picks = torch.zeros(x.size(0), x.size(1))
    picks[torch.arange(x.size(0)), labels] = 1
    margins = (x[picks == 1] * 2).unsqueeze(1)
    logits = x + picks * margins
    return (F.cross_entropy(logits, labels), F.nll_loss(F.log_softmax(logits, 1), labels, reduction="none"),
            F.binary_cross_entropy(torch.sigmoid(logits), picks), F.cosine_similarity(logits, x),
            F.pairwise_distance(logits, x, keepdim=True), torch.lerp(logits, x, 0.25))
