"""Programs for torch.export: control flow, precisions and common layers."""
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops import while_loop
from torch._higher_order_ops.map import map as each
from torch._higher_order_ops.scan import scan
from torch.export import Dim
from torch.nn.attention import SDPBackend, sdpa_kernel

from exported_case import BATCH, BOTH, STEPS, case, image, rows, steps, two

MORE = ((3, 12), (16, 5))


# Functions with a custom gradient.

class _Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * (x > 0)


class _LogAndExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.log(), x.exp()

    @staticmethod
    def backward(ctx, of_log, of_exp):
        return of_log + of_exp


class _Within(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low, high):
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None, None


class _Raised(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


@case(rows, BATCH, sizes=MORE)
class function_of_autograd(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        return _Relu.apply(self.layer(x))


@case(rows, BATCH, sizes=MORE)
def function_of_two_results(x):
    return _LogAndExp.apply(x.abs() + 1)


@case(rows, BATCH, sizes=MORE)
def function_of_numbers(x):
    return _Within.apply(x, -0.2, 0.5)


@case(rows, BATCH, sizes=MORE)
def function_that_writes(x):
    y = x * 2
    return _Raised.apply(y) * 3 + y


# Control flow.

@case(rows, BATCH, sizes=MORE)
def cond_of_an_item(x):
    return torch.cond((x > 0).any(), lambda a: a.relu(), lambda a: -a, (x,))


@case(rows, BATCH, sizes=MORE)
def cond_with_captured(x):
    y = x.exp()
    n = x.shape[0]
    return torch.cond(x.mean() > 0, lambda a: a + y * n, lambda a: a - y, (x,))


@case(two, BOTH, sizes=MORE)
def cond_in_cond_in_cond(x, y):
    def low(a, b):
        return torch.cond(a.amax() > 1, lambda a, b: a.sin() + b, lambda a, b: a.cos() - b, (a, b))

    def middle(a, b):
        return torch.cond(b.sum() > 0, low, lambda a, b: (a * b).tanh(), (a, b)) * 2
    return torch.cond(x.sum() > 0, middle, low, (x, y)) + x


@case(two, BOTH, sizes=MORE)
def cond_of_a_tree(x, y):
    return torch.cond(x.sum() > y.sum(), lambda d: {"a": d["x"] + 1, "b": [d["y"] * 2]},
                      lambda d: {"a": d["x"] - 1, "b": [d["y"] * 3]}, ({"x": x, "y": y},))


@case(rows, BATCH, sizes=MORE)
class cond_with_buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.full((4,), 2.0))
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda a: self.norm(a), lambda a: a * self.scale, (x,))


@case(rows, BATCH, sizes=MORE)
def loop_until(x):
    def body(i, a):
        return i + 1, a * 0.5
    return while_loop(lambda i, a: a.abs().amax() > 0.1, body, (torch.tensor(0), x))


@case(rows, BATCH, sizes=MORE)
def loop_over_a_size(x):
    def body(i, total):
        return i + 1, total + x[0] * i
    return while_loop(lambda i, total: i < x.shape[0], body, (torch.tensor(0), torch.zeros(4)))[1]


@case(rows, BATCH, sizes=MORE)
def cond_in_loop(x):
    def body(i, a):
        return i + 1, torch.cond(i % 2 == 0, lambda a: a + 1, lambda a: a * 2, (a,))
    return while_loop(lambda i, a: i < 5, body, (torch.tensor(0), x))[1]


