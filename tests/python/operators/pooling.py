"""Pooling: max, mean, adaptive."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOAT, FLOATS, Dim, Family, tensor

family = Family("pooling", opset=7)
B = Dim("batch", 2, 3)
sides = [Dim("depth", 7, 9), Dim("height", 8, 11), Dim("width", 9, 7)]

for rank in (1, 2, 3):
    x = tensor(B, 3, *sides[-rank:])
    scope = {"F": F}
    for name, options, opset in [
        ("plain", "2", 7), ("stride", "3, stride=1", 7), ("padding", "3, stride=2, padding=1", 7),
        ("ceil", "3, stride=2, ceil_mode=True", 7), ("ceil_padding", "3, stride=2, padding=1, ceil_mode=True", 7),
        ("ceil_last_window", "2, stride=3, ceil_mode=True", 7), ("dilation", "2, stride=1, dilation=2", 7),
        ("dilation_ceil", "3, stride=2, padding=1, dilation=2, ceil_mode=True", 7),
    ]:
        family.case(f"max_pool{rank}d.{name}", eval(f"lambda x: F.max_pool{rank}d(x, {options})", scope), x,
                    dtypes=FLOATS if name == "padding" else FLOAT, opset=opset)
        family.case(f"max_pool{rank}d_with_indices.{name}", eval(f"lambda x: F.max_pool{rank}d(x, {options}, return_indices=True)", scope),
                    x, opset=9 if "dilation" in name else 8, dtypes=FLOATS if name == "plain" else FLOAT)
    family.case(f"max_pool{rank}d.unbatched", eval(f"lambda x: F.max_pool{rank}d(x, 2)", scope), tensor(3, *sides[-rank:]))
    family.case(f"max_pool{rank}d.negative_values", eval(f"lambda x: F.max_pool{rank}d(x, 3, padding=1)", scope),
                tensor(B, 3, *sides[-rank:], low=-9, high=-5))
    for name, options, opset in [
        ("plain", "2", 7), ("stride", "3, stride=1", 7), ("padding", "3, stride=2, padding=1", 7),
        ("padding_left_out", "3, stride=2, padding=1, count_include_pad=False", 7), ("ceil", "3, stride=2, ceil_mode=True", 7),
        ("ceil_padding", "3, stride=2, padding=1, ceil_mode=True", 7),
        ("ceil_padding_left_out", "3, stride=2, padding=1, ceil_mode=True, count_include_pad=False", 7),
        ("ceil_last_window", "2, stride=3, ceil_mode=True", 7),
    ]:
        family.case(f"avg_pool{rank}d.{name}", eval(f"lambda x: F.avg_pool{rank}d(x, {options})", scope), x,
                    dtypes=FLOATS if name == "plain" and rank < 3 else FLOAT, opset=opset)
    if rank > 1:
        family.case(f"avg_pool{rank}d.divisor", eval(f"lambda x: F.avg_pool{rank}d(x, 3, stride=2, divisor_override=5)", scope), x)
        family.case(f"avg_pool{rank}d.divisor_padding_ceil",
                    eval(f"lambda x: F.avg_pool{rank}d(x, 3, stride=2, padding=1, ceil_mode=True, divisor_override=2)", scope), x)
    for name, options in [("plain", "2"), ("padded", "3, stride=2, padding=1"), ("uncounted", "3, 1, 1, count_include_pad=False"), ("ceil", "3, 2, 1, ceil_mode=True"),
                          ("ceil_uncounted", "3, 2, 1, True, False")] + ([("divisor", "3, 2, 1, True, True, 5"), ("negative", "2, divisor_override=-3")] if rank > 1 else []):
        family.case(f"avg_pool{rank}d.sums_{name}", eval(f"lambda x: F.avg_pool{rank}d(x, {options})", scope), tensor(B, 2, *sides[-rank:], low=-99, high=99),
                    dtypes=(torch.int64, torch.float64), opset=10)
    family.case(f"avg_pool{rank}d.sums_far", eval(f"lambda x: F.avg_pool{rank}d(x * (2**53 + 3), 3, 2, 1) % 1009", scope), tensor(B, 2, *sides[-rank:], dtype=torch.int64),
                opset=11)
    family.case(f"avg_pool{rank}d.sums_unbatched", eval(f"lambda x: F.avg_pool{rank}d(x, 2)", scope), tensor(3, *sides[-rank:], dtype=torch.float64), opset=10)
    family.case(f"avg_pool{rank}d.unbatched", eval(f"lambda x: F.avg_pool{rank}d(x, 2)", scope), tensor(3, *sides[-rank:]))
    for kind, indices in (("avg", ""), ("max", ""), ("max", ", return_indices=True")):
        name = f"adaptive_{kind}_pool{rank}d" + ("_with_indices" if indices else "")
        call = lambda size: eval(f"lambda x: F.adaptive_{kind}_pool{rank}d(x, {size}{indices})", scope)
        whole = tensor(B, 3, *sides[-rank:])
        fixed = tensor(B, 3, *[6, 8, 4][-rank:])
        odd = tensor(B, 3, *[5, 7, 10][-rank:])
        family.case(name + ".one", call(1), whole if not indices else fixed, dtypes=FLOATS if rank == 2 else FLOAT)
        family.case(name + ".divisible", call(2), fixed)
        family.case(name + ".not_divisible", call(3), odd)
        family.case(name + ".larger", call(7), tensor(B, 3, *[5, 3, 4][-rank:]))
        if rank > 1:
            family.case(name + ".sides", call(str(tuple([1, 4, 2][-rank:]))), fixed)
            family.case(name + ".none", call(str(tuple([None] * (rank - 1) + [2]))), fixed)
        family.case(name + ".unbatched", call(2), tensor(3, *[6, 8, 4][-rank:]))
image = tensor(B, 3, *sides[-2:])
family.case("max_pool2d.uneven", nn.MaxPool2d((3, 2), (1, 2), (1, 0), (2, 1)), image)
family.case("avg_pool2d.uneven", nn.AvgPool2d((3, 2), (1, 2), (1, 0)), image)
after_zeros = lambda pool: lambda x: pool(F.dropout(F.pad(x, (0, 1, 2, 1)), 0.5, False))
for name, options in {"plain": "2", "padding": "3, stride=2, padding=1", "ceil": "3, stride=2, ceil_mode=True"}.items():
    below = tensor(B, 3, 8, 9, low=-9, high=-5)
    family.case(f"max_pool2d.after_zeros_{name}", after_zeros(eval(f"lambda x: F.max_pool2d(x, {options})", {"F": F})), below)
    family.case(f"max_pool2d_with_indices.after_zeros_{name}",
                after_zeros(eval(f"lambda x: F.max_pool2d(x, {options}, return_indices=True)", {"F": F})), below, opset=8)
family.case("adaptive_max_pool2d.after_zeros", after_zeros(lambda x: F.adaptive_max_pool2d(x, 2)), tensor(B, 3, 5, 5, low=-9, high=-5))
family.case("max_pool2d.after_zeros_cast", lambda x: F.max_pool2d(F.pad(x, (0, 1, 2, 1)).double(), 2), tensor(B, 3, 8, 9, low=-9, high=-5))
family.case("avg_pool2d.after_zeros", after_zeros(lambda x: F.avg_pool2d(x, 2)), tensor(B, 3, 8, 9, low=-9, high=-5))
family.case("max_pool2d.integer", lambda x: F.max_pool2d(x, 2), tensor(B, 3, 8, 8), dtypes=(torch.int64,), opset=8)
family.case("lp_pool2d.plain", lambda x: F.lp_pool2d(x, 2, 3), tensor(B, 3, 9, 9))
moving = tensor(B, 3, Dim("height", 7, 10), Dim("width", 9, 5))
for kind, indices in (("avg", ""), ("max", ""), ("max", ", return_indices=True")):
    name = f"adaptive_{kind}_pool2d" + ("_with_indices" if indices else "")
    for label, size in (("moving", "4"), ("moving_one", "(1, 3)"), ("moving_none", "(None, 3)")):
        family.case(f"{name}.{label}", eval(f"lambda x: F.adaptive_{kind}_pool2d(x, {size}{indices})", {"F": F}), moving, opset=9)
family.case("adaptive_avg_pool2d.size_of_other", lambda x, y: F.adaptive_avg_pool2d(x, y.shape[2:]), moving,
            tensor(1, 1, Dim("h", 3, 4), Dim("w", 2, 6)), opset=9)
family.case("adaptive_avg_pool2d.no_cell", lambda x, y: F.adaptive_avg_pool2d(x, y.shape[2:]), moving, tensor(1, 1, 3, Dim("w", 2, 0)), opset=9)
family.case("adaptive_avg_pool2d.no_cell_ever", lambda x: F.adaptive_avg_pool2d(x, (3, 0)), moving, opset=9)
family.case("max_pool2d_with_indices.uneven", lambda x: F.max_pool2d(x, (3, 2), (1, 2), (1, 0), (2, 1), True, True), moving, opset=10)
family.case("avg_pool1d.ceil_wide", lambda x: F.avg_pool1d(x, 5, 4, 2, True), tensor(B, 3, Dim("width", 11, 14)))
family.case("max_pool1d.ceil_wide", lambda x: F.max_pool1d(x, 5, 4, 2, 1, True), tensor(B, 3, Dim("width", 11, 14)))

# NaN wins in a window; of several NaNs, the last.
holes = tensor(B, 2, Dim("height", 7, 9), 6)
for name, call, opset in [
    ("plain", "F.max_pool2d(x, 3, 2, 1)", 8), ("indices", "F.max_pool2d(x, 3, 2, 1, return_indices=True)", 8),
    ("dilated", "F.max_pool2d(x, 2, 1, 0, 2, return_indices=True)", 9), ("ceil", "F.max_pool2d(x, 3, 2, ceil_mode=True)", 8),
    ("one_axis", "F.max_pool1d(x[0], 3)", 8), ("adaptive_one", "F.adaptive_max_pool2d(x, 1)", 8),
    ("adaptive", "F.adaptive_max_pool2d(x, (4, 3))", 9), ("adaptive_indices", "F.adaptive_max_pool2d(x, (4, 4), return_indices=True)", 9),
    ("adaptive_regular", "F.adaptive_max_pool2d(x[:, :, :4], (2, 3), return_indices=True)", 7),
    ("of_infinity", "F.max_pool2d(x * float('-inf'), 3, 2, 1, return_indices=True)", 8),
]:
    family.case(f"max_pool_nan.{name}", eval(f"lambda x: (lambda x: {call})(torch.where(x > 2, float('nan'), x))", {"F": F, "torch": torch}),
                holes, opset=opset, dtypes=FLOATS if name == "plain" else FLOAT)

# Windows that contain only -inf, or nothing.
INF = float("inf")


class Log(nn.Module):
    def forward(self, x):
        return x.log()


LOW = tensor(values=[[[-INF, -INF, 1.0, 2.0, float("nan"), 3.0, -INF, -INF, -INF, -INF, -3.3e38, -INF]]])
for name, call in [
    ("pairs", "F.max_pool1d(x, 2)"), ("padded", "F.max_pool1d(x, 3, 2, 1, ceil_mode=True)"), ("plane", "F.max_pool2d(x, (1, 3), 1, (0, 1))"),
    ("space", "F.max_pool3d(x[None], (1, 1, 2))"), ("dilated", "F.max_pool1d(x, 2, 1, 1, dilation=2)"), ("adaptive", "F.adaptive_max_pool1d(x, 3)"),
    ("masked", "F.max_pool1d(F.relu(x.nan_to_num(0, 0, 0)).masked_fill(x < 0, -INF), 2)"),
    ("padded_before", "F.max_pool1d(F.pad(x, (1, 2), value=-INF), 2, 1)"),
]:
    family.case(f"max_pool_low.{name}", eval(f"lambda x: {call}", {"F": F, "INF": INF}), LOW, opset=9 if name == "masked" else 7)
    family.case(f"max_pool_low.{name}_indices", eval(f"lambda x: {call[:-1]}, return_indices=True)", {"F": F, "INF": INF}), LOW, opset=9)
family.case("max_pool_low.log", nn.Sequential(nn.Conv1d(3, 4, 2), nn.ReLU(), Log(), nn.MaxPool1d(2)), tensor(B, 3, 12))
family.case("max_pool_low.padded_layer", nn.Sequential(nn.Conv1d(3, 4, 2), nn.ConstantPad1d(4, -INF), nn.MaxPool1d(2, 1)), tensor(B, 3, 6))
family.case("max_pool_low.empty_window", lambda x: F.max_pool1d(x, 2, 1, 1, dilation=5), tensor(2, 3, 4))
family.case("max_pool_low.empty_windows_of_a_plane", lambda x: F.max_pool2d(x.exp(), (2, 1), 1, (1, 0), dilation=(5, 1)), tensor(1, 2, 4, Dim("n", 4, 5)))
family.case("max_pool_low.emptied_window", lambda x: F.max_pool1d(x, 2, 1, 1, dilation=5), tensor(2, 3, Dim("n", 9, 4)))
