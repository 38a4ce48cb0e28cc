"""Matrix products and attention."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from case import FLOAT, FLOATS, INTS, NUMBERS, Dim, Family, mask, tensor

family = Family("linear", opset=7)
B = Dim("batch", 2, 3)
N = Dim("n", 4, 6)
M = Dim("m", 3, 5)

family.case("mm.plain", lambda x, y: torch.mm(x, y), tensor(N, 5), tensor(5, M), dtypes=FLOATS + INTS)
family.case("mm.empty", lambda x, y: torch.mm(x, y), tensor(0, 5), tensor(5, 3))
family.case("mm.inner_empty", lambda x, y: torch.mm(x, y), tensor(2, 0), tensor(0, 3))
family.case("addmm.plain", lambda b, x, y: torch.addmm(b, x, y), tensor(N, M), tensor(N, 5), tensor(5, M), dtypes=FLOATS + INTS)
family.case("addmm.scaled", lambda b, x, y: torch.addmm(b, x, y, beta=0.5, alpha=2), tensor(N, M), tensor(N, 5), tensor(5, M),
            dtypes=FLOATS)
family.case("addmm.scaled_integer", lambda b, x, y: torch.addmm(b, x, y, beta=3, alpha=2), tensor(N, M), tensor(N, 5), tensor(5, M),
            dtypes=INTS)
family.case("addmm.vector", lambda b, x, y: torch.addmm(b, x, y), tensor(M), tensor(N, 5), tensor(5, M))
family.case("addmm.column", lambda b, x, y: torch.addmm(b, x, y), tensor(N, 1), tensor(N, 5), tensor(5, M))
family.case("addmm.rank0", lambda b, x, y: torch.addmm(b, x, y), tensor(), tensor(N, 5), tensor(5, M))
family.case("addmm.beta_zero", lambda b, x, y: torch.addmm(b, x, y, beta=0), tensor(values=[float("nan")] * 3), tensor(N, 5), tensor(5, 3))
family.case("bmm.plain", lambda x, y: torch.bmm(x, y), tensor(B, N, 5), tensor(B, 5, M), dtypes=FLOATS)
family.case("baddbmm.plain", lambda b, x, y: torch.baddbmm(b, x, y, beta=0.5, alpha=2), tensor(B, N, M), tensor(B, N, 5), tensor(B, 5, M))
for name, left, right in [
    ("matrices", (N, 5), (5, M)), ("vectors", (5,), (5,)), ("matrix_vector", (N, 5), (5,)), ("vector_matrix", (5,), (5, M)),
    ("batches", (B, 2, N, 5), (B, 2, 5, M)), ("batch_matrix", (B, N, 5), (5, M)), ("matrix_batch", (N, 5), (B, 5, M)),
    ("broadcast", (B, 1, N, 5), (2, 5, M)), ("batch_vector", (B, N, 5), (5,)), ("vector_batch", (5,), (B, 5, M)),
]:
    family.case("matmul." + name, lambda x, y: torch.matmul(x, y), tensor(*left), tensor(*right),
                dtypes=FLOATS + INTS if name == "batches" else FLOAT)
family.case("linear.plain", nn.Linear(5, 6), tensor(B, 5), dtypes=FLOATS)
family.case("linear.no_bias", nn.Linear(5, 6, bias=False), tensor(B, 5))
family.case("linear.rank3", nn.Linear(5, 6), tensor(B, N, 5), dtypes=FLOATS)
family.case("linear.rank1", nn.Linear(5, 6), tensor(5))


class Turned(nn.Linear):
    """Transposes its batch axes first; in half precision ONNX Runtime's optimiser crashes if the product comes last."""

    def forward(self, x):
        return super().forward(x.transpose(0, 1).to(self.weight.dtype))