@case(steps, STEPS, sizes=MORE)
class recurrent_scan(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(8, 4)

    def forward(self, x):
        def step(h, row):
            h = torch.tanh(self.cell(torch.cat([h, row], -1)))
            return h, h * 1
        return scan(step, x.new_zeros(x.shape[0], 4), x, dim=1)


@case(steps, STEPS, sizes=MORE)
def scan_of_trees(x):
    def step(carry, row):
        total, least = carry
        total, least = total + row["a"], torch.minimum(least, row["b"])
        return (total, least), {"sum": total * 1, "least": least * 1}
    return scan(step, (torch.zeros_like(x[:, 0]), torch.full_like(x[:, 0], 9.0)), {"a": x, "b": x * 2}, dim=1)


@case(steps, STEPS, sizes=MORE)
def scan_backwards(x):
    return scan(lambda h, r: (h * 0.5 + r, h + r), x.new_zeros(x.shape[0], 4), x, dim=1, reverse=True)


@case(steps, STEPS, sizes=MORE)
def map_of_trees(x):
    return each(lambda row, w: (row @ w, row.sum(0)), x, torch.eye(4))


# Precisions.

@case(steps, STEPS, tolerance=2e-2, sizes=MORE, verify=False)
class autocast_attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.n = nn.LayerNorm(4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x))
        return self.n(x) + y.float()


@case(rows, BATCH, strict=True, decompose=False, refused="export the program with strict=False")
class autocast_traced_strictly(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 3)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.f(x).float()


@case(rows, BATCH, strict=True, decompose=False, refused="export the program with strict=False")
class autocast_of_prelu_traced_strictly(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor([0.1]))

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return F.prelu(x, self.slope).float()


@case(rows, BATCH, strict=True)
class autocast_of_another_device(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 3)

    def forward(self, x):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.f(x)


@case(lambda b, s: (torch.randn(b, s, 4).half(),), STEPS, tolerance=2e-2, sizes=MORE)
class half_network(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 8).half()
        self.n = nn.LayerNorm(8).half()

    def forward(self, x):
        return F.gelu(self.n(self.l(x))).mean(1).float(), F.softmax(x, -1, dtype=torch.float32)


@case(rows, BATCH, tolerance=5e-2, sizes=MORE)
class bfloat_inside(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 8).bfloat16()

    def forward(self, x):
        return self.l(x.bfloat16()).relu().float() * 2


@case(rows, BATCH, sizes=MORE)
class nested_modes(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x.exp()
            with torch.enable_grad():
                z = y * 2
        with torch.autocast("cpu", enabled=False):
            w = z @ x.t()
        with torch.inference_mode(False):
            return w + 1


# Attention.

def _heads(b, s):
    return tuple(torch.randn(b, 2, s, 4) for _ in range(3))


HEADS = {name: {0: "batch", 2: "steps"} for name in "qkv"}


@case(_heads, HEADS, sizes=MORE)
def attention_causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@case(_heads, HEADS, sizes=MORE)
def attention_scaled(q, k, v):
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, scale=0.3, dropout_p=0.0)


@case(lambda b, s: (torch.randn(b, 4, s, 4), torch.randn(b, 2, s, 4), torch.randn(b, 2, s, 4)), HEADS, sizes=MORE)
def attention_grouped(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


@case(lambda b, s: (torch.randn(b, 2, s, 4), torch.randn(b, 2, s + 2, 4), torch.randn(b, 2, s + 2, 4)),
      shapes=lambda: {"q": {0: Dim.AUTO, 2: Dim.AUTO}, "k": {0: Dim.AUTO, 2: Dim.AUTO}, "v": {0: Dim.AUTO, 2: Dim.AUTO}}, sizes=MORE)
def attention_of_other_lengths(q, k, v):
    mask = torch.zeros(q.shape[2], k.shape[2]).masked_fill(torch.ones(q.shape[2], k.shape[2]).triu(1).bool(), -1e4)
    keep = torch.ones(q.shape[0], 1, 1, k.shape[2], dtype=torch.bool)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask), F.scaled_dot_product_attention(q, k, v, attn_mask=keep)


@case(_heads, HEADS, sizes=MORE)
def rotary(q, k, v):
    n = q.shape[2]
    angle = torch.outer(torch.arange(n).float(), 1.0 / 10000 ** (torch.arange(0, 4, 2).float() / 4))
    angle = torch.cat([angle, angle], -1)

    def turn(x):
        low, high = x.chunk(2, -1)
        return x * angle.cos() + torch.cat([-high, low], -1) * angle.sin()
    return F.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True)


