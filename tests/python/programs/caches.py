"""Loop-carried states of decoders and streams: lists of tuples, values that are None at first, dicts that get keys."""
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor, nn

from case import Family, fill

family = Family("caches", opset=13)


class Cells(nn.Module):
    """Recurrent cells with a list of states, recreated in each iteration."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.LSTMCell(4, 6), nn.LSTMCell(6, 6)])

    def forward(self, x, states: Optional[List[Tuple[Tensor, Tensor]]] = None):
        if states is None:
            zero = torch.zeros(x.size(1), 6)
            states = [(zero, zero), (zero, zero)]
        outs: List[Tensor] = []
        for t in range(x.size(0)):
            h = x[t]
            new: List[Tuple[Tensor, Tensor]] = []
            for i, cell in enumerate(self.cells):
                state = cell(h, states[i])
                new.append(state)
                h = state[0]
            states = new
            outs.append(h)
        return torch.stack(outs), states


family.program("cells", Cells(), (fill(3, 2, 4),), (fill(7, 3, 4),), (fill(1, 1, 4),))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.all = nn.Linear(8, 24)

    def forward(self, x, cache: Optional[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        q, k, v = self.all(x).chunk(3, -1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        return x + torch.softmax(q @ k.transpose(1, 2), -1) @ v, (k, v)


class Decoder(nn.Module):
    """Keys and values of two layers, none before the first iteration."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Attention(), Attention()])

    def forward(self, x, steps: int):
        caches: List[Optional[Tuple[Tensor, Tensor]]] = [None, None]
        outs: List[Tensor] = []
        for s in range(steps):
            new: List[Optional[Tuple[Tensor, Tensor]]] = []
            for i, layer in enumerate(self.layers):
                x, cache = layer(x, caches[i])
                new.append(cache)
            caches = new
            x = torch.tanh(x[:, -1:])
            outs.append(x)
        return torch.cat(outs, 1)


family.program("decoder", Decoder(), (fill(2, 4, 8), 3), (fill(3, 6, 8), 5), (fill(1, 1, 8), 1))


class Written(nn.Module):
    """The same, setting the entries of one list one after another."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Attention(), Attention()])

    def forward(self, x, steps: int):
        caches: List[Tuple[Tensor, Tensor]] = []
        for layer in self.layers:
            x, cache = layer(x, None)
            caches.append(cache)
        for s in range(steps):
            x = torch.tanh(x[:, -1:])
            for i, following in enumerate(self.layers):
                x, caches[i] = following(x, caches[i])
        return x, caches


family.program("written", Written(), (fill(2, 4, 8), 3), (fill(3, 6, 8), 5), (fill(1, 1, 8), 1))


PIECES = [(fill(2, 3, 9), 4), (fill(2, 3, 14), 3), (fill(2, 3, 2), 5)]


@family.on(*PIECES)
def left_contexts(x, size: int):
    caches: List[Optional[Tensor]] = [None, None]
    outs: List[Tensor] = []
    for start in range(0, x.size(2), size):
        h = x[:, :, start:start + size]
        for i in range(2):
            cache = caches[i]
            if cache is None:
                cache = torch.zeros(2, 3, 2)
            h = torch.cat([cache, h], 2)
            caches[i] = h[:, :, h.size(2) - 2:]
            h = h[:, :, 1:] + h[:, :, :h.size(2) - 1]
        outs.append(h)
    return torch.cat(outs, 2)


@family.on(*PIECES)
def caches_by_key(x, n: int):
    d: Dict[str, Tensor] = {}
    outs: List[Tensor] = []
    for s in range(0, x.size(2), n):
        h = x[:, :, s:s + n]
        for i in range(2):
            k = "layer" + str(i)
            c = torch.zeros(x.size(0), 3, 2)
            if k in d:
                c = d[k]
            h = torch.cat([c, h], 2)
            d[k] = h[:, :, h.size(2) - 2:]
        outs.append(h)
    return torch.cat(outs, 2)


@family.on(*PIECES)
def dtypes_differ(x, n: int):
    d: Dict[str, Tensor] = {}
    for s in range(0, x.size(2), n):
        h = x[:, :, s:s + n]
        if "count" in d:
            d["count"] = d["count"] + 1
            d["sum"] = d["sum"] + h.sum(2)
        else:
            d["count"] = torch.tensor(1)
            d["sum"] = h.sum(2)
    return d["count"], d["sum"]


@family.on(*PIECES)
def nested_state(x, n: int):
    state: Dict[str, Dict[str, Tensor]] = {}
    for s in range(0, x.size(2), n):
        h = x[:, :, s:s + n]
        k = h
        if "self" in state:
            k = torch.cat([state["self"]["prev"], h], 2)
        new: Dict[str, Tensor] = {}
        new["prev"] = k
        new["mean"] = k.mean(2)
        state["self"] = new
    return state["self"]["prev"], state["self"]["mean"]


@family.on(*PIECES)
def nested_optional(x, n: int):
    state: Dict[str, Dict[str, Optional[Tensor]]] = {}
    for s in range(0, x.size(2), n):
        k = x[:, :, s:s + n]
        if "self" in state:
            saved = state["self"]
            p = saved["prev"]
            if p is not None:
                k = torch.cat([p, k], 2)
        new: Dict[str, Optional[Tensor]] = {"prev": k, "mask": None}
        state["self"] = new
    p = state["self"]["prev"]
    assert p is not None
    return p


@family.on(*PIECES)
def popped(x, n: int):
    d: Dict[str, Tensor] = {}
    for s in range(0, x.size(2), n):
        h = x[:, :, s:s + n]
        if "rest" in d:
            h = torch.cat([d.pop("rest"), h], 2)
        if bool(h.sum() > 0):
            d["rest"] = h
    if "rest" in d:
        return d["rest"]
    return x[:, :, :1]


@family.on(*PIECES)
def with_defaults(x, n: int):
    d: Dict[str, Tensor] = {}
    for s in range(0, x.size(2), n):
        h = x[:, :, s:s + n].sum(2)
        if bool(h.sum() > 0):
            d["positive"] = d.setdefault("positive", h * 0) + h
        d["all"] = d.get("all", h * 0) + h
    return d.get("positive", torch.ones(2, 3)), d["all"], "positive" in d
