"""Axes that are there or not by their size when the model runs."""
import torch

from case import Family, fill

family = Family("squeezes", opset=11)
SIZES = [(fill(3, 4),), (fill(1, 4),), (fill(6, 4),)]
MIDDLE = [(fill(2, 3, 4),), (fill(2, 1, 4),), (fill(2, 5, 4),)]
FROM_ONE = [(fill(1, 4),), (fill(3, 4),), (fill(2, 4),)]


@family.on(*SIZES)
def by_axis(x):
    return x.squeeze(0)


@family.on(*MIDDLE)
def by_negative_axis(x):
    return x.squeeze(-2) * 2


@family.on(*MIDDLE)
def all_axes(x):
    return x.squeeze() + 1


@family.on((fill(2, 3, 1),), (fill(1, 3, 1),), (fill(5, 3, 1),))
def two_may_go(x):
    return torch.squeeze(x)


@family.on(*MIDDLE)
def list_of_axes(x):
    return torch.squeeze(x, (1, 2))


@family.on(*SIZES)
def then_sum(x):
    return x.squeeze(0).sum()


@family.on(*SIZES)
def then_relu_and_reshape(x):
    return torch.relu(x.squeeze(0)).reshape(-1, 2)


@family.on(*SIZES)
def then_unsqueeze_again(x):
    y = x.squeeze(0)
    if y.dim() == 1:
        y = y.unsqueeze(0)
    return y * 2


@family.on(*SIZES)
def rank_as_number(x):
    return x * x.squeeze(0).dim()


@family.on(*FROM_ONE)
def example_is_one(x):
    return x.squeeze(0)


@family.on(*MIDDLE)
def in_branch(x):
    if x.size(1) == 1:
        return x.squeeze(1)
    return x.sum(1)


@family.on(*SIZES)
def fixed_axis_is_one(x):
    return x.unsqueeze(1).squeeze(1) + x.unsqueeze(0).squeeze()


@family.on(*MIDDLE)
def fixed_axis_is_more(x):
    return x.squeeze(0).squeeze(2).mean(1)


@family.on(*SIZES)
def of_a_sum(x):
    return x.sum(1, keepdim=True).squeeze(1), x.sum(1, keepdim=True).squeeze(-1)