@case(_heads, HEADS, sizes=MORE)
def rotary_complex(q, k, v):
    angle = torch.outer(torch.arange(q.shape[2]).float(), torch.tensor([1.0, 0.1]))
    turns = torch.polar(torch.ones_like(angle), angle)
    turn = lambda x: torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turns).flatten(3)
    return turn(q) @ turn(k).mT @ v


# When decomposed, its weights are expanded to the batch.
@case(steps, STEPS, sizes=((3, 12), (16, 5), (2, 1), (1, 3)))
class attention_with_weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.MultiheadAttention(4, 2, batch_first=True)
        self.second = nn.MultiheadAttention(4, 2, bias=False)

    def forward(self, x):
        y, weights = self.first(x, x, x)
        return self.second(y, x, x, average_attn_weights=False), weights


@case(steps, STEPS, sizes=((3, 12), (16, 5), (0, 5), (2, 0)))
class products_of_what_is_expanded(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.v, self.q = nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.randn(1, 4, 4)), nn.Parameter(torch.randn(1, 2, 4))

    def forward(self, x):
        n = x.shape[0]
        q, v = self.q.expand(n, -1, -1), self.v.expand(n, -1, -1)
        return (torch.bmm(x, self.w.expand(n, 4, 3)), torch.bmm(v, x.mT), torch.matmul(self.w.t().expand(n, 3, 4), x.mT), q @ x.mT,
                torch.baddbmm(q, q, v), self.w.expand(2, n, 4, 3).sum(0).mT @ x.mT, q @ v)


@case(steps, STEPS, sizes=MORE)
class decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.TransformerDecoderLayer(4, 2, 8, batch_first=True)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.d(x, x * 2, tgt_mask=mask)


# Layers and what comes after them.

@case(lambda b, s: (torch.randint(0, 9, (b, s)),), STEPS, sizes=MORE)
class embedding_bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.EmbeddingBag(9, 4, mode="mean")
        self.p = nn.Embedding(9, 4, padding_idx=0)

    def forward(self, x):
        return self.e(x), self.p(x).sum(1)


@case(lambda b, s: (torch.randint(0, 9, (b, s)),), STEPS, sizes=MORE)
class embedding_max_norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(9, 4, max_norm=1.0).requires_grad_(False)

    def forward(self, x):
        return self.e(x)


@case(steps, STEPS, sizes=MORE)
class rms_norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4))

    def forward(self, x):
        y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.w
        return y, F.silu(y[..., :2]) * y[..., 2:]


@case(image, BATCH, sizes=MORE)
class squeeze_excite(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 2, 1), nn.Conv2d(2, 3, 1)
        self.d = nn.Sequential(nn.Conv2d(3, 3, 3, padding=1, groups=3, bias=False), nn.BatchNorm2d(3), nn.Hardswish(inplace=True))

    def forward(self, x):
        y = self.d(x)
        return y * torch.sigmoid(self.b(F.relu(self.a(y.mean((2, 3), keepdim=True)), inplace=True)))


@case(image, BATCH, sizes=MORE)
class normalised(nn.Module):
    """Layers before a normalisation, with or without other uses."""

    def __init__(self):
        super().__init__()
        self.plain = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        self.grouped = nn.Sequential(nn.Conv2d(4, 8, 3, groups=2, bias=False), nn.BatchNorm2d(8, affine=False))
        self.back = nn.Sequential(nn.ConvTranspose2d(8, 6, 3, groups=2, stride=2), nn.BatchNorm2d(6, eps=1e-2))
        self.row = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5))
        self.shared, self.first, self.second = nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.BatchNorm2d(4)
        self.wide = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.BatchNorm1d(2)).double()
        for norm in [m for m in self.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]:
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.2, 2)
            if norm.affine:
                nn.init.normal_(norm.weight)
                nn.init.normal_(norm.bias)
        nn.init.zeros_(self.second.weight)

    def forward(self, x):
        y = self.grouped(self.plain(x))
        z = self.shared(x)
        return y, self.row(self.back(y).mean((2, 3))), self.first(z) + z, self.second(self.shared(x * 2)), self.wide(x.double().mean((2, 3)))


