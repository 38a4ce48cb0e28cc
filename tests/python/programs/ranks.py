"""Ranks that the program checks, of axes that are kept or removed at run time, and ranks raised to that of another tensor."""
import torch
import torch.nn.functional as F

from case import Family, fill, number

family = Family("ranks", opset=11)
# Takes one frame in three, or fewer: one remains.
STEPS = [(fill(2, 4, 3), number(3)), (fill(2, 4, 3), number(4)), (fill(2, 4, 3), number(7))]


def weights(rows: int, columns: int):
    return torch.arange(rows * columns).reshape(rows, columns).float() / 50 - 0.5


@family.on(*STEPS)
def checked_cell(x, step: int):
    frame = x[:, :, ::step].squeeze(-1)
    if frame.dim() not in [1, 2]:
        raise ValueError(f"a frame has 1 or 2 axes, not {frame.dim()}")
    is_batched = frame.dim() == 2
    if not is_batched:
        frame = frame.unsqueeze(0)
    zeros = torch.zeros(frame.size(0), 5)
    h, c = torch.lstm_cell(frame, [zeros, zeros], weights(20, 4), weights(20, 5))
    if not is_batched:
        h, c = h.squeeze(0), c.squeeze(0)
    return F.conv1d(h.unsqueeze(-1), weights(3, 5).unsqueeze(-1)), c


@family.on(*STEPS)
def asserted(x, step: int):
    frame = x[:, :, ::step].squeeze(-1)
    assert frame.dim() == 2
    h = torch.gru_cell(frame, torch.zeros(frame.size(0), 5), weights(15, 4), weights(15, 5))
    return h, h.transpose(0, 1), torch.mm(h, weights(5, 2))


@family.on(*STEPS)
def checked_by_sizes(x, step: int):
    frame = x[:, :, ::step].squeeze(-1)
    if len(frame.shape) > 2:
        raise ValueError("several frames")
    return F.conv1d(frame.unsqueeze(-1), weights(3, 4).unsqueeze(-1))


@family.on(*STEPS)
def checked_by_two_questions(x, step: int):
    frame = x[:, :, ::step].squeeze(-1)
    if frame.dim() != 2 and frame.dim() != 1:
        raise ValueError("several frames")
    return frame.argmax(-1), torch.rnn_tanh_cell(frame, torch.zeros(frame.size(0), 5), weights(5, 4), weights(5, 5))


@family.on(*STEPS)
def checked_beside_writes(x, step: int):
    frame = x[:, :, ::step].squeeze(-1)
    assert frame.dim() < 3, "several frames"
    mean = torch.zeros(4)
    mean += frame.mean(0)
    mean[0] = 7
    return frame * mean, mean


@family.on((fill(2, 4, 3), number(3)), (fill(2, 4, 3), number(1)), (fill(2, 4, 3), number(2)))
def checked_and_several(x, step: int):
    frames = x[:, :, ::step].squeeze(-1)
    if frames.dim() not in (2, 3):
        raise ValueError("neither")
    if frames.dim() == 3:
        frames = frames.mean(-1)
    return torch.mm(frames, weights(4, 2))


FACTORS = [(fill(2, 3), 0.5), (fill(2, 3), -1.25), (fill(2, 3), 0.0)]
COUNTS = [(fill(2, 3, 4), number(3)), (fill(2, 3, 4), number(0)), (fill(2, 3, 4), number(-2))]


@family.on(*FACTORS)
def raised_behind(x, factor: float):
    f = torch.as_tensor(factor, dtype=x.dtype)
    while len(f.shape) != len(x.shape):
        f = f[..., None]
    return torch.clamp(x * f, 0, 1), f


@family.on(*FACTORS)
def raised_in_front(x, factor: float):
    f = torch.tensor(factor)
    while f.dim() < x.dim():
        f = f.unsqueeze(0)
    return torch.cat([x[:1], f.expand(1, x.size(1))])


@family.on(*COUNTS)
def raised_by_count(x, count: int):
    n = torch.full((), count)
    for _ in range(x.dim() - n.dim()):
        n = n[None]
    return x + n, n.size(-1), n.dim()


@family.on(*COUNTS)
def flattened_to_a_number(x, count: int):
    y = x * count
    while y.dim() > 1:
        y = y.sum(0)
    return y.softmax(0), torch.full((2, 2), count).sum(0)


@family.on((fill(2, 3),), (fill(4, 3),), (fill(0, 3),))
def way_of_sparse_tensors(x):
    if x.layout == torch.sparse_coo:
        rows = x._indices()[0]
        return torch._convert_indices_from_coo_to_csr(rows, x.size(0)).float()
    return x.sum(1)
