"""Elementwise arithmetic, comparison and mathematical functions."""
import torch

from case import ALL_NUMBERS, BOOL, FLOAT, FLOATS, INTS, NUMBERS, SMALL_INTS, Dim, Family, mask, tensor

family = Family("elementwise", opset=7)
NAN, INF = float("nan"), float("inf")
B = Dim("batch", 2, 5)
N = Dim("n", 4, 7)

# Functions of one tensor: (operator, lowest value, highest value, oldest opset that supports it).
for name, low, high, opset in [
    ("abs", -3, 3, 7), ("neg", -3, 3, 7), ("exp", -2, 2, 7), ("log", 0.1, 4, 7), ("sqrt", 0, 5, 7), ("sin", -4, 4, 7),
    ("cos", -4, 4, 7), ("tan", -1.2, 1.2, 7), ("asin", -1, 1, 7), ("acos", -1, 1, 7), ("atan", -4, 4, 7),
    ("tanh", -3, 3, 7), ("sigmoid", -6, 6, 7), ("sinh", -2, 2, 9), ("cosh", -2, 2, 9), ("asinh", -2, 2, 9),
    ("acosh", 1, 4, 9), ("atanh", -0.9, 0.9, 9), ("erf", -2, 2, 9), ("floor", -3, 3, 7), ("ceil", -3, 3, 7),
    ("round", -3, 3, 11), ("sign", -3, 3, 9), ("reciprocal", 0.5, 3, 7), ("rsqrt", 0.2, 4, 7), ("square", -3, 3, 7),
    ("log2", 0.1, 4, 7), ("log10", 0.1, 4, 7), ("log1p", -0.5, 4, 7), ("expm1", -2, 2, 7), ("trunc", -3, 3, 7),
    ("frac", -3, 3, 7),
]:
    function = getattr(torch, name)
    scope = {"function": function}
    family.case(name + ".plain", eval("lambda x: function(x)", scope), tensor(B, 3, N, low=low, high=high), dtypes=FLOATS,
                opset=opset)
for name in ("abs", "neg"):
    scope = {"function": getattr(torch, name)}
    family.case(name + ".integer", eval("lambda x: function(x)", scope), tensor(B, N), dtypes=INTS + (torch.int8,))
for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sigmoid", "atan", "reciprocal"):
    # Integer input, float output.
    scope = {"function": getattr(torch, name)}
    family.case(name + ".of_integer", eval("lambda x: function(x)", scope), tensor(B, N, low=1, high=4), dtypes=INTS[:1])
family.case("exp.rank0", lambda x: torch.exp(x), tensor())
family.case("exp.empty", lambda x: torch.exp(x), tensor(0, 3))
family.case("neg.method", lambda x: -x, tensor(B, 3))

for name in ("add", "sub", "mul", "div"):
    scope = {"op": getattr(torch, name)}
    call = lambda text: eval(text, scope)
    family.case(name + ".tensor", call("lambda x, y: op(x, y)"), tensor(B, 3, N, low=1), tensor(B, 3, N, low=1),
                dtypes=ALL_NUMBERS)
    family.case(name + ".broadcast", call("lambda x, y: op(x, y)"), tensor(B, 1, N, low=1), tensor(3, 1, low=1), dtypes=NUMBERS)
    family.case(name + ".broadcast_rank0", call("lambda x, y: op(x, y)"), tensor(B, N, low=1), tensor(low=1))
    family.case(name + ".rank0_left", call("lambda x, y: op(x, y)"), tensor(low=1), tensor(B, N, low=1))
    family.case(name + ".scalar", call("lambda x: op(x, 2)"), tensor(B, N), dtypes=ALL_NUMBERS)
    family.case(name + ".scalar_float", call("lambda x: op(x, 1.5)"), tensor(B, N), dtypes=NUMBERS)
    family.case(name + ".scalar_float_of_rank0", call("lambda x: op(x, 1.5)"), tensor(), dtypes=INTS[:1])
    family.case(name + ".scalar_left", call(f"lambda x: 3 {dict(add='+', sub='-', mul='*', div='/')[name]} x"),
                tensor(B, N, low=1), dtypes=NUMBERS)
    family.case(name + ".mixed", call("lambda x, y: op(x, y)"), tensor(B, N, dtype=torch.int64, low=1), tensor(B, N, low=1),
                dtypes=FLOATS)
    family.case(name + ".mixed_rank0", call("lambda x, y: op(x, y)"), tensor(B, N, dtype=torch.float32),
                tensor(dtype=torch.float64, low=1))
    family.case(name + ".mixed_integer", call("lambda x, y: op(x, y)"), tensor(B, N, dtype=torch.int32, low=1),
                tensor(B, N, dtype=torch.int64, low=1))
    family.case(name + ".empty", call("lambda x, y: op(x, y)"), tensor(0, 3), tensor(1, 3, low=1))
