"""Programs for torch.export with dynamic sizes and typical inputs."""
import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from exported_case import BATCH, BOTH, STEPS, case, image, rows, steps, two

MORE = ((3, 12), (16, 5))


@dataclasses.dataclass
class Query:
    words: torch.Tensor
    kept: torch.Tensor


torch.export.register_dataclass(Query, serialized_type_name="tests.Query")


@case(rows, shapes=lambda: {"x": {0: Dim("batch", min=2, max=1024)}}, sizes=MORE)
def named_dim(x):
    return F.softmax(x, 0), x.mean(0, keepdim=True).expand_as(x)


@case(rows, shapes=lambda: ({0: Dim.DYNAMIC},), sizes=MORE)
def dim_dynamic(x):
    return x.flip(0), x.roll(1, 0), x.tril(1)


@case(steps, shapes=lambda: ((Dim.AUTO, Dim.AUTO, Dim.STATIC),), sizes=MORE)
def dims_in_a_tuple(x):
    return x.flatten(0, 1).unflatten(0, (x.shape[0], -1)), x.permute(2, 0, 1)


def _doubled():
    half = Dim("half", min=2, max=64)
    return {"x": {0: 2 * half}}


@case(lambda b, s: (torch.randn(2 * b, 4),), shapes=_doubled, sizes=MORE)
def derived_dim(x):
    a, b = x.chunk(2)
    return a * b, x.view(-1, 2, 4).sum(1)


def _shifted():
    batch = Dim("batch", min=2, max=64)
    return {"x": {0: batch}, "y": {0: batch + 1}}


@case(lambda b, s: (torch.randn(b, 4), torch.randn(b + 1, 4)), shapes=_shifted, sizes=MORE)
def shifted_dim(x, y):
    return x + y[1:], y.diff(dim=0) * x


def _shared():
    batch = Dim("batch", min=2, max=64)
    return {"x": {0: batch}, "y": {0: batch}}


@case(two, shapes=_shared, sizes=MORE)
def shared_dim(x, y):
    return torch.cat([x, y], 0), (x - y).norm(dim=1)


@case(lambda b, s: (torch.randn(b, 8), torch.randn(8, s)),
      shapes=lambda: {"x": {0: Dim("rows", min=2)}, "y": {1: Dim("columns", min=2)}}, sizes=MORE)
def two_dims(x, y):
    z = x @ y
    return z, z.t().contiguous().view(-1), torch.outer(z[:, 0], z[0])


@case(lambda b, s: ({"words": torch.randint(0, 9, (b, s)), "more": {"mask": torch.ones(b, s, dtype=torch.bool)}},),
      shapes=lambda: {"batch": {"words": {0: Dim.AUTO, 1: Dim.AUTO}, "more": {"mask": {0: Dim.AUTO, 1: Dim.AUTO}}}}, sizes=MORE)
class nested_inputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(9, 4)

    def forward(self, batch):
        held = self.e(batch["words"]).masked_fill(~batch["more"]["mask"].unsqueeze(-1), 0.0)
        return {"mean": held.sum(1) / batch["more"]["mask"].sum(1, keepdim=True), "held": held}


@case(lambda b, s: (Query(torch.randint(0, 9, (b, s)), torch.ones(b, s)),),
      shapes=lambda: {"query": [{0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO}]}, sizes=MORE)
class dataclass_input(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(9, 4)

    def forward(self, query):
        return Query(self.e(query.words), query.kept * 2)


@case(lambda b, s: (torch.randn(b, s, 4),), shapes=lambda: {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "mask": {0: Dim.AUTO, 1: Dim.AUTO}},
      kwargs=lambda b, s: {"mask": torch.arange(s).expand(b, s) < s - 1}, sizes=MORE)
class keyword_mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x, *, mask=None):
        return self.a(x, x, x, key_padding_mask=None if mask is None else ~mask)[0]


@case(lambda b, s: (torch.randn(b, 4), b, 1.5), shapes=lambda: {"x": {0: Dim.AUTO}, "count": Dim.DYNAMIC, "scale": None}, sizes=MORE)
def open_number(x, count, scale):
    return x.sum() * count * scale, torch.arange(count) * 2, x.new_zeros(count + 1)


@case(lambda b, s: (torch.randn(b, 4), [torch.randn(b, 2), torch.randn(b, 3)]),
      shapes=lambda: {"x": {0: Dim.AUTO}, "more": [{0: Dim.AUTO}, {0: Dim.AUTO}]}, sizes=MORE)
