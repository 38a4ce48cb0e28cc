"""Values that may be None: parameters, results of branches, loop-carried values, items of outputs."""
from typing import Dict, List, Optional, Tuple

import torch

from case import Family, fill, number, whole

family = Family("optionals", opset=11)
X = fill(2, 3)
UP, DOWN, MIXED = fill(2, 3, low=1, high=2), fill(2, 3, low=-2, high=-1), fill(2, 3)
DATA = [(UP,), (DOWN,), (MIXED,)]
TURNS = [(X, whole(3)), (X, whole(1)), (X, whole(0)), (X, whole(6))]
GIVEN = [(X, X), (UP, DOWN), (DOWN, UP)]
NOT_GIVEN = [(X, None), (UP, None), (DOWN, None)]


def added_if_given(x, y: Optional[torch.Tensor] = None):
    if y is not None:
        return x + y
    return x * 2


family.program("parameter_given", added_if_given, *GIVEN)
family.program("parameter_none", added_if_given, *NOT_GIVEN)


@family.on(*NOT_GIVEN)
def default_made(x, y: Optional[torch.Tensor]):
    if y is None:
        y = torch.ones_like(x)
    return x - y


@family.on((X, None, X), (UP, None, DOWN), (DOWN, None, UP))
def middle_is_none(x, y: Optional[torch.Tensor], z: Optional[torch.Tensor]):
    total = x
    if y is not None:
        total = total + y
    if z is not None:
        total = total * z
    return total


@family.on(*DATA)
def set_on_one_side(x):
    y: Optional[torch.Tensor] = None
    if x.sum() > 0:
        y = x * 2
    if y is None:
        return x - 1
    return y + 1


@family.on(*DATA)
def unset_on_one_side(x):
    y: Optional[torch.Tensor] = x
    if x.sum() > 0:
        y = None
    if y is not None:
        x = x + y
    return x * 2


@family.on(*DATA)
def is_none_as_number(x):
    y: Optional[torch.Tensor] = None
    if x.sum() > 0:
        y = x
    return x + int(y is None)


@family.on(*DATA)
def set_in_nested_branch(x):
    y: Optional[torch.Tensor] = None
    if x.sum() > 0:
        if x.max() > 1.5:
            y = x + 3
    else:
        y = x - 3
    z = x
    if y is not None:
        z = z * y
    return z


@family.on(*DATA)
def number_or_none(x):
    n: Optional[int] = None
    if x.sum() > 0:
        n = 3
    if n is not None:
        x = x * n
    return x + 1


@family.on(*DATA)
def returned_by_function(x):
    y = maybe(x)
    if y is not None:
        return y.sum()
    return x.max()


def maybe(x) -> Optional[torch.Tensor]:
    if x.sum() > 0:
        return x * 2
    return None


@family.on(*TURNS)
def last_of_loop(x, n):
    last: Optional[torch.Tensor] = None
    for i in range(int(n)):
        last = x + i
    if last is None:
        return x
    return last


@family.on(*TURNS)
def accumulated(x, n):
    total: Optional[torch.Tensor] = None
    for i in range(int(n)):
        item = x * i
        if total is None:
            total = item
        else:
            total = total + item
    if total is None:
        total = torch.zeros_like(x)
    return total


@family.on((X,), (UP,), (DOWN,))
def accumulated_known_length(x):
    best: Optional[torch.Tensor] = None
    for row in x.unbind(0):
        if best is None:
            best = row
        else:
            best = torch.max(best, row)
    assert best is not None
    return best


@family.on(*TURNS)
def first_found(x, n):
    found: Optional[torch.Tensor] = None
    for i in range(int(n)):
        y = x - i
        if found is None and bool(y.sum() < 0):
            found = y
    if found is not None:
        return found * 10
    return x


@family.on(*DATA)
def either_of_two(x):
    a: Optional[torch.Tensor] = None
    b: Optional[torch.Tensor] = None
    if x.sum() > 0:
        a = x
    else:
        b = -x
    total = torch.zeros_like(x)
    if a is not None:
        total = total + a
    if b is not None:
        total = total + b * 3
    return total


@family.on(*DATA)
def none_in_tuple(x) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
    return x + 1, None


@family.on(*DATA)
def optional_in_tuple(x) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
    y: Optional[torch.Tensor] = x * 2
    return x + 1, y


