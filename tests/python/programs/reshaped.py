"""Tensors whose shape a program changes in place, and views of them and other tensors with their elements."""
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


@family.on(*SIZES)
def of_view(x):
    y = x[:, 0]
    same = y.mul(2).add_(1)
    part = y[0]
    y.unsqueeze_(0)
    part += 1
    y[:, -1] *= 3
    same.unsqueeze_(1).squeeze_(1).t_()
    return x, y, part, same


@family.on(*SIZES)
def with_views(x):
    y = x * 2
    before, turned = y[0], y.transpose(0, 2)
    y.squeeze_(1)
    after = y[0]
    before.add_(1)
    after.mul_(3)
    y.transpose_(0, 1)
    turned -= 1
    return y, before, turned, after


@family.on(*SIZES)
def of_piece(x):
    y = x.clone()
    first, second = y.split([1, 2], dim=2)
    first.squeeze_(1)
    first += 1
    second.squeeze_(2 - 1).t_()
    return y, torch.cat([first.t(), second])


@family.on(*SIZES)
def of_input(x):
    y = x[0]
    x.unsqueeze_(0)
    y += 1
    return x, y


@family.on(*SIZES)
def beside_detached(x):
    y = x.detach()
    y.squeeze_(1)
    y += 1
    turned = y.t()
    y.t_()
    y[0] = 3
    return x, y, turned


@family.on(*TURNS)
def view_in_turns(x, n):
    total = torch.zeros(1)
    for i in range(int(n)):
        y = x[i % 2]
        y.unsqueeze_(0)
        y *= 2
        total = total + y.sum() * y.dim()
    return total, x
