"""Axes that have elements in the example but not in the second run."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOATS, Dim, Family, index, mask, tensor

family = Family("empty", opset=9)
B = Dim("batch", 3, 0)
N = Dim("n", 4, 0)
M = Dim("m", 5, 2)
x = tensor(B, N, 2)
matrix = tensor(M, N)

# Means of no elements are NaN, also those of losses.
family.case("mean.whole", lambda x: x.mean(), x, dtypes=FLOATS + (torch.float64,))
family.case("mean.dim", lambda x: x.mean(1), tensor(M, N, 2), dtypes=FLOATS)
family.case("mean.dims_keep", lambda x: x.mean((0, 2), keepdim=True), tensor(N, M, 3))
family.case("mean.dtype", lambda x: x.mean(1, dtype=torch.float64), tensor(M, N, dtype=torch.int32))
family.case("mean.beside_it", lambda x: x.mean(2), x)
family.case("var.biased", lambda x: x.var(0, correction=0), matrix)
family.case("var.inner", lambda x: x.var(1), matrix)
family.case("var_mean.whole", lambda x: torch.var_mean(x), x)
family.case("std_mean.dim", lambda x: torch.std_mean(x, 1, correction=0, keepdim=True), matrix)
for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "kl_div", "binary_cross_entropy_with_logits"):
    loss = getattr(F, name)
    family.case(name, eval("lambda x, y: loss(x, y)", {"loss": loss}), tensor(N, 3), tensor(N, 3, low=0, high=1))
family.case("triplet_margin_loss", lambda x, y, z: F.triplet_margin_loss(x, y, z), *[tensor(N, 3)] * 3)

# Products with an empty summed axis, or an empty batch.
family.case("mv.inner", lambda x, y: (x + 1) @ y, matrix, tensor(N), dtypes=(torch.float32, torch.float64))
family.case("mv.rows", lambda x, y: torch.mv(x, y), tensor(N, 5), tensor(5))
family.case("mv.batch", lambda x, y: x @ y, tensor(B, M, 5), tensor(5))
family.case("mv.batch_inner", lambda x, y: x @ y, tensor(2, M, N), tensor(N))
family.case("vector_batch.inner", lambda x, y: x @ y, tensor(N), tensor(2, N, M))
family.case("vector_batch.batch", lambda x, y: x @ y, tensor(5), tensor(B, 5, M))
family.case("matrix_batch.inner", lambda x, y: (x * 2) @ (y * 2), matrix, tensor(2, 3, N, 4), dtypes=(torch.float32, torch.float64))
family.case("matrix_batch.planes", lambda x, y: (x * 2) @ (y * 2), matrix, tensor(2, N, 4))
family.case("addmv.inner", lambda b, x, y: torch.addmv(b, x, y, beta=0.5), tensor(M), matrix, tensor(N))
family.case("addmm.inner", lambda b, x, y: torch.addmm(b, x, y, beta=0.5, alpha=2), tensor(3), matrix, tensor(N, 3), dtypes=FLOATS)
family.case("addmm.plain", lambda b, x, y: torch.addmm(b, x, y, alpha=2), tensor(3), matrix, tensor(N, 3))

# Computed shapes with a size of 0.
family.case("flatten.maps", lambda x: x.flatten(2), tensor(M, 2, N, 3))
family.case("flatten.front", lambda x: x.flatten(1, 2), tensor(M, N, 2, 3))
rows = Dim("rows", 3, 2)
family.case("repeat_interleave.open", lambda x: (x.repeat_interleave(2, 1), x.repeat_interleave(2, 2)), tensor(B, Dim("long", 2, 4), 3))
family.case("repeat_interleave.count", lambda x, n: x.repeat_interleave(n, 1), tensor(B, 2, 3), index(1, below=3), opset=11)
family.case("repeat_interleave.none", lambda x: (x.repeat_interleave(0, 1), x.repeat_interleave(0)), tensor(rows, 4))
family.case("expand.none", lambda x: (torch.cat([x, (x + 1).expand(-1, 0)], 1), x.sum(1).expand(0, -1)), tensor(rows, 1))
family.case("expand.none_as", lambda x, y: torch.cat([(x + 1).expand_as(y), x], 1), tensor(5, 1), tensor(5, 0))
family.case("adaptive_max_pool2d.batch", nn.AdaptiveMaxPool2d((2, 3), return_indices=True), tensor(B, 2, 5, 7))
family.case("adaptive_max_pool1d.open", nn.AdaptiveMaxPool1d(3), tensor(B, 2, Dim("long", 7, 11)))
family.case("max_pool2d.dilated", lambda x: F.max_pool2d(x, 2, dilation=2, return_indices=True),
            tensor(B, 2, 5, Dim("w", 6, 9), dtype=torch.int64))

# Means over empty axes of maps, empty norms and gates, and products of two batches.
family.case("mean.map", lambda x: x.mean(2), tensor(2, 3, N, 5))
family.case("mean.map_of_layer", lambda x, w: (x @ w).mean((1, 2)), tensor(2, M, N, 5), tensor(5, 3))
family.case("mean.maps_keep", lambda x: x - x.mean((-1, -2), keepdim=True), tensor(2, 3, M, N))
family.case("var.map", lambda x: x.var(2, correction=0), tensor(2, 3, N, 5))
family.case("matrix_norm.rows", lambda x: (torch.linalg.matrix_norm(x, float("inf")), torch.linalg.matrix_norm(x, 1, keepdim=True)), tensor(2, N, 5))
family.case("matrix_norm.columns", lambda x: (torch.linalg.matrix_norm(x, float("inf"), keepdim=True), torch.linalg.matrix_norm(x, 1)), tensor(2, 5, N))
family.case("glu.halves", lambda x: F.glu(x, 1), tensor(3, N, 5))
family.case("batches.inner", lambda x, y: (x + 1) @ (y + 1), tensor(M, 3, N), tensor(M, N, 5), dtypes=(torch.float32, torch.float64, torch.int64))
family.case("batches.broadcast", lambda x, y: (x + 1) @ (y + 1), tensor(3, 1, 2, N), tensor(M, N, 5), opset=11)
family.case("batches.broadcast_none", lambda x, y: (x + 1) @ (y + 1), tensor(1, B, 3, M), tensor(2, 1, M, 5), opset=11)
family.case("batches.baddbmm", lambda b, x, y: torch.baddbmm(b, x, y, beta=0.5), tensor(3, 2, 5), tensor(3, 2, N), tensor(3, N, 5))
family.case("batches.picked", lambda x, y, m: (torch.bmm(x[m], y[m]), torch.baddbmm(y[m][:, :1, :1].sum(1, keepdim=True), x[m], y[m])), tensor(M, 3, N), tensor(M, N, 5), mask(M))
family.case("batches.weighted_inputs", lambda q, k: torch.softmax(k @ q.transpose(1, 2), -1).transpose(1, 2) @ k, tensor(2, 3, 4), tensor(2, N, 4))
family.case("batches.keys_by_softmax", lambda q, k, v: q.softmax(-1) @ (k.softmax(1).transpose(1, 2) @ v), tensor(2, 3, 4), tensor(2, N, 4), tensor(2, N, 5))


class Frames(nn.Module):
    """Images are a batch by time, and features are summed over time."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        features = self.layer(x.flatten(0, 1)).mean((2, 3)).view(x.size(0), x.size(1), 4)
        return features.transpose(1, 2) @ features


family.case("batches.frames", Frames(), tensor(2, N, 3, 4, 5))
family.case("cond.matrices", lambda x: tuple(torch.linalg.cond(x, p) for p in (None, -2, 1, -1, float("inf"), "fro", "nuc")), tensor(2, N, N), opset=11)
family.case("mean.map_of_tokens", lambda x: x.transpose(1, 2).reshape(x.size(0), 3, 1, x.size(1)).mean((2, 3)), tensor(2, N, 3))
family.case("instance_norm.planes", lambda x: F.instance_norm(x + 1), tensor(2, 3, N))


class Observer(nn.Module):
    """LibTorch observes nothing in a tensor without elements."""

    def forward(self, x, low, high):
        low, high = low * 1, high * 1
        y = torch.fused_moving_avg_obs_fake_quant(x, torch.ones(1), torch.ones(1), low, high, torch.ones(1),
                                                  torch.zeros(1, dtype=torch.int32), 0.01, 0, 127, -1)
        return y.sum(), low, high


family.case("observer.rows", Observer(), tensor(N, 3), tensor(1, low=-2, high=-1), tensor(1, low=1, high=2), atol=0.1)
