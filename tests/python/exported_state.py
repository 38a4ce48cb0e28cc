"""Programs for torch.export that have state, write in place or return aliases."""
import dataclasses

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from exported_case import BATCH, BOTH, STEPS, case, image, rows, steps, two

MORE = ((3, 12), (16, 5))


@dataclasses.dataclass
class Optional:
    value: torch.Tensor
    scale: torch.Tensor = None
    count: int = 3
    rest: list = dataclasses.field(default_factory=list)


torch.export.register_dataclass(Optional, serialized_type_name="tests.Optional")


@case(lambda b, s: (torch.randn(b, 2, 1, 4), torch.randn(b, 2, s, 4), torch.randn(b, 2, s, 4)),
      shapes=lambda: {"x": {0: Dim.AUTO}, "keys": {0: Dim.AUTO, 2: Dim.AUTO}, "values": {0: Dim.AUTO, 2: Dim.AUTO}}, sizes=MORE)
def grown_cache(x, keys, values):
    keys = torch.cat([keys, x], 2)
    values = torch.cat([values, x * 2], 2)
    return F.scaled_dot_product_attention(x, keys, values), keys, values


@case(lambda b, s: (torch.randn(2, 1, 4), torch.tensor([s])))
class static_cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.randn(2, 16, 4))

    def forward(self, x, place):
        self.cache.index_copy_(1, place, x)
        seen = torch.arange(16) <= place
        return F.scaled_dot_product_attention(x, self.cache, self.cache, attn_mask=seen.view(1, 1, -1))


@case(lambda b, s: (torch.randn(2, 1, 4), torch.tensor([s])))
class cache_by_index(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, 16, 4), persistent=False)

    def forward(self, x, place):
        self.cache[:, place] = x
        return self.cache.sum(1), self.cache[:, place]


@case(lambda b, s: ({"keys": torch.randn(b, s, 4), "values": [torch.randn(b, s, 4)]}, torch.randn(b, 1, 4)),
      shapes=lambda: {"cache": {"keys": {0: Dim.AUTO, 1: Dim.AUTO}, "values": [{0: Dim.AUTO, 1: Dim.AUTO}]}, "x": {0: Dim.AUTO}},
      sizes=MORE)
def cache_in_a_dict(cache, x):
    keys = torch.cat([cache["keys"], x], 1)
    values = [torch.cat([cache["values"][0], x], 1)]
    return (x @ keys.mT).softmax(-1) @ values[0], {"keys": keys, "values": values}


@case(rows, BATCH, sizes=MORE)
class running_mean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("seen", torch.tensor(0))

    def forward(self, x):
        self.seen += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean, self.seen * 1


@case(rows, BATCH, sizes=MORE)
class buffer_as_output(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.ones(4))

    def forward(self, x):
        before = self.state.clone()
        self.state.copy_(x.mean(0))
        return self.state, before, self.state + x


@case(rows, BATCH, sizes=MORE)
class view_of_buffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.zeros(2, 4))

    def forward(self, x):
        row = self.table[1]
        row.add_(x.sum(0))
        return self.table * 1, row.exp()


@case(two, BOTH, sizes=MORE)
def write_to_one_of_two_inputs(x, y):
    x.mul_(2)
    z = x + y
    y.sub_(z)
    return z, y * 1


@case(rows, BATCH, sizes=MORE)
def returns_written_input(x):
    x.add_(1)
    return x, x.view(-1, 2)


@case(rows, BATCH, sizes=MORE)
def outputs_of_one_memory(x):
    y = x * 2
    z = y.view(-1)
    y.add_(1)
    return y, z, y[0], y.t()


@case(rows)
def views_and_copies_at_fixed_sizes(x):
    y = x.clone()
    part = y[1:, 1:]
    copied, pairs, turned = part.reshape(-1), y[:, :2].reshape(-1, 2, 1), y.t().reshape(2, 2, -1)
    y += 1
    part *= 2
    pairs -= 3
    turned *= 5
    copied /= 2
    return part, copied, y, pairs, turned


def _open(*axes):
    return lambda: {"x": {axis: Dim.AUTO for axis in axes}}


@case(steps, shapes=_open(0, 1), sizes=(*MORE, (1, 6), (4, 1), (1, 1)))
def views_and_copies_at_open_sizes(x):
    y = x.clone()
    part, heads = y[:, :, 1:].flatten(1), y.view(x.shape[0], x.shape[1], 2, 2).transpose(1, 2).reshape(x.shape[0], 2, -1)
    turned, last, wide = y.transpose(0, 1).contiguous(), y[:, -1].reshape(-1), y.unsqueeze(1).expand(-1, 2, -1, -1).reshape(-1, x.shape[1], 4)
    y.mul_(2)
    return y, part, heads, turned, last, wide


