"""Recurrent layers and cells from PyTorch's dynamic quantisation."""
import warnings

import torch
from torch import nn
from torch.ao import quantization
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from case import Dim, Family, tensor

family = Family("quantised_recurrent", opset=10)
B, T = Dim("batch", 2, 3), Dim("time", 5, 7)


class Sequence(nn.Module):
    """A layer without initial states, and the layer above it."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, last = self.layer(x)
        return y, last


class Stateful(nn.Module):
    """A layer or a cell with an initial state."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, state):
        return self.layer(x, state)


class StatefulPair(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, hidden, cell):
        return self.layer(x, (hidden, cell))


class Packed(nn.Module):
    """A layer over a packed sequence whose padding is not zero."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, lengths):
        y, last = self.layer(pack_padded_sequence(x, lengths))
        padded, counts = pad_packed_sequence(y)
        return padded, counts, last


def quantised(make, dtype=torch.qint8):
    def build():
        warnings.simplefilter("ignore")
        kinds = {nn.LSTM, nn.GRU, nn.LSTMCell, nn.GRUCell, nn.RNNCell}
        return quantization.quantize_dynamic(make().eval(), kinds, dtype=dtype)
    return build


def network(name, make, *inputs, dtype=torch.qint8, ways=(False, True)):
    """As a trace and as a script, to less than the effect of one quantisation step."""
    for script in ways:
        family.ready(f"{name}.{'scripted' if script else 'traced'}", quantised(make, dtype), *inputs, atol=2e-4, script=script)


def layer(kind, **options):
    return lambda: Sequence(kind(4, 6, **options))


sequence = tensor(T, B, 4, low=-2, high=2)
for name, kind in (("quantized_lstm", nn.LSTM), ("quantized_gru", nn.GRU)):
    network(f"{name}.plain", layer(kind), sequence)
    network(f"{name}.deep", layer(kind, num_layers=2, bidirectional=True), sequence)
    network(f"{name}.batch_first", layer(kind, batch_first=True), tensor(B, T, 4, low=-2, high=2))
    network(f"{name}.half", layer(kind, num_layers=2), sequence, dtype=torch.float16)
network("quantized_lstm.states", lambda: StatefulPair(nn.LSTM(4, 6, 2)), sequence, tensor(2, B, 6), tensor(2, B, 6))
network("quantized_gru.states", lambda: Stateful(nn.GRU(4, 6, bidirectional=True)), sequence, tensor(2, B, 6))
lengths = tensor(values=[5, 3, 1], dtype=torch.int64)
for name, kind in (("quantized_lstm", nn.LSTM), ("quantized_gru", nn.GRU)):
    for words, options in (("plain", {}), ("deep", {"num_layers": 2, "bidirectional": True})):
        packed = lambda kind=kind, options=options: Packed(kind(4, 6, **options))
        network(f"{name}.packed_{words}", packed, tensor(5, 3, 4, low=-2, high=2), lengths, ways=(False,))
        network(f"{name}.packed_{words}_half", packed, tensor(5, 3, 4, low=-2, high=2), lengths, dtype=torch.float16, ways=(False,))
row, state = tensor(B, 4, low=-2, high=2), tensor(B, 6)
network("quantized_lstm_cell_dynamic.states", lambda: StatefulPair(nn.LSTMCell(4, 6)), row, state, state)
network("quantized_lstm_cell_dynamic.half", lambda: StatefulPair(nn.LSTMCell(4, 6)), row, state, state, dtype=torch.float16)
network("quantized_gru_cell_dynamic.states", lambda: Stateful(nn.GRUCell(4, 6)), row, state)
network("quantized_gru_cell_dynamic.half", lambda: Stateful(nn.GRUCell(4, 6)), row, state, dtype=torch.float16)
for kind in ("tanh", "relu"):
    network(f"quantized_rnn_{kind}_cell_dynamic.states", lambda kind=kind: Stateful(nn.RNNCell(4, 6, nonlinearity=kind)), row, state)