@family.on(*DATA)
def list_or_none(x):
    items: Optional[List[torch.Tensor]] = None
    if x.dim() == 2:
        items = [x, x + 1]
    if items is not None:
        return torch.cat(items)
    return x


@family.on(*DATA)
def or_else(x):
    size: Optional[int] = None
    n = size if size is not None else x.size(1)
    return x * n


class Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale: Optional[float] = None
        self.bias: Optional[torch.Tensor] = None
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x, mask: Optional[torch.Tensor] = None):
        y = self.linear(x)
        scale = self.scale
        if scale is not None:
            y = y * scale
        if mask is not None:
            y = y.masked_fill(mask > 0, 0.0)
        return y


family.program("module_mask_given", Masked(), *GIVEN)
family.program("module_mask_none", Masked(), *NOT_GIVEN)


WAYS = [(fill(4, 6), number(2)), (fill(4, 6), number(0)), (fill(1, 6), number(1)), (fill(9, 6), number(5)), (fill(4, 6), number(7))]


@family.on(*WAYS, opset=13)
def given_to_operators(x, k: int):
    weight: Optional[torch.Tensor] = None
    bias: Optional[torch.Tensor] = None
    low: Optional[float] = None
    if k > 1:
        weight = x[0]
        low = -0.5
    if k > 4:
        bias = x[-1]
    y = torch.nn.functional.layer_norm(x, [6], weight, bias)
    if weight is None:
        y = y * 2
    return y, torch.nn.functional.layer_norm(x, [6], weight, weight), x.clamp(low, 1.0)


@family.on(*WAYS, opset=13)
def given_in_a_loop(x, k: int):
    bias: Optional[torch.Tensor] = None
    total = torch.zeros(x.size(0), 3)
    weight = torch.arange(18.).view(3, 6)
    for i in range(k):
        total = total + torch.nn.functional.linear(x, weight, bias)
        if i == 1:
            bias = x[0, :3]
    return total


@family.on(*WAYS, opset=13)
def mask_of_attention(x, k: int):
    q = x.view(1, 1, -1, 6)
    causal = k > 1
    mask: Optional[torch.Tensor] = None
    if k == 0:
        mask = torch.full((x.size(0), x.size(0)), -1e9).tril(-1)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(q, q, q, None, 0.0, causal), attend(q, q, q, mask, 0.0, causal)


class Translator(torch.nn.Module):
    """Determines at run time that its mask is causal."""

    def __init__(self):
        super().__init__()
        self.transformer = torch.nn.Transformer(8, 2, 1, 1, 16, dropout=0.0)

    def forward(self, x):
        mask = torch.full((x.size(0), x.size(0)), float("-inf")).triu(1)
        return self.transformer(x, x, tgt_mask=mask)


family.program("transformer_with_a_mask", Translator(), (fill(5, 2, 8),), (fill(1, 2, 8),), (fill(9, 2, 8),), opset=13)


OUT = [*WAYS, (fill(0, 6), number(3))]


@family.on(*OUT, opset=16)
def given_out(x, k: int) -> Optional[torch.Tensor]:
    if k > 0:
        return x * 2
    return None


@family.on(*OUT, opset=16)
def given_out_of_a_loop(x, k: int) -> Tuple[Optional[torch.Tensor], Optional[torch.Tensor], bool]:
    last: Optional[torch.Tensor] = None
    for i in range(min(k, 3)):
        if bool(x.sum() > -1000):
            last = x + i
        else:
            last = None
    return last, last, last is None


@family.on(*OUT, opset=16)
def kinds_given_out(x, k: int) -> Tuple[Optional[int], Optional[float], Optional[bool], Optional[torch.Tensor]]:
    if k > 1:
        return k, None, True, x > 0
    if k == 1:
        return None, 2.5, None, (x * 3).to(torch.int32) > 2
    return 3, 1.0 * k, False, None