@case(lambda b, s: (torch.randn(b, 9), 3), shapes=lambda: {"x": {0: Dim.AUTO}, "k": None}, sizes=MORE)
def sampling_filters(x, k):
    """Filters of scores in a text generator."""
    least = torch.topk(x, k).values[..., -1, None]
    x = x.masked_fill(x < least, float("-inf"))
    order, where = torch.sort(x, descending=True)
    drop = order.softmax(-1).cumsum(-1) > 0.9
    drop[..., 1:] = drop[..., :-1].clone()
    drop[..., 0] = False
    return x.masked_fill(drop.scatter(1, where, drop), float("-inf")).argmax(-1)


@case(lambda b, s: (torch.randn(b, 5), torch.randint(0, 5, (b,))), shapes=lambda: {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}}, sizes=MORE)
class loss(nn.Module):
    def forward(self, x, y):
        return F.cross_entropy(x, y, label_smoothing=0.1), F.nll_loss(x.log_softmax(1), y, reduction="none"), F.mse_loss(x, x * 2)


@case(steps, STEPS, sizes=MORE)
def mixture_of_experts(x):
    scores, chosen = x.softmax(-1).topk(2, -1)
    out = torch.zeros_like(x)
    for expert in range(4):
        weight = (scores * (chosen == expert)).sum(-1, keepdim=True)
        out = out + weight * (x * (expert + 1)).tanh()
    return out


@case(steps, STEPS, sizes=MORE)
class weight_norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
        self.b = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))

    def forward(self, x):
        return self.b(self.a(x))


@case(steps, STEPS, sizes=MORE)
def spectrum(x):
    return torch.fft.rfft(x, dim=-1).abs(), torch.stft(x.flatten(1)[:, :16], 8, 4, window=torch.hann_window(8), return_complex=True).abs()


@case(rows, BATCH, sizes=MORE)
def complex_choice(x):
    return torch.view_as_real(torch.where(x > 0, torch.complex(x, x + 1), 0)), torch.where(x > 0, torch.complex(x, x), 1 - 2j).abs()


@case(steps, STEPS, sizes=MORE)
def strings_of_reductions(x):
    return torch.einsum("bsf,btf->bst", x, x), torch.var_mean(x, -1), torch.linalg.vector_norm(x, dim=-1), x.median(-1).values


@case(lambda b, s: (torch.randint(0, 255, (b, 8, 8, 3), dtype=torch.uint8),), shapes=lambda: {"x": {0: Dim.AUTO}}, sizes=MORE)
class prepared_image(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.5, 0.4, 0.3]).view(1, 3, 1, 1))

    def forward(self, x):
        y = x.permute(0, 3, 1, 2).contiguous().float().div_(255).sub_(self.mean)
        return F.interpolate(y, (6, 6), mode="bilinear", antialias=True).to(memory_format=torch.channels_last)


@case(steps, STEPS, sizes=MORE, decompose=False)
def primitives(x):
    p = torch.ops.prims
    y = p.transpose(x, [1, 2, 0])
    z = p.broadcast_in_dim(x[0, 0], [3, 4, 2], [1])
    return (y, z, p.reshape(y, [x.size(1), 4 * x.size(0)]), p.squeeze(x[:1], [0]), p.sum(x, [0, 2]), p.sum(x, [0, 1, 2]),
            p.var(x, [1], 0), p.var(x, [1, 2], 1))


@case(rows, BATCH, sizes=MORE, decompose=False)
def rooted_primitive(x):
    """F252: the cube root and sums of integers; PyTorch's metadata declares int32 for such a sum, and its kernel returns int64."""
    p, k = torch.ops.prims, (x * 10).int()
    roots = torch.cat([x, torch.tensor([[0.0, float("inf"), float("-inf"), float("nan")]])])
    return p.cbrt(roots), p.cbrt(x.double() * 1e9), p.sum(k + 2000000000, [0, 1]), p.sum(x > 0, [1]), p.prod(k, [1]), p.sum(k.long(), [1]) + 1


