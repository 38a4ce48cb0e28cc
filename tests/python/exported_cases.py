"""Programs for torch.export: control flow, writes, trees of inputs and outputs, dynamic sizes, regions, names."""
import collections
import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn

from exported_case import BATCH, BOTH, STEPS, case, image, rows, steps, two

Pair = collections.namedtuple("Pair", ["first", "second"])


@dataclasses.dataclass
class Result:
    total: torch.Tensor
    parts: list


torch.utils._pytree._register_namedtuple(Pair, serialized_type_name="tests.Pair")
torch.export.register_dataclass(Result, serialized_type_name="tests.Result")


# Layers.

@case(image, BATCH)
class convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 4, 3, padding=1)
        self.b = nn.BatchNorm2d(4)
        self.f = nn.Linear(4, 5)

    def forward(self, x):
        y = F.relu_(self.b(self.c(x)))
        return self.f(F.adaptive_avg_pool2d(y, 1).flatten(1))


@case(steps, STEPS)
class attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.MultiheadAttention(4, 2, batch_first=True)
        self.n = nn.LayerNorm(4)

    def forward(self, x):
        return self.n(x + self.a(x, x, x, need_weights=False)[0])


@case(steps, STEPS)
class encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)

    def forward(self, x):
        return self.e(x)


@case(lambda b, s: (torch.randint(0, 10, (b, s)),), STEPS)
class embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(10, 4)
        self.p = nn.Embedding(64, 4)

    def forward(self, x):
        return self.e(x) + self.p(torch.arange(x.shape[1]))


@case(lambda b, s: (torch.randn(b, 6, 4),), BATCH, decompose=False)
class recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(4, 3, batch_first=True)

    def forward(self, x):
        return self.r(x)[0]


@case(image, BATCH)
class transposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.ConvTranspose2d(3, 2, 2, stride=2)

    def forward(self, x):
        return F.interpolate(self.c(x), scale_factor=2.0, mode="nearest")


@case(rows, BATCH)
class drop(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5, training=self.training) + F.dropout(x, 0.5, training=False)


@case(rows)
class tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


# Writes.

@case(rows, BATCH)
def add_in_place(x):
    y = x + 1
    y.add_(2).mul_(3)
    return y


@case(rows, BATCH)
def write_column(x):
    y = x.clone()
    y[:, 0] = 5
    y[:, 1] += 2
    return y


@case(rows, BATCH)
def write_slice(x):
    y = x * 2
    y[:, 1:3].mul_(10)
    return y, y[:, 1:3] + 1


@case(rows, BATCH)
def write_through_view(x):
    y = x * 1
    v = y.view(-1)
    v.add_(1)
    return y + v.view(y.shape)


@case(rows, BATCH)
def write_through_transpose(x):
    y = x * 1
    y.t()[0].zero_()
    return y


@case(rows, BATCH)
def write_whole_row(x):
    y = x.clone()
    y[0] = torch.ones(4)
    y[-1] *= 2
    return y


@case(rows, BATCH)
def masked_write(x):
    y = x.clone()
    y[y > 0] = 0
    y.masked_fill_(y < -1, -1)
    return y


@case(rows, BATCH)
def index_write(x):
    y = torch.zeros_like(x)
    y.index_put_((torch.tensor([0, 1]),), x[:2])
    y.scatter_(1, torch.zeros(2, 1, dtype=torch.long), 7.0)
    return y


@case(rows, BATCH)
def write_promotes(x):
    y = torch.zeros(x.shape[0], 4, dtype=torch.int64)
    y.add_(torch.ones(4, dtype=torch.int32))
    z = x.clone()
    z.add_(torch.ones(4, dtype=torch.int64))
    return y, z


@case(rows, BATCH)
def write_to_reshaped(x):
    y = x * 1
    y.reshape(-1, 2).mul_(2)
    y.contiguous().add_(1)
    return y


@case(rows, BATCH)
def write_to_flat_copy(x):
    y = x.t() * 1
    z = y.t().reshape(-1)
    z.add_(1)
    return y, z


@case(rows)
def write_to_input(x):
    x.add_(1)
    return x * 2


@case(rows, BATCH)
class counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(4))
        self.register_buffer("hidden", torch.arange(4.0), persistent=False)

    def forward(self, x):
        self.n.add_(1)
        self.n = self.n * 2
        return x + self.n + self.hidden


@case(rows, BATCH)
def chunks(x):
    a, b = x.clone().chunk(2, 1)
    a.add_(1)
    return torch.cat([b, a], 1)


@case(rows, BATCH)
def unbound(x):
    y = x.clone()
    for i, part in enumerate(y.unbind(1)):
        part.mul_(i)
    return y


