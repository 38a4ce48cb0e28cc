"""Tensors that are broadcast to one shape, where a run decides whether that is needed."""
import torch
import torch.nn.functional as F

from case import Family, fill, number

family = Family("broadcast", opset=11)
# In the example both have one size.
SIZES = [(fill(3, 4), number(3)), (fill(1, 4), number(5)), (fill(5, 4), number(5)), (fill(4, 4), number(1)), (fill(1, 4), number(1))]
EQUAL = [(fill(3, 4), number(3)), (fill(5, 4), number(5)), (fill(1, 4), number(1))]


@family.on(*SIZES)
def of_an_axis_and_a_number(x, k: int):
    a, b = torch.broadcast_tensors(x, torch.zeros(k, 1))
    total = 0
    for i in range(len(a)):
        total += i
    return a, b, a.size(0), b.numel(), total if a.size(0) > 3 else -total


@family.on(*SIZES)
def of_three(x, k: int):
    tensors = torch.broadcast_tensors(x, torch.zeros(k, 1), torch.ones(1))
    return torch.stack(tensors).sum(0), len(tensors), tensors[-1].size(0)


@family.on((fill(3, 4), number(3)), (fill(5, 4), number(2)), (fill(1, 4), number(4)))
def of_rows_and_columns(x, k: int):
    i, j = torch.broadcast_tensors(torch.arange(x.size(0)).unsqueeze(1), torch.arange(k))
    return i, j, i.size(1), j.reshape(-1)


@family.on(*EQUAL)
def losses_of_a_new_tensor(x, k: int):
    y = torch.zeros(k, 4)
    return F.mse_loss(x, y, reduction="none").view(-1), F.l1_loss(x, y, reduction="none").flatten(), F.huber_loss(x, y)


@family.on((fill(3, 4), fill(5, 4, low=1, high=2)), (fill(5, 4), fill(9, 4, low=1, high=2)), (fill(2, 4), fill(2, 4, low=1, high=2)))
def losses_of_chosen_rows(x, y):
    chosen = y[(y[:, 0] > 0) & (torch.arange(y.size(0)) < x.size(0))]
    return F.mse_loss(x, chosen), F.l1_loss(x, chosen, reduction="none"), F.smooth_l1_loss(chosen, x, reduction="sum")


@family.on((fill(3, 4), fill(3, 4)), (fill(5, 4), fill(5, 4)), (fill(2, 4), fill(2, 4)))
def copied_in_turns(x, y):
    z = torch.zeros(y.size(0), 4)
    for i in range(x.size(0)):
        z.copy_(x * i + z)
    y.t().copy_(x.t())
    return z, y, y.size(0)
