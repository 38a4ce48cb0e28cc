"""Tensors whose shape a program changes in place, beside views and other tensors of their elements."""
import torch

from case import Family, fill, whole

family = Family("reshaped", opset=9)
SIZES = [(fill(4, 1, 3),), (fill(2, 1, 3),), (fill(7, 1, 3),), (fill(1, 1, 3),)]
TURNS = [(fill(2, 3), whole(3)), (fill(4, 3), whole(1)), (fill(3, 3), whole(0))]


@family.on(*SIZES)
def behind_last_view(x):
    y = x.clone()
    total = y[0].sum()
    y[1:].mul_(2)
    y.squeeze_(1)
    first = y[0]
    first.add_(total)
    y.t_()
    y[1].mul_(3)
    y.unsqueeze_(0)
    y[0, 0].zero_()
    return y


@family.on(*SIZES)
def same_tensor(x):
    y = x.clone()
    z = y
    y.view(-1).add_(1)
    y.squeeze_(1)
    return y, z


@family.on(*SIZES)
def detached(x):
    y = x.clone().detach()
    y.squeeze_(1)
    y.t_()
    return y.add_(1)


@family.on(*TURNS)
def in_turns(x, n):
    total = x[0].sum()
    for i in range(int(n)):
        y = x * i
        first = y[0]
        first.add_(1)
        total = total + first.sum()
        y.t_()
        y[0].mul_(2)
        total = total + y[:, 0].sum() + y.size(0)
    return total


@family.on(*TURNS)
def in_branch(x, n):
    y = x.clone()
    total = y[0].sum()
    if int(n) > 2:
        y.unsqueeze_(0)
        y[0, 0] = total
    else:
        y = y * 2
    return y.sum()
