"""Examples from the documentation of PyTorch's exporter: working, failing, and to be rewritten."""
from typing import List, Tuple

import torch
from torch import nn

from case import Family, fill, tensor, whole

family = Family("snippets", opset=9)
MATRIX = [(fill(3, 4),), (fill(5, 4),), (fill(2, 4),)]
BATCH = [(fill(3, 4, 5), fill(3, 4, 5)), (fill(1, 4, 5), fill(1, 4, 5)), (fill(6, 4, 5), fill(6, 4, 5))]
CUBE = [(fill(3, 4, 5),), (fill(3, 2, 5),), (fill(3, 7, 5),)]
TURNS = [(tensor(2, 3, values=[[1, 1, 1], [1, 1, 1]], dtype=torch.int64), whole(5)),
         (tensor(2, 3, values=[[1, 1, 1], [1, 1, 1]], dtype=torch.int64), whole(9)),
         (tensor(2, 3, values=[[4, 0, 1], [2, 3, 1]], dtype=torch.int64), whole(0))]


@torch.jit.script
def add_each(x, turns):
    for i in range(int(turns)):
        x = x + i
    return x


class ScriptInModule(nn.Module):
    """F104, F105: Adds 0, 1, ... to a tensor, as often as an input says."""

    def forward(self, x, turns):
        return add_each(x, turns)


class Doubled(nn.Module):
    """F101: A loop whose bound is the value of an input, inside a module with a weight."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        for _ in range(x.size(0)):
            x = self.linear(x)
        return x


class Normaliser(nn.Module):
    """Stores its last input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(4))

    def forward(self, x):
        self.last = x[-1]
        return x - self.last


family.program("loop_of_an_input", ScriptInModule(), *TURNS)
family.program("loop_over_a_size", Doubled(), *MATRIX)
family.program("attribute_set", Normaliser(), *MATRIX)


@family.on(*[(fill(3, 4), fill(4), whole(k)) for k in (1, 0, 2)])
def row_assigned(data, row, i):
    data = data.clone()
    data[int(i)] = row
    return data


@family.on(*MATRIX)
def nested_loops_assign(x):
    """F109: nested loops and branches."""
    y = torch.zeros_like(x)
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            y[i, j] = x[i, j] * i + j
    return y


@family.on(*CUBE, opset=11)
def pieces_of_unbind(x):
    """F141: lists below opset 11."""
    pieces = torch.unbind(x, 1)
    return pieces[0], pieces[-1], len(pieces)


@family.on(*CUBE)
def three_pieces(x):
    """F142: lists of static length."""
    first, second, third = x.unbind(0)
    return first + third, second


@family.on(*CUBE, opset=11)
def pieces_of_split(x):
    pieces = x.split([2, 3], 2)
    parts = torch.split(x, 2, 1)
    return pieces[1], parts[0]


@family.on(*BATCH, opset=13)
def products_listed(x, y):
    results: List[torch.Tensor] = []
    for i in range(x.size(0)):
        results.append(torch.matmul(x[i], y[i].transpose(0, 1)))
    return results


@family.on(*MATRIX)
def numbers_take_the_dtype(x):
    y = x + 2
    return y + 3, y.to(torch.float64) + 3


@family.on(*MATRIX)
def sum_over_axes(x):
    return torch.sum(x, dim=(0, 1)), torch.sum(x, 1, keepdim=True)


@family.on(*MATRIX)
def lengths_updated_apart(x):
    """F116: sizes updated in place."""
    length = x.shape[0]
    padded = length
    padded += 2
    return x.new_zeros(padded, 2), length, padded


@family.on((fill(4, 6), whole(3)), (fill(2, 6), whole(2)), (fill(5, 6), whole(10)))
def reshaped_by_an_input(x, rows):
    """F114: a tensor where a number is expected."""
    return x.reshape(int(rows), -1)