class GivenOut(torch.nn.Module):
    """Returns a stored value and an argument, or None."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
        self.register_buffer("zeros", torch.zeros(2))

    def forward(self, x, k: int) -> Tuple[Optional[torch.Tensor], Optional[torch.Tensor], Optional[torch.Tensor]]:
        a: Optional[torch.Tensor] = None
        b: Optional[torch.Tensor] = None
        c: Optional[torch.Tensor] = x
        if k > 0:
            a, b, c = self.weight, self.zeros, None
        return a, b, c


family.program("weights_given_out", GivenOut(), *OUT, opset=16)


@family.on(*OUT, opset=16)
def written_and_given_out(x, k: int) -> Dict[str, Optional[torch.Tensor]]:
    y: Optional[torch.Tensor] = None
    if k > 0:
        z = x.clone()
        z.add_(k)
        z[:, 0] = 0.0
        y = z
    return {"y": y, "x": x}


@family.on(*WAYS, opset=16)
def found_and_given_out(x, k: int) -> Tuple[int, Optional[torch.Tensor]]:
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            return i, x[i]
    return -1, None


@family.on(*WAYS, opset=16)
def given_out_in_two_ranks(x, k: int) -> Optional[torch.Tensor]:
    if k == 0:
        return None
    if k == 2:
        return x.sum(0)
    return x.sum(1)


@family.on(*WAYS)
def asked_by_its_type(x, k: int):
    y: Optional[torch.Tensor] = None
    if x.size(0) > 2:
        y = x[0]
    n: Optional[int] = k if k > 1 else None
    total = n + 1 if isinstance(n, int) else 0
    if isinstance(y, torch.Tensor):
        return y * 2, total, isinstance(n, float)
    return x[-1], total, isinstance(n, float)


class Decoder(torch.nn.Module):
    """A layer that returns its keys and values on request."""

    def __init__(self):
        super().__init__()
        self.keys, self.values = torch.nn.Linear(6, 4), torch.nn.Linear(6, 4)

    def forward(self, x, keep: bool) -> Tuple[torch.Tensor, Optional[Tuple[torch.Tensor, torch.Tensor]]]:
        k, v = self.keys(x), self.values(x)
        y = torch.softmax(k @ k.t(), -1) @ v
        if keep:
            return y, (k, v)
        return y, None


KEPT = [(fill(4, 6), True), (fill(4, 6), False), (fill(1, 6), True), (fill(9, 6), False)]
family.program("pair_given_out", Decoder(), *KEPT, opset=16)
family.program("no_pair_given_out", Decoder(), *KEPT[1::-1], *KEPT[2:], opset=16)


@family.on(*WAYS, opset=16)
def containers_given_out(x, k: int) -> Tuple[Optional[List[torch.Tensor]], Optional[Dict[str, torch.Tensor]], torch.Tensor]:
    states: Optional[List[torch.Tensor]] = None
    if k > 1:
        states = [x, x.sum(0), x * k]
    return states, {"a": x + 1, "b": x.sum()} if k > 2 else None, x


@family.on(*WAYS, opset=16)
def pair_chosen_twice(x, k: int) -> Optional[Tuple[torch.Tensor, int]]:
    pair: Optional[Tuple[torch.Tensor, int]] = None
    if k > 4:
        pair = (x * 2, k)
    elif k > 0:
        pair = (x[:1], x.size(0))
    return pair


@family.on(*WAYS, opset=16)
def pair_left_by_a_loop(x, k: int) -> Tuple[torch.Tensor, Optional[Tuple[torch.Tensor, torch.Tensor]]]:
    state: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
    total = x
    for i in range(k):
        if state is not None:
            total = total + state[0] - state[1]
        state = (x * i, total)
    return total, state


@family.on(*WAYS, opset=16)
def parts_that_may_lack(x, k: int) -> Tuple[int, Optional[Tuple[torch.Tensor, Optional[torch.Tensor]]]]:
    if k > 1:
        return 1, (x, x + k if k > 3 else None)
    return 0, None


@family.on(*WAYS, opset=16)
def nested_pairs_given_out(x, k: int) -> Optional[Tuple[torch.Tensor, Tuple[torch.Tensor, List[torch.Tensor]]]]:
    return (x, (x + 1, [x.sum(), x.sum(1)])) if k > 1 else None


@family.on(*WAYS, opset=16)
def items_taken_from_a_list(x, k: int):
    held: List[Optional[torch.Tensor]] = [None, x[-1] * 2]
    total = x[0].clone()
    last: Optional[torch.Tensor] = None
    for i in range(k):
        if len(held) > 1:
            last = held.pop(0)
        for item in held:
            if item is not None:
                total = total + item
    return total, x[0] if last is None else last + 1
