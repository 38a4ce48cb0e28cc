"""Scripted recurrent networks over packed sequences."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from case import Family, fill, tensor

family = Family("packed", opset=9)


def lengths(*counts):
    return tensor(values=counts, dtype=torch.int64)


SORTED = [(fill(5, 3, 3), lengths(5, 3, 1)), (fill(5, 2, 3), lengths(5, 2)), (fill(7, 3, 3), lengths(7, 7, 4))]
UNSORTED = [(fill(5, 3, 3), lengths(3, 5, 1)), (fill(5, 2, 3), lengths(2, 5)), (fill(7, 3, 3), lengths(1, 7, 7))]


class Packed(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, n):
        out, state = self.network(pack_padded_sequence(x, n))
        y, counts = pad_packed_sequence(out)
        return y, counts, state


class BatchFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x, n):
        out, state = self.network(pack_padded_sequence(x.transpose(0, 1), n, batch_first=True))
        y, counts = pad_packed_sequence(out, batch_first=True, padding_value=-1.0)
        return y, counts, state


class Unsorted(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = nn.LSTM(3, 4)

    def forward(self, x, n):
        out, state = self.network(pack_padded_sequence(x, n, enforce_sorted=False))
        y, counts = pad_packed_sequence(out)
        return y, counts, state


family.program("lstm", Packed(nn.LSTM(3, 4)), *SORTED)
family.program("gru_of_two_ways", Packed(nn.GRU(3, 4, 2, bidirectional=True)), *SORTED)
family.program("rnn", Packed(nn.RNN(3, 4)), *SORTED)
family.program("batch_first", BatchFirst(), *SORTED)
family.program("unsorted", Unsorted(), *UNSORTED, opset=11)