@family.on(*CUBE)
def indexed_in_every_way(x):
    """F128: indexed reads."""
    return (x[0], x[:, 1], x[..., 0], x[None], x[:, -1:], x[:, torch.tensor([0, 1])], x[torch.tensor([True, False, True])],
            x[0, :, torch.tensor([1, 2])], x[:, :, [0, 4]])


@family.on(*MATRIX)
def assigned_in_every_way(x):
    """F131: indexed assignment from opset 11 on."""
    y = x.clone()
    y[0] = 1
    y[:, 1] = x[:, 0]
    y[1:, 2:] += 1
    y[torch.tensor([0, 1]), torch.tensor([3, 2])] = 5
    y[y > 4] = 0
    y[..., -1] *= 2
    return y


@family.on(*MATRIX)
def activations(x):
    return nn.functional.elu(x), nn.functional.selu(x), torch.relu(x), x.exp().log(), x.clamp(-1, 1), x.clamp(min=0)


@family.on(*MATRIX)
def tuple_of_tuples(x):
    pair: Tuple[torch.Tensor, Tuple[torch.Tensor, int]] = (x, (x + 1, x.size(0)))
    return pair[1][0], pair


@family.on(*MATRIX)
def shape_kept_dynamic(x):
    """F117: shape_as_tensor."""
    rows = torch._shape_as_tensor(x)[0]
    return torch.zeros(int(rows), 2), x.reshape(-1, x.shape[0])


@family.on((fill(16),), (fill(9),), (fill(3),), opset=11)
def sums_from_both_ends(x):
    """F144: documented list loop."""
    pieces = x.split(2, 0)
    count = torch.zeros(1, dtype=torch.int64)
    front: List[torch.Tensor] = []
    back: List[torch.Tensor] = []
    for i in range(len(pieces)):
        front.append(pieces[i].sum(0, False))
        back.append(pieces[-1 - i].sum(0, False))
        count += 1
    return torch.stack(front), torch.stack(back), count


@family.on(*CUBE)
def pieces_without_their_axis(x):
    return [torch.squeeze(piece, 0) for piece in torch.split(x, [1, 1, 1], dim=0)]


@family.on(*BATCH)
def written_by_indices_apart(x, y):
    """F133: writes with index tensors apart."""
    x = x.clone()
    x[:, torch.tensor([[0, 2], [1, 1]]), 1:3] = torch.arange(2.0)
    x[torch.tensor([0, 0]), :, torch.tensor([-1, 1])] = y[0, :, 0]
    x[0, torch.tensor([[1, 3]]), torch.tensor([[2], [-2]])] = 7
    return x


@family.on(*[(tensor(values=k, dtype=torch.int64), tensor(4, low=1, high=3)) for k in (1, 0, 2)])
def scattered_instead_of_assigned(i, row):
    """F130: indexed assignment at old opsets."""
    data = torch.zeros(3, 4)
    index = i.expand(1, 4)
    return data.scatter_(0, index, row.unsqueeze(0))


@family.on(*[(fill(4),) for _ in range(3)])
def constant_row_assigned(row):
    data = torch.zeros(3, 4)
    data[1] = row
    return data


@family.on(*[(fill(3, 4, 5), fill(5)) for _ in range(3)], opset=11)
def assigned_by_a_matrix_of_indices(data, value):
    """F132: writes with index tensors of higher rank."""
    data = data.clone()
    data[torch.tensor([[0, 2], [1, 1]]), 1:3] = value
    return data


@family.on((fill(3, 5), whole(4)), (fill(2, 5), whole(1)), (fill(6, 5), whole(0)), opset=11)
def length_and_its_double(x, more):
    seq_length = x.shape[0]
    real_seq_length = seq_length
    real_seq_length += 2
    return real_seq_length + seq_length, x.new_zeros(real_seq_length), more + seq_length


@family.on(*MATRIX)
def clipped(x):
    return x.clamp(min=0), x.clamp(-0.5, 1.5), torch.log(torch.log(torch.exp(x.abs() + 1)))


@family.on(*MATRIX, opset=11)
def every_piece_of_unbind(x):
    return x.unbind(1)
