"""LSTM, GRU and simple recurrent networks."""
import torch
from torch import nn

from case import FLOAT, FLOATS, Dim, Family, index, tensor

family = Family("recurrent", opset=7)
B = Dim("batch", 2, 4)
T = Dim("time", 5, 7)


class Bare(nn.Module):
    """Without an initial state."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class OutputOnly(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


class StateOnly(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[1]


class WithState(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, hidden):
        return self.inner(x, hidden)


class WithTwoStates(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, hidden, cell):
        return self.inner(x, (hidden, cell))


class Packed(nn.Module):
    """Sequences of several lengths, packed and padded again."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        output, state = self.inner(packed)
        return nn.utils.rnn.pad_packed_sequence(output, batch_first=True)[0], state


kinds = {
    "lstm": nn.LSTM, "gru": nn.GRU, "rnn_tanh": nn.RNN, "rnn_relu": lambda *sizes, **options: nn.RNN(*sizes, nonlinearity="relu", **options)
}
for name, make in kinds.items():
    given = WithTwoStates if name == "lstm" else WithState
    count = 2 if name == "lstm" else 1
    x = tensor(T, B, 4)
    state = lambda rows, width=6: [tensor(rows, B, width)] * count
    family.case(name + ".plain", Bare(make(4, 6)), x, dtypes=FLOATS)
    family.case(name + ".state", given(make(4, 6)), x, *state(1), dtypes=FLOATS)
    family.case(name + ".no_bias", given(make(4, 6, bias=False)), x, *state(1))
    family.case(name + ".layers", given(make(4, 6, 2)), x, *state(2))
    family.case(name + ".bidirectional", given(make(4, 6, bidirectional=True)), x, *state(2))
    family.case(name + ".bidirectional_layers", given(make(4, 6, 3, bidirectional=True)), x, *state(6))
    family.case(name + ".batch_first", given(make(4, 6, 2, batch_first=True, bidirectional=True)), tensor(B, T, 4), *state(4))
    family.case(name + ".batch_first_bare", Bare(make(4, 6, batch_first=True)), tensor(B, T, 4))
    family.case(name + ".dropout_in_eval", Bare(make(4, 6, 2, dropout=0.5)), x)
    family.case(name + ".output_only", OutputOnly(make(4, 6)), x)
    family.case(name + ".state_only", StateOnly(make(4, 6, 2)), x)
    family.case(name + ".unbatched", Bare(make(4, 6)), tensor(T, 4))
    family.case(name + ".one_step", Bare(make(4, 6)), tensor(1, B, 4))
    family.case(name + ".packed", Packed(make(4, 6, batch_first=True, bidirectional=True)), tensor(3, 5, 4),
                tensor(values=[5, 3, 2], dtype=torch.int64), opset=9)
family.case("lstm.projection", WithTwoStates(nn.LSTM(4, 6, proj_size=3)), tensor(T, B, 4), tensor(1, B, 3), tensor(1, B, 6), opset=9)
for name, make in [("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)]:
    double = {"dtypes": (torch.float64,), "opset": 9, "rtol": 1e-11, "atol": 1e-12}
    family.case(f"{name}.double", Bare(make(4, 6, 2, batch_first=True, bidirectional=True).double()), tensor(B, T, 4), **double)
    family.case(f"{name}.double_bare", Bare(make(4, 6, bias=False).double()), tensor(T, B, 4), **double)
    family.case(f"{name}.double_packed", Packed(make(4, 6, 2, batch_first=True, bidirectional=True).double()), tensor(3, 5, 4),
                tensor(values=[5, 3, 2], dtype=torch.int64), **double)
family.case("lstm.projection_packed", Packed(nn.LSTM(4, 6, 2, proj_size=3, batch_first=True, bidirectional=True)), tensor(3, 5, 4),
            tensor(values=[5, 3, 2], dtype=torch.int64), opset=9)
family.case("lstm.projection_layers", Bare(nn.LSTM(4, 6, 2, proj_size=3, bidirectional=True)), tensor(T, B, 4), opset=9)
family.case("lstm.documented", WithTwoStates(nn.LSTM(10, 20, 4, bidirectional=True)), tensor(Dim("sequence", 5, 8), 3, 10),
            tensor(8, 3, 20), tensor(8, 3, 20))


class Cell(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, state):
        for step in range(3):
            state = self.cell(x[step], state)
        return state


class LstmCell(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 6)

    def forward(self, x, hidden, cell):
        for step in range(3):
            hidden, cell = self.cell(x[step], (hidden, cell))
        return hidden, cell


family.case("lstm_cell.steps", LstmCell(), tensor(3, B, 4), tensor(B, 6), tensor(B, 6))
family.case("gru_cell.steps", Cell(nn.GRUCell(4, 6)), tensor(3, B, 4), tensor(B, 6))
family.case("rnn_tanh_cell.steps", Cell(nn.RNNCell(4, 6)), tensor(3, B, 4), tensor(B, 6))
family.case("rnn_relu_cell.steps", Cell(nn.RNNCell(4, 6, nonlinearity="relu")), tensor(3, B, 4), tensor(B, 6))


class PackedUnsorted(nn.Module):
    """Two networks over one unsorted packed sequence, padded with a number."""

    def __init__(self):
        super().__init__()
        self.first = nn.LSTM(4, 6)
        self.second = nn.GRU(6, 3)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        packed, _ = self.first(packed)
        packed, state = self.second(packed)
        output, lengths = nn.utils.rnn.pad_packed_sequence(packed, padding_value=-1.5, total_length=9)
        return output, lengths, state


family.case("lstm.packed_unsorted", PackedUnsorted(), tensor(6, 3, 4), tensor(values=[3, 5, 2], dtype=torch.int64), opset=9)


class PackedData(nn.Module):
    """Operators between two networks on the data of a packed sequence, which is packed again and returned."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LSTM(4, 6, bidirectional=True), nn.GRU(12, 3)
        self.norm, self.linear = nn.BatchNorm1d(12), nn.Linear(12, 12)

    def forward(self, x, lengths):
        packed, _ = self.first(nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False))
        data = self.linear(self.norm(packed.data)).relu() * 2 + 1
        packed = nn.utils.rnn.PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
        output, state = self.second(packed)
        padded, counts = nn.utils.rnn.pad_packed_sequence(output)
        return padded, counts, state, nn.utils.rnn.pad_packed_sequence(packed, True, -1.0)[0], output.data, output.batch_sizes


counts = index(Dim("batch", 3, 4), below=7, above=1)
family.case("packed_data.plain", PackedData(), tensor(6, Dim("batch", 3, 4), 4), counts, opset=11)
family.case("packed_data.known", PackedData(), tensor(6, 3, 4), tensor(values=[3, 5, 2], dtype=torch.int64), opset=9)
family.case("packed_data.values", lambda x, n: nn.utils.rnn.pack_padded_sequence(x, n, enforce_sorted=False).data, tensor(6, Dim("batch", 3, 4)), counts, opset=11)
