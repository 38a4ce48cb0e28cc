"""Idioms of real scripted networks: shapes in branches, states in loops, attributes, lists from either branch."""
from typing import List, Optional, Tuple

import torch
from torch import Tensor, nn

from case import Family, fill, index, number, tensor, whole

family = Family("idioms", opset=11)
X = fill(3, 4)
DATA = [(fill(3, 4, low=1, high=2),), (fill(3, 4, low=-2, high=-1),), (X,)]
SIZES = [(fill(3, 4),), (fill(1, 4),), (fill(6, 4),)]
CUBE = [(fill(2, 3, 4),), (fill(1, 3, 4),), (fill(5, 3, 4),)]
LONGS = [(tensor(3, 4, low=-5, high=5, dtype=torch.int64),), (tensor(1, 4, low=-5, high=5, dtype=torch.int64),),
         (tensor(6, 4, low=-5, high=5, dtype=torch.int64),)]
TURNS = [(X, whole(3)), (X, whole(1)), (X, whole(0))]


@family.on(*SIZES)
def view_of_sizes(x):
    a, b = x.shape
    return x.view(a * b), x.view(b, a), x.view([-1, b // 2]), x.reshape(a, 2, -1)


@family.on(*CUBE)
def transposed_in_loop(x):
    for i in range(3):
        x = x.transpose(0, 1) + i
    return x.transpose(0, 1)


@family.on(*CUBE)
def rank_changes_in_known_loop(x):
    for i in range(2):
        x = x.unsqueeze(0)
    return x.squeeze(0).squeeze(0)


@family.on(*SIZES)
def index_put_in_nested_loops(x):
    y = torch.zeros(x.size(0), 4, dtype=torch.float32)
    for i in range(x.size(0)):
        for j in range(4):
            if i != j:
                y[i][j] = x[i, j] * 2
    return y


@family.on(*SIZES)
def index_put_with_tensors_in_loop(x):
    y = x.clone()
    rows = torch.arange(x.size(0))
    for i in range(2):
        y[rows, rows % 4] = float(i)
        y[rows[:1]] += x[rows[-1:]]
    return y


@family.on(*SIZES)
def copied_slices(x):
    y = torch.zeros(8, 4)
    y[: x.size(0)].copy_(x)
    y[-1:] = x[:1]
    return y


@family.on(*LONGS)
def integers(x):
    return x // 3, x % 3, x / 2, x * 0.5, x.abs() * 2 - 1, -x, torch.div(x, 3, rounding_mode="trunc")


@family.on(*LONGS)
def comparisons(x):
    m = (x > 0) & (x < 4) | (x == -5)
    return m, ~m, m.any(), m.all(), m.sum(), m.any(1), x.eq(0).int(), m.float().mean()


@family.on(*LONGS)
def casts(x):
    return x.float(), x.to(torch.float64), x.to(torch.bool), x.to(torch.uint8), x.to(torch.int32), x.half(), x.type_as(torch.ones(1))


@family.on(*SIZES)
def empty_branch(x):
    if x.size(0) > 2:
        pass
    else:
        x = x + 1
    return x


@family.on(*SIZES)
def ones_made_in_branch(x):
    if x.size(0) > 2:
        m = torch.ones(x.size(0), x.size(0))
    else:
        m = torch.eye(x.size(0))
    return m @ x


@family.on(*SIZES)
def views_in_branches(x):
    if x.numel() > 5:
        y = x.view(-1, 2)
    else:
        y = x.view(-1, 4)
    return y * 2


@family.on(*DATA)
def raised_on_one_side(x):
    if x.sum() > 1000:
        raise ValueError("too much")
    elif x.sum() > 0:
        return x, x + 1
    else:
        return x * 2, x


@family.on(*SIZES)
def derived_index(x):
    total = torch.zeros(4)
    for i in range(x.size(0) - 1, -1, -1):
        total = total * 2 + x[i]
    for i in range(0, x.size(0), 2):
        total = total + x[i] * i
    return total


@family.on(*SIZES)
def derived_index_with_break(x):
    total = torch.zeros(4)
    for i in range(x.size(0), 0, -1):
        if i == 2:
            break
        total = total + x[i - 1] * i
    return total


@family.on(*DATA)
def while_with_two_conditions(x):
    i = 0
    while i < 5 and bool(x.sum() < 30):
        x = x * 1.5 + 1
        i += 1
    return x, i


@family.on(*SIZES, opset=11)
def cumulated(x):
    rows: List[Tensor] = []
    last = torch.zeros(4)
    for row in x:
        last = last + row
        rows.append(last)
    return torch.stack(rows, dim=1)


@family.on(*SIZES, opset=13)
def popped_until_one(x):
    rows = list(x.unbind(0))
    while len(rows) > 1:
        last = rows.pop()
        rows[0] = rows[0] + last
    return rows[0]


@family.on(*SIZES, opset=13)
def list_moved_between(x):
    a: List[Tensor] = [x, x * 2]
    b: List[Tensor] = []
    for item in a:
        b.append(item.sum(0))
    a = a + [x * 3]
    return torch.cat(a), torch.stack(b), len(a) + len(b)


@family.on(*SIZES)
def tensors_from_numbers(x):
    n = x.size(0)
    return torch.tensor([n, n * 2, 3]), torch.tensor([[n, 1], [2, n]]), torch.tensor([float(n), 0.5]), torch.tensor(n > 2)


@family.on(*SIZES)
def meshes(x):
    a = torch.arange(x.size(0))
    b = torch.arange(4)
    i, j = torch.meshgrid(a, b, indexing="ij")
    return i, j, torch.stack((i, j), -1), a.unsqueeze(1) < b.unsqueeze(0)


@family.on(*SIZES)
def masks(x):
    n = x.size(0)
    causal = torch.triu(torch.ones(n, n), diagonal=1) > 0
    scores = (x @ x.t()).masked_fill(causal, float("-inf"))
    return scores.softmax(-1), torch.tril(torch.ones(n, n)), scores.masked_fill(causal, 0).sum()


@family.on(*CUBE)
def attention(x):
    b, n, d = x.shape
    q = x.view(b, n, 2, d // 2).permute(0, 2, 1, 3)
    a = torch.matmul(q, q.transpose(-2, -1)) / (d // 2) ** 0.5
    return torch.matmul(a.softmax(-1), q).permute(0, 2, 1, 3).contiguous().view(b, n, d)


@family.on(*CUBE)
def einsum(x):
    return torch.einsum("bij,bkj->bik", x, x), torch.einsum("bij->j", x), torch.einsum("bii->bi", x[:, :, :3])


@family.on(*CUBE)
def reductions(x):
    return (x.sum((0, 1)), x.mean([1], keepdim=True), x.max(1)[0], x.argmax(-1), x.min(), x.std(1), x.var(0, unbiased=False),
            x.norm(2, dim=1), x.prod(2), torch.logsumexp(x, 1), x.cumsum(1), x.amax((0, 1)))


@family.on(*CUBE)
def pieces(x):
    a, b = x.chunk(2, -1)
    c, d, e = torch.unbind(x, 1)
    f, g = x.split([1, 2], 1)
    h = torch.stack([c, d, e], 1)
    return a * b, f.sum(1) + g.sum(1), h, torch.cat((a, b), dim=-1), torch.tensor_split(x, 2, 2)[0]


@family.on(*CUBE)
def padded(x):
    y = nn.functional.pad(x, [1, 2])
    z = nn.functional.pad(x, (0, 0, 1, x.size(0)), value=2.0)
    return y, z, nn.functional.pad(x, [1, 1], mode="reflect"), nn.functional.pad(x, [2, 1], mode="replicate")


@family.on(*CUBE)
def flipped_and_rolled(x):
    return x.flip(0), x.flip([1, 2]), torch.roll(x, 1, 0), torch.roll(x, [1, -1], [1, 2]), torch.rot90(x, 1, [1, 2])


@family.on(*CUBE)
def repeated(x):
    return x.repeat(1, 2, 1), x.repeat_interleave(2, 1), x.expand(x.size(0), 3, 4), x[:, :1].expand(-1, 5, -1), torch.tile(x, (2, 1, 1))


@family.on(*SIZES)
def likes(x):
    return (torch.zeros_like(x), torch.ones_like(x, dtype=torch.int64), torch.full_like(x, 3.0), x.new_ones(2, x.size(0)),
            x.new_full([x.size(1)], 7), torch.full((x.size(0), 2), x.size(0)))


@family.on(*SIZES)
def ordering(x):
    v, i = x.sort(1, descending=True)
    t, j = x.topk(2, 1)
    return v, i, t, j, x.argsort(0), torch.kthvalue(x, 2, 1)[0], x.median(1)[0]


@family.on(*SIZES)
def clamps(x):
    lo = float(-x.size(0)) / 4
    return x.clamp(-1, 1), x.clamp(min=lo), x.clamp(max=0.5), torch.clamp(x, lo, 2.0), x.clamp_min(0), torch.clip(x, x.min() / 2, x.max() / 2)


@family.on(*DATA)
def in_place_chain(x):
    y = x.clone()
    y += 1
    y *= 2
    y -= x
    y /= 3
    y.clamp_(-1, 1).add_(x, alpha=2)
    y[0] += 1
    y[:, 1] *= 0
    z = y.t()
    z.neg_()
    return y, z.fill_(0.5)


@family.on(*DATA)
def zero_dim(x):
    s = x.sum()
    t = torch.tensor(0.0)
    t += s
    u = s.reshape(1).expand(3)
    return s.unsqueeze(0), t, u, s.view(1, 1), s.item() * 2, s.clone().fill_(4)


class Attribute(nn.Module):
    """A convolution whose weight is replaced in a branch of a loop."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 1)
        self.conv.weight = nn.Parameter(torch.zeros(4, 4, 1))
        self.conv.bias = nn.Parameter(torch.zeros(4))
        self.register_buffer("boxes", torch.zeros(1, 3))

    def set_cell(self, anchors: Tensor):
        if self.conv.bias is not None:
            b = self.conv.bias
            assert b is not None
            self.boxes = anchors[:1, :3] + b.size(0)
        if self.conv.weight is not None:
            for i in range(2):
                self.boxes = self.boxes * (i + 2)

    def forward(self, x):
        self.set_cell(x)
        return self.boxes, x[0] + 1


class States(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.LSTM(4, 3, batch_first=True)
        self.decode = nn.GRU(3, 2, num_layers=2)
        self.cell = nn.LSTMCell(4, 4)

    def forward(self, x):
        out, (h, c) = self.encode(x)
        y, z = self.decode(out)
        hx = torch.zeros(x.size(1), 4)
        cx = torch.zeros(x.size(1), 4)
        seen: List[Tensor] = []
        for i in range(x.size(0)):
            hx, cx = self.cell(x[i], (hx, cx))
            seen.append(hx)
        return out, h + c, y, z, torch.stack(seen, 0)


class Experts(nn.Module):
    """The sub-module that runs depends on data."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Identity()])

    def forward(self, x):
        k = int((x.sum() > 0).int()) + int((x.max() > 1.5).int())
        y = x
        for i, expert in enumerate(self.experts):
            if i == k:
                y = expert(y)
        return y


class Beams(nn.Module):
    """Extends token sequences until all have ended."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 6)

    def forward(self, x, steps):
        tokens = torch.zeros(x.size(0), 1, dtype=torch.int64)
        done = torch.zeros(x.size(0), dtype=torch.bool)
        state = x
        for i in range(int(steps)):
            scores = self.project(state).log_softmax(-1)
            nxt = scores.argmax(-1)
            nxt = torch.where(done, torch.zeros_like(nxt), nxt)
            done = done | (nxt == 3)
            tokens = torch.cat([tokens, nxt.unsqueeze(1)], 1)
            state = torch.tanh(state + nxt.unsqueeze(1) * 0.1)
            if bool(done.all()):
                break
        return tokens, done


def pair(x) -> Tuple[Tensor, Optional[Tensor]]:
    if x.dim() == 2:
        return x, None
    return x, x


@family.on(*DATA)
def optional_of_pair(x):
    a, b = pair(x)
    if b is None:
        b = a * 2
    return a + b


@family.on((X, index(3, below=3)), (X, index(2, below=3)), (X, index(5, below=3)))
def embedded(x, i):
    y = nn.functional.embedding(i, x)
    z = torch.index_select(x, 0, i)
    w = nn.functional.one_hot(i, 3)
    return y, z, w


@family.on((X, number(2.0)), (X, number(-1.5)), (X, number(0.0)))
def number_of_two_types(x, f: float):
    n = int(f)
    y = x * f + n
    if f > 0:
        y = y + f
    return y, n, f * 2, torch.full([2], f)


for make in (Attribute,):
    family.program(make.__name__, make(), *SIZES)
family.program("States", States(), *[(fill(3, 2, 4),), (fill(1, 2, 4),), (fill(5, 2, 4),)], opset=13)
family.program("Experts", Experts(), *DATA)
family.program("Beams", Beams(), *[(X, whole(3)), (X, whole(1)), (X, whole(6))])