for name in ("add", "sub"):
    scope = {"op": getattr(torch, name)}
    call = lambda text: eval(text, scope)
    family.case(name + ".alpha", call("lambda x, y: op(x, y, alpha=2)"), tensor(B, N), tensor(B, N), dtypes=NUMBERS)
    family.case(name + ".alpha_float", call("lambda x, y: op(x, y, alpha=0.5)"), tensor(B, N), tensor(N), dtypes=FLOATS)
    family.case(name + ".alpha_scalar", call("lambda x: op(x, 3, alpha=2)"), tensor(B, N), dtypes=NUMBERS)
    family.case(name + ".alpha_mixed", call("lambda x, y: op(x, y, alpha=2)"), tensor(B, N, dtype=torch.int64),
                tensor(N, dtype=torch.float32))
family.case("add.bool", lambda x, y: torch.add(x, y), mask(B, N), tensor(B, N), dtypes=NUMBERS)
family.case("add.bool_bool", lambda x, y: torch.add(x, y), mask(B, N), mask(B, N))
family.case("mul.bool", lambda x, y: x * y, mask(B, N), tensor(B, N), dtypes=NUMBERS)
family.case("mul.bool_bool", lambda x, y: x * y, mask(B, N), mask(B, N))
family.case("_add_relu.plain", lambda x, y: torch.ops.aten._add_relu(x, y), tensor(B, N), tensor(N), dtypes=INTS + FLOAT)
family.case("_add_relu.alpha", lambda x, y: torch.ops.aten._add_relu(x, y, alpha=-2), tensor(B, N, dtype=torch.float64), tensor(B, 1))
family.case("_add_relu.scalar", lambda x: torch.ops.aten._add_relu(x, -0.5, 2), tensor(B, N))
family.case("_add_relu.large", lambda x: torch.ops.aten._add_relu(x * float("inf"), x.abs()), tensor(B, N, low=1, high=2))
family.case("rsub.alpha", lambda x: torch.rsub(x, 5, alpha=2), tensor(B, N), dtypes=NUMBERS)
family.case("rsub.tensor", lambda x, y: torch.rsub(x, y), tensor(B, N), tensor(N))

for mode in ("floor", "trunc"):
    scope = {"mode": mode, "torch": torch}
    divide = eval("lambda x, y: torch.div(x, y, rounding_mode=mode)", scope)
    family.case(f"div.{mode}", divide, tensor(B, N, low=-9, high=9), tensor(B, N, low=1, high=4), dtypes=FLOATS)
    family.case(f"div.{mode}_integer", divide, tensor(B, N, low=-9, high=9), tensor(B, N, low=1, high=4),
                dtypes=INTS + SMALL_INTS)
    family.case(f"div.{mode}_negative", divide, tensor(B, N, low=-9, high=9), tensor(B, N, low=-4, high=-1), dtypes=NUMBERS)
    family.case(f"div.{mode}_scalar", eval("lambda x: torch.div(x, -2, rounding_mode=mode)", scope),
                tensor(B, N, low=-9, high=9), dtypes=NUMBERS)
