"""Reductions: over all elements, over axes, with another dtype, with indices."""
import torch

from case import FLOAT, FLOATS, INTS, NUMBERS, Dim, Family, mask, tensor

family = Family("reduction", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 3)
x = tensor(B, 3, N)
whole = tensor(B, 3, N, whole=True)

for name in ("sum", "mean"):
    dtypes = NUMBERS if name == "sum" else FLOATS
    scope = {"op": getattr(torch, name), "torch": torch}
    call = lambda text: eval("lambda x: " + text, scope)
    family.case(name + ".whole", call("op(x)"), x, dtypes=dtypes)
    family.case(name + ".whole_rank0", call("op(x)"), tensor())
    family.case(name + ".dim", call("op(x, 1)"), x, dtypes=dtypes)
    family.case(name + ".dim_keep", call("op(x, 1, keepdim=True)"), x, dtypes=dtypes)
    family.case(name + ".dim_negative", call("op(x, -1)"), x)
    family.case(name + ".dims", call("op(x, (0, -1))"), x, dtypes=dtypes)
    family.case(name + ".dims_keep", call("op(x, (1, 2), keepdim=True)"), x)
    family.case(name + ".dims_empty", call("op(x, ())"), x)
    family.case(name + ".dims_none", call("op(x, None)"), x)
    family.case(name + ".dims_none_keep", call("op(x, None, keepdim=True)"), x)
    family.case(name + ".dtype", call("op(x, 1, dtype=torch.float32)"), x, dtypes=(torch.float16,) + INTS)
    family.case(name + ".dtype_whole", call("op(x, dtype=torch.float32)"), x, dtypes=(torch.float16,) + INTS)
    family.case(name + ".dtype_double", call("op(x, 1, dtype=torch.float64)"), x)
    family.case(name + ".empty_axis", call("op(x, 1)"), tensor(B, 3, 0))
family.case("sum.integer", lambda x: x.sum(1), x, dtypes=(torch.int32, torch.int8, torch.uint8, torch.int64))
family.case("sum.bool", lambda x: x.sum(), mask(B, N))
family.case("sum.bool_dim", lambda x: x.sum(1), mask(B, N))
family.case("sum.of_empty", lambda x: x.sum(2), tensor(B, 3, 0))
family.case("prod.whole", lambda x: torch.prod(x), tensor(B, N, low=0.5, high=1.5), dtypes=FLOATS + INTS)
family.case("prod.dim", lambda x: torch.prod(x, 1), x, dtypes=NUMBERS)
family.case("prod.dim_keep", lambda x: torch.prod(x, -2, keepdim=True), x, dtypes=FLOATS)
family.case("prod.dtype", lambda x: torch.prod(x, 1, dtype=torch.float32), x, dtypes=(torch.float16,) + INTS)
family.case("prod.integer", lambda x: torch.prod(x, 1), x, dtypes=(torch.int32, torch.int8))
family.case("prod.whole_dtype", lambda x: torch.prod(x, dtype=torch.float32), tensor(B, N, low=1, high=2), dtypes=INTS[:1])

# Integers beyond 2**53, not all representable in float64; the remainder shows the last digits.
far = tensor(B, 3, N, dtype=torch.int64)
for name, text in {
    "sum": "x.sum(1)", "sum_keep": "x.sum((0, 2), keepdim=True)", "sum_whole": "x.sum()", "sum_empty": "x[:, :0].sum(1)", "sum_number": "x[0, 0, 0].sum()",
    "nansum": "x.nansum(-1)", "sum_to_size": "x.sum_to_size(3, 1)", "trace": "x[0].trace()", "prod": "x.prod(1)", "prod_open": "x.prod(2, keepdim=True)",
    "prod_batch": "x.prod(0)", "prod_whole": "x.prod()", "prod_empty": "x[:, :0].prod(1)", "prod_number": "x[0, 0, 0].prod()", "prod_of_int32": "(x.int() + 7).prod()",
    "cumsum": "x.cumsum(1)", "cumprod": "x.cumprod(1)", "cumprod_open": "x.cumprod(-1)", "cumprod_batch": "x.cumprod(0)", "cumprod_empty": "x[:, :0].cumprod(1)",
    "vander": "torch.vander(x[0, 0], 4)", "vander_rising": "torch.linalg.vander(x[0], N=5)", "relu": "x.relu()", "full": "torch.full_like(x, 2**53 + 1)",
    "threshold": "torch.nn.functional.threshold(x, 5, 2**53 + 1)",
}.items():
    family.case(f"far.{name}", eval(f"lambda x: ({text.replace('x', '(x * (2**53 + 3) + x)', 1)}) % 1009"), far, opset=9)
