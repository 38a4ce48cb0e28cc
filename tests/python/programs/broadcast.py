"""Tensors that broadcast to one shape, if that is needed at run time."""
import torch
import torch.nn.functional as F

from case import Family, fill, number

family = Family("broadcast", opset=11)
# In the example both have the same size.
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


# Two axes have the same size in the example; in other runs either may be 1.
APART = [(fill(3, 4), fill(3, 4)), (fill(1, 4), fill(5, 4)), (fill(5, 4), fill(1, 4)), (fill(6, 4), fill(6, 4)), (fill(1, 4), fill(1, 4))]
WIDER = [(fill(3, 4), fill(3, 4)), (fill(1, 4), fill(5, 4)), (fill(6, 4), fill(6, 4)), (fill(1, 4), fill(1, 4))]


@family.on(*APART)
def sizes_of_a_sum(x, y):
    z = x + y
    return z, torch.zeros(z.size(0), 2), z.reshape(-1), z.size(0), x.size(0), y.size(0), z.numel()


@family.on(*APART)
def joined_with_a_sum(x, y):
    z = x * y
    return torch.cat([x, y]), torch.cat([z, x]), torch.cat([z, y, z]), z @ y.t(), torch.stack([z, x + z])


@family.on(*APART)
def expanded_to_each_other(x, y):
    a, b = torch.broadcast_tensors(x, y)
    return a, b, a.size(0), torch.masked_select(y, x > 0), y.masked_scatter(x > 0, torch.ones(40)), F.mse_loss(x, y, reduction="none")


@family.on(*APART)
def read_and_written_by_indices(x, y):
    w = torch.arange(100.0).reshape(10, 10)
    i, j = torch.arange(x.size(0)), torch.arange(y.size(0))
    before = w[i, j]
    w[i, j] = -1.0
    return w, before


@family.on(*APART)
def turns_over_a_sum(x, y):
    z = x + y
    total = torch.zeros(4)
    for i in range(z.size(0)):
        total = total + z[i] * i
    if z.size(0) > 3:
        total = -total
    return total, x - y if x.size(0) == y.size(0) else x + y


@family.on(*WIDER)
def expanded_to_the_larger(x, y):
    z = torch.zeros(y.size(0), 4)
    z[:] = x
    w = y.clone()
    w += x
    w.copy_(x * 2)
    return x.expand(y.size(0), 4), z, w, x.expand_as(y).reshape(-1)


@family.on((fill(3, 4), fill(3, 4), fill(3, 4)), (fill(1, 4), fill(5, 4), fill(5, 4)), (fill(5, 4), fill(1, 4), fill(5, 4)),
           (fill(5, 4), fill(5, 4), fill(1, 4)), (fill(1, 4), fill(5, 4), fill(1, 4)), (fill(6, 4), fill(6, 4), fill(6, 4)))
def of_three_axes(x, y, w):
    return x + y, y * w, x + y - w, torch.zeros((x + w).size(0)), torch.cat([x + y, w])


@family.on((fill(3, 4), fill(3, 4)), (fill(1, 5), fill(6, 5)), (fill(6, 5), fill(1, 1)), (fill(6, 1), fill(1, 7)), (fill(2, 3), fill(2, 3)))
def of_both_axes(x, y):
    z = x + y
    return z.t(), z.reshape(-1), z.size(0) * z.size(1), z.sum(0), z @ z.t()


def rows(*counts, columns=4):
    return tuple(fill(count, columns) for count in counts)


# Two of the axes have the same size, so that both are 1 or neither.
@family.on(rows(3, 3, 3, 3, 3), rows(5, 5, 1, 1, 1), rows(1, 1, 6, 6, 6), rows(1, 1, 1, 5, 1), rows(6, 6, 1, 6, 6), rows(7, 7, 7, 7, 7))
def of_five_axes(x, y, w, v, u):
    q = w + v + u
    z = torch.cat([x, y], 1) * torch.cat([q, q], 1)
    return z, z.size(0), z[:, :4].masked_select(q > 0), z.reshape(-1), torch.zeros(q.size(0))


@family.on(rows(3, 1), rows(1, 5), rows(5, 1), rows(6, 6), rows(1, 1))
def an_example_that_is_broadcast(x, y):
    z = x * y
    w = torch.zeros(z.size(0), 4)
    w[:] = x
    return z.masked_select(x > 0), w, z.reshape(-1)


@family.on(rows(5, 1), rows(1, 7), rows(7, 1), rows(4, 4))
def an_example_that_only_its_own_size_runs_beside(x, y):
    return x + y, (x + y).size(0), x.size(0)


@family.on(rows(3, 3), rows(1, 12), rows(12, 1), rows(6, 6), rows(1, 3))
def how_far_they_are_apart(x, y):
    n = max(1, y.size(0) - x.size(0) - 2)
    k = max(1, (x + y).size(0) // (4 * x.size(0)))
    return x * y, torch.zeros(n, 4).copy_(x[:1]), torch.zeros(k), y[:x.size(0) + 2]


@family.on(rows(5, 4), rows(8, 1), rows(2, 7), rows(8, 7), rows(3, 2))
def one_row_less(x, y):
    z = x[1:] + y
    w = x[1:] * 1
    if y.size(0) <= w.size(0):
        w = y.expand(z.size(0), 4)
    return z, w, torch.masked_select(x[1:], y > 0), torch.zeros(z.size(0))


@family.on(rows(8, 4), rows(1, 4), rows(14, 7), rows(1, 1), rows(2, 1))
def twice_as_many_rows(x, y):
    k = torch.cat([y, y])
    return x.expand(k.size(0), 4), x * k, (x * k).size(0), k.masked_select(x > 0)


@family.on((fill(3, 5), fill(3, 5)), (fill(1, 1), fill(4, 6)), (fill(4, 6), fill(1, 1)), (fill(2, 7), fill(2, 7)))
def of_products_of_axes(x, y):
    p, q = x.flatten(), y.flatten()
    z = p * q
    return z, p.expand(z.size(0)), torch.masked_select(q, p > 0)


@family.on(rows(3, 3), rows(1, 5), rows(5, 1), rows(6, 6))
def summed_along(x, y):
    return torch.einsum("bi,bj->ij", x, y), torch.einsum("bi,bi->", x, y), torch.einsum("bi,bj->bij", x, y)