family.case("linear.batches_turned", Turned(5, 6), tensor(B, N, 5))
family.case("linear.batches_turned_half", Turned(5, 6).half(), tensor(B, N, 5, dtype=torch.float16), rtol=1e-2, atol=1e-2)
family.case("linear.batches_turned_and_cast", Turned(5, 6), tensor(B, N, 5, dtype=torch.int64))
family.case("linear.batches_turned_and_flipped", lambda x: x.permute(1, 2, 0).float() @ torch.ones(3, 4), tensor(3, B, N, dtype=torch.float64))
family.case("linear.weight_input", lambda x, w, b: F.linear(x, w, b), tensor(B, N, 5), tensor(6, 5), tensor(6))
family.case("linear.weight_vector", lambda x, w: F.linear(x, w), tensor(B, N, 5), tensor(5))
family.case("bilinear.open_weight", lambda x, y, w, b: F.bilinear(x, y, w, b), tensor(B, N, Dim("rows", 4, 2)), tensor(B, N, Dim("columns", 5, 6)),
            tensor(Dim("outputs", 3, 1), Dim("rows", 4, 2), Dim("columns", 5, 6)), tensor(Dim("outputs", 3, 1)))
family.case("bilinear.plain", nn.Bilinear(4, 5, 3), tensor(B, 4), tensor(B, 5))
for name, equation, shapes in [
    ("product", "ij,jk->ik", [(N, 5), (5, M)]), ("batch", "bij,bjk->bik", [(B, N, 5), (B, 5, M)]), ("outer", "i,j->ij", [(N,), (M,)]),
    ("heads", "b h i d, b h j d -> b h i j", [(B, 2, N, 5), (B, 2, M, 5)]), ("trace", "ii->i", [(4, 4)]),
    ("implicit", "ij,jk", [(N, 5), (5, M)]), ("ellipsis", "...ij,jk->...ik", [(B, N, 5), (5, M)]), ("sum", "bij->b", [(B, N, 5)]),
    ("three", "bi,ij,bj->b", [(B, 4), (4, 5), (B, 5)]), ("transpose", "ij->ji", [(N, M)]),
    ("attention", "B G H I D, B G H J D -> B G H I J", [(B, 2, 2, N, 4), (B, 2, 2, N, 4)]),
]:
    names = "xyz"[: len(shapes)]
    family.case("einsum." + name, eval(f"lambda {', '.join(names)}: torch.einsum('{equation}', {', '.join(names)})", {"torch": torch}),
                *(tensor(*s) for s in shapes), opset=9, dtypes=FLOATS if name == "batch" else FLOAT)

q, k, v = tensor(B, 4, N, 8), tensor(B, 4, M, 8), tensor(B, 4, M, 8)
attend = F.scaled_dot_product_attention
scope = {"attend": attend, "F": F}
family.case("attention.plain", lambda q, k, v: attend(q, k, v), q, k, v, dtypes=FLOATS)
family.case("attention.rank3", lambda q, k, v: attend(q, k, v), tensor(B, N, 8), tensor(B, M, 8), tensor(B, M, 8))
family.case("attention.scale", lambda q, k, v: attend(q, k, v, scale=0.3), q, k, v)
family.case("attention.causal", lambda q, k, v: attend(q, k, v, is_causal=True), q, q, q, opset=9)
family.case("attention.causal_uneven", lambda q, k, v: attend(q, k, v, is_causal=True), q, k, v, opset=9)
family.case("attention.mask_bool", lambda q, k, v, m: attend(q, k, v, m), tensor(B, 2, 2, 4), tensor(B, 2, 3, 4),
            tensor(B, 2, 3, 4), tensor(values=[[True, False, True], [False, True, True]], dtype=torch.bool), opset=9)
family.case("attention.mask_some", lambda q, k, v, m: attend(q, k, v, m > -2), q, k, v, tensor(N, M), opset=9)
family.case("attention.mask_all_hidden", lambda q, k, v, m: attend(q, k, v, m), tensor(1, 2, 3, 4), tensor(1, 2, 3, 4),
            tensor(1, 2, 3, 4), tensor(values=[[True, False, True], [False, False, False], [True, True, True]], dtype=torch.bool), opset=9)