@case(steps, shapes=_open(0, 1), sizes=(*MORE, (1, 6), (4, 1), (1, 1)))
def write_through_what_may_be_a_copy(x):
    y, z = x.clone(), torch.zeros(x.shape[0], x.shape[1], 8)
    heads = y.view(x.shape[0], x.shape[1], 2, 2).transpose(1, 2).reshape(x.shape[0] * 2, -1, 2)
    heads.mul_(2)
    seen = z[:, :, :4].reshape(-1, 4)
    seen.add_(x.reshape(-1, 4))
    return y, z, heads[1:], seen


@case(steps, shapes=_open(0, 1), refused_open="may or may not share memory", decompose=False)
def view_of_what_may_be_a_copy(x):
    y = x.clone()
    z = y[:, :, 1:].flatten(1)
    flat, again = z.reshape(-1), z.contiguous()
    z.mul_(2)
    return y, z, flat, again


@case(rows, shapes=_open(0), sizes=(*MORE, (1, 5)))
def copy_of_what_data_keep(x):
    y = x[x[:, 0] > -100]
    z = y[:, 1:].reshape(-1)
    y.add_(1)
    return z, y


@case(rows, shapes=_open(0), sizes=(*MORE, (1, 5)))
def view_of_every_second(x):
    y = x.clone()
    z = y[:, ::2].reshape(x.shape[0] * 2)
    y.add_(1)
    return z, y


@case(rows, BATCH, sizes=MORE)
def complex_copies(x):
    y = torch.complex(x[:, :2], x[:, 2:])
    z, real = torch.conj_physical(y), torch.conj_physical(y.abs())
    y.mul_(2)
    return torch.view_as_real(y), torch.view_as_real(z), real


@case(rows, refused="the result of aten::resolve_conj", decompose=False)
def resolved_conjugates(x):
    y = torch.complex(x[:, :2], x[:, 2:])
    z = y.conj().resolve_conj()
    y.mul_(2)
    return torch.view_as_real(z), torch.view_as_real(y)


@case(image)
def copy_with_the_channels_last(x):
    y = x.clone()
    z = y.contiguous(memory_format=torch.channels_last)
    w = z.contiguous()
    y.mul_(2)
    z.add_(1)
    return y, z, w


@case(steps)
def copy_of_another_order(x):
    y = x.clone()
    z, same = y.transpose(0, 1).contiguous(), y.contiguous()
    y.mul_(2)
    return z, same, y


@case(rows, BATCH, sizes=MORE)
def write_after_view(x):
    y = x.clone()
    first = y[:1]
    copied = y[:1].clone()
    y.fill_(3)
    return first, copied, y


@case(rows, BATCH, sizes=MORE)
def write_through_split(x):
    y = x + 0
    a, b, c = y.split([1, 1, 2], 1)
    a.add_(b)
    c[:, 0].mul_(a[:, 0])
    return y, b


@case(rows, BATCH, sizes=MORE)
def write_through_diagonal(x):
    y = torch.zeros(4, 4) + x.sum()
    y.diagonal().add_(1)
    y.fill_diagonal_(9) if False else y[::2].neg_()
    return y


@case(rows, BATCH, sizes=MORE)
def write_through_expand(x):
    y = x.clone()
    wide = y.unsqueeze(1).expand(-1, 3, -1)
    y += 1
    return wide, y


@case(rows, BATCH, sizes=MORE, decompose=False)
def write_to_what_loops_gave(x):
    from torch._higher_order_ops import while_loop
    from torch._higher_order_ops.scan import scan
    y = x.clone()
    turned, idle = [while_loop(lambda i, a: i < turns, lambda i, a: (i + 1, a * 2), (torch.tensor(0), y))[1] for turns in (2, 0)]
    total, sums = scan(lambda h, r: (h + r, h * r), y[0].clone(), y, dim=0)
    turned[:, 1:] += 1
    idle.mul_(3)
    y.add_(idle)
    total.sub_(y[0])
    sums[0] = total
    return y, turned, idle, total, sums


@case(rows, BATCH, sizes=MORE)
def write_through_strided(x):
    y = x.clone()
    y[:, ::2] = y[:, 1::2] * 2
    y[1:, 1:3].clamp_(min=0)
    return y


