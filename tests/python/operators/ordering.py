"""Order and cumulative reductions: topk, sort, median, searchsorted, unique, cumulative sums, and rarer statistics."""
import torch

from case import BOOL, FLOAT, FLOATS, INTS, NUMBERS, SMALL_INTS, Dim, Family, mask, tensor

family = Family("ordering", opset=7)
INF, NAN = float("inf"), float("nan")
B = Dim("batch", 2, 5)
N = Dim("n", 5, 7)
x = tensor(B, 3, N)
whole = tensor(B, 3, N, whole=True)

family.case("topk.fixed", lambda x: torch.topk(x, 2), tensor(B, 6), dtypes=FLOATS)
family.case("topk.smallest", lambda x: x.topk(3, 1, largest=False), tensor(B, 6, 2), dtypes=FLOATS)
family.case("topk.integers", lambda x: x.topk(3, 1)[0], tensor(B, 6, 2), dtypes=INTS + SMALL_INTS)
family.case("topk.of_size", lambda x: x.topk(x.size(2) - 2), x, opset=10)
family.case("topk.rank0", lambda x: x.topk(1), tensor())
for name, text, opset in [
    ("plain", "torch.sort(x)", 10), ("descending", "torch.sort(x, 1, True)", 7), ("stable", "torch.sort(x, dim=1, stable=True)", 7),
    ("first", "torch.sort(x, 0)", 10), ("argsort", "torch.argsort(x, 1)", 7), ("argsort_descending", "x.argsort(-1, True)", 10),
    ("msort", "torch.msort(x)", 10), ("kthvalue", "x.kthvalue(2, 1)", 7), ("kthvalue_keep", "x.kthvalue(3, 2, True)", 7),
    ("median", "x.median()", 10), ("median_dim", "x.median(2)", 10), ("median_keep", "x.median(1, True)", 7),
]:
    family.case(f"sort.{name}", eval("lambda x: " + text, {"torch": torch}), x, opset=opset, dtypes=FLOATS[:1] if "arg" in name else FLOATS)
family.case("sort.of_nothing", lambda x: (*torch.sort(x), torch.argsort(x, descending=True), torch.msort(x.transpose(0, 2)), *torch.topk(x, 0)), tensor(B, 3, 0), opset=7)
family.case("topk.none", lambda x: (*torch.topk(x, 0, 1), *torch.topk(x, 0, 2, largest=False)), x, dtypes=FLOATS[:1] + INTS, opset=7)
family.case("sort.ties", lambda x: torch.sort(x, dim=1, stable=True), tensor(B, 6, whole=True), dtypes=FLOAT + INTS, opset=11)
family.case("sort.ties_descending", lambda x: torch.sort(x, dim=1, descending=True, stable=True), tensor(B, 6, whole=True), opset=11)
family.case("sort.integers", lambda x: torch.sort(x, 1)[0], tensor(B, 6), dtypes=INTS + SMALL_INTS + BOOL)
# Integers that round to the same float64, in order at every opset.
near = tensor(B, 6, 3, low=-900, high=900, dtype=torch.int64)
for name, text in {
    "sort": "op(x.sort(dim=1, stable=True))", "descending": "op(x.sort(dim=1, descending=True, stable=True))", "below_zero": "op((-x).sort(dim=1, stable=True))",
    "topk": "op(x.topk(3, 1))", "smallest": "op(x.topk(2, 2, largest=False))", "argsort": "x.argsort(dim=1, stable=True)", "msort": "x[0].msort() % 1009",
    "kthvalue": "op(x.kthvalue(4, 1))", "median": "op(x.median(1))", "extremes": "(*op(x.max(1)), *op(x.min(2)), x.amax() % 1009)",
    "running": "(*op(x.cummax(1)), *op(x.cummin(1)))", "mixed": "op(torch.cat([x, -x, x * 5], 2).sort(dim=2, stable=True))",
    "searchsorted": "torch.searchsorted((x + 1).transpose(1, 2).contiguous(), x[:, :3].contiguous())",
}.items():
    family.case(f"near.{name}", eval(f"lambda given: (lambda x: {text})(given + 2**60)", {"torch": torch, "op": lambda found: (found[0] % 1009, found[1])}), near)
for size in (1, 0):
    family.case(f"near.topk_open_{size}", lambda x: ((x + 2**60).topk(1, 1)[0] % 1009, (x + 2**60).topk(1, 1, largest=False)[1]),
                tensor(Dim("batch", 3, size), Dim("n", 6, 4), 2, low=-900, high=900, dtype=torch.int64))
