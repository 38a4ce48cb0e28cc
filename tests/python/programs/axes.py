"""Operators along a dynamic axis argument."""
from typing import List, Optional

import torch

from case import Family, fill, number, whole

family = Family("axes", opset=11)
# The example's sizes are equal, those of the other runs are not; -2 and -1 count from the end.
RUNS = [(fill(3, 3), number(1)), (fill(3, 3), number(0)), (fill(3, 3), number(-1)), (fill(3, 3), number(-2))]
MOVING = [(fill(2, 3), number(1)), (fill(4, 3), number(0)), (fill(1, 5), number(-1)), (fill(4, 2), number(-2))]
HELD = [(fill(3, 4), whole(1)), (fill(3, 4), whole(0)), (fill(3, 4), whole(-1))]


@family.on(*RUNS)
def sum_of_square(x, d: int):
    return x.sum(d), x.sum([d], True)


@family.on(*MOVING)
def sum_of_any(x, d: int):
    return x.sum(d)


@family.on(*MOVING)
def means(x, d: int):
    return x.mean(d), x.mean(d, True), x.std(d, correction=0), torch.logsumexp(x, d)


@family.on(*MOVING)
def softmaxes(x, d: int):
    return torch.softmax(x, d), torch.log_softmax(x, d)


@family.on(*MOVING)
def largest(x, d: int):
    values, places = x.max(d)
    return values, places, x.argmin(d), x.amax(d, True)


@family.on(*MOVING)
def in_order(x, d: int):
    return x.sort(d)[0], x.flip(d), torch.roll(x, 1, d), x.cumsum(d)


@family.on(*RUNS)
def picked(x, d: int):
    return x.select(d, 1), x.index_select(d, torch.tensor([2, 0])), x.narrow(d, 0, 2), x.gather(d, torch.ones(2, 2, dtype=torch.int64))


@family.on(*MOVING)
def joined(x, d: int):
    return torch.cat([x, x * 2], d)


@family.on((fill(2, 3), number(0)), (fill(4, 3), number(2)), (fill(1, 5), number(-1)), (fill(1, 5), number(-3)), (fill(2, 2), number(1)))
def stacked(x, d: int):
    return torch.stack([x, x * 2], d)


@family.on((fill(2, 3), number(0)), (fill(4, 3), number(2)), (fill(1, 5), number(-1)), (fill(1, 5), number(-3)), (fill(2, 2), number(1)))
def with_an_axis_more(x, d: int):
    return x.unsqueeze(d)


@family.on(*RUNS)
def pieces(x, d: int):
    a, b = x.split([1, 2], d)
    first, second = x.chunk(2, d)
    return a, b, first, second, x.unbind(d)[1]


@family.on(*MOVING, opset=13)
def rows_of_an_axis(x, d: int):
    total = torch.zeros(())
    for row in x.unbind(d):
        total = total * 2 + row.sum()
    return total


@family.on((fill(2, 3, 4), number(1)), (fill(2, 3, 4), number(0)), (fill(2, 3, 4), number(2)), (fill(2, 3, 4), number(-1)))
def exchanged(x, d: int):
    return x.transpose(0, d)


@family.on((fill(2, 3, 4), number(1), number(2)), (fill(2, 3, 4), number(0), number(2)), (fill(2, 3, 4), number(-1), number(1)))
def two_axes(x, d: int, e: int):
    return x.transpose(d, e), x.sum([d, e])


@family.on((fill(2, 3, 4), number(1)), (fill(2, 3, 4), number(0)), (fill(2, 3, 4), number(-1)))
def moved(x, d: int):
    return torch.movedim(x, 0, d), torch.movedim(x, d, 0)


@family.on((fill(2, 3, 4), number(1)), (fill(2, 3, 4), number(0)), (fill(2, 3, 4), number(-1)))
def flattened_from(x, d: int):
    return x.flatten(d).sum()


@family.on(*HELD)
def held_in_a_tensor(x, d):
    return x.sum(int(d))


@family.on(*HELD)
def of_a_product(x, d):
    axis = int(d) * 3 % 2
    return x.softmax(axis) * 2


