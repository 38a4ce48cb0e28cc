"""Values that may be None: parameters, results of branches, values carried by loops, items of outputs."""
from typing import List, Optional, Tuple

import torch

from case import Family, fill, whole

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