@case(rows, BATCH, sizes=MORE)
def write_to_memory_by_strides(x):
    y = x.clone()
    y.as_strided((3,), (5,)).add_(1)
    y.as_strided((2, 2), (4, 1), 1).mul_(y[0, 0])
    y.as_strided((x.shape[0],), (4,), 1).neg_()
    return y


@case(rows, BATCH, sizes=MORE)
def swap_rows(x):
    y = x.clone()
    y[[0, 1]] = y[[1, 0]]
    return y


@case(rows, BATCH, sizes=MORE)
def accumulate(x):
    y = torch.zeros(3, 4)
    at = torch.arange(x.shape[0]) % 3
    y.index_add_(0, at, x)
    z = torch.zeros(3, 4).scatter_add_(0, at.unsqueeze(1).expand(-1, 4), x)
    w = torch.zeros(3, 4).index_put_((at,), x, accumulate=True)
    return y, z, w, torch.zeros(3, 4).scatter_reduce(0, at.unsqueeze(1).expand(-1, 4), x, "amax", include_self=False)


@case(rows, BATCH, sizes=MORE)
def out_arguments(x):
    y = torch.empty_like(x)
    torch.add(x, 1, out=y)
    z = torch.empty(0)
    w = torch.empty(0)
    torch.exp(x, out=w)
    both = torch.cat([x, w], out=torch.empty(0))
    return y, torch.mul(x, 2, out=torch.empty_like(x)), z, both.sum(0), w + x


@case(steps, STEPS, sizes=MORE)
class recurrent_by_hand(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 3)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], 3)
        for i in range(3):
            h = self.cell(x[:, i], h)
        return h


@case(lambda b, s: (torch.randn(b, 6, 4), (torch.randn(1, b, 3), torch.randn(1, b, 3))),
      shapes=lambda: {"x": {0: Dim.AUTO}, "state": ({1: Dim.AUTO}, {1: Dim.AUTO})}, sizes=MORE, decompose=False)