family.case("attention.mask_float", lambda q, k, v, m: attend(q, k, v, m), q, k, v, tensor(B, 1, N, M), dtypes=FLOATS)
family.case("attention.mask_expanded", lambda q, k, v, m: attend(q, k, v, m.expand(-1, 4, q.size(2), -1)), q, k, v, tensor(B, 1, 1, M))
family.case("attention.mask_expanded_some", lambda q, k, v, m: attend(q, k, v, m[:, None, None].expand(-1, 4, q.size(2), -1)),
            tensor(3, 4, 2, 8), tensor(3, 4, 2, 8), tensor(3, 4, 2, 8),
            tensor(values=[[True, False], [False, False], [True, True]], dtype=torch.bool), opset=9)
family.case("attention.mask_expanded_keys", lambda q, k, v, m: attend(q, k, v, m.expand(-1, -1, -1, k.size(2))), q, k, v, tensor(B, 1, N, 1))
family.case("attention.grouped", lambda q, k, v: attend(q, k, v, enable_gqa=True), tensor(B, 4, N, 8), tensor(B, 2, M, 8), tensor(B, 2, M, 8),
            opset=9)
family.case("attention.grouped_planes", lambda q, k, v: attend(q, k, v, enable_gqa=True), tensor(6, N, 4), tensor(2, M, 4), tensor(2, M, 5), opset=9)
family.case("attention.grouped_values", lambda q, k, v: attend(q, k, v, enable_gqa=True), tensor(B, 6, N, 4), tensor(B, 6, M, 4), tensor(B, 3, M, 5), opset=9)
family.case("attention.large_scores_of_bfloat16", lambda q, k, v: attend((q * 2).bfloat16(), (k * 2).bfloat16(), v.bfloat16()).float(), q, k, v,
            opset=13, rtol=1e-2, atol=1e-2)
family.case("attention.value_width", lambda q, k, v: attend(q, k, v), q, k, tensor(B, 4, M, 5))


class SelfAttention(nn.Module):
    def __init__(self, weights=False, average=True, **options):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, **options)
        self.weights = weights
        self.average = average

    def forward(self, x):
        result = self.attention(x, x, x, need_weights=self.weights, average_attn_weights=self.average)
        return result if self.weights else result[0]


class MaskedAttention(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True, **options)

    def forward(self, x, padding, hidden):
        return self.attention(x, x, x, key_padding_mask=padding, attn_mask=hidden, need_weights=False)[0]


class PaddedAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x, padding):
        return self.attention(x, x, x, key_padding_mask=padding)


class MaskedLayer(nn.Module):
    def __init__(self, mask, **options):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)
        self.mask = mask

    def forward(self, x, mask):
        return self.layer(x, **{self.mask: mask})


class CrossAttention(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True, **options)

    def forward(self, query, key):
        return self.attention(query, key, key)