# Beyond the range of the requested dtype: LibTorch's integers wrap around.
wide = tensor(values=[[[2**31 - 5, 200, -90], [7, 99, -2**31 + 3]], [[2**30 + 9, 77, -101], [2**30 + 11, 131, -2**31 + 9]]], dtype=torch.int64)
for name, text in {
    "sum": "x.sum(0, dtype=T)", "sum_keep": "x.sum((0, 2), keepdim=True, dtype=T)", "sum_whole": "x.sum(dtype=T)", "sum_number": "x[0, 0, 0].sum(dtype=T)",
    "prod": "x.prod(0, dtype=T)", "prod_keep": "x.prod(1, keepdim=True, dtype=T)", "prod_whole": "x.prod(dtype=T)", "prod_number": "x[0, 0, 0].prod(dtype=T)",
    "sum_empty": "x[:0].sum(0, dtype=T)", "prod_empty": "x[:0].prod(0, dtype=T)",
}.items():
    for dtype in ("int32", "int16", "int8", "uint8"):
        family.case(f"wrapped.{name}_{dtype}", eval(f"lambda x: {text.replace('=T)', f'=torch.{dtype})')}", {"torch": torch}), wide, dtypes=(torch.int64, torch.int32))
family.case("wrapped.sum_open", lambda x: (x * 2**30).sum(0, dtype=torch.int32), tensor(B, 3, dtype=torch.int32))
family.case("wrapped.prod_open", lambda x: (x * 2**12 + 3).prod(0, dtype=torch.int32), tensor(B, 3, dtype=torch.int32), opset=8)
for name in ("sum", "prod"):
    family.case(f"{name}.to_bool", eval(f"lambda x: x.{name}(1, dtype=torch.bool)"), tensor(values=[[0, 0, 0], [2, 0, 1], [3, 4, 256]], dtype=torch.int64))
scattered = tensor(values=[[0, 2, 1, 1], [1, 1, 0, 0]], dtype=torch.int64)
for name in ("scatter_add(0, i, x)", "scatter_reduce(0, i, x, 'prod')", "index_add(1, i[0], x[:, :4])"):
    family.case("far." + name.split("(")[0], eval(f"lambda x, i: (x * (2**53 + 3) + x).{name} % 1009"), tensor(3, 4, dtype=torch.int64), scattered, opset=9)
F = torch.nn.functional
picture = tensor(B, 2, Dim("height", 6, 9), 7, low=-900, high=900, dtype=torch.int64)
for name, text in {
    "plain": "max_pool2d(x, 2)", "padded": "max_pool2d(x, 3, 2, 1)", "dilated": "max_pool2d(x, 2, 1, 0, 2)", "ceil": "max_pool2d(x, 3, 2, 1, 1, True)",
    "indices": "max_pool2d(x, 3, 2, 1, return_indices=True)[0]", "volume": "max_pool3d(x, (1, 2, 3), 2, (0, 1, 1))",
}.items():
    family.case(f"far.max_pool_{name}", eval(f"lambda x: F.{text.replace('x,', '(x * (2**53 + 3) + x),', 1)} % 1009"), picture, opset=8 if name == "indices" else 7)
family.case("far.max_pool_places", lambda x: F.max_pool2d(x * (2**53 + 3) + x, 3, 2, 1, return_indices=True)[1], picture, opset=8)
family.case("far.pixel_shuffle", lambda x: F.pixel_shuffle(x * (2**53 + 3) + x, 2) % 1009, tensor(B, 8, 3, N, dtype=torch.int64), opset=9)