class recurrent_state(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(4, 3, batch_first=True)

    def forward(self, x, state):
        y, state = self.r(x, state)
        return y, state


@case(rows, BATCH, sizes=MORE)
class shared_layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = self.a
        self.c = nn.Linear(4, 4, bias=False)
        self.c.weight = nn.Parameter(self.a.weight.t().detach())

    def forward(self, x):
        return self.c(self.b(self.a(x))) @ self.a.weight.t()


@case(rows, BATCH, sizes=MORE)
class views_of_one_weight(nn.Module):
    def __init__(self):
        super().__init__()
        self.all = nn.Parameter(torch.randn(8, 4))
        self.register_buffer("low", self.all.detach()[:4])
        self.register_buffer("turned", self.all.detach().t()[:, 4:])

    def forward(self, x):
        return x @ self.low, x @ self.turned, x @ self.all.t()


@case(rows, BATCH, sizes=MORE)
class constants_in_code(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = torch.arange(4.0)
        self.numbers = [1, 2.5]

    def forward(self, x):
        table = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
        return x * self.plain + table * self.numbers[1], torch.tensor(7), torch.scalar_tensor(2.5)


@case(rows, BATCH, sizes=MORE)
class written_constant(nn.Module):
    def forward(self, x):
        table = torch.tensor([1.0, 2.0, 3.0, 4.0])
        table[0] = 10
        table += x.sum(0)
        return table


@case(lambda b, s: (torch.randn(b, 4), torch.tensor(2), 3), shapes=lambda: {"x": {0: Dim.AUTO}, "k": {}, "n": None}, sizes=MORE)
def constant_integers(x, k, n):
    return x * n, x + k, x.repeat(1, n), torch.full((n,), 1.0) * k


@case(two, BOTH, sizes=MORE)
def outputs_with_nothing(x, y):
    return {"a": x + y, "none": None, "list": [None, x], "tuple": (y, (None,))}


@case(two, BOTH, sizes=MORE)
def unused_input(x, y):
    return x * 2


@case(two, BOTH, sizes=MORE)
def same_output_twice(x, y):
    z = x + y
    return z, z, {"z": z}, [z, x]


@case(rows, BATCH, sizes=MORE)
def detached(x):
    y = x.detach().requires_grad_(False)
    return y * 2, x.clone().detach_().add_(1)


@case(lambda b, s: (Optional(torch.randn(b, 4), None, 2, [Optional(torch.randn(b, 4), torch.randn(4))]),))
def takes_unset_fields(x):
    return x.value * x.count - x.rest[0].value * x.rest[0].scale


@case(two, BOTH, sizes=MORE)
def returns_unset_fields(x, y):
    return Optional(x + y, rest=[Optional(x, y, 0), Optional(y, None, 1)]), {"empty": {}, "list": []}


@case(rows, BATCH, sizes=MORE, written=True)
class written_statistics(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("rows", torch.zeros(8, 4), persistent=False)

    def forward(self, x):
        self.count += 1
        self.mean.mul_(0.9).add_(x.mean(0) * 0.1)
        self.rows[1:3] = x[:2]
        return x - self.mean


@case(two, BOTH, sizes=MORE, written=True)
def written_inputs(x, y):
    y[0] = 5
    x.t().mul_(2)
    return x + y, y


@case(lambda b, s: (torch.randn(2, 1, 4), torch.tensor([b])), written=True)
class written_cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("keys", torch.randn(2, 16, 4))

    def forward(self, x, position):
        self.keys.index_copy_(1, position, self.layer(x))
        return F.scaled_dot_product_attention(x, self.keys, self.keys)


@case(rows, BATCH, sizes=MORE, written=True)
def written_nothing(x):
    y = x.clone()
    y.add_(1)
    return y


@case(image, BATCH, sizes=MORE, written=True)
class written_by_training(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.layer = nn.BatchNorm2d(3, momentum=0.3), nn.Conv2d(3, 2, 3)

    def forward(self, x):
        for _ in range(2):
            x = F.batch_norm(x, self.norm.running_mean, self.norm.running_var, self.norm.weight, None, True, 0.3)
        return self.layer(x), self.norm.running_mean * 2


@case(image, BATCH, sizes=MORE, written=True)
class written_by_training_of_instances(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm2d(3, affine=True, momentum=0.3, track_running_stats=True)

    def forward(self, x):
        y = F.instance_norm(x, self.norm.running_mean, self.norm.running_var, self.norm.weight, None, True, 0.3)
        return y, F.instance_norm(y + 1, self.norm.running_mean, self.norm.running_var, momentum=0.5), self.norm.running_var * 2


class _Copies(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(4, dtype=torch.int32))
        self.register_buffer("narrow", torch.zeros(3, 4, dtype=torch.float16))
        self.register_buffer("wide", torch.zeros(3, 4))

    def copy(self, x):
        self.count.copy_(x.sum(0) * 10)
        self.narrow.copy_(x[:3] * 2)
        self.wide.copy_(x.mean())


@case(rows, BATCH, sizes=MORE, written=True)
class written_by_copies(_Copies):
    def forward(self, x):
        self.copy(x)
        return x + 1


# PyTorch's own decomposed program fails.
@case(rows, BATCH, sizes=MORE, written=True, decompose=False)
class written_input_by_a_buffers_name(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("x", torch.zeros(4, dtype=torch.int32))

    def forward(self, x):
        x.mul_(1.5)
        return self.x + 1


@case(rows, BATCH, sizes=MORE, written=True, tolerance=1e-3, refused_decomposed="the program copies float32[] to 'wide' of float32[3, 4]")
class read_behind_copies(_Copies):
    def forward(self, x):
        self.copy(x)
        return self.count * 2, self.narrow + 1, self.wide.sum(0)


@case(rows, BATCH, sizes=MORE, written=True, tolerance=1e-3, by_module=True)
class read_before_and_behind_copies(_Copies):
    def forward(self, x):
        before, narrowed, mean = x.sum(0) * 10, x[:3] * 2, x.mean()
        self.count.copy_(before)
        self.narrow.copy_(narrowed)
        self.wide.copy_(mean)
        return self.count * 2 + 1, before + 1, self.narrow + 1, narrowed * 3, mean * 2, self.wide + 1


@case(rows, BATCH, refused_decomposed="the program copies float32[4] to 'count' of int32[4]")
class copied_and_returned(_Copies):
    def forward(self, x):
        made = x.sum(0) * 10
        self.count.copy_(made)
        return made


class _Aliases(nn.Module):
    """Buffers that are views of another one."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(5, 4))
        self.register_buffer("again", self.cache)
        self.register_buffer("row", self.cache[1])
        self.register_buffer("columns", self.cache[:, 1:3])
        self.register_buffer("turned", self.cache[2:4].t())


@case(rows, BATCH, sizes=MORE, written=True, decompose=False)
class written_under_another_name(_Aliases):
    def forward(self, x):
        self.cache.add_(x.mean())
        return x * self.row + self.columns.sum()


@case(rows, BATCH, sizes=MORE, written=True, decompose=False)
class written_by_a_view(_Aliases):
    def forward(self, x):
        self.row.add_(x.mean(0))
        self.turned.mul_(2).add_(1)
        return x * self.cache.sum(0), self.columns * 1