# Trees.

@case(two, BOTH)
def returns_dict(x, y):
    return {"sum": x + y, "more": {"product": x * y, "pair": (x, y)}}


@case(two)
def returns_mixed(x, y):
    return x + y, None, 3, 2.5, True, "text", [x - y]


@case(two, BOTH)
def returns_named(x, y):
    return Pair(x + y, second=(x, x * 2))


@case(two)
def returns_dataclass(x, y):
    return Result(x + y, [x, y])


@case(two, BOTH)
def returns_inputs(x, y):
    return x, x, y + 0, x


@case(two)
class returns_weight(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, x, y):
        return self.w, x + self.w, y


@case(lambda b, s: ({"a": torch.randn(b, 4), "b": [torch.randn(b, 4), torch.randn(4)]},))
def takes_dict(x):
    return x["a"] + x["b"][0] * x["b"][1]


@case(lambda b, s: ((torch.randn(b, 4), (torch.randn(b, 4),)),))
def takes_tuple(x):
    return x[0] + x[1][0]


@case(lambda b, s: (Pair(torch.randn(b, 4), torch.randn(b, 4)),))
def takes_named(x):
    return x.first - x.second


@case(lambda b, s: (Result(torch.randn(b, 4), [torch.randn(b, 4)]),))
def takes_dataclass(x):
    return x.total - x.parts[0]


@case(lambda b, s: (torch.randn(b, 4), 3, None, "mean", 0.5, True))
def takes_constants(x, n, nothing, mode, scale, flag):
    y = x.mean(1) if mode == "mean" else x
    return y * n * scale if flag and nothing is None else y


@case(rows, kwargs=lambda b, s: {"scale": torch.full((4,), 2.0), "shift": torch.ones(4)})
class takes_keywords(nn.Module):
    def forward(self, x, *, shift, scale):
        return x * scale + shift


# Dynamic sizes.

@case(rows, BATCH)
def sizes(x):
    n = x.shape[0]
    return x.view(n, 2, 2), torch.zeros(n * 2 + 1), x.new_full((n, 1), n)


@case(rows, BATCH)
def size_outputs(x):
    return x.shape[0], x.shape[0] * 2 + 1, x.numel()


@case(steps, STEPS)
def two_sizes(x):
    b, s, f = x.shape
    return x.reshape(b * s, f), x.transpose(0, 1).reshape(s, -1), torch.arange(s).expand(b, s)


@case(rows, BATCH)
def arithmetic(x):
    n = x.shape[0]
    return torch.arange(n // 2), torch.arange(n % 3 + 4), torch.full((4,), n / 2), x * n, x / (n - 1), x + n**2


@case(rows, BATCH)
def rounding(x):
    n = x.shape[0]
    return torch.arange(-(-n // 2)), torch.ones(2) * torch.sym_sqrt(n), torch.ones(2) * (n / 4), torch.arange(n) * 2.5


@case(rows, BATCH)
def extremes(x):
    n = x.shape[0]
    return torch.zeros(torch.sym_max(n, 5)), torch.zeros(torch.sym_min(n, 4)), torch.ones(2) * torch.sym_float(n)


@case(steps, STEPS)
def slices(x):
    return x[:, : x.shape[1] // 2], x[:, -1], x[:, 1:], x[::2]


@case(steps, STEPS)
def mask(x):
    n = x.shape[1]
    causal = torch.triu(torch.full((n, n), float("-inf")), 1)
    return (x @ x.transpose(1, 2) + causal).softmax(-1)


@case(steps, STEPS)
def joined(x):
    return torch.cat([x, x[:, :1]], 1), torch.stack([x, x * 2]), x.repeat(1, 2, 1)


@case(image, {"x": {0: "batch", 2: "height", 3: "width"}})
def image_sizes(x):
    y = F.max_pool2d(x, 2)
    return F.pad(y, (1, 1, 0, 1)), F.interpolate(y, size=x.shape[2:], mode="nearest")


@case(two, {"x": {0: "rows"}, "y": {0: "others"}})
def product(x, y):
    return x @ y.t(), x.sum(0) + y.sum(0)


@case(lambda b, s: (torch.randn(b, 4), b), {"x": {0: "batch"}, "n": "open"})
def takes_number(x, n):
    return x * n, torch.zeros(n)


@case(rows, BATCH)
def data_dependent(x):
    return (x > 0).nonzero()


@case(lambda b, s: (torch.tensor(3), torch.randn(b, 4)), {"n": {}, "x": {0: "batch"}})
def item(n, x):
    k = n.item()
    torch._check(k >= 1)
    torch._check(k < 10)
    return torch.zeros(k) + 1, x * k


# Control flow and regions.

@case(two, BOTH)
def condition(x, y):
    return torch.cond(x.sum() > y.sum(), lambda a, b: (a + b, a * 1), lambda a, b: (a - b, b * 1), (x, y))


@case(two, BOTH)
def nested_condition(x, y):
    def inner(a, b):
        return torch.cond(b.sum() > 0, lambda a, b: a * 2, lambda a, b: a * 3, (a, b))
    return torch.cond(x.sum() > 0, inner, lambda a, b: a - b, (x, y))


@case(two, BOTH)
class condition_with_layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, y):
        return torch.cond(x.sum() > 0, lambda t: self.a(t).relu_(), lambda t: self.b(t), (y,)) + x


@case(rows, BATCH)
def condition_on_size(x):
    return torch.cond(x.shape[0] > 3, lambda a: a + 1, lambda a: a - 1, (x,))


@case(rows, BATCH)
def repeated(x):
    from torch._higher_order_ops import while_loop
    return while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * 2), (torch.tensor(0), x))


@case(rows, BATCH)
class repeated_layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        from torch._higher_order_ops import while_loop
        return while_loop(lambda i, a: (i < 3) & (a.sum() < 1e6), lambda i, a: (i + 1, self.l(a)), (torch.tensor(0), x))[1]


@case(rows, BATCH)
def scanned(x):
    from torch._higher_order_ops.scan import scan
    return scan(lambda h, r: (h + r, h * r), torch.zeros(4), x, dim=0)


@case(rows, BATCH)
class mapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.arange(4.0))

    def forward(self, x):
        from torch._higher_order_ops.map import map as each
        return each(lambda row, p: row * p + self.p, x, torch.ones(4))


