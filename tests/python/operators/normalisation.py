"""Normalisation."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOAT, FLOATS, Dim, Family, tensor

family = Family("normalisation", opset=7)
B = Dim("batch", 2, 4)
N = Dim("n", 5, 3)
sides = {1: [N], 2: [N, 3], 3: [2, N, 3]}
for rank, module in ((1, nn.BatchNorm1d), (2, nn.BatchNorm2d), (3, nn.BatchNorm3d)):
    x = tensor(B, 4, *sides[rank])
    family.case(f"batch_norm.affine{rank}d", module(4), x, dtypes=FLOATS)
    family.case(f"batch_norm.plain{rank}d", module(4, affine=False), x, dtypes=FLOATS if rank == 2 else FLOAT)
    family.case(f"batch_norm.eps{rank}d", module(4, eps=0.1), x)
family.case("batch_norm.matrix", nn.BatchNorm1d(4), tensor(B, 4), dtypes=FLOATS)
family.case("batch_norm.no_statistics", nn.BatchNorm2d(4, track_running_stats=False), tensor(B, 4, N, 3))
family.case("batch_norm.no_statistics_plain", nn.BatchNorm1d(4, track_running_stats=False, affine=False), tensor(B, 4, N))
family.case("batch_norm.inputs", lambda x, mean, var, w, b: F.batch_norm(x, mean, var, w, b), tensor(B, 4, N, 3), tensor(4),
            tensor(4, low=0.5), tensor(4), tensor(4))
family.case("batch_norm.weight_only", lambda x, mean, var, w: F.batch_norm(x, mean, var, w, None), tensor(B, 4, N), tensor(4),
            tensor(4, low=0.5), tensor(4))
family.case("batch_norm.bias_only", lambda x, mean, var, b: F.batch_norm(x, mean, var, None, b), tensor(B, 4, N), tensor(4),
            tensor(4, low=0.5), tensor(4))

def over_its_own_shape(x):
    return torch.nn.functional.layer_norm(x, x.shape[1:])


family.case("layer_norm.own_shape", over_its_own_shape, tensor(B, 3, 6), script=True)


def over_picked_rows(x, weight):
    rows = x.unsqueeze(0).expand(2, -1, -1, -1)[:, x[:, 0, 0] > 0]
    size = 1
    for part in rows.shape[2:]:
        size *= part
    return torch.nn.functional.layer_norm(torch.nn.functional.linear(rows.reshape(2, rows.shape[1], size), weight), (3,))


def over_attended_rows(x):
    lengths = (x.sum(2) < 1e9).sum(1)
    seen = torch.arange(int(lengths.max())).unsqueeze(0) < lengths.unsqueeze(1)
    heads = x.reshape(x.size(0), x.size(1), 2, -1).transpose(1, 2)
    y = torch.nn.functional.scaled_dot_product_attention(heads, heads, heads, seen.view(x.size(0), 1, 1, x.size(1)))
    y = y.transpose(1, 2).reshape(x.size(0), x.size(1), 8).transpose(1, 2)
    y = torch.nn.functional.glu(torch.nn.functional.conv1d(y, torch.ones(16, 8, 1)), 1).transpose(1, 2)
    return torch.nn.functional.layer_norm(x + y, (8,)), torch.nn.functional.layer_norm(y.reshape(-1, 2, 4).permute(1, 0, 2), (4,))


# The longest row, which depends on data, must fill the row length.
family.case("layer_norm.of_attended_rows", over_attended_rows, tensor(B, N, 8), script=True, opset=11)
# The number of rows depends on data, and the other factor's size is a product of sizes.
family.case("layer_norm.of_picked_rows", over_picked_rows, tensor(B, 2, 4), tensor(3, 8), opset=9)
family.case("layer_norm.affine", nn.LayerNorm(6), tensor(B, N, 6), dtypes=FLOATS)
family.case("layer_norm.plain", nn.LayerNorm(6, elementwise_affine=False), tensor(B, N, 6))
family.case("layer_norm.no_bias", nn.LayerNorm(6, bias=False), tensor(B, N, 6))
family.case("layer_norm.two_axes", nn.LayerNorm((3, 6)), tensor(B, 3, 6))
family.case("layer_norm.all_axes", nn.LayerNorm((3, 6)), tensor(3, 6))
family.case("layer_norm.eps", nn.LayerNorm(6, eps=0.3), tensor(B, 6))
family.case("layer_norm.size_of_input", lambda x: F.layer_norm(x, x.shape[-1:]), tensor(B, N))
family.case("group_norm.affine", nn.GroupNorm(2, 6), tensor(B, 6, N, 3), dtypes=FLOATS)
family.case("group_norm.plain", nn.GroupNorm(3, 6, affine=False), tensor(B, 6, N))
family.case("group_norm.matrix", nn.GroupNorm(2, 6), tensor(B, 6))
family.case("instance_norm.plain", nn.InstanceNorm2d(4), tensor(B, 4, N, 3))
family.case("instance_norm.affine", nn.InstanceNorm2d(4, affine=True), tensor(B, 4, N, 3))
family.case("instance_norm.statistics", nn.InstanceNorm1d(4, affine=True, track_running_stats=True), tensor(B, 4, N))
family.case("local_response_norm.plain", nn.LocalResponseNorm(3), tensor(B, 5, N, 3))
family.case("rms_norm.plain", lambda x: F.rms_norm(x, (6,)), tensor(B, N, 6))
family.case("rms_norm.weight", nn.RMSNorm(6), tensor(B, N, 6), dtypes=FLOATS)
family.case("rms_norm.small", lambda x: F.rms_norm(x * 1e-3, (6,)), tensor(B, N, 6), dtypes=(torch.float16, torch.float32))
family.case("rms_norm.small_weight", lambda x, w: F.rms_norm(x * 1e-3, (6,), w), tensor(B, N, 6), tensor(6), dtypes=(torch.float16, torch.float64))
family.case("rms_norm.eps", nn.RMSNorm((3, 6), eps=0.1), tensor(B, 3, 6))
family.case("group_norm.weight_only", lambda x, w: F.group_norm(x, 2, w), tensor(B, 6, N), tensor(6))
family.case("group_norm.double", nn.GroupNorm(2, 6), tensor(B, 6, N), dtypes=(torch.float64,))
family.case("group_norm.no_samples", nn.GroupNorm(2, 6), tensor(Dim("n", 2, 0), 6, 5))
family.case("instance_norm.half", nn.InstanceNorm1d(4, affine=True), tensor(B, 4, N), dtypes=(torch.float16,))
family.case("instance_norm.statistics_ignored", lambda x, m, v: F.instance_norm(x, m, v, use_input_stats=False), tensor(B, 4, N, 3),
            tensor(4), tensor(4, low=0.5))
family.case("layer_norm.mixed", lambda x, w, b: F.layer_norm(x.half(), (6,), w.half(), b.half()), tensor(B, 6), tensor(6), tensor(6), rtol=1e-2, atol=1e-2)
family.case("native_layer_norm.plain", lambda x, w, b: torch.native_layer_norm(x, (6,), w, b, 1e-5), tensor(B, N, 6), tensor(6), tensor(6))
family.case("native_group_norm.plain", lambda x, w, b: torch.native_group_norm(x, w, b, 2, 6, 5, 3, 1e-5), tensor(2, 6, 5), tensor(6), tensor(6))
family.case("native_batch_norm.plain", lambda x, m, v: torch.native_batch_norm(x, None, None, m, v, False, 0.1, 1e-5)[0], tensor(B, 4, N),
            tensor(4), tensor(4, low=0.5))
family.case("batch_norm.training", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), tensor(B, 4, N), tensor(4), tensor(4))
family.case("batch_norm.mixed", lambda x, m, v: F.batch_norm(x.half(), m, v), tensor(B, 4, N), tensor(4), tensor(4, low=0.5), rtol=1e-2, atol=1e-2)
family.case("weight_norm.plain", nn.utils.parametrizations.weight_norm(nn.Linear(4, 6)), tensor(B, 4))
family.case("weight_norm.dim", lambda v, g: torch._weight_norm(v, g, 1), tensor(4, 6), tensor(1, 6))
family.case("weight_norm.all", lambda v, g: torch._weight_norm(v, g, -1), tensor(4, 6), tensor())


def behind_a_mask(x):
    """Scores of fixed length with a mask as long as the longest row, which depends on data."""
    counts = torch.cat([x[:1, 0, 0].long() * 0 + 5, (x[1:, 0, 0] > 0).long() + 2])
    longest = counts.max()
    below = torch.arange(longest + 1).unsqueeze(-1) <= torch.arange(longest + 1)
    mask = below[1:, :-1][counts - 1][:, :longest].unsqueeze(1)
    products = torch.bmm(x, x.transpose(1, 2))
    return F.layer_norm(products.masked_fill(mask, -1e9), (5,)), F.layer_norm(torch.where(mask, torch.zeros(1), products), (5,))


family.case("layer_norm.behind_a_mask", behind_a_mask, tensor(B, 5, 8), opset=11)