@case(lambda b, s: (torch.randn(4, 6),), decompose=False)
def resized_primitive(x):
    """F252: a tensor that is resized in place; PyTorch's metadata of its later uses may have the sizes of before."""
    y = x + 1
    return torch.ops.prims.resize(y, [3, 8]), y.sum(), y * 2


@case(rows, BATCH, sizes=MORE, decompose=False, verify=False)
def named_primitives(x):
    """prims operators that equal aten operators under other names."""
    p, n, cpu = torch.ops.prims, x.shape[0], torch.device("cpu")
    places = p.iota(n, start=3, step=2, dtype=torch.int64, device=cpu, requires_grad=False)
    bits = (x * 4).int()
    return (p.clone(x), p.cat([x, p.rev(x, [0, 1])], 1), places, p.split_dim(x, 1, 2), p.collapse_view(p.split_dim(x, 1, 2), 0, 1),
            p.scalar_tensor(2.5, dtype=torch.float64, device=cpu), p.bitwise_or(bits, bits + 1), p.bitwise_not(bits), p.fmod(x, x.abs() + 1),
            p.fmax(x, -x), p.amax(x, [1]), p.reciprocal(x), p.sign(x), p.trunc(x * 3), p.maximum(x, x * 2), p.full([2], 3, dtype=torch.int32,
            device=cpu, requires_grad=False), p.full_like(x, 1.5, dtype=torch.float32, device=cpu, requires_grad=False))


@case(rows, BATCH, sizes=MORE, decompose=False, verify=False, opset=9)
def special_primitives(x):
    """F252: prims operators of special functions."""
    p, y = torch.ops.prims, x.abs() + 0.5
    return (p.bessel_i0(x), p.bessel_i0e(x), p.bessel_i1(x), p.bessel_i1e(x), p.bessel_j0(x), p.bessel_j1(x), p.erfcx(x), p.igamma(y, y + 1),
            p.igammac(y, y + 1), p.ndtri(x.sigmoid()), p.nextafter(x, y), p.spherical_bessel_j0(x), p.zeta(y + 2, y), *p.frexp(x * 100),
            p.fill(x, 2.5))


@case(rows, BATCH, sizes=MORE, decompose=False, verify=False)
def complex_primitives(x):
    """F252: prims operators of complex tensors."""
    p = torch.ops.prims
    z = torch.complex(x, x * 2 + 1)
    return (p.real(z), p.imag(z), p.real(p.conj(z) * z), p.imag(p.conj_physical(z)), torch.view_as_real(p.fft_c2c(z, dim=[1], forward=True)),
            torch.view_as_real(p.fft_c2c(z, dim=[1], forward=False)), torch.view_as_real(p.fft_r2c(x, dim=[1], onesided=True)),
            p.fft_c2r(p.fft_r2c(x, dim=[1], onesided=True), dim=[1], last_dim_size=4))


@case(lambda b, s: (torch.randn(b, 3, 2),), BATCH, sizes=((3, 1), (1, 1)), decompose=False, verify=False, opset=11)
def matrix_primitives(x):
    """F252: prims operators of matrices, products and memory."""
    p, cpu = torch.ops.prims, torch.device("cpu")
    u, s, v = p.svd(x, full_matrices=False)
    noise = p.normal([x.shape[0], 2], mean=1.0, std=0.0, dtype=torch.float32, device=cpu, requires_grad=False)
    flat = p.uniform([3, 2], low=2.0, high=2.5, dtype=torch.float32, device=cpu, stride=[2, 1])
    return (u @ torch.diag_embed(s) @ v, s, p.prod(x, [1]), p.prod(x, [0, 2]), p.prod(x, [0, 1, 2]), p.prod(x, []), noise,
            flat >= 2, p.copy_strided(x, [6, 1, 3]) + 1,
            p.empty([2], dtype=torch.int64, device=cpu, requires_grad=False) * 0,
            p.empty_permuted([2, 3], [1, 0], dtype=torch.int64, device=cpu, requires_grad=False) * 0)