family.case("sort.rank0", lambda x: torch.sort(x), tensor())
EMPTIED = tensor(Dim("elements", 5, 0), 2)
family.case("median.emptied", lambda x: (x.median(), x.half().median()), EMPTIED, opset=10)
family.case("nanmedian.emptied", lambda x: x.nanmedian(), EMPTIED, opset=11)
family.case("median.even", lambda x: x.median(1), tensor(B, 6))
family.case("median.integers", lambda x: x.median(1)[0], tensor(B, 6), dtypes=INTS)
family.case("bucketize.plain", lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0, 2.0])), whole)
family.case("bucketize.right", lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0, 2.0]), right=True, out_int32=True), whole)
family.case("searchsorted.plain", lambda x, y: torch.searchsorted(x.sort(-1)[0], y), tensor(B, N), tensor(B, 3), opset=11)
family.case("searchsorted.right", lambda x, y: torch.searchsorted(x, y, right=True), tensor(values=[1.0, 2.0, 3.0]), whole)
family.case("searchsorted.nan", lambda x, y: (torch.searchsorted(x, y), torch.searchsorted(x, y, right=True)),
            tensor(values=[-1.0, 0.0, INF]), tensor(values=[NAN, 0.0, INF, -INF]))
family.case("searchsorted.number_among_integers", lambda x: (torch.searchsorted(x, 2.5), torch.searchsorted(x, NAN), torch.bucketize(2.5, x),
                                                             torch.searchsorted(x, 2, right=True)), tensor(values=[1, 2, 3, 4], dtype=torch.int64))
# Unsorted bounds with NaN: the result is that of LibTorch's bisection.
UNORDERED = [3.0, NAN, 1.0, 2.0, 7.0, 4.0, NAN]
CANDIDATES = tensor(values=[NAN, 5.0, 1.0, 2.5, 3.0, 7.0, -1.0])
family.case("searchsorted.unordered", lambda x, y: (torch.searchsorted(x, y), torch.searchsorted(x, y, right=True)),
            tensor(values=UNORDERED), CANDIDATES, dtypes=FLOATS)
family.case("searchsorted.nan_last", lambda x, y: torch.searchsorted(x, y), tensor(values=[-1.0, 0.0, NAN, NAN, NAN, NAN]), CANDIDATES)
family.case("bucketize.unordered", lambda x: torch.bucketize(x, torch.tensor(UNORDERED)), CANDIDATES)
family.case("searchsorted.unordered_rows", lambda x, y: (torch.searchsorted(x, y), torch.searchsorted(x, y, right=True)),
            tensor(B, 3, 6), tensor(B, 3, 4), dtypes=FLOATS + INTS + SMALL_INTS)
for name, size in [("empty", 0), ("single", 1), ("longer", 37)]:
    family.case(f"searchsorted.moving_{name}", lambda x, y: (torch.searchsorted(x, y), torch.searchsorted(x, y, right=True)),
                tensor(B, Dim("n", 5, size)), tensor(B, N))
    family.case(f"bucketize.moving_{name}", lambda x, y: torch.bucketize(y, x), tensor(Dim("n", 5, size)), tensor(B, Dim("m", 4, size)))
family.case("unique.plain", lambda x: torch.unique(x, return_inverse=True, return_counts=True), whole, opset=11,
            dtypes=FLOATS + INTS + SMALL_INTS)
family.case("unique.not_asked", lambda x: (torch.ops.aten._unique2(x), torch.ops.aten._unique2(x, return_counts=True)), whole, opset=11)
family.case("unique.older", lambda x: (torch.ops.aten._unique(x), torch.ops.aten._unique(x, return_inverse=True)), whole, opset=11)
family.case("unique.rank0", lambda x: (torch.unique(x), *torch.unique(x, return_inverse=True, return_counts=True)), tensor(), opset=11)
family.case("unique.dim_not_asked", lambda x: (torch.ops.aten.unique_dim(x, 1), torch.ops.aten.unique_consecutive(x, dim=1)),
            tensor(2, 6, whole=True), opset=11)
family.case("unique.dim", lambda x: torch.unique(x, dim=0), tensor(6, 1, whole=True), opset=11)
for op in ("cumsum", "cumprod"):
    scope = {"op": getattr(torch, op), "torch": torch}
    family.case(f"{op}.fixed", eval("lambda x: op(x, 1)", scope), x, dtypes=FLOATS + INTS + SMALL_INTS)
    family.case(f"{op}.moving", eval("lambda x: op(x, -1)", scope), x, opset=9, dtypes=FLOATS)
    family.case(f"{op}.dtype", eval("lambda x: op(x, 0, dtype=torch.float32)", scope), x, opset=9, dtypes=INTS)
    family.case(f"{op}.bool", eval("lambda x: op(x, 1)", scope), mask(B, 3))
    family.case(f"{op}.rank0", eval("lambda x: op(x, 0)", scope), tensor())
