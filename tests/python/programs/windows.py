"""Numbers and lists of numbers that branches on sizes choose, used to slice, create and write tensors."""
from typing import List

import torch
import torch.nn.functional as F

from case import Family, fill

family = Family("windows", opset=13)
SIZES = [(fill(8, 9),), (fill(3, 12),), (fill(13, 2),), (fill(4, 4),)]


def fitted(size: List[int], window: List[int]) -> List[int]:
    for i in range(2):
        if size[i] <= window[i]:
            window[i] = size[i]
    return window


def number_cut(x):
    w = 8
    if x.size(0) <= 8:
        w = x.size(0)
    return x[:w] + 1


def list_cut(x):
    w = [8, 1]
    if x.size(0) <= 8:
        w[0] = x.size(0)
    return x[:w[0], w[1]:] + 1


def list_of_either(x):
    w = [x.size(0), 2] if x.size(0) <= 8 else [8, x.size(1)]
    return x[:w[0], :w[1]], x.new_ones(w)


def two_of_a_list(x):
    w = fitted([x.size(0), x.size(1)], [4, 4])
    return x[:w[0], :w[1]], x[-w[0]:, -w[1]:].sum()


def mask_of_window(x):
    w = fitted([x.size(0), x.size(1)], [4, 4])
    mask = x.new_zeros(x.size(0), x.size(1))
    if sum(w) > 3:
        mask[0:-w[0], 0:-w[1]] = 1
        mask[-w[0]:, -w[1]:] = 2
    return x + mask


def padded_to_windows(x):
    h, w = x.size(0), x.size(1)
    window = fitted([h, w], [4, 7])
    x = F.pad(x, (0, (window[1] - w % window[1]) % window[1], 0, (window[0] - h % window[0]) % window[0]))
    tiles = x.view(x.size(0) // window[0], window[0], x.size(1) // window[1], window[1]).permute(0, 2, 1, 3)
    rows = tiles.reshape(-1, window[0] * window[1])
    bias = torch.arange(28, dtype=x.dtype)[:window[0] * window[1]].view(1, -1)
    back = (rows + bias).view(x.size(0) // window[0], x.size(1) // window[1], window[0], window[1]).permute(0, 2, 1, 3)
    return back.reshape(x.size(0), x.size(1))[:h, :w]


def turned_or_not(x):
    shift = [2, 1]
    if x.size(0) <= 4:
        shift[0] = 0
    y = torch.roll(x, shifts=(-shift[0], -shift[1]), dims=(0, 1)) if sum(shift) > 1 else x
    return y * 2


def tensor_and_number(x):
    if x.size(0) > 5:
        y, n = x[:5], 5
    else:
        y, n = x, x.size(0)
    return y.reshape(n, -1) + n


for function in (number_cut, list_cut, list_of_either, two_of_a_list, mask_of_window, padded_to_windows, turned_or_not,
                 tensor_and_number):
    family.program(function.__name__, function, *SIZES)