family.case("div.integers", lambda x, y: x / y, tensor(B, N, low=-9, high=9), tensor(B, N, low=1, high=4), dtypes=INTS)
family.case("floor_divide.tensor", lambda x, y: torch.floor_divide(x, y), tensor(B, N, low=-9, high=9),
            tensor(B, N, low=1, high=4), dtypes=NUMBERS)
for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
    ends = torch.iinfo(dtype)
    outermost = [n for n in (ends.min, ends.min + 1, ends.max, -5) for _ in range(5)]
    family.case(f"floor_divide.ends_of_{str(dtype).removeprefix('torch.')}", lambda x, y: (torch.floor_divide(x, y), x % y, torch.fmod(x, y)),
                tensor(values=outermost), tensor(values=[10, -10, 3, ends.max, -7] * 4), dtypes=(dtype,))
DIVIDENDS = [INF, -INF, NAN, 1.0, -1.0, 0.0, 5.0, -5.0, 1.0, 0.3, -0.0, 7.0, -7.5]
DIVISORS = [1.0, 2.0, 1.0, INF, INF, 0.0, -INF, 0.0, NAN, 0.1, INF, -2.0, -0.5]
# LibTorch divides INT_MIN by -1 without an error; ONNX Runtime's operators crash the process.
for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
    name, signed = str(dtype).removeprefix("torch."), tensor(values=[torch.iinfo(dtype).min, 7, -7])
    family.case(f"floor_divide.least_of_{name}", lambda x, y: (x // y, torch.div(x, y, rounding_mode="floor"), x // -1), signed,
                tensor(values=[-1, 2, -1]), dtypes=(dtype,))
    family.case(f"remainder.least_of_{name}", lambda x, y: (x % y, torch.fmod(x, y), x % -1, torch.fmod(x, -1)), signed,
                tensor(values=[-1, 2, -1]), dtypes=(dtype,))
family.case("floor_divide.infinite", lambda x, y: (x // y, x // 2, x // 3.0, x // -INF), tensor(values=DIVIDENDS), tensor(values=DIVISORS),
            dtypes=FLOATS + (torch.float64,))
family.case("floor_divide.infinite_by_zero", lambda x, y: (x // y, x // 0.0, torch.div(x, y, rounding_mode="floor")),
            tensor(values=[INF, -INF, INF, NAN, 2.0, 0.0]), tensor(values=[0.0, 0.0, -0.0, 0.0, 0.0, 0.0]), dtypes=FLOATS)
family.case("floor_divide.sign_of_zero", lambda x: 1 / (x // 2), tensor(values=[-0.0, 0.0, 0.5, -3.0]), dtypes=FLOATS)
family.case("remainder.infinite", lambda x, y: (x % y, torch.fmod(x, y)), tensor(values=DIVIDENDS), tensor(values=DIVISORS), dtypes=FLOATS)
TENTHS = [n / 10 for n in range(-40, 41)]
family.case("floor_divide.decimal", lambda x: (x // 0.1, torch.div(x, 0.3, rounding_mode="floor"), torch.div(x, 0.1, rounding_mode="trunc")),
            tensor(values=TENTHS), dtypes=FLOATS + (torch.float64,), opset=7)
# In half precision LibTorch rounds the steps of a division by a tensor, but not by a scalar or a tensor of one element.
DIVISOR_HALVES = [0.3, -0.7, 0.1, 3.0, -0.001, 0.0, INF, 65504.0, 0.02]
whole_quotients = lambda x, y: (x // y, torch.div(x, y, rounding_mode="floor"), torch.div(x, y, rounding_mode="trunc"))
MORE_TENTHS = tensor(values=DIVIDENDS + TENTHS + [0.7, 1000.0, 2049.0, -6000.0, 1e-7])
family.case("floor_divide.steps", lambda x, y: whole_quotients(x.unsqueeze(1), y), MORE_TENTHS, tensor(values=DIVISOR_HALVES), dtypes=FLOATS,
            rtol=1e-6, atol=1e-6)
family.case("floor_divide.steps_sign_of_zero", lambda x, y: 1 / torch.div(x.unsqueeze(1), y, rounding_mode="floor"), MORE_TENTHS,
            tensor(values=DIVISOR_HALVES))
for size, divisor in (("one", tensor(values=[0.3])), ("rank_zero", tensor(values=0.3)), ("run_time", tensor(Dim("n", 3, 1), low=0.1, high=0.4)),
                      ("run_time_later", tensor(1, Dim("n", 1, 3), low=0.1, high=0.4))):
    family.case(f"floor_divide.steps_{size}", lambda x, y: whole_quotients(x.unsqueeze(1), y), tensor(values=TENTHS), divisor, dtypes=FLOATS, rtol=1e-6, atol=1e-6)
family.case("fmod.decimal", lambda x, y: (x // y, x % y, torch.fmod(x, y)), tensor(values=DIVIDENDS + TENTHS),
            tensor(values=DIVISORS + [0.1, -0.3, 1e-9] * 27), dtypes=(torch.float64,))
family.case("fmod.far", lambda x, y: (x % y, torch.fmod(x, y), x % 3.7, torch.fmod(x, -7.7), x // 1e305), tensor(values=[1e20, -3e25, 1e300, -1e308, 2.0 ** 60 + 2 ** 10, 3.3, 0.0, 1e-320]),
            tensor(values=[3.0, -7.7, 0.1, 3e307, 1e305, 1e-60, 5.0, 1e-322]), dtypes=(torch.float64,), rtol=1e-12, atol=1e-320)
# Integers whose upper halves are equal, with lower halves on both sides of 2**31.
HALVES = tensor(values=[0, 1, -1, 7, 2**31, 2**31 + 5, -2**31, -2**31 - 1, 2**32 - 1, 2**32, -2**32, 1732000000000, 1734000000000, -1734000000000], dtype=torch.int64)
family.case("maximum.halves", lambda x: (torch.maximum(x.unsqueeze(1), x), torch.minimum(x.unsqueeze(1), x), torch.fmax(x, x.flip(0)), torch.max(x, x * 0 + 5)), HALVES)
family.case("clamp.halves", lambda x: (x.clamp(0, 6), x.clamp(min=5), x.clamp(max=1733000000000), x.clamp(-9, 2**33), x.clamp(x.flip(0) - 5, x), x.clamp_min(2**31 + 1)), HALVES)
family.case("sign.halves", lambda x: (x.sign(), x.sgn(), x.relu(), torch.nn.functional.relu6(x), torch.nn.functional.hardtanh(x, -3, 3)), HALVES)
family.case("round.infinite", lambda x: torch.round(x), tensor(values=[INF, -INF, NAN, 2.5, -3.5, 0.5, 1e15 + 0.5]),
            dtypes=FLOATS + (torch.float64,))
# A recording stores the scalar of both as one constant; in a sum it stays a scalar, in a division with a mode it is a
# tensor.
family.case("div.number_of_several", lambda x: (x / 2.5, torch.div(x, 2.5, rounding_mode="floor").float(), (x // 2.5).float(), x + 2.5),
            tensor(B, N, low=-9, high=9), dtypes=INTS)
family.case("floor_divide.scalar", lambda x: x // 2, tensor(B, N, low=-9, high=9), dtypes=NUMBERS)
family.case("remainder.tensor", lambda x, y: torch.remainder(x, y), tensor(B, N, low=-9, high=9),
            tensor(B, N, low=1, high=4), dtypes=NUMBERS)
family.case("remainder.negative", lambda x, y: x % y, tensor(B, N, low=-9, high=9), tensor(B, N, low=-4, high=-1), dtypes=NUMBERS)
family.case("remainder.scalar", lambda x: x % 4, tensor(B, N, low=-9, high=9), dtypes=NUMBERS)
family.case("fmod.tensor", lambda x, y: torch.fmod(x, y), tensor(B, N, low=-9, high=9), tensor(B, N, low=1, high=4),
            dtypes=NUMBERS)

family.case("pow.scalar", lambda x: x ** 2, tensor(B, N), dtypes=NUMBERS)
family.case("pow.one_of_higher_rank", lambda x: (x ** torch.ones(1, 1), x ** torch.full((1, 1), 0.5), x.ceil().int() ** torch.full((1, 1), 2),
                                              x ** torch.full((1,), 1.0)),
            tensor(N, low=0.1))
family.case("pow.cube", lambda x: torch.pow(x, 3), tensor(B, N), dtypes=NUMBERS)
family.case("pow.half", lambda x: torch.pow(x, 0.5), tensor(B, N, low=0.1), dtypes=FLOATS)
family.case("pow.negative", lambda x: torch.pow(x, -1.5), tensor(B, N, low=0.5), dtypes=FLOATS)
family.case("pow.zero", lambda x: torch.pow(x, 0), tensor(B, N), dtypes=NUMBERS)
family.case("pow.integer_to_float", lambda x: torch.pow(x, 1.5), tensor(B, N, low=1), dtypes=INTS)
family.case("pow.tensor", lambda x, y: torch.pow(x, y), tensor(B, N, low=0.5), tensor(B, N), dtypes=FLOATS)
family.case("pow.tensor_integer", lambda x, y: torch.pow(x, y), tensor(B, N), tensor(B, N, low=0), dtypes=INTS)
family.case("pow.exact", lambda x: x ** 39, tensor(values=[3, -3, 1, 0, 7], dtype=torch.int64))
family.case("pow.exact_tensor", lambda x, y: x ** y, tensor(values=[3, -7, -1, 1, 0, 2, 5, -1], dtype=torch.int64),
            tensor(values=[39, 22, -3, -2, 0, 63, -1, 70], dtype=torch.int64))
family.case("pow.exact_reversed", lambda y: 3 ** y, tensor(values=[0, 1, 39, 41, -2], dtype=torch.int64))
family.case("pow.wraps", lambda x, y: x ** y, tensor(values=[[3], [-5]], dtype=torch.int32), tensor(values=[2, 21, 33], dtype=torch.int32))
family.case("pow.tensor_broadcast", lambda x, y: torch.pow(x, y), tensor(B, 1, N, low=0.5), tensor(3, 1))
family.case("pow.mixed", lambda x, y: torch.pow(x, y), tensor(B, N, low=0.5), tensor(B, N, dtype=torch.int64))
family.case("pow.mixed_base", lambda x, y: torch.pow(x, y), tensor(B, N, low=1, dtype=torch.int64), tensor(B, N))
family.case("pow.base_scalar", lambda x: 2 ** x, tensor(B, N, low=0), dtypes=NUMBERS)
family.case("pow.base_float", lambda x: 1.5 ** x, tensor(B, N), dtypes=FLOATS + INTS[:1])

for name in ("eq", "ne", "gt", "lt", "ge", "le"):
    scope = {"op": getattr(torch, name)}
    call = lambda text: eval(text, scope)
    family.case(name + ".tensor", call("lambda x, y: op(x, y)"), tensor(B, N, whole=True), tensor(B, N, whole=True),
                dtypes=ALL_NUMBERS)
    family.case(name + ".broadcast", call("lambda x, y: op(x, y)"), tensor(B, 1, N, whole=True), tensor(3, 1, whole=True),
                dtypes=NUMBERS)
    family.case(name + ".scalar", call("lambda x: op(x, 1)"), tensor(B, N, whole=True), dtypes=NUMBERS)
    family.case(name + ".scalar_float", call("lambda x: op(x, 0.5)"), tensor(B, N), dtypes=FLOATS + INTS)
    family.case(name + ".mixed", call("lambda x, y: op(x, y)"), tensor(B, N, whole=True), tensor(B, N, dtype=torch.int64))
    family.case(name + ".bool", call("lambda x, y: op(x, y)"), mask(B, N), mask(B, N))
    family.case(name + ".rank0", call("lambda x, y: op(x, y)"), tensor(whole=True), tensor(whole=True))
family.case("eq.bool_scalar", lambda x: x == 1, mask(B, N))
family.case("eq.large_integer", lambda x, y: x == y, tensor(values=[2 ** 53, 2 ** 40 + 1, 5]),
            tensor(values=[2 ** 53 + 1, 2 ** 40 + 1, 5]), dtypes=INTS[:1])

family.case("clamp.both", lambda x: torch.clamp(x, -1, 2), tensor(B, N), dtypes=NUMBERS)
family.case("clamp.float_bounds", lambda x: x.clamp(-0.5, 1.5), tensor(B, N), dtypes=FLOATS)
family.case("clamp.float_bounds_of_integer", lambda x: x.clamp(-0.5, 1.5), tensor(B, N), dtypes=INTS)
family.case("clamp.low_only", lambda x: x.clamp(min=0.5), tensor(B, N), dtypes=FLOATS)
family.case("clamp.high_only", lambda x: x.clamp(max=1), tensor(B, N), dtypes=NUMBERS)
family.case("clamp.crossed", lambda x: x.clamp(2, -1), tensor(B, N), dtypes=FLOATS)
family.case("clamp.tensor_bounds", lambda x, low, high: torch.clamp(x, low, high), tensor(B, N), tensor(N, low=-2, high=0),
            tensor(B, 1, low=0, high=2), dtypes=NUMBERS)
family.case("clamp.tensor_low", lambda x, low: torch.clamp(x, min=low), tensor(B, N), tensor(N), dtypes=NUMBERS)
family.case("clamp.tensor_high", lambda x, high: torch.clamp(x, max=high), tensor(B, N), tensor(N))
family.case("clamp.tensor_crossed", lambda x, low, high: torch.clamp(x, low, high), tensor(B, N), tensor(N, low=1, high=3),
            tensor(N, low=-3, high=0))
family.case("clamp.nan", lambda x: x.clamp(-1, 1), tensor(values=[NAN, -INF, INF, 0.5, 4.0]))
family.case("clamp.lone_bound_that_is_nan", lambda x: (x.clamp(min=NAN), x.clamp(max=NAN), x.clamp_min(NAN), torch.clamp(x, min=torch.tensor(NAN))),
            tensor(values=[NAN, -INF, INF, 0.5, 4.0]), dtypes=FLOATS)
family.case("clamp.low_of_infinity", lambda x: x.clamp(min=0.5), tensor(values=[NAN, -INF, INF, 0.0, 4.0]), dtypes=FLOATS)
family.case("clamp.high_of_infinity", lambda x: x.clamp(max=1), tensor(values=[NAN, -INF, INF, 0.0, 4.0]), dtypes=FLOATS)
family.case("clamp.bound_that_is_nan", lambda x: (x.clamp(float("nan"), 1.0), x.clamp(0.0, float("nan"))), tensor(values=[NAN, -INF, INF, 0.0, 4.0]), dtypes=FLOATS)
family.case("clamp_min.scalar", lambda x: torch.clamp_min(x, 0.25), tensor(B, N), dtypes=FLOATS)
family.case("clamp_min.tensor", lambda x, y: torch.clamp_min(x, y), tensor(B, N), tensor(N))
family.case("clamp_max.scalar", lambda x: torch.clamp_max(x, 1), tensor(B, N), dtypes=NUMBERS)
family.case("clamp.wide_integer", lambda x: x.clamp(-2 ** 40, 2 ** 40), tensor(values=[2 ** 41, -2 ** 41, 2 ** 39 + 1]),
            dtypes=INTS[:1])

family.case("maximum.tensor", lambda x, y: torch.maximum(x, y), tensor(B, N), tensor(N), dtypes=NUMBERS)
family.case("minimum.tensor", lambda x, y: torch.minimum(x, y), tensor(B, N), tensor(N), dtypes=NUMBERS)
family.case("where.tensor", lambda c, x, y: torch.where(c, x, y), mask(B, N), tensor(B, N), tensor(N), dtypes=NUMBERS, opset=9)
family.case("where.scalar", lambda c, x: torch.where(c, x, 0.5), mask(B, N), tensor(B, N), opset=9)
family.case("where.not_finite", lambda x, y: torch.where(x > y, x, y), tensor(values=[NAN, 1.0, INF, -INF, -0.0, INF]),
            tensor(values=[2.0, NAN, -INF, INF, 0.0, NAN]))
family.case("masked_fill.scalar", lambda x, m: x.masked_fill(m, -2), tensor(B, N), mask(B, N), dtypes=NUMBERS, opset=9)
family.case("masked_fill.infinity", lambda x, m: x.masked_fill(m, float("-inf")), tensor(B, N), mask(N), dtypes=FLOATS, opset=9)
family.case("masked_fill.broadcast", lambda x, m: x.masked_fill(m, 0.5), tensor(B, 3, N), mask(B, 1, N), opset=9)
family.case("masked_fill.tensor", lambda x, m, v: x.masked_fill(m, v), tensor(B, N), mask(B, N), tensor(), opset=9)
for name in ("logical_and", "logical_or", "logical_xor"):
    scope = {"op": getattr(torch, name)}
    family.case(name + ".bool", eval("lambda x, y: op(x, y)", scope), mask(B, N), mask(N))
    family.case(name + ".number", eval("lambda x, y: op(x, y)", scope), tensor(B, N, whole=True, low=0), tensor(N, whole=True, low=0),
                dtypes=FLOAT + INTS)
family.case("logical_not.bool", lambda x: torch.logical_not(x), mask(B, N))
family.case("bitwise.bool", lambda x, y: (x & y) | (~x), mask(B, N), mask(N))
family.case("isnan.plain", lambda x: torch.isnan(x), tensor(values=[NAN, 1.0, -INF]), opset=9)
# Integers that round to the same float64 differ at every opset.
near = tensor(B, N, low=-3, high=3, dtype=torch.int64)
family.case("near.compared", lambda x, y: (lambda p, q: (p < q, p <= q, p > q, p >= q, p == q, p != q, -p < -q, p < 2**53 + 1, p * 8 > -2**60))(x + 2**53, y + 2**53),
            near, near)
family.case("near.extremes", lambda x, y: (lambda p, q: (p.maximum(q) % 1009, p.minimum(q) % 1009, p.clamp(q - 1, q + 1) % 1009, p.clamp(min=2**60) % 1009))(x + 2**60, y + 2**60),
            near, near)
family.case("far.compared", lambda x: (lambda p, q: (p < q, p > q))(torch.stack([x * 2**61, -2**63 + x - x]), torch.stack([2**63 - 1 + x - x, x * 2**61])), near)

# x - x % y wraps around for the least integers.
for divisor in (3, -3, 10, 8, 2**62 + 1, -2**62):
    scope = {"torch": torch, "y": divisor}
    family.case(f"floor_divide.edges.{divisor}", eval("lambda x: (x // y, x % y, torch.div(x, y, rounding_mode='floor'), torch.div(x, y, rounding_mode='trunc'))", scope),
                tensor(values=[-2**63, -2**63 + 1, -2**63 + 5, -2**62, -7, -1, 0, 1, 8, 2**62 + 3, 2**63 - 1], dtype=torch.int64), dtypes=(torch.int64,))

# ONNX Runtime's Max, Min, Clip and Sign of int64 compare the lower halves, which sums and products of narrower numbers
# fill too.
LONG = tensor(values=[2000000000, -2000000000, 2147483647], dtype=torch.int32)
family.case("sign.of_long_sums", lambda x: (x.long() + x.long()).sign(), LONG, opset=9)
family.case("maximum.of_long_sums", lambda x: torch.maximum(x.long().cumsum(0), x.long()), LONG, opset=9)
family.case("clamp.of_long_products", lambda x: (x.sum(0, keepdim=True) * torch.tensor([1, 2, 3])).clamp(-10, 10), LONG, opset=9)
family.case("clamp.by_tensors", lambda x: x.clamp(torch.tensor([1, 2, 3]), torch.tensor([3, 4, 5])), LONG)
family.case("sign.of_long_places", lambda x: (torch.arange(x.size(0)) * 1000000000).sign(), tensor(N), opset=9)
