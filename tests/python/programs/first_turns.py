"""Loops whose first iteration changes a loop-carried value: its rank, or from None to a list."""
from typing import List, Optional, Tuple

import torch

from case import Family, fill

family = Family("first_turns", opset=13)
ROWS = [(fill(3, 4),), (fill(1, 4),), (fill(6, 4),), (fill(2, 4),)]
OR_NONE = ROWS + [(fill(0, 4),)]


@family.on(*OR_NONE)
def sum_from_a_number(x):
    t = torch.zeros(())
    for i in range(x.size(0)):
        t = t.sum(-1, keepdim=True) * 0.5 + x[i]
    return t


@family.on(*ROWS)
def state_is_broadcast(x):
    h = torch.zeros(4)
    ys: List[torch.Tensor] = []
    for i in range(x.size(0)):
        h = torch.tanh(x[i:i + 1] + h)
        ys.append(h.cumsum(1))
    return h, torch.cat(ys)


@family.on(*OR_NONE)
def sorted_behind_an_inner_loop(x):
    t = torch.zeros(())
    for i in range(x.size(0)):
        for _ in range(2):
            t = t + x[i]
        t = t.sort()[0]
    return t


@family.on(*OR_NONE)
def read_behind(x):
    t = torch.zeros(())
    for i in range(x.size(0)):
        t = t + x[i]
    return t.softmax(0)


@family.on(*[(fill(n, 4, low=0, high=1),) for n in (3, 1, 6)])
def stops_at_a_condition(x):
    t = torch.zeros(())
    for i in range(x.size(0)):
        t = t + x[i]
        if bool(t.max() > 1.0):
            break
    return t.flip(0) if t.dim() > 0 else t


@family.on(*OR_NONE)
def best_row(x):
    best = torch.zeros(0)
    for i in range(x.size(0)):
        if best.numel() == 0 or bool(x[i].sum() > best.sum()):
            best = x[i:i + 1]
    return best


@family.on(*ROWS)
def state_in_a_stack(x):
    state = torch.zeros(0)
    ys: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(state):
            state = torch.stack([state[0] + x[i:i + 1], state[1] * 2])
        else:
            state = torch.stack([x[i:i + 1], x[i:i + 1]])
        ys.append(state[0])
    return torch.cat(ys)


@family.on(*ROWS)
def items_set(x):
    state: Optional[List[torch.Tensor]] = None
    ys: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if state is None:
            state = [torch.zeros(1, 4), torch.zeros(1, 4)]
        state[0] = state[0] + x[i:i + 1]
        ys.append(state[0] * 1)
    return torch.cat(ys)


@family.on(*ROWS)
def list_made_anew(x):
    state: Optional[List[torch.Tensor]] = None
    for i in range(x.size(0)):
        if state is None:
            state = [torch.zeros(1, 4), torch.zeros(1, 4)]
        kept = torch.cat([state[1], x[i:i + 1]])
        state = [state[0] + x[i:i + 1], kept[kept.shape[0] - 1:]]
    assert state is not None
    return state[0] + state[1]


@family.on(*OR_NONE)
def none_at_the_end(x):
    state: Optional[List[torch.Tensor]] = None
    for i in range(x.size(0)):
        if state is None:
            state = [x[i], x[i] * 2]
        else:
            state = [state[1], state[0] + x[i]]
    if state is None:
        return x.sum()
    return state[0].sum() + state[1].sum() * 2


@family.on(*ROWS)
def items_of_lists_set(x):
    state: Optional[List[List[torch.Tensor]]] = None
    for i in range(x.size(0)):
        if state is None:
            state = [[torch.zeros(1, 4)], [torch.zeros(1, 4)]]
        for k in range(2):
            state[k][0] = state[k][0] * 0.5 + x[i:i + 1] * (k + 1)
    assert state is not None
    return state[0][0] + state[1][0] * 3


def layers(x: torch.Tensor, state: Optional[List[List[torch.Tensor]]]) -> Tuple[torch.Tensor, List[List[torch.Tensor]]]:
    if state is None:
        state = [[torch.zeros(1, 4), torch.zeros(1, 4)], [torch.zeros(1, 4), torch.zeros(1, 4)]]
    out: List[List[torch.Tensor]] = []
    for layer in state:
        x = x + layer[0]
        out.append([x, layer[1] + 1])
    return x, out


@family.on(*ROWS)
def state_of_layers(x):
    state: Optional[List[List[torch.Tensor]]] = None
    ys: List[torch.Tensor] = []
    for i in range(x.size(0)):
        y, state = layers(x[i:i + 1], state)
        ys.append(y)
    return torch.cat(ys)


@family.on(*[(fill(n, 4, low=low, high=low + 2),) for n, low in ((3, -1), (1, 0), (6, -1), (2, -2))])
def product_of_later_turns(x):
    t = torch.zeros(())
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0) and t.dim() == 2:
            t = torch.mm(t, torch.eye(4) * 0.5)
        else:
            t = t * 0.5 + x[i:i + 1]
    return t
