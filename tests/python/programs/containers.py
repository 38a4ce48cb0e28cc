"""Lists, dicts and tuples: the results of their methods, and reads of them."""
from typing import Dict, List, NamedTuple, Tuple

import torch

from case import Family, fill, number, whole

family = Family("containers", opset=13)
X = fill(2, 3)
UP, DOWN, MIXED = fill(2, 3, low=1, high=2), fill(2, 3, low=-2, high=-1), fill(2, 3)
DATA = [(UP,), (DOWN,), (MIXED,)]
TURNS = [(X, whole(3)), (X, whole(1)), (X, whole(6))]
MAY_BE_EMPTY = [*TURNS, (X, whole(0))]
SIZES = [(fill(4, 3),), (fill(2, 3),), (fill(7, 3),)]


@family.on(*TURNS)
def popped(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(x + i)
    last = items.pop()
    first = items.pop(0)
    return last - first, len(items)


@family.on(*TURNS)
def inserted(x, n):
    items = [x, x * 2]
    for i in range(int(n)):
        items.insert(1, x + i)
    return torch.stack(items)


@family.on(*TURNS)
def extended(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items.extend([x + i, x - i])
    return torch.cat(items)


@family.on(*TURNS)
def cleared(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items.append(x + i)
    count = len(items)
    items.clear()
    items.append(x)
    return torch.cat(items) * count


@family.on(*TURNS)
def copied(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(x + i)
    others = items.copy()
    others.append(x)
    return torch.cat(items), torch.cat(others)


@family.on(*TURNS)
def reversed_in_place(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items.append(x + i)
    items.reverse()
    return torch.cat(items)


@family.on(*TURNS)
def reversed_slice(x, n):
    items: List[torch.Tensor] = []
    for i in range(int(n)):
        items.append(x + i)
    return torch.cat(items[::-1])


@family.on(*TURNS)
def sliced(x, n):
    items = [x, x + 1]
    for i in range(int(n)):
        items.append(x * i)
    return torch.cat(items[1:]), torch.cat(items[:-1]), torch.cat(items[::2])


@family.on(*TURNS)
def deleted(x, n):
    items = [x, x + 1, x + 2]
    for i in range(int(n)):
        items.append(x * i)
    del items[1]
    del items[-1]
    return torch.cat(items)


@family.on(*TURNS)
def set_item(x, n):
    items = [x, x + 1, x + 2]
    for i in range(int(n)):
        items.append(x * i)
    items[1] = x * 100
    items[-1] = x * 200
    return torch.cat(items)


@family.on(*TURNS)
def concatenated(x, n):
    a = [x]
    b = [x * 2]
    for i in range(int(n)):
        a.append(x + i)
        b.append(x - i)
    return torch.cat(a + b), torch.cat([x] + b)


@family.on(*TURNS)
def while_not_empty(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(x + i)
    total = torch.zeros(2, 3)
    while len(items) > 0:
        total = total * 2 + items.pop()
    return total


@family.on(*TURNS)
def comprehension_of_list(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(x + i)
    return torch.cat([item * 2 for item in items])


@family.on(*TURNS)
def zipped_lists(x, n):
    a = [x]
    b = [x + 1]
    for i in range(int(n)):
        a.append(x * i)
        b.append(x - i)
    total = torch.zeros(2, 3)
    for p, q in zip(a, b):
        total = total + p * q
    return total


@family.on(*TURNS)
def enumerated_list(x, n):
    items = [x]
    for i in range(int(n)):
        items.append(x * i)
    total = torch.zeros(2, 3)
    for i, item in enumerate(items):
        total = total + item * i
    return total


@family.on(*MAY_BE_EMPTY)
def list_out(x, n) -> List[torch.Tensor]:
    items = [x]
    for i in range(int(n)):
        items.append(x + i)
    return items


@family.on(*SIZES)
def unbound_out(x) -> List[torch.Tensor]:
    return list(x.unbind(0))


@family.on(*SIZES)
def split_out(x) -> List[torch.Tensor]:
    return list(x.split(2, 0))


@family.on(*SIZES)
def chunks_out(x) -> List[torch.Tensor]:
    return list(x.chunk(3, 1))


@family.on(*SIZES)
def split_iterated(x):
    total = torch.zeros(3)
    for piece in x.split(2, 0):
        total = total + piece.sum(0)
    return total


@family.on(*SIZES)
def split_joined_back(x):
    pieces = x.split(2, 0)
    return torch.cat(pieces, 0), pieces[0], pieces[-1], len(pieces)


@family.on(*SIZES)
def chunk_of_dynamic(x):
    a = x.chunk(2, 0)
    return a[0], torch.cat(a[::-1])


@family.on(*SIZES)
def list_in_loop_of_lists(x):
    outer: List[torch.Tensor] = []
    for i in range(x.size(0)):
        inner: List[torch.Tensor] = []
        for j in range(2):
            inner.append(x[i] + j)
        outer.append(torch.stack(inner))
    return torch.stack(outer)


@family.on(*TURNS)
def numbers_list(x, n):
    sizes: List[int] = []
    for i in range(int(n)):
        sizes.append(i * 2)
    total = 0
    for s in sizes:
        total += s
    return x + total + len(sizes) + sizes[-1] + max(sizes)


@family.on(*TURNS)
def floats_list(x, n):
    values: List[float] = []
    for i in range(int(n)):
        values.append(i * 0.5)
    return x + sum(values), torch.tensor(values)


@family.on(*SIZES)
def shape_as_list(x):
    shape = list(x.shape)
    shape.append(1)
    shape[0] = -1
    shape.reverse()
    return x.reshape(shape), x.view(list(x.shape)[::-1])


@family.on(*SIZES)
def shape_sliced(x):
    shape = x.shape[:-1]
    return torch.zeros(shape) + 1, x.reshape(list(shape) + [3, 1])


@family.on(*SIZES)
def contained(x):
    sizes = [x.size(0), x.size(1)]
    if 3 in sizes:
        x = x + 1
    if x.size(0) in [2, 7]:
        x = x * 2
    return x


@family.on(*SIZES)
def sums_of_numbers(x):
    sizes = [x.size(0), x.size(1), 5]
    return x * sum(sizes), x + max(sizes), x - min(sizes)


@family.on(*SIZES)
def sorted_numbers(x):
    sizes = [x.size(0), 5, 3]
    sizes.sort()
    ordered = sorted([x.size(0), 4])
    return x * sizes[0] + ordered[1]


@family.on(*DATA)
def dict_literal(x):
    d = {"a": x, "b": x + 1}
    d["c"] = d["a"] * d["b"]
    d["a"] = x * 5
    total = torch.zeros_like(x)
    for key in d.keys():
        total = total * 2 + d[key]
    return total, len(d)


@family.on(*DATA)
def dict_written_in_branch(x):
    d = {"a": x, "b": x + 1}
    if x.sum() > 0:
        d["a"] = x * 10
    else:
        d["b"] = x * 20
    return d["a"] + d["b"]


@family.on(*DATA)
def dict_key_added_in_branch(x):
    d: Dict[str, torch.Tensor] = {}
    if x.sum() > 0:
        d["y"] = x * 10
    else:
        d["y"] = x - 1
    return d["y"]


@family.on(*TURNS)
def dict_written_in_loop(x, n):
    d = {"sum": x, "last": x}
    for i in range(int(n)):
        d["sum"] = d["sum"] + x * i
        d["last"] = x - i
    return d["sum"], d["last"]


@family.on(*DATA)
def dict_of_ints(x):
    d: Dict[int, torch.Tensor] = {}
    for i in range(3):
        d[i] = x + i
    return d[0] * d[2], d[1]


@family.on(*DATA)
def dict_out(x) -> Dict[str, torch.Tensor]:
    return {"first": x + 1, "second": x.sum()}


@family.on(*DATA)
def dict_methods(x):
    d = {"a": x, "b": x + 1}
    e = d.copy()
    e.update({"c": x * 3})
    got = d.get("zzz", x * 7)
    popped = e.pop("a")
    flag = "b" in e
    total = got + popped
    for k, v in e.items():
        total = total + v
    for v in d.values():
        total = total - v * 2
    return total * (2 if flag else 1)


@family.on(*DATA)
def tuples(x):
    pair = (x, x + 1)
    a, b = pair
    triple = (pair, b)
    return triple[0][1] + triple[1] * a


@family.on(*TURNS)
def tuple_carried(x, n):
    state = (x, x * 2)
    for i in range(int(n)):
        state = (state[1], state[0] + i)
    return state


@family.on(*DATA)
def list_of_tuples_known(x):
    pairs = [(x, 1), (x * 2, 3)]
    total = torch.zeros_like(x)
    for a, n in pairs:
        total = total + a * n
    return total


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


@family.on(*DATA)
def named_tuple(x) -> Pair:
    p = Pair(x, x + 1)
    return Pair(p.right, p.left * 2)


@family.on(*DATA)
def nested_lists(x):
    grid = [[x, x + 1], [x * 2]]
    grid[1].append(x * 3)
    total = torch.zeros_like(x)
    for row in grid:
        for item in row:
            total = total * 2 + item
    return total


@family.on(*DATA)
def nested_out(x) -> Tuple[torch.Tensor, Tuple[torch.Tensor, List[torch.Tensor]]]:
    return x, (x + 1, [x * 2, x * 3])


@family.on(*DATA)
def mutated_while_in_list(x):
    y = x.clone()
    items = [y, x]
    y.add_(1)
    items[0].mul_(2)
    return torch.cat(items), y


@family.on(*DATA)
def chunk_pieces_written(x):
    y = x.clone()
    a, b, c = y.chunk(3, 1)
    b.add_(10)
    c.copy_(a)
    return y


@family.on(*DATA)
def list_in_branch_read(x):
    items = [x, x + 1]
    if x.sum() > 0:
        items.append(x * 2)
    return torch.cat(items), len(items)


@family.on(*DATA)
def list_extended_in_branch(x):
    items: List[torch.Tensor] = []
    if x.sum() > 0:
        items.extend([x, x, x])
    else:
        items.extend([x + 1])
    total = torch.zeros_like(x)
    for item in items:
        total = total + item
    return total


@family.on((X, number(0)), (X, number(2)), (X, number(-1)))
def index_of_input(x, i: int):
    items = [x, x + 1, x * 2]
    return items[i]


@family.on(*DATA)
def text(x):
    kind = "up"
    if x.dim() == 2:
        kind = kind + "_two"
    if kind == "up_two" and kind.startswith("up") and "tw" in kind:
        x = x + 1
    if "{}_{}".format(kind, 3) == "up_two_3":
        x = x * 2
    if f"{kind}" in ["a", "up_two"]:
        x = x - 3
    return x + len(kind)


@family.on((X, number(0)), (X, number(1)), (X, number(-1)))
def index_of_unlike(x, i: int):
    items = [x, x[:1], torch.cat([x, x])]
    return items[i] * 2


@family.on(*DATA)
def lists_of_two_lengths(x):
    items = [x, x + 1]
    if x.sum() > 0:
        items = [x * 2]
    return items[0], items[-1], torch.stack(items), len(items)


@family.on(*DATA)
def lists_of_two_shapes(x):
    items = [x, x[:1]]
    if x.sum() > 0:
        items = [x[:1], x * 2, x]
    return items[0], items[len(items) - 1] + 1, torch.cat(items)


@family.on(*DATA)
def places_listed(x):
    return torch.where(x > 0), torch.where(x.sum() > 0)


SOME = [(fill(4, 6),), (fill(9, 6),), (fill(2, 6),)]


@family.on(*SOME, opset=11)
def pair_exchanged_in_turns(x):
    l = [x, x + 1]
    for i in range(x.size(0)):
        l = [l[1], l[0] * 0.5]
    return l


@family.on(*SOME, opset=11)
def two_of_three_set_in_turns(x):
    l = [x, x + 1, x - 1]
    for i in range(x.size(0)):
        l[0] = l[0] + l[1]
        l[2] = l[1] * i
    return l[0], l[2]


@family.on(*SOME, opset=11)
def set_on_one_way_of_turns(x):
    l = [x, x + 1]
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            l[0] = l[0] + i
        else:
            l = [l[1], l[0]]
    return l


@family.on(*SOME, opset=11)
def states_of_two_cells(x):
    h = [torch.zeros(6), torch.zeros(6)]
    for t in range(x.size(0)):
        y = x[t]
        for i in range(2):
            h[i] = torch.tanh(y + h[i])
            y = h[i]
    return h


@family.on(*SOME, opset=11)
def states_until_large(x):
    h = [torch.zeros(6), torch.zeros(6)]
    for t in range(x.size(0)):
        y = x[t]
        for i in range(2):
            h[i] = torch.tanh(y + h[i])
            y = h[i]
        if bool(y.sum() > 2):
            break
    return h


@family.on(*SOME, opset=11)
def set_at_a_place_of_the_turn(x):
    l = [torch.zeros(6), torch.zeros(6)]
    for i in range(x.size(0)):
        l[i % 2] = l[i % 2] + x[i]
    return l[0], l[1]


@family.on(*SOME, opset=11)
def added_to_at_a_place_of_the_turn(x):
    l = [torch.zeros(6), torch.ones(6), torch.ones(6) * 2]
    for i in range(x.size(0)):
        l[i % 3] += x[i]
        l[-1 - i % 3] *= 0.5
    return l[0], l[1], l[2]


@family.on(*SOME, opset=11)
def added_to_one_of_two_names(x):
    a = torch.zeros(6)
    l = [a, a]
    y = x.clone()
    rows = [y[0], y[1]]
    for i in range(x.size(0)):
        l[i % 2] += x[i]
        rows[i % 2] += 1
    return a, l[1], y


@family.on(*SOME, opset=11)
def list_grows_in_one_item(x):
    l = [x[:1]]
    for i in range(x.size(0)):
        l[0] = torch.cat([l[0], x[i:i + 1]])
    return l[0]


@family.on((fill(3, 4), number(2)), (fill(3, 4), number(5)), (fill(3, 4), number(0)))
def tensors_repeated(x, k: int):
    l = [x, x + 1] * k
    l.append(x)
    return torch.stack(l), len(l)


@family.on((fill(3, 4), number(2)), (fill(3, 4), number(5)), (fill(3, 4), number(1)))
def tensors_repeated_and_set(x, k: int):
    l = [torch.zeros(4) for _ in range(k)]
    m = k * [x[0]]
    for i in range(k):
        l[i] = m[i] + i
    return torch.stack(l), torch.cat(m)


@family.on((fill(3, 4), number(2)), (fill(5, 4), number(5)), (fill(1, 4), number(1)))
def tensors_of_open_number_repeated(x, k: int):
    l = [x[i] * k for i in range(x.size(0))]
    m = 3 * l
    l.append(x[0])
    m[1] = m[1] + 1
    return torch.stack(l * 2), torch.stack(m), len(l * 0), len(1 * m)


# If the time doubled with each line, this would not end.
@family.on((fill(3, 4), whole(2)), (fill(3, 4), whole(5)), (fill(3, 4), whole(0)))
def turned_many_times(x, k):
    l = [x, x + 1, x + 2]
    for i in range(int(k)):
        l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]; l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]
        l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]; l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]
        l[0] = l[0] * 2 + i
        l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]; l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]
        l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]; l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]
        l[i % 3] = l[i % 3] - x
        l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[1:] + l[:1]; l = l[1:] + l[:1]; l = l[2:] + l[:2]; l = l[2:] + l[:2]
    return torch.stack(l)