@family.on((fill(4), number(0)), (fill(2), number(-1)), (fill(1), number(0)))
def of_one_axis(x, d: int):
    return x.softmax(d), x.sum(d)


@family.on((fill(), number(0)), (fill(), number(-1)), (fill(), number(0)))
def of_a_number(x, d: int):
    return x.sum(d), torch.softmax(x, d)


@family.on((fill(3, 3), number(1)), (fill(3, 3), number(4)), (fill(3, 3), number(0)))
def of_turns(x, n: int):
    for i in range(n):
        x = x.cumsum(i % 2)
    return x


@family.on(*RUNS)
def written_first(x, d: int):
    y = x * 2
    y += x.sum(d, True)
    y[0] = 1.0
    return y.cumsum(d), y


@family.on(*MOVING)
def size_along(x, d: int):
    return x.size(d), x.sum(d) / x.shape[d]




@family.on((fill(2, 3), number(1)), (fill(2, 3), number(0)), (fill(2, 3), number(-1)))
def none_may_be(x, d: int):
    axis: Optional[int] = None
    if x.dim() > 1:
        axis = d
    return x.argmax(axis)


@family.on(*MOVING)
def chosen_axis(x, d: int):
    axes: List[int] = [0, 1]
    return torch.nn.functional.normalize(x, dim=axes[d]), torch.cosine_similarity(x, x + 1, axes[d])


@family.on((fill(2, 3), number(4)), (fill(2, 3), number(0)), (fill(4, 2), number(1)), (fill(1, 2), number(3)))
def tiled(x, n: int):
    return x.tile([n, 1]), x.tile([n]), torch.tile(x, (1, x.size(0))), x.tile([x.size(0), 1])


# Along one of the axes the operator raises: at every size, or at some.
@family.on((fill(7, 3), number(0)), (fill(8, 3), number(0)), (fill(6, 3), number(-2)))
def longer_than_one_axis(x, d: int):
    values, places = torch.topk(x, 6, d)
    return values, places, x.unflatten(d, [2, -1]) if x.size(d) == 8 else x, x.unfold(d, 4, 2)


@family.on((fill(7, 3), number(0)), (fill(2, 9), number(1)), (fill(6, 8), number(-2)), (fill(6, 8), number(-1)))
def longer_than_an_axis_at_times(x, d: int):
    total = torch.zeros(())
    for i in range(2):
        values, places = torch.topk(x + i, 6, d)
        total = total * 2 + values.sum()
    return total, x.unfold(d, 4, 2)


@family.on((fill(7, 3), number(0)), (fill(7, 3), number(-2)), (fill(7, 3), number(-1)))
def longer_where_asked(x, d: int):
    if x.size(d) >= 6:
        return torch.topk(x, 6, d)[0]
    return x


@family.on((fill(7, 3), number(0)), (fill(7, 3), number(-2)), (fill(7, 3), number(0)))
def pieces_of_one_axis(x, d: int):
    a, b = torch.split(x, [2, 5], d)
    return a, b


@family.on((fill(7, 3), fill(2, 3), fill(3), fill(5, 3), number(0)), (fill(7, 3), fill(2, 3), fill(3), fill(5, 3), number(-2)),
           (fill(7, 3), fill(2, 3), fill(3), fill(5, 3), number(0)))
def others_that_fit_one_axis(x, y, row, rows, d: int):
    return torch.cat([x, y], d), torch.select_scatter(x, row, d, 5), torch.slice_scatter(x, rows, d, 1, 6)


@family.on((fill(7, 3), fill(5, 3), number(0)), (fill(2, 9), fill(2, 5), number(1)), (fill(6, 8), fill(4, 8), number(-2)),
           (fill(6, 8), fill(6, 8), number(-1)))
def others_that_fit_an_axis_at_times(x, y, d: int):
    return torch.cat([x, y], d), torch.select_scatter(x, x.sum(d), d, 1)


@family.on((fill(7, 3, 2), number(0), number(1)), (fill(7, 3, 2), number(1), number(0)), (fill(7, 3, 2), number(-3), number(2)))
def two_axes_apart(x, a: int, b: int):
    return x.diagonal(0, a, b).sum(), torch.flatten(x, 0, 1).sum()
