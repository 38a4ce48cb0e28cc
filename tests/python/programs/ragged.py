"""Pieces of dynamic number and sizes, and loops over them."""
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor

from case import Family, fill, tensor

family = Family("ragged", opset=13)
LENGTHS = [(fill(rows, 4), tensor(dtype=torch.int64, values=lengths))
           for rows, lengths in ((6, [2, 3, 1]), (6, [1, 1, 4]), (7, [5, 2]), (7, [7]), (5, [0, 5]), (4, [1, 1, 1, 1]))]


def lengths_of(l) -> List[int]:
    lengths: List[int] = l.tolist()
    return lengths


@family.on(*LENGTHS)
def scaled(x, l):
    return [piece * 2 for piece in x.split(lengths_of(l))]


@family.on(*LENGTHS)
def summed_into_rows(x, l):
    lengths = lengths_of(l)
    rows = torch.zeros(len(lengths), 4)
    for i, piece in enumerate(torch.split(x, lengths)):
        rows[i] = piece.sum(0)
    return rows


@family.on(*LENGTHS)
def padded_by_hand(x, l):
    lengths = lengths_of(l)
    batch = torch.zeros(len(lengths), 5, 4)
    for i, piece in enumerate(x.split(lengths)):
        n = min(piece.size(0), 5)
        batch[i, :n] = piece[:n]
    return batch


@family.on(*LENGTHS)
def padded(x, l):
    return torch.nn.utils.rnn.pad_sequence(x.split(lengths_of(l)), batch_first=True)


@family.on(*LENGTHS)
def normalised_each(x, l) -> Dict[str, Tensor]:
    lengths = [int(n) for n in l]
    return {"rows": torch.cat([piece.softmax(0) for piece in x.split(lengths)])}


@family.on(*LENGTHS)
def by_their_sizes(x, l):
    total = torch.zeros(4)
    for i, (piece, twice) in enumerate(zip(x.split(lengths_of(l)), (x * 2).split(lengths_of(l)))):
        if piece.size(0) > 2:
            total = total + piece.sum(0) * i
        else:
            total = total - twice.sum(0)
    return total


@family.on(*LENGTHS)
def the_ends(x, l):
    pieces = x.split(lengths_of(l))
    return pieces[0], pieces[-1].size(0), len(pieces), pieces[int(l[0]) % len(pieces)]


@family.on(*LENGTHS)
def sizes_of_pieces(x, l) -> Tuple[List[int], Tensor]:
    sizes: List[int] = []
    longest = 0
    for piece in x.split(lengths_of(l)):
        sizes.append(piece.size(0) * 2)
        longest = max(longest, piece.size(0))
    return sizes, x.new_zeros(longest, 3)


@family.on(*LENGTHS)
def written_to(x, l):
    y = x.clone()
    total = torch.zeros(1)
    for piece in y.split(lengths_of(l)):
        total = total + piece.sum()
        piece[piece > 0] = 0
    return total, y


@family.on(*LENGTHS)
def first_written_to(x, l):
    y = x.clone()
    pieces = y.split(lengths_of(l))
    pieces[0].mul_(3)
    return y, pieces[0]


@family.on(*LENGTHS)
def along_the_second_axis(x, l):
    total = torch.zeros(4)
    for piece in x.t().split(lengths_of(l), 1):
        total = total * 2 + piece.contiguous().view(-1)[:1].sum()
    return total


@family.on(*LENGTHS)
def split_again(x, l):
    found: List[Tensor] = []
    for piece in x.split(lengths_of(l)):
        for row in piece.split(1):
            found.append(row.sum() + piece.size(0))
    return torch.stack(found)


@family.on(*LENGTHS, opset=16)
def mean_of_means(x, l):
    total: Optional[Tensor] = None
    for piece in x.split(lengths_of(l)):
        mean = piece.mean(0) if piece.size(0) > 0 else torch.zeros(4)
        total = mean if total is None else total + mean
    return total