@case(rows, BATCH)
def without_gradients(x):
    with torch.no_grad():
        y = x + 1
        z = y * 2
    return y * z


@case(rows, BATCH, tolerance=1e-2)
class lower_precision(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.l(x)
        return y.float() + 1


@case(rows, refused="the functions of torch.cond and of loops", decompose=False)
class lower_precision_in_a_branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        def narrowed(x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return self.l(x).float()
        return torch.cond(x.sum() > 0, narrowed, lambda x: x * 2, (x,))


@torch.compiler.nested_compile_region
def region(a, b):
    return a.sin() + b


@case(two, BOTH)
def regions(x, y):
    return region(x, y) + region(y, x)


# Operators and arguments of many kinds.

@case(rows, BATCH)
def conversions(x):
    return x.double(), x.to(torch.int32), x.half().float(), x.bool(), x.type_as(torch.ones(1, dtype=torch.float64))


@case(two, BOTH)
def comparisons(x, y):
    return x > y, x == 0, (x > 0) & (y > 0), torch.where(x > 0, x, 1.0), torch.where(x > 0, 2.0, y)


@case(two, BOTH)
def scalars(x, y):
    return x - 1, 1 - x, x / 2, 2 / (x.abs() + 1), x**2, 2**x, x % 2, x // 2, torch.maximum(x, y), x.clamp(-1, 1)


@case(rows, BATCH)
def integers(x):
    n = (x * 10).to(torch.int64)
    return n + 1.5, n / 2, n // 3, n % 3, n << 1, n & 3, n * True


@case(rows, BATCH)
def lists(x):
    a, b, c = torch.split(x, [1, 1, 2], 1)
    values, indices = torch.topk(x, 2)
    low, where = x.min(1)
    return a + b, c, values, indices, low, where, *x.unbind(1)


@case(two, BOTH)
def einsum(x, y):
    return torch.einsum("bi,bj->bij", x, y), torch.einsum("bi,ci->bc", x, y)


@case(rows, BATCH)
def indices(x):
    return x[:, torch.tensor([0, 2])], x[torch.arange(2), torch.tensor([1, 3])], x.gather(1, torch.zeros(2, 1, dtype=torch.int64))


@case(rows, BATCH)
def reductions(x):
    return x.sum(), x.mean(0), x.std(1), x.var(1, correction=0), x.amax(1), x.argmax(), x.norm(dim=1), x.cumsum(0), x.any(), x.prod(1)


@case(steps, STEPS)
def norms(x):
    return F.layer_norm(x, [4]), F.group_norm(x.transpose(1, 2), 2), F.rms_norm(x, [4]), F.normalize(x, dim=-1)


@case(rows, BATCH)
def activations(x):
    return F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.softplus(x), F.elu(x), F.leaky_relu(x), F.glu(x), F.log_softmax(x, 1)


@case(rows)
def infinities(x):
    return torch.where(x > 0, float("inf"), float("-inf")), x.clamp(min=-math.inf), torch.full_like(x, math.nan).isnan()