family.case("logcumsumexp.plain", lambda x: torch.logcumsumexp(x, 1), x, dtypes=FLOATS)
family.case("cummax.plain", lambda x: torch.cummax(x, 1), whole, dtypes=FLOATS + INTS)
family.case("cummin.moving", lambda x: torch.cummin(x, 2), whole, opset=9)
family.case("diff.plain", lambda x: torch.diff(x), x, dtypes=FLOATS + INTS + BOOL)
family.case("diff.twice", lambda x: torch.diff(x, 2, 1), x)
family.case("diff.prepend", lambda x, y: torch.diff(x, dim=1, prepend=y), tensor(B, N), tensor(B, 1))
family.case("diff.not_at_all", lambda x, y: torch.diff(x, n=0, dim=1, prepend=y), tensor(B, N), tensor(B, 1))

for name, text in [
    ("whole", "op(x)"), ("dim", "op(x, 1)"), ("keep", "op(x, (0, 2), keepdim=True)"), ("moving", "op(x, -1)"),
    ("unbiased", "op(x, 2, unbiased=True)"), ("biased", "op(x, unbiased=False)"), ("correction", "op(x, 2, correction=2)"),
]:
    for op in ("var", "std", "var_mean", "std_mean"):
        family.case(f"{op}.{name}", eval("lambda x: " + text, {"op": getattr(torch, op)}), x,
                    dtypes=FLOATS if name == "dim" else FLOAT)
family.case("var.one_element", lambda x: x.var(1), tensor(B, 1))
family.case("logsumexp.keep", lambda x: torch.logsumexp(x, (0, 2), keepdim=True), x, dtypes=FLOATS + INTS)
family.case("logsumexp.large", lambda x: torch.logsumexp(x * 100, 1), x)
family.case("logsumexp.infinite", lambda x: torch.logsumexp(x.masked_fill(x < 9, float("-inf")), 1), x)
for op in ("any", "all"):
    scope = {"op": getattr(torch, op), "torch": torch}
    family.case(f"{op}.types", eval("lambda x: op(x, 1)", scope), whole, dtypes=BOOL + NUMBERS + SMALL_INTS)
    family.case(f"{op}.keep", eval("lambda x: op(x, 2, keepdim=True)", scope), mask(B, 3, N))
    family.case(f"{op}.dims", eval("lambda x: op(x, (0, 2))", scope), mask(B, 3, N))
    family.case(f"{op}.whole", eval("lambda x: op(x)", scope), mask(B, 3, N))
    family.case(f"{op}.empty", eval("lambda x: op(x, 1)", scope), mask(B, 0))
    family.case(f"{op}.rank0", eval("lambda x: op(x, 0)", scope), tensor(dtype=torch.bool))
family.case("count_nonzero.plain", lambda x: torch.count_nonzero(x), whole)
family.case("count_nonzero.dim", lambda x: torch.count_nonzero(x, (0, 2)), whole, dtypes=NUMBERS + BOOL)
for keep in (False, True):
    family.case(f"nansum.no_axes{'_keep' * keep}", eval(f"lambda x: (torch.log(x).nansum([], {keep}), torch.log(x).nanmean([], {keep}))", {"torch": torch}), x, opset=9)
family.case("nansum.plain", lambda x: torch.nansum(torch.log(x), 1), x, opset=9)
family.case("nanmean.plain", lambda x: torch.nanmean(torch.log(x), 2), tensor(B, 3, 8), opset=9)
family.case("aminmax.plain", lambda x: torch.aminmax(x), x)
family.case("aminmax.dim", lambda x: torch.aminmax(x, dim=1, keepdim=True), x, dtypes=FLOATS + INTS)
family.case("amax.bool", lambda x: (x.amax(1), x.amin(1)), mask(B, 3))
family.case("amax.whole", lambda x: (x.amax(), x.amin((0, 1, 2))), x, dtypes=NUMBERS + SMALL_INTS)
family.case("argmax.types", lambda x: (x.argmax(1), x.argmin(1)), tensor(B, 6, low=-50, high=50), dtypes=INTS + SMALL_INTS + FLOATS)
family.case("argmax.ties", lambda x: (x.argmax(1), x.argmin(1)), tensor(values=[[1.0, 2.0, 2.0, 1.0]]))
family.case("argmax.rank0", lambda x: (x.argmax(), x.argmin(0)), tensor())
for spelled, order in [("zero", 0), ("half", 0.5), ("two", 2), ("infinity", float("inf")), ("minus_infinity", float("-inf"))]:
    call = eval(f"lambda x: torch.linalg.vector_norm(x, {order}, dim=(0, 2))".replace("inf", "float('inf')"), {"torch": torch})
    family.case(f"vector_norm.{spelled}", call, x, dtypes=FLOATS if spelled == "two" else FLOAT)
