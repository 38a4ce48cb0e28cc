"""Scripts with lists and tuples of known items: every method, iterated and returned."""
from typing import List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from case import Dim, Family, tensor

family = Family("scripted_lists", opset=9)
x = tensor(Dim("batch", 2, 5), Dim("n", 4, 6))


def reversed_copy(x):
    l = [x, x + 1, x + 2, x + 3]
    return l[::-1][0] * 2, torch.cat(l[2:0:-1]), torch.cat(l[-1:-9:-2]), len(l[1::-1]), len(l[::-3])


def reverse(x):
    l = [x, x + 1, x + 2]
    l.reverse()
    return l[0] * 2 + l[2]


def remove(x):
    l = [1, 2, 3, 2]
    l.remove(2)
    return x + l[1] * 10 + len(l)


def sort(x):
    l = [3, 1, 2]
    l.sort()
    m = [1.5, 3.0, 2.5]
    m.sort(reverse=True)
    t = ["b", "a"]
    t.sort()
    return x + l[0] * 100 + l[1] * 10 + l[2], x * m[0] + m[2], x + (1 if t[0] == "a" else 2)


def sorted_copy(x):
    l = [3, 1, 2]
    l.append(0)
    m = sorted(l)
    return x + l[0] * 100 + m[0] * 10 + m[3]


def extend(x):
    l = [x]
    l.extend([x + 1, x + 2])
    l += [x * 3]
    return torch.cat(l)


def insert(x):
    l = [x, x + 1]
    l.insert(1, x * 5)
    l.insert(-1, x * 7)
    l.insert(100, x * 9)
    l.insert(-100, x * 11)
    return torch.cat(l)


def clear(x):
    l = [x, x + 1]
    l.clear()
    l.append(x * 2)
    return torch.cat(l), len(l)


def index_count(x):
    l = [5, 6, 7, 6]
    l.append(6)
    return x + l.index(6) + l.count(6) * 10


def copied(x):
    l = [x, x + 1]
    m = l.copy()
    m.append(x)
    return torch.cat(l), torch.cat(m)


def pop_delete(x):
    l = [x, x + 1, x * 2, x * 3]
    a = l.pop()
    b = l.pop(0)
    del l[-1]
    l[0] = l[0] * 7
    return a - b, torch.cat(l)


def of_tuples(x):
    l = [(x, 1), (x + 1, 2)]
    total = x
    for value, factor in l:
        total = total + value * factor
    return total, l


def of_tuples_appended(x) -> List[Tuple[Tensor, Tensor]]:
    l: List[Tuple[Tensor, Tensor]] = []
    for i in range(3):
        l.append((x + i, x * i))
    return l


def of_lists(x):
    l = [[x, x + 1], [x * 2]]
    l[1].append(x * 5)
    total = x
    for part in l:
        for value in part:
            total = total + value
    return total, len(l[1])


def shared(x):
    a = [x]
    l = [a, a]
    l[0].append(x + 1)
    return torch.cat(l[1])


def zipped(x):
    total = x
    for i, (value, factor) in enumerate(zip([x, x + 1], [1, 2])):
        total = total + value * factor * i
    return total


def split_returned(x) -> List[Tensor]:
    return x.split(2, 2)


def unbind_returned(x) -> List[Tensor]:
    return x.unbind(2)


def mapped_returned(x, y) -> List[Tensor]:
    return torch.broadcast_tensors([x, y])


def meshgrid_returned(x, y) -> List[Tensor]:
    return torch.meshgrid([x[0], y[0]], indexing="ij")


def chosen_grids(x, y) -> List[Tensor]:
    if x.sum() > 0:
        return torch.meshgrid([x[0], y[0]], indexing="ij")
    return torch.broadcast_tensors([x, y])


def cut_returned(x) -> List[Tensor]:
    return torch.unsafe_chunk(x, 3, 1)


def unsafe_returned(x) -> List[Tensor]:
    pieces = x.unsafe_split(2, 2)
    pieces[0].add_(1)
    return [x] + pieces


def gradient_returned(x) -> List[Tensor]:
    return torch.gradient(x)


class Pair(NamedTuple):
    first: Tensor
    second: Tensor


def named(x):
    pair = Pair(x, x + 1)
    return pair.first * 2 + pair.second, pair


def nothing_returned(x) -> Tuple[Tensor, Optional[Tensor]]:
    y: Optional[Tensor] = None
    if x.dim() == 3:
        y = x
    return x + 1, y


def sizes_changed(x):
    sizes = list(x.shape)
    sizes[0], sizes[1] = sizes[1], sizes[0]
    sizes.append(1)
    return x.reshape(sizes)


for program in (reversed_copy, reverse, remove, sort, sorted_copy, extend, insert, clear, index_count, copied, pop_delete, of_tuples,
                of_tuples_appended, of_lists, shared, zipped, named, nothing_returned, sizes_changed):
    family.case(f"{program.__name__}.plain", program, x, script=True)
pieces = tensor(Dim("batch", 2, 5), Dim("n", 4, 6), 5)
family.case("split_returned.plain", split_returned, pieces, script=True)
family.case("unbind_returned.plain", unbind_returned, pieces, script=True)
family.case("mapped_returned.plain", mapped_returned, x, tensor(1, Dim("n", 4, 6)), script=True)
family.case("meshgrid_returned.plain", meshgrid_returned, x, tensor(1, 3), script=True)
family.case("chosen_grids.plain", chosen_grids, tensor(Dim("batch", 2, 5), 4), tensor(1, 4), opset=11, script=True)
family.case("cut_returned.plain", cut_returned, tensor(2, 7), script=True)
family.case("unsafe_returned.plain", unsafe_returned, pieces, script=True)
family.case("gradient_returned.plain", gradient_returned, tensor(3, 4), script=True)
