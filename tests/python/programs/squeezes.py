"""Axes that exist or not, depending on their size at run time."""
import torch

from case import Family, fill, tensor

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


POOLED = [(fill(2, 8, 1, 1),), (fill(1, 8, 1, 1),), (fill(5, 8, 3, 1),), (fill(1, 8, 1, 2),), (fill(2, 8, 2, 2),), (fill(1, 8, 2, 3),)]


@family.on(*MIDDLE)
def then_along_axes(x):
    y = x.squeeze(1)
    return y.softmax(-1), y.argmax(0), y.cumsum(-1), y.transpose(0, -1)


@family.on(*SIZES)
def returned_and_read(x):
    y = x.squeeze(0)
    return y, y.topk(2)[0], y.std(-1)


@family.on(*POOLED)
def three_open_axes(x):
    return x.squeeze().sum(-1), x.squeeze().amax(0)


@family.on(*POOLED)
def then_linear_and_softmax(x):
    y = x.mean([2, 3], keepdim=True).squeeze()
    return torch.nn.functional.linear(y, torch.ones(3, 8)).softmax(-1)


@family.on((fill(3, 1),), (fill(2, 1),), (fill(5, 1),))
def first_of_what_may_be_a_number(x):
    return x.squeeze()[0]


@family.on(*SIZES)
def decides_by_rank(x):
    return x.squeeze(0).t() if x.squeeze(0).dim() == 2 else x.squeeze(0).flip(0)


@family.on(*SIZES)
def masked_write(x):
    y = x.clone().squeeze(0)
    y[y > 0.2] = 7.0
    return y


@family.on(*SIZES)
def written_row(x):
    z = x.clone()
    y = z.squeeze(0)
    y[..., 0] = 7.0
    return z, y.sum(-1)


@family.on(*[(fill(n, 4), fill(n, 4, low=2, high=3)) for n in (3, 1, 6)])
def two_of_one_size(x, y):
    return torch.stack([x.squeeze(0), y.squeeze(0)]).sum(-1)


@family.on((fill(3, 4), fill(3, 4)), (fill(1, 4), fill(1, 4)), (fill(1, 4), fill(5, 4)), (fill(5, 4), fill(1, 4)))
def two_of_two_sizes(x, y):
    return x.squeeze(0).sum(-1) + y.squeeze(0).sum(-1)


@family.on(*SIZES)
def in_loop(x):
    t = x.sum()
    for i in range(x.size(1)):
        t = t + (x.squeeze(0) * i).cumsum(0).sum()
    return t


@family.on(*SIZES)
def read_row_by_row(x):
    y = x.squeeze(0)
    t = torch.zeros(())
    for i in range(y.size(0)):
        t = t * 2 + y[i].sum()
    return t


@family.on(*[(fill(n, 5, 1), tensor(values=[[k % 5] for k in range(n)], dtype=torch.int64)) for n in (3, 1, 2)])
def then_loss(x, target):
    return torch.nn.functional.cross_entropy(x.squeeze(), target.squeeze())


SIGNS = [fill(3, 5, low=1, high=2), fill(4, 5, low=1, high=2), fill(1, 5, low=1, high=2), fill(3, 1, low=1, high=2), fill(2, 6, low=1, high=2)]
BOTH = [(x,) for x in SIGNS] + [(fill(*s, low=-2, high=-1),) for s in ((3, 5), (1, 5), (3, 1), (2, 4))]


@family.on(*BOTH)
def three_ranks_cut_in_a_branch(x):
    y = x.squeeze()
    if bool(x.sum() > 0):
        z = y.sum(-1)[:1] if y.dim() > 1 else y[:1]
    else:
        z = y.reshape(-1)
    return z


@family.on((fill(3, 5),), (fill(4, 5),), (fill(2, 6),))
def three_ranks_cut(x):
    return x.squeeze().sum(-1)[:1], x.squeeze().amax(0).select(0, 0)


@family.on(*BOTH)
def three_ranks_by_hand(x):
    if x.size(1) == 1:
        t = x[:, 0]
        y = t[0] if x.size(0) == 1 else t
    else:
        y = x[0] if x.size(0) == 1 else x
    return y.sum(-1).cumsum(0).sum(0), y.sum(-1).dim()


@family.on(*SIZES)
def then_what_wants_a_matrix(x):
    y = x.squeeze(0)
    if y.dim() == 2:
        return torch.mm(y, torch.ones(4, 3)) + torch.nn.functional.batch_norm(y, torch.zeros(4), torch.ones(4)).triu().sum()
    return y.flip([0])


@family.on((fill(3, 4),), (fill(2, 4),), (fill(5, 4),))
def matrices_alone(x):
    y = x.squeeze(0)
    z = torch.nn.functional.batch_norm(y, torch.zeros(4), torch.ones(4))
    return torch.mm(y, torch.ones(4, 3)), torch.addmm(y, y, torch.ones(4, 4)), z, y.triu(), y.tril(), torch.nn.functional.glu(y, 1), y.flip([1]), y.flatten(0, 1)


@family.on(*SIZES)
def stacked(x):
    y = x.squeeze(0)
    return torch.stack([y, y * 2], -1), torch.stack([y, y])