@case(rows, BATCH, sizes=MORE, decompose=False)
def plain_primitives(x):
    """F252: prims operators that are read as one or several operators of aten, which LibTorch runs to verify the model."""
    p = torch.ops.prims
    y, k = p.add(p.abs(x), 0.5), p.convert_element_type(p.mul(x, 10.0), torch.int64)
    return (p.sin(x), p.cos(x), p.tan(x), p.asin(p.tanh(x)), p.acos(p.tanh(x)), p.atan(x), p.sinh(x), p.cosh(x), p.asinh(x), p.acosh(p.add(y, y)),
            p.atanh(p.tanh(x)), p.exp(x), p.log(y), p.sqrt(y), p.erf(x), p.floor(x), p.ceil(x), p.round(x), p.neg(x), p.sub(x, y), p.div(x, y),
            p.div(k, torch.full_like(k, 3)), p.pow(y, x), p.pow(y, 2.0), p.remainder(x, y), p.where(p.gt(x, y), x, y), p.eq(x, y), p.ne(x, x), p.lt(x, y),
            p.le(x, y), p.ge(x, y), p.reshape(x, [x.shape[0], 1, x.shape[1]]), p.transpose(x, [1, 0]),
            p.squeeze(x[:, :1].clone(), [1]), p.sum(x, [1]), p.sum(x, [0, 1]), p.var(x, [1], 1.0),
            p.broadcast_in_dim(x, [3, x.shape[0], 2, x.shape[1]], [1, 3]), p.device_put(x, torch.device("cpu")) + 1)


@case(lambda b, s: (torch.randn(6, 4),), decompose=False)
def strided_primitives(x):
    p = torch.ops.prims
    y = (x + 1).clone()
    return p.as_strided_scatter(y, x[:2, :3].clone(), [2, 3], [4, 1], 4), p.copy_to(y, x * 2), y + 1


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def grouped_mm_fallback(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    result, start = input.new_zeros(input.shape[0], weight.shape[2]), 0
    for matrix, end in zip(weight, offs.tolist()):
        result[start:end] = input[start:end] @ matrix
        start = max(start, end)
    return result


@grouped_mm_fallback.register_fake
def _(input, weight, offs):
    return input.new_empty(input.shape[0], weight.shape[2])


@case(lambda b, s: (torch.randn(b * 4, 4), torch.tensor([2, 2, b, 3 * b], dtype=torch.int32)), {"x": {0: "rows"}, "ends": None},
      verify=False)
class experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 4, 3))

    def forward(self, x, ends):
        grouped = torch.ops.transformers.grouped_mm_fallback
        return grouped(x, self.w, ends), grouped(x, self.w[:1], ends[-1:]), grouped(x, self.w[:3], ends[:3])


@case(steps, STEPS, sizes=MORE)
class last_states(nn.Module):
    """torch.export declares LSTM states with one axis too many, and values computed from them."""
    def __init__(self):
        super().__init__()
        self.two = nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True)
        self.one, self.head = nn.LSTM(4, 3, batch_first=True), nn.Linear(3, 2)

    def forward(self, x):
        _, (h, c) = self.two(x)
        o, (last, _) = self.one(x)
        z = last[0].clone()
        z[:, 0] = 5
        z.add_(1)
        return torch.cat([h[-2], h[-1]], -1), c.sum(0), self.head(last[-1]).softmax(-1), last[-1] - o[:, -1], last.transpose(0, 1), z


def heads(b, s):
    return torch.randn(b, 4, s, 8), torch.randn(b, 2, s, 8), torch.randn(b, 2, s, 8)


# PyTorch runs the operators of torch.onnx.ops; LibTorch alone does not know them.
@case(heads, {name: {0: "batch", 2: "length"} for name in ("query", "key", "value")}, opset=7, verify=False)
def onnx_attention(query, key, value):
    attention = torch.onnx.ops.attention
    plain = attention(query, key, value, is_causal=True, scale=0.3)[0]
    last, keys, values, _ = attention(query[:, :, -1:], key[:, :, -1:], value[:, :, -1:], None, key[:, :, :-1], value[:, :, :-1], softcap=2.0)
    flat = [x.transpose(1, 2).flatten(2) for x in (query, key, value)]
    return plain, last, keys - key, values, attention(*flat, q_num_heads=4, kv_num_heads=2)[0], attention(query, key, value)[3]