class GradientsOn(nn.Module):
    """Keeps PyTorch's modules on their slow path."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        with torch.enable_grad():
            return self.inner(x)


x = tensor(B, N, 8)
padding = tensor(values=[[False, False, True, True], [False, False, False, True]], dtype=torch.bool)
causal = tensor(values=[[j > i for j in range(4)] for i in range(4)], dtype=torch.bool)
family.case("multi_head.plain", SelfAttention(), tensor(N, B, 8))
family.case("multi_head.batch_first", SelfAttention(batch_first=True), x)
family.case("multi_head.weights", SelfAttention(True, batch_first=True), x)
family.case("multi_head.weights_per_head", SelfAttention(True, False, batch_first=True), x)
family.case("multi_head.no_bias", SelfAttention(batch_first=True, bias=False), x)
family.case("multi_head.plain_path", GradientsOn(SelfAttention(True, batch_first=True)), x)
family.case("multi_head.cross", CrossAttention(), x, tensor(B, M, 8))
family.case("multi_head.cross_width", CrossAttention(kdim=6, vdim=6), x, tensor(B, M, 6))
family.case("multi_head.bias_kv", CrossAttention(add_bias_kv=True, add_zero_attn=True), tensor(2, 4, 8), tensor(2, 3, 8))
family.case("multi_head.masked", MaskedAttention(), tensor(2, 4, 8), padding, causal, opset=9)
# The fused kernels return NaN for a query without keys, and treat a numeric mask as a bool mask.
nothing_seen = tensor(values=[[True] * 4, [False, False, False, True]], dtype=torch.bool)
numbers = tensor(values=[[0.0, -math.inf, -math.inf, -math.inf], [0.0, 0.0, 1.5, 0.0], [-math.inf] * 4, [0.0] * 4])
family.case("multi_head.nothing_seen", PaddedAttention(), tensor(2, 4, 8), nothing_seen)
family.case("encoder_layer.padding", MaskedLayer("src_key_padding_mask"), tensor(2, 4, 8), padding, opset=9)
family.case("encoder_layer.nothing_seen", MaskedLayer("src_key_padding_mask", norm_first=True), tensor(2, 4, 8), nothing_seen, opset=9)
family.case("encoder_layer.mask_of_numbers", MaskedLayer("src_mask"), tensor(2, 4, 8), numbers, opset=9)
for name, options in {
    "plain": {}, "norm_first": {"norm_first": True}, "gelu": {"activation": "gelu"}, "no_bias": {"bias": False}, "eps": {"layer_norm_eps": 0.1}
}.items():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)
    family.case("encoder_layer." + name, layer, x, opset=9)
    family.case("encoder_layer." + name + "_plain_path", GradientsOn(layer), x, opset=9)
family.case("encoder_layer.time_first", nn.TransformerEncoderLayer(8, 2, 16), tensor(N, B, 8), opset=9)
family.case("decoder_layer.plain", nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), x, tensor(B, M, 8), opset=9)
family.case("transformer.plain", nn.Transformer(8, 2, 1, 1, 16, batch_first=True), tensor(B, M, 8), x, opset=9)

for name, call, shapes in [
    ("mv.plain", "torch.mv(x, y)", [(N, 5), (5,)]), ("dot.plain", "torch.dot(x, y)", [(N,), (N,)]), ("vdot.plain", "torch.vdot(x, y)", [(N,), (N,)]),
    ("mv.turned", "torch.mv(x.t(), y)", [(5, N), (5,)]), ("mv.turned_sum", "torch.mv(x.t() + x.t().tanh(), y)", [(5, N), (5,)]),
    ("mv.turned_batch", "torch.matmul(x.mT, y)", [(B, 5, N), (5,)]),
    ("mv.turned_product", "torch.matmul(x, x[:, :4].t() @ y)", [(5, 4), (5,)]),
    ("inner.vectors", "torch.inner(x, y)", [(N,), (N,)]), ("inner.batches", "torch.inner(x, y)", [(B, N, 5), (M, 5)]),
    ("inner.number", "torch.inner(x, y)", [(), (M, 5)]), ("outer.plain", "torch.outer(x, y)", [(N,), (M,)]), ("ger.plain", "torch.ger(x, y)", [(N,), (M,)]),
    ("tensordot.one", "torch.tensordot(x, y, 1)", [(B, N, 5), (5, M)]), ("tensordot.two", "torch.tensordot(x, y, 2)", [(B, N, 5), (N, 5, M)]),
    ("tensordot.axes", "torch.tensordot(x, y, ([2, 0], [0, 1]))", [(B, N, 5), (5, B, M)]), ("tensordot.none", "torch.tensordot(x, y, 0)", [(B, N), (M,)]),
    ("tensordot.all", "torch.tensordot(x, y, 2)", [(N, 5), (N, 5)]), ("tensordot.broadcast", "torch.tensordot(x, y, 1)", [(2, 1), (5, 3)]),
    ("tensordot.broadcast_open", "(torch.tensordot(x, y, 1), torch.tensordot(y.T, x.T, 1))", [(2, 1), (M, N)]),
    ("tensordot.broadcast_either", "(torch.tensordot(x, y, 1), torch.tensordot(y, x, ([0], [1])))", [(2, Dim("one", 1, 4)), (Dim("several", 3, 4), N)]),
    ("cosine_similarity.plain", "F.cosine_similarity(x, y)", [(N, 5), (N, 5)]), ("cosine_similarity.last", "F.cosine_similarity(x, y, dim=-1)", [(B, N, 5), (N, 5)]),
    ("cosine_similarity.numbers", "F.cosine_similarity(x, y, dim=0)", [(), ()]),
    ("cosine_similarity.broadcast", "F.cosine_similarity(x, y, dim=1, eps=0.5)", [(B, 1, 5), (N, 5)]),
    ("linalg.matmul", "torch.linalg.matmul(x, y)", [(B, N, 5), (5, M)]), ("chain.plain", "torch.linalg.multi_dot([x, y, x])", [(4, 5), (5, 4)]),
]:
    family.case(name, eval(f"lambda x, y: {call}", {"torch": torch, "F": F}), *(tensor(*s) for s in shapes), opset=8,
                dtypes=FLOATS if name in ("dot.plain", "cosine_similarity.plain", "outer.plain") else FLOAT)
for name, call, shapes in [
    ("addmv.plain", "torch.addmv(x, y, z, beta=2, alpha=0.5)", [(N,), (N, 5), (5,)]),
    ("addmv.turned", "torch.addmv(x, y.t(), z)", [(N,), (5, N), (5,)]),
    ("addr.plain", "torch.addr(x, y, z, beta=2, alpha=0.5)", [(N, M), (N,), (M,)]),
    ("addbmm.plain", "torch.addbmm(x, y, z, beta=2, alpha=0.5)", [(N, M), (B, N, 5), (B, 5, M)]),
    ("baddbmm.beta_zero", "torch.baddbmm(x, y, z, beta=0)", [(B, N, M), (B, N, 5), (B, 5, M)]),
    ("bilinear.empty", "F.bilinear(x[:0], y[:0], z)", [(B, N, 4), (B, N, 5), (3, 4, 5)]),
    ("bilinear.no_bias", "F.bilinear(x, y, z)", [(B, N, 4), (B, N, 5), (3, 4, 5)]),
]:
    family.case(name, eval(f"lambda x, y, z: {call}", {"torch": torch, "F": F}), *(tensor(*s) for s in shapes))
for name, equation, shapes in [
    ("ellipsis_both", "...ij,...jk->...ik", [(B, 2, N, 5), (2, 5, M)]), ("ellipsis_sum", "...i->...", [(B, N, 5)]), ("dot", "i,i->", [(N,), (N,)]),
    ("elementwise", "ij,ij->ij", [(N, M), (N, M)]), ("two_summed", "bijk,bjkl->bil", [(B, N, 2, 3), (B, 2, 3, M)]), ("row_sum", "ij,k->i", [(N, 5), (M,)]),
]:
    names = "xy"[: len(shapes)]
    family.case("einsum." + name, eval(f"lambda {', '.join(names)}: torch.einsum('{equation}', {', '.join(names)})", {"torch": torch}),
                *(tensor(*s) for s in shapes))
for name, equation, dtypes in [("whole_outer", "i,j->ij", (torch.int64, torch.float32)), ("bool_outer", "i,j->ij", (torch.float16, torch.bool)),
                               ("whole_sum", "i,k->k", (torch.int32, torch.float32))]:
    family.case("einsum.promotes_" + name, eval(f"lambda x, y: torch.einsum('{equation}', x, y)", {"torch": torch}),
                *(tensor(n, dtype=d) for n, d in zip((N, M), dtypes)))
for name, equation, shapes in [("sum", "ij->i", [(N, 5)]), ("diagonal", "iji->j", [(3, N, 3)]), ("row_sum", "ij,k->i", [(N, 5), (M,)]),
                               ("product", "ij,kj->ik", [(N, 5), (M, 5)])]:
    names = "xy"[: len(shapes)]
    family.case(f"einsum.wrapping_{name}", eval(f"lambda {', '.join(names)}: torch.einsum('{equation}', {', '.join(names)})", {"torch": torch}),
                *(tensor(*s, low=50, high=120) for s in shapes), dtypes=(torch.int8, torch.int32))
family.case("attention.causal_rank3", lambda q, k, v: attend(q, k, v, is_causal=True), tensor(B, N, 8), tensor(B, M, 8), tensor(B, M, 8), opset=9)
family.case("attention.mask_infinite", lambda q, k, v, m: attend(q, k, v, m), tensor(1, 2, 3, 4), tensor(1, 2, 3, 4), tensor(1, 2, 3, 4),
            tensor(values=[[0.0, float("-inf"), 1.0], [float("-inf")] * 3, [0.5, 0.5, float("-inf")]]), opset=9)
family.case("attention.mask_lowest", lambda q, k, v, m: attend(q, k, v, m), tensor(1, 2, 2, 4), tensor(1, 2, 3, 4), tensor(1, 2, 3, 4),
            tensor(values=[[0.0, -3.4028234663852886e38, 1.0], [-3.4028234663852886e38] * 3]), opset=9)
family.case("attention.width_of_input", lambda q, k, v: attend(q, k, v), tensor(B, 2, N, Dim("width", 4, 6)), tensor(B, 2, M, Dim("width", 4, 6)),
            tensor(B, 2, M, Dim("width", 4, 6)))
family.case("multi_head.self_masked", lambda x, w, b, p, c, m: torch._native_multi_head_attention(
    x, x, x, 8, 2, w, b, p, c, m, True, False, 1)[0], tensor(2, 4, 8), tensor(24, 8), tensor(24), tensor(8, 8), tensor(8), padding, opset=9)

# Matrices in groups whose ends are in a tensor; LibTorch supports bfloat16 only.
for name, left, right in [("rows", tensor(8, 8), tensor(2, 8, 16)), ("columns", tensor(2, 5, 8), tensor(8, 8)), ("summands", tensor(8, 8), tensor(8, 16))]:
    family.case(f"_grouped_mm.{name}", lambda x, y, ends: torch._grouped_mm(x.bfloat16(), y.bfloat16(), offs=ends).float(), left, right,
                tensor(values=[3 if name == "rows" else 8, 8], dtype=torch.int32), opset=13, rtol=1e-2, atol=1e-1)
ends = lambda x, axis: (torch.tensor([0, 1, 1, 2]) * x.size(axis) // 2).int()
grouped = lambda x, y, ends: torch._grouped_mm(x, y, offs=ends)
family.case("_grouped_mm.float_rows", lambda x, y: grouped(x, y, ends(x, 0)), tensor(N, 8), tensor(4, 8, 12), opset=13)
family.case("_grouped_mm.float_rows_left_over", lambda x, y: grouped(x, y, ends(x[1:], 0))[:-1] + x[:-1, :1], tensor(N, 8), tensor(4, 8, 12),
            opset=13)
family.case("_grouped_mm.float_columns", lambda x, y: grouped(x, y, ends(y, 1)), tensor(4, N, 8), tensor(8, 8), opset=13)
family.case("_grouped_mm.float_inner", lambda x, y: grouped(x, y, ends(x, 1)), tensor(4, 8), tensor(8, 12), opset=13)
family.case("_grouped_mm.float_stacks", lambda x, y: torch._grouped_mm(x, y), tensor(B, N, 8), tensor(B, 8, 12), opset=13)
family.case("_grouped_mm.stacks", lambda x, y: torch._grouped_mm(x.bfloat16(), y.bfloat16()).float(), tensor(2, 5, 8), tensor(2, 8, 16),
            opset=13, rtol=1e-2, atol=1e-1)

# Matrices of 8-bit floats, LibTorch's own products of them.
F8 = torch.float8_e4m3fn
scaled = lambda x, y, **options: torch._scaled_mm(x.to(F8), y.to(F8).t(), torch.tensor(0.5), torch.tensor(0.25), **options)
family.case("_scaled_mm.plain", lambda x, y: scaled(x, y, out_dtype=torch.float32), tensor(B, 16), tensor(32, 16), opset=19)
family.case("_scaled_mm.bias", lambda x, y, b: scaled(x, y, bias=b.bfloat16(), out_dtype=torch.bfloat16).float(), tensor(B, 16), tensor(32, 16), tensor(32),
            opset=19, rtol=1e-2, atol=1e-1)
family.case("_scaled_mm.narrow", lambda x, y: scaled(x, y).float(), tensor(B, 16), tensor(32, 16), opset=19, rtol=0.07, atol=0.1)
for kind in (F8, torch.float8_e5m2):
    moves = eval("lambda x: moved(x.to(kind), x)", {"moved": lambda y, x: [z.float() for z in (
        y.t(), y.reshape(-1, 2), torch.cat([y, y]), torch.stack([y[:, 1:], y[:, :3]]), y[[1, 0]], torch.where(x > 0, y, y[:1]), y[None].expand(2, -1, 4))],
        "kind": kind})
    family.case(f"moves_of_{str(kind).removeprefix('torch.')}", moves, tensor(B, 4), opset=19)
    overflows = eval("lambda x: (x * 60000).to(kind).float()", {"kind": kind})
    family.case(f"overflow_of_{str(kind).removeprefix('torch.')}", overflows, tensor(B, 4), opset=19)

# Integers beyond 2**53, whose products wrap around, at every opset.
far, beyond = tensor(B, 3, 4, dtype=torch.int64), tensor(B, 4, 5, dtype=torch.int64)
for name, text in {
    "matmul": "x @ y", "broadcast": "x @ y[0]", "mm": "x[0] @ y[0]", "mv": "x[0] @ y[0, :, 0]", "row": "x[0, 0] @ y", "dot": "x[0, 0].dot(y[0, :, 0])",
    "bmm": "x.bmm(y)", "baddbmm": "torch.baddbmm(x[:, :, :1], x, y, beta=3, alpha=-5)", "addbmm": "torch.addbmm(x[0, :, :1], x, y)",
    "addmm": "torch.addmm(y[0, 0], x[0], y[0], beta=2)", "addmv": "torch.addmv(x[0, :, 0], x[0], y[0, :, 1])",
    "linear": "torch.nn.functional.linear(x, y[0].T)", "inner": "x.inner(y[0].T)", "tensordot": "torch.tensordot(x, y[0], 1)",
    "einsum": "torch.einsum('bij,bjk->bk', x, y)", "einsum_of_three": "torch.einsum('bij,bjk,bil->kl', x, y, x)",
    "einsum_diagonal": "torch.einsum('bii->b', x[:, :, :3])", "multi_dot": "torch.linalg.multi_dot([x[0], y[0], y[0].T])",
}.items():
    family.case(f"far.{name}", eval(f"lambda p, q: (lambda x, y: {text})(p * (2**53 + 3) + p, q * (2**60 + 5) + q) % 1009", {"torch": torch}), far, beyond, opset=7)
    if name not in ("einsum", "einsum_of_three", "einsum_diagonal"):
        family.case(f"wrapped.{name}", eval(f"lambda p, q: (lambda x, y: {text})(p * (2**30 + 3) + p, q * (2**30 + 5) + q) % 1009", {"torch": torch}),
                    tensor(B, 3, 4, dtype=torch.int32), tensor(B, 4, 5, dtype=torch.int32), opset=7)