for name in ("max", "min"):
    scope = {"op": getattr(torch, name)}
    call = lambda text: eval("lambda x: " + text, scope)
    family.case(name + ".whole", call("op(x)"), x, dtypes=NUMBERS + (torch.int8,))
    family.case(name + ".whole_rank0", call("op(x)"), tensor())
    family.case(name + ".dim", call("op(x, 1)"), x, dtypes=FLOATS)
    family.case(name + ".dim_integer", call("op(x, 1)[0]"), x, dtypes=INTS)
    family.case(name + ".dim_keep", call("op(x, -1, keepdim=True)"), x, dtypes=FLOATS)
    family.case(name + ".dim_values_only", call("op(x, 0)[0]"), x)
    family.case(name + ".dim_indices_only", call("op(x, 0)[1]"), x)
    family.case(name + ".dim_ties", call("op(x, 2)[0]"), whole)
    family.case(name + ".dim_rank1", call("op(x, 0)"), tensor(N))
    family.case(name + ".other", eval("lambda x, y: op(x, y)", scope), x, x, dtypes=NUMBERS + (torch.int8,))
    family.case(name + ".other_broadcast", eval("lambda x, y: op(x, y)", scope), tensor(B, 1, N), tensor(3, 1), dtypes=FLOATS)
    family.case(name + ".other_mixed", eval("lambda x, y: op(x, y)", scope), x, tensor(B, 3, N, dtype=torch.int64))
    scope = {"op": getattr(torch, "a" + name)}
    family.case(f"a{name}.dims", eval("lambda x: op(x, (0, 2))", scope), x, dtypes=FLOATS)
    family.case(f"a{name}.keep", eval("lambda x: op(x, 1, keepdim=True)", scope), x)
    scope = {"op": getattr(torch, "arg" + name)}
    family.case(f"arg{name}.dim", eval("lambda x: op(x, 1)", scope), x, dtypes=FLOATS)
    family.case(f"arg{name}.keep", eval("lambda x: op(x, -1, keepdim=True)", scope), x)
    family.case(f"arg{name}.whole", eval("lambda x: op(x)", scope), x)
    family.case(f"arg{name}.whole_keep", eval("lambda x: op(x, keepdim=True)", scope), x)
family.case("norm.plain", lambda x: torch.norm(x), x, dtypes=FLOATS)
family.case("norm.dim", lambda x: torch.norm(x, 2, 1), x, dtypes=FLOATS)
family.case("norm.one", lambda x: torch.norm(x, 1, -1, keepdim=True), x)
family.case("norm.three", lambda x: torch.norm(x, 3, (0, 1)), x)
family.case("norm.infinity", lambda x: torch.norm(x, float("inf"), 1), x)
family.case("norm.frobenius", lambda x: torch.norm(x, "fro", (1, 2)), x)
family.case("norm.dtype", lambda x: torch.norm(x, 2, 1, dtype=torch.float32), tensor(B, 3, N, dtype=torch.float16))
for order in ("2", "1", "0", "3.5", "float('inf')", "float('-inf')"):
    spelled = order.replace("float('", "").replace("')", "").replace("-", "minus_").replace(".", "_")
    family.case(f"vector_norm.order_{spelled}", eval(f"lambda x: torch.linalg.vector_norm(x, {order}, dim=1, keepdim=True)",
                {"torch": torch, "float": float}), x)
for sizes in ((3, 1), (1, 1), (1,)):
    spelled = "_".join(map(str, sizes))
    family.case(f"vector_norm.last_of_{spelled}", lambda x: (torch.linalg.vector_norm(x, dim=-1), torch.linalg.norm(x, dim=-1)), tensor(*sizes))
family.case("vector_norm.whole", lambda x: torch.linalg.vector_norm(x), x)
family.case("normalize.plain", lambda x: torch.nn.functional.normalize(x, dim=-1), x, dtypes=FLOATS)
family.case("std.dim", lambda x: torch.std(x, 1), x)
family.case("std.biased", lambda x: torch.std(x, 1, unbiased=False, keepdim=True), x)
family.case("var.whole", lambda x: torch.var(x), x)
family.case("var.dims", lambda x: torch.var(x, (0, 1)), x)
family.case("var_mean.dim", lambda x: torch.var_mean(x, 1), x)
family.case("logsumexp.dim", lambda x: torch.logsumexp(x, 1), x)
family.case("all.whole", lambda x: torch.all(x), mask(B, N))
family.case("any.dim", lambda x: torch.any(x, 1), mask(B, N))
family.case("any.no_dims", lambda x: (torch.any(x, dim=[]), torch.all(x, dim=[], keepdim=True), torch.any(x, dim=None)), tensor(B, N, whole=True),
            dtypes=(torch.float32, torch.uint8, torch.int8))
family.case("cumsum.long", lambda x: (x.repeat(40000).cumsum(0)[-4:], torch.cumulative_trapezoid(x.repeat(40000))[-4:]), tensor(values=[0.1, 0.7, 0.3]),
            rtol=1e-6, opset=11)
family.case("cumsum.dim", lambda x: torch.cumsum(x, 1), x, dtypes=FLOAT + INTS, opset=11)
family.case("topk.plain", lambda x: torch.topk(x, 2, -1), tensor(B, N), opset=11)