def list_of_tensors(x, more):
    return torch.cat([x, *more], -1), [m.sum(1) for m in more]


@case(lambda b, s: (torch.randn(b, 4), torch.randn(b, 4), torch.randn(b, 4)),
      shapes=lambda: {"tensors": ({0: Dim.AUTO}, {0: Dim.AUTO}, {0: Dim.AUTO})}, sizes=MORE)
class star_arguments(nn.Module):
    def forward(self, *tensors):
        return torch.stack(tensors, 1).logsumexp(1)


@case(steps, STEPS, sizes=MORE)
class positions(nn.Module):
    """Sinusoids computed for the current length."""

    def forward(self, x):
        at = torch.arange(x.shape[1], device=x.device, dtype=torch.float32).unsqueeze(1)
        rate = torch.exp(torch.arange(0, 4, 2, dtype=torch.float32) * (-math.log(10000.0) / 4))
        table = torch.zeros(x.shape[1], 4)
        table[:, 0::2] = torch.sin(at * rate)
        table[:, 1::2] = torch.cos(at * rate)
        return x + table


@case(steps, STEPS, sizes=MORE)
def windows(x):
    return x.unfold(1, 3, 1).mean(-1), x[:, :-1] - x[:, 1:], x[:, x.shape[1] // 2:]


@case(two, BOTH, sizes=MORE)
def read_by_strides(x, y):
    rows, columns = x.shape
    every_second = x.as_strided((rows, (columns + 1) // 2), (columns, 2))
    return every_second, y.contiguous().as_strided((rows - 1, 3), (columns, 1), 2), x.as_strided((), (), columns), x.as_strided((rows,), (columns + 1 - columns,))


@case(two, BOTH, sizes=MORE)
def read_behind_views(x, y):
    rows, columns = x.shape
    turned = x.t().unsqueeze(0)
    return turned.as_strided((rows - 1, 2, 2), (columns, 1, 1)), turned.detach().transpose(0, 2).as_strided((rows,), (columns,), 1), y.t().as_strided((2, 2), (1, 1), 1)


@case(steps, STEPS, sizes=MORE)
def causal_mask(x):
    n = x.shape[1]
    keep = torch.ones(n, n, dtype=torch.bool).tril()
    scores = (x @ x.mT).masked_fill(~keep, torch.finfo(x.dtype).min)
    return F.softmax(scores, -1) @ x


@case(steps, STEPS, sizes=MORE)
def relative_positions(x):
    n = x.shape[1]
    at = torch.arange(n)
    distance = (at[None, :] - at[:, None]).clamp(-3, 3) + 3
    bias = F.one_hot(distance, 7).to(x.dtype).sum(-1)
    return x @ x.transpose(-1, -2) + bias


@case(image, shapes=lambda: {"x": {0: Dim.AUTO}}, sizes=MORE)
class patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 6, 4, stride=4)
        self.token = nn.Parameter(torch.randn(1, 1, 6))
        self.place = nn.Parameter(torch.randn(1, 5, 6))

    def forward(self, x):
        y = self.c(x).flatten(2).transpose(1, 2)
        return torch.cat([self.token.expand(x.shape[0], -1, -1), y], 1) + self.place


@case(lambda b, s: (torch.randn(2, 3, 2 * b, 2 * s),), shapes=lambda: {"x": {2: 2 * Dim("h", min=2, max=64), 3: 2 * Dim("w", min=2, max=64)}},
      sizes=MORE)
class unet_level(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(4, 3, 2, stride=2)
        self.norm = nn.GroupNorm(2, 4)

    def forward(self, x):
        return torch.cat([x, self.up(F.silu(self.norm(self.down(x))))], 1)


@case(lambda b, s: (torch.randn(1, 3, b + 4, s + 4),), shapes=lambda: {"x": {2: Dim.AUTO, 3: Dim.AUTO}}, sizes=MORE)
def image_of_any_size(x):
    y = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
    return y, F.adaptive_avg_pool2d(x, (2, 3)), F.avg_pool2d(x, 3, 2, 1), F.interpolate(y, size=(5, 7), mode="bicubic")


@case(lambda b, s: (torch.randn(1, 3, 7 * b, 7 * s),), shapes=lambda: {"x": {2: Dim.AUTO, 3: Dim.AUTO}}, sizes=((7, 9), (3, 5)))
def nearest_to_a_fixed_size(x):
    return F.interpolate(x, size=(4, 3), mode="nearest"), F.interpolate(x, size=(9, 7), mode="nearest-exact")


@case(lambda b, s: (torch.randn(1, 3, b + 4, s + 4),), shapes=lambda: {"x": {2: Dim.AUTO, 3: Dim.AUTO}}, sizes=MORE)
def pixel_shuffles(x):
    y = x.repeat(1, 4, 1, 1)
    return F.pixel_shuffle(y, 2), F.pixel_unshuffle(F.pixel_shuffle(y, 2), 2), F.pad(x, (1, 2, 1, 1), mode="reflect")


@case(steps, STEPS, sizes=MORE)
def last_valid(x):
    """Selects the last step that is not padding, by the length of each row."""
    lengths = (x[..., 0] > -10).sum(1)
    return x[torch.arange(x.shape[0]), lengths - 1], x.gather(1, (lengths - 1).view(-1, 1, 1).expand(-1, 1, x.shape[2]))


@case(rows, BATCH, sizes=MORE)
def branch_on_a_size(x):
    return x[: x.shape[0] - 1] if x.shape[0] > 1 else x


@case(rows, BATCH, sizes=MORE)
def data_dependent_sizes(x):
    kept = x[x[:, 0] > -100]
    return kept * 2, kept.shape[0], torch.nonzero(x > 0).shape[0]


@case(lambda b, s: (torch.randint(0, 4, (b,)),), shapes=lambda: {"x": {0: Dim.AUTO}}, sizes=MORE)
def counts(x):
    return torch.bincount(x, minlength=4), F.one_hot(x, 4), torch.unique(x)


@case(lambda b, s: (torch.randint(0, 2, (b, 3)),), shapes=lambda: {"x": {0: Dim.AUTO}}, sizes=MORE)
def runs_of_slices(x):
    return torch.unique_consecutive(x, return_inverse=True, return_counts=True, dim=-1), torch.unique_consecutive(x, dim=-2)


@case(lambda b, s: (torch.tensor(s), torch.randn(b, 20)), shapes=lambda: {"n": {}, "x": {0: Dim.AUTO}}, sizes=MORE)
def slice_by_an_item(n, x):
    k = n.item()
    torch._check(k >= 2)
    torch._check(k <= 20)
    return x[:, :k].sum(1), torch.ones(k, 2)


@case(two, BOTH, strict=True, sizes=MORE)
def strict_rows(x, y):
    z = torch.stack([x, y], 1)
    for i in range(z.shape[1]):
        z = z + i
    return z.amax(1), z.argmin(2)


@case(steps, STEPS, strict=True, sizes=MORE)
class strict_network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.scale = 3

    def forward(self, x, training: bool = False):
        for layer in self.layers:
            x = layer(x).relu() + x
        return x * self.scale if not training else x


@case(rows, BATCH, sizes=MORE)
def picked_by_ranges(x):
    n = x.shape[0]
    return x[torch.arange(n - 1, -1, -1)], x[torch.arange(-n, 0)], x[torch.arange(-2, 1)], x[torch.arange(n - 1, 0, -2)], x[torch.arange(n - 2, n)], x[torch.arange(-n, n)], x[torch.arange(n - 3, n)]


@case(steps, STEPS, sizes=MORE)
def powers_of_sizes(x):
    n, m = x.shape[0], x.shape[1]
    return x * n**2, n**2 + m, n**3, x.repeat(n, 1, 1).shape[0]


@case(steps, STEPS, sizes=MORE)
def strides(x):
    y = x.flatten(1)
    return x.stride(0), x.stride(-1), y.stride(0) * 2, x * x.stride(1)


@case(rows, BATCH, sizes=MORE)
def means_of_what_is_kept(x):
    kept, none = x[x[:, 0] > -100], x[x[:, 0] > 100]
    return kept.mean(0), none.mean(0), none[:, :2].mean(), none.sum(0)


@case(steps, shapes=lambda: {"x": {0: Dim.AUTO, 1: Dim.DYNAMIC}}, sizes=((3, 12), (0, 5)))
def means_where_nobody_gave_a_range(x):
    return x.mean(0), x.mean((0, 1)), x.flatten(0, 1).mean(0), torch.cat([x.sum(1), x.sum(1)]).mean(0)


@case(steps, shapes=lambda: {"x": {0: Dim("batch", min=1), 1: Dim("steps", min=4)}}, sizes=((3, 12), (1, 4)))
def means_of_sizes_above_zero(x):
    return x.mean(0), x.mean((0, 1)), x.flatten(0, 1).mean(0), x[:, 2:].mean(1)
