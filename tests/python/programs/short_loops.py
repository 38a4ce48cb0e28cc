"""Loops with one iteration, or none, in the example: values of later iterations have other sizes."""
from typing import List

import torch
import torch.nn.functional as F

from case import Family, fill, number

family = Family("short_loops", opset=17)


def weight():
    return torch.arange(32).reshape(16, 1, 2).float() / 20 - 0.7


ONE = [(fill(1, 4), number(4)), (fill(1, 4), number(2)), (fill(1, 4), number(1)), (fill(1, 4), number(3))]
OPEN = [(fill(1, 4), number(4)), (fill(1, 8), number(4)), (fill(1, 16), number(4)), (fill(1, 7), number(3))]
BATCHED = [(fill(2, 4), number(4)), (fill(3, 8), number(4)), (fill(1, 12), number(4)), (fill(2, 7), number(3))]
NONE = [(fill(1, 3),), (fill(1, 8),), (fill(1, 12),), (fill(1, 4),)]
FRAMES = [(fill(1, 64), number(64)), (fill(1, 128), number(64)), (fill(1, 256), number(64)), (fill(1, 192), number(96))]


def convolved(x, k: int):
    ctx = torch.zeros(0)
    out: List[torch.Tensor] = []
    for i in range(0, x.shape[1], k):
        if not len(ctx):
            ctx = torch.zeros(x.shape[0], 1)
        y = torch.cat([ctx, x[:, i:i + k]], 1)
        out.append(F.conv1d(y.unsqueeze(1), weight())[:, 8:])
        ctx = y[:, -1:]
    return torch.cat(out, 2)


family.program("convolved", convolved, *ONE)
family.program("convolved_open", convolved, *OPEN)
family.program("convolved_batched", convolved, *BATCHED)


@family.on(*OPEN)
def in_a_while_loop(x, k: int):
    ctx = torch.zeros(x.shape[0], 1)
    out: List[torch.Tensor] = []
    i = 0
    while i < x.shape[1]:
        y = torch.cat([ctx, x[:, i:i + k]], 1)
        out.append(F.conv1d(y.unsqueeze(1), weight())[:, 8:])
        ctx = y[:, -1:]
        i += k
    return torch.cat(out, 2)


@family.on(*FRAMES)
def spectra(x, k: int):
    ctx = torch.zeros(0)
    out: List[torch.Tensor] = []
    for i in range(0, x.shape[1], k):
        if not len(ctx):
            ctx = torch.zeros(x.shape[0], 16)
        y = torch.cat([ctx, x[:, i:i + k]], 1)
        s = torch.stft(y, 32, 16, 32, torch.hann_window(32), center=False, return_complex=True)
        out.append(torch.view_as_real(s)[..., 0].mean(-1))
        ctx = y[:, -16:]
    return torch.stack(out, 1)


@family.on(*FRAMES)
def reflected_spectra(x, k: int):
    out: List[torch.Tensor] = []
    for i in range(0, x.shape[1], k):
        y = F.pad(x[:, i:i + k], [0, 16], mode="reflect")
        s = torch.stft(y, 32, 16, 32, torch.hann_window(32), center=False, return_complex=True)
        out.append(s.abs().mean(-1).unsqueeze(1))
    return torch.cat(out, 1)


@family.on(*BATCHED[:3])
def state_of_a_cell(x, k: int):
    h = torch.zeros(0)
    out: List[torch.Tensor] = []
    rows = torch.arange(60).reshape(15, 4).float() / 50 - 0.5
    columns = torch.arange(75).reshape(15, 5).float() / 70 - 0.5
    for i in range(0, x.shape[1], k):
        if len(h) == 0:
            h = torch.zeros(x.shape[0], 5)
        h = torch.gru_cell(x[:, i:i + k], h, rows, columns)
        out.append(h)
    return torch.stack(out, 1)


@family.on(*NONE)
def no_iteration(x):
    acc = torch.zeros(1, 8, 0)
    for i in range(x.shape[1] // 4):
        piece = F.conv1d(x[:, 4 * i:4 * i + 4].unsqueeze(1), weight())
        acc = torch.cat([acc, piece[:, 8:]], 2)
    return acc * 2


@family.on(*NONE)
def no_iteration_in_a_list(x):
    out: List[torch.Tensor] = [torch.ones(1, 2)]
    for i in range(x.shape[1] // 4):
        out.append(F.max_pool1d(x[:, 4 * i:4 * i + 4], 2))
    return torch.cat(out, 1), len(out)


@family.on(*OPEN)
def carried_grows(x, k: int):
    acc = x[:, :1]
    for i in range(0, x.shape[1], k):
        acc = F.avg_pool1d(torch.cat([acc, x[:, i:i + k]], 1), 2, 1)
    return acc.sin()


@family.on(*OPEN)
def cut_behind_a_threshold(x, k: int):
    out: List[torch.Tensor] = []
    for i in range(0, x.shape[1], k):
        y = torch.cat([x[:, :i], x[:, i:i + k]], 1)
        out.append(F.conv1d(y.unsqueeze(1), weight())[:, :, 5:])
    return torch.cat(out, 2)