@case(lambda b, s: (*heads(b, s), torch.rand(b, 1, s, s) > 0.4, torch.randn(s, s)),
      {name: {0: "batch", 2: "length"} for name in ("query", "key", "value")} | {"seen": {0: "batch", 2: "length", 3: "length"},
                                                                               "bias": {0: "length", 1: "length"}}, verify=False)
def onnx_attention_masked(query, key, value, seen, bias):
    attention = torch.onnx.ops.attention
    results = [attention(query, key, value, mask, scale=0.4)[i] for mask in (seen, bias) for i in (0, 3)]
    seen = seen | torch.eye(*seen.shape[2:], dtype=torch.bool)
    for mask in (None, seen, bias):
        for mode in range(4):
            results += attention(query, key, value, mask, is_causal=mask is None, softcap=1.5, qk_matmul_output_mode=mode)[::3]
    return results, attention(query, key, value, seen & ~seen)[0], attention(query, key, value, bias, softmax_precision=11)[0]


@case(lambda b, s: (*heads(b, s), torch.randn(b, 2, 5, 8), torch.randn(b, 2, 5, 8)),
      {name: {0: "batch", 2: "length"} for name in ("query", "key", "value")} | {"old_key": {0: "batch"}, "old_value": {0: "batch"}},
      verify=False)
def onnx_attention_behind_a_past(query, key, value, old_key, old_value):
    flat = [x.transpose(1, 2).flatten(2) for x in (query, key, value)]
    past = (None, old_key, old_value)
    attention = torch.onnx.ops.attention
    return (attention(query, key, value, *past, is_causal=True), attention(*flat, *past, q_num_heads=4, kv_num_heads=2, softcap=2.0),
            attention(*flat, *past, q_num_heads=4, kv_num_heads=2, is_causal=True, softcap=2.0))


# PyTorch declares the width of the queries for the result, but it has that of the values.
@case(lambda b, s: (torch.randn(b, 4, s, 8), torch.randn(b, 2, s + 1, 8), torch.randn(b, 2, s + 1, 5)),
      {"query": {0: "batch", 2: "length"}} | {name: {0: "batch", 2: "others"} for name in ("key", "value")}, verify=False, sizes=((3, 12), (2, 2)))
def onnx_attention_of_wide_values(query, key, value):
    attention = torch.onnx.ops.attention
    flat = [x.transpose(1, 2).flatten(2) for x in (query, key, value)]
    grouped = attention(*flat, q_num_heads=4, kv_num_heads=2)[0]
    alike = attention(flat[1], *flat[1:], q_num_heads=2, kv_num_heads=2)[0]
    y = attention(query, key, value, softcap=2.0)[0]
    joined = torch.cat([y.relu() * 2, y], 1).transpose(1, 2)
    return y, grouped, alike.mean(-1), joined, y.sum((2, 3)), y.softmax(-1), y.amax(-1, keepdim=True) - y


@case(lambda b, s: (torch.randn(b, 3, 4, 8), torch.randn(9, 4), torch.randint(0, 9, (b, 4))), {"x": {0: "batch"}, "table": None, "places": {0: "batch"}},
      opset=10, verify=False)
def onnx_rotary_embedding(x, table, places):
    rotate = torch.onnx.ops.rotary_embedding
    cos, sin = table.cos()[places], table.sin()[places]
    return (rotate(x, table.cos(), table.sin(), places), rotate(x, cos, sin, interleaved=True),
            rotate(x, cos[..., :2], sin[..., :2], rotary_embedding_dim=4), rotate(x.transpose(1, 2).flatten(2), cos, sin, num_heads=3),
            rotate(x.transpose(1, 2).flatten(2), cos[..., :1], sin[..., :1], num_heads=3, rotary_embedding_dim=2, interleaved=True))
