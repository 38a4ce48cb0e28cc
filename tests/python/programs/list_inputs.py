"""Scripts with lists of tensors as arguments, as sequence inputs of any length."""
from typing import List, Optional, Tuple

import torch

from case import Family, fill, number, whole

family = Family("list_inputs", opset=11)
ITEM = fill(2, 3)
LENGTHS = [([ITEM, ITEM],), ([ITEM],), ([ITEM] * 5,)]
MAY_BE_EMPTY = [*LENGTHS, ([],)]
# The items differ in their first axis.
RAGGED = [([fill(2, 3), fill(4, 3)],), ([fill(1, 3)],), ([fill(3, 3), fill(2, 3), fill(5, 3)],)]


@family.on(*LENGTHS)
def joined(xs: List[torch.Tensor]):
    return torch.cat(xs), torch.stack(xs), torch.cat(xs, 1)


@family.on(*RAGGED)
def joined_ragged(xs: List[torch.Tensor]):
    return torch.cat(xs) * 2


@family.on(*MAY_BE_EMPTY)
def length(xs: List[torch.Tensor]):
    return len(xs)


@family.on(*MAY_BE_EMPTY, opset=13)
def added_up(xs: List[torch.Tensor]):
    total = torch.zeros(2, 3)
    for x in xs:
        total = total * 2 + x
    return total


@family.on(*RAGGED)
def ends(xs: List[torch.Tensor]):
    return xs[0].sum(0) + xs[-1].mean(0), xs[-1]


@family.on(([ITEM, ITEM], number(1)), ([ITEM], number(0)), ([ITEM] * 4, number(-3)))
def item_at(xs: List[torch.Tensor], i: int):
    return xs[i] * 2


@family.on(*LENGTHS, opset=13)
def by_turns(xs: List[torch.Tensor]):
    ys: List[torch.Tensor] = []
    for i, x in enumerate(xs):
        ys.append(x * i)
    return ys


@family.on(*MAY_BE_EMPTY)
def handed_on(xs: List[torch.Tensor]):
    return xs


@family.on(*LENGTHS)
def handed_on_beside(xs: List[torch.Tensor]):
    return xs, xs[0] + 1, len(xs)


@family.on(*LENGTHS, opset=13)
def lengthened(xs: List[torch.Tensor]):
    xs.append(xs[-1] * 2)
    return xs


@family.on(*LENGTHS, opset=13)
def item_replaced(xs: List[torch.Tensor]):
    xs[0] = xs[-1] + 1
    return torch.stack(xs)


@family.on(*MAY_BE_EMPTY, opset=13)
def first_or_none(xs: List[torch.Tensor]):
    if len(xs) > 1:
        return xs[1]
    return torch.ones(2, 3)


@family.on(([ITEM] * 3, [fill(3, 2)]), ([ITEM], [fill(3, 2)] * 2), ([ITEM] * 2, [fill(3, 2)] * 2))
def two_lists(xs: List[torch.Tensor], ys: List[torch.Tensor]):
    return torch.stack(xs).sum(0) @ torch.stack(ys).sum(0)


@family.on((fill(4, 3), [fill(2, 3), fill(2, 3)], whole(2)), (fill(4, 3), [fill(2, 3)], whole(3)), (fill(4, 3), [fill(2, 3)] * 3, whole(0)))
def between_others(x, items: List[torch.Tensor], n):
    return torch.cat([x, items[0], items[-1]]) * n


@family.on(*LENGTHS, opset=13)
def reversed_part(xs: List[torch.Tensor]):
    return torch.stack(xs[::-1]), torch.cat(xs[:1])


@family.on(*LENGTHS)
def not_read(xs: List[torch.Tensor]):
    return torch.ones(2)


@family.on(*LENGTHS)
def given_list(xs: Optional[List[torch.Tensor]]):
    if xs is None:
        return torch.zeros(1)
    return torch.cat(xs)


@family.on(*LENGTHS, opset=13)
def paired(xs: List[torch.Tensor]):
    pairs: List[Tuple[torch.Tensor, int]] = []
    for x in xs:
        pairs.append((x, x.size(0)))
    total = torch.zeros(2, 3)
    for x, n in pairs:
        total = total * n + x
    return total


@family.on(([ITEM] * 3, whole(1)), ([ITEM], whole(-1)), ([ITEM] * 2, whole(4)), opset=13)
def chosen_list(xs: List[torch.Tensor], n):
    ys = xs if bool(n > 0) else [xs[0] * 2]
    return torch.cat(ys)


@family.on((ITEM, [ITEM]), (ITEM, [ITEM] * 3), (ITEM, [ITEM] * 2))
def weighed(x, xs: List[torch.Tensor]):
    y = x.clone()
    y[0] = xs[0][1]
    y += len(xs)
    return y


@family.on(([fill(2, 3)] * 2, fill(3)), ([fill(2, 5)], fill(5)), ([fill(2, 1)] * 4, fill(1)))
def sizes_of_all_items(xs: List[torch.Tensor], y):
    return torch.cat(xs) * y, xs[0].size(1), torch.stack(xs)


@family.on((fill(3), [fill(2, 3), fill(2, 3)]), (fill(4), [fill(5, 4)]), (fill(1), [fill(1, 1)] * 3))
def sizes_follow(y, xs: List[torch.Tensor]):
    return torch.stack(xs).sum(0) + y


@family.on(([fill(2, 3), fill(1, 3)],), ([fill(4, 3)],), ([fill(1, 3), fill(3, 3), fill(2, 3)],), opset=13)
def parted_again(xs: List[torch.Tensor]):
    return torch.cat(xs).split([x.size(0) for x in xs])[0] * 2


# Each of these changes the rank of an item before it concatenates them.
@family.on(([fill(2), fill(2)],), ([fill(4)],), ([fill(3)] * 3,))
def joined_vectors(xs: List[torch.Tensor]):
    return torch.vstack(xs), torch.hstack(xs), torch.dstack(xs), torch.column_stack(xs)


@family.on(([fill(), fill()],), ([fill()],), ([fill()] * 3,))
def joined_scalars(xs: List[torch.Tensor]):
    return torch.vstack(xs), torch.hstack(xs), torch.dstack(xs), torch.column_stack(xs)


@family.on(([fill(3, 2), fill(3, 2)],), ([fill(4, 1)],), ([fill(2, 5)] * 3,))
def joined_matrices(xs: List[torch.Tensor]):
    return torch.vstack(xs), torch.hstack(xs), torch.dstack(xs), torch.column_stack(xs)


@family.on(([fill(3, 2, 2), fill(3, 2, 2)],), ([fill(4, 1, 2)],), ([fill(2, 5, 2)] * 3,))
def joined_maps(xs: List[torch.Tensor]):
    return torch.vstack(xs), torch.hstack(xs), torch.dstack(xs), torch.column_stack(xs)


@family.on(([fill(3), fill(2)],), ([fill(4)],), ([fill(5), fill(0), fill(6)],))
def padded_vectors(xs: List[torch.Tensor]):
    return torch.nn.utils.rnn.pad_sequence(xs), torch.nn.utils.rnn.pad_sequence(xs, True, -1.0)


@family.on(([fill(3, 2, 2), fill(1, 2, 2)],), ([fill(4, 2, 3)],), ([fill(5, 1, 2), fill(6, 1, 2), fill(2, 1, 2)],))
def padded_maps(xs: List[torch.Tensor]):
    padded = torch.nn.utils.rnn.pad_sequence(xs)
    return padded, padded.sum(1), torch.nn.utils.rnn.pad_sequence(xs, True, 0.5, "left")