for spelled, order in [("fro", "'fro'"), ("one", 1), ("infinity", "float('inf')"), ("minus_one", -1)]:
    family.case(f"matrix_norm.{spelled}", eval(f"lambda x: torch.linalg.matrix_norm(x, {order})", {"torch": torch}), x)
    family.case(f"matrix_norm.{spelled}_keep", eval(f"lambda x: torch.linalg.matrix_norm(x, {order}, (2, 0), keepdim=True)",
                                                    {"torch": torch}), x)
family.case("linalg_norm.plain", lambda x: torch.linalg.norm(x), x)
family.case("linalg_norm.dim", lambda x: torch.linalg.norm(x, 3, 1), x)
family.case("dist.plain", lambda x, y: torch.dist(x, y, 1), x, x)
family.case("sum.small_integers", lambda x: (x.sum(), x.prod()), tensor(B, 4, low=0, high=2), dtypes=SMALL_INTS + BOOL)
family.case("sum.empty_whole", lambda x: (x.sum(), x.mean(), x.prod()), tensor(0, 3))

# NaN is above every number and wins every extreme; also in operators that only move elements.
holed = tensor(values=[[NAN, 1.0, -2.0, 3.0], [1.0, NAN, NAN, 0.0], [INF, -INF, 2.0, 2.0], [-1.0, NAN, INF, -INF]])
for name, text, opset in [
    ("max", "(x.max(), x.max(1), x.max(0, keepdim=True), x.amax((0, 1)), x.amax(1))", 7),
    ("min", "(x.min(), x.min(1), x.min(0, keepdim=True), x.amin((0, 1)), x.aminmax(dim=1))", 7),
    ("arg", "(x.argmax(), x.argmin(), x.argmax(1), x.argmin(0, keepdim=True))", 7),
    ("sort", "(x.sort(dim=1, stable=True), x.sort(dim=0, descending=True, stable=True), x.argsort(dim=1, stable=True), x.msort())", 7),
    ("topk", "(x.topk(2, 1)[0], x.topk(3, 1, largest=False)[0], x.topk(1, 0))", 7),
    ("kthvalue", "(x.kthvalue(3, 1)[0], x.kthvalue(1, 0)[0])", 7),
    ("median", "(x.median(), x.median(1), x.median(0, keepdim=True), (x * 0 + 1).nan_to_num().median(1)[0])", 9),
    ("cummax", "(x.cummax(1), x.cummin(0))", 7),
    ("norm", "(torch.linalg.vector_norm(x, INF, 1), torch.linalg.vector_norm(x, -INF), torch.linalg.matrix_norm(x, INF))", 7),
    ("sign", "(x.sign(), x.sgn(), torch.nn.functional.softshrink(x))", 7),
    ("unique", "torch.unique(x, return_inverse=True, return_counts=True)", 11),
    ("unique_rows", "torch.unique(x, dim=0)[:, :2].nan_to_num().sum(0)", 11),
    ("of_a_bias", "torch.addmm(torch.ones(4, dtype=x.dtype), x, x).amax(1)", 7),
    ("of_a_constant", "(torch.tensor([[1.0, NAN], [3.0, 2.0]]) + x[:2, :2].nan_to_num().long()).amax(1)", 9),
    ("after_a_product", "((x @ x.T).amax(1), torch.cat((x, x)).argmax(0))", 7),
    ("of_the_program", "x.nan_to_num().masked_fill(x > 0, NAN).amax(1)", 9),
]:
    scope = {"torch": torch, "INF": INF, "NAN": NAN}
    family.case(f"nan.{name}", eval("lambda x: " + text, scope), holed, opset=opset, dtypes=FLOATS[:1] + (torch.float64,))
family.case("nan.of_integers", lambda x: ((x / (x * 0)).amax(1), (x / 0).max(1)[0], x.log().median(), x.log().sort(1)[0], x.log().sign()),
            tensor(values=[[0, 1, 2], [-1, 0, 3]]), opset=9)
for name in ("amax", "amin"):
    family.case(f"nan.scatter_{name}", eval(f"lambda x: torch.ones(4, 4).scatter_reduce(1, torch.tensor([[0, 0, 1, 1]] * 4), x, '{name}')",
                                            {"torch": torch}), holed, opset=9)
