"""States that decoders and streams carry from turn to turn: lists of tuples, and lists of what is None at first."""
from typing import List, Optional, Tuple

import torch
from torch import Tensor, nn

from case import Family, fill

family = Family("caches", opset=13)


class Cells(nn.Module):
    """Recurrent cells with a list of states, made anew in each turn."""

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
    """Keys and values of two layers, none before the first turn."""

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
    """The same with the entries of one list set in turn."""

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


@family.on((fill(2, 3, 9), 4), (fill(2, 3, 14), 3), (fill(2, 3, 2), 5))
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
    return torch.cat(outs, 2), caches[0]