@family.on((fill(3, 4), whole(2)), (fill(3, 4), whole(5)), (fill(3, 4), whole(0)))
def turned_in_many_branches(x, k):
    l = [x, x + 1, x + 2]
    for i in range(int(k)):
        at = x[0, 0] * 3
        l = l[1:] + l[:1] if at > i else l; l = l[1:] + l[:1] if at > i - 1 else l; l = l[2:] + l[:2] if at > -i else l
        l = l[1:] + l[:1] if at < i else l; l = l[1:] + l[:1] if at < i - 1 else l; l = l[2:] + l[:2] if at < -i else l
        l = l[1:] + l[:1] if at > i else l; l = l[1:] + l[:1] if at > i - 1 else l; l = l[2:] + l[:2] if at > -i else l
        l = l[1:] + l[:1] if at < i else l; l = l[1:] + l[:1] if at < i - 1 else l; l = l[2:] + l[:2] if at < -i else l
        l = l[1:] + l[:1] if at > i else l; l = l[1:] + l[:1] if at > i - 1 else l; l = l[2:] + l[:2] if at > -i else l
        l = l[1:] + l[:1] if at < i else l; l = l[1:] + l[:1] if at < i - 1 else l; l = l[2:] + l[:2] if at < -i else l
        l = l[1:] + l[:1] if at > i else l; l = l[1:] + l[:1] if at > i - 1 else l; l = l[2:] + l[:2] if at > -i else l
        l[0] = l[0] * 2 + i
    return torch.stack(l)
