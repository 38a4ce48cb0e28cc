"""Less common mathematical functions and arithmetic, predicates, and constants."""
import torch

from case import FLOAT, FLOATS, INTS, NUMBERS, SMALL_INTS, Dim, Family, mask, tensor

family = Family("functions", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 7)
NAN, INF = float("nan"), float("inf")
x = tensor(B, N)
DOUBLE = (torch.float64,)


def of_one(name, *inputs, call="op(x)", op=None, **options):
    scope = {"op": op or getattr(torch, name.split(".")[0]), "torch": torch}
    family.case(name, eval("lambda x: " + call, scope), *inputs, **options)


def of_two(name, *inputs, call="op(x, y)", op=None, **options):
    scope = {"op": op or getattr(torch, name.split(".")[0]), "torch": torch}
    family.case(name, eval("lambda x, y: " + call, scope), *inputs, **options)


# Functions of one tensor: lowest and highest value.
for name, low, high in [
    ("exp2", -3, 3), ("deg2rad", -180, 180), ("rad2deg", -3, 3), ("sinc", -3, 3), ("positive", -3, 3), ("sgn", -3, 3),
    ("angle", -3, 3), ("absolute", -3, 3), ("negative", -3, 3),
]:
    of_one(name + ".plain", tensor(B, 3, N, low=low, high=high), dtypes=FLOATS, opset=9 if name == "angle" else 7)
of_one("erfc.plain", tensor(B, N, low=-2, high=2), dtypes=FLOATS + DOUBLE)
of_one("erf.old_opsets", tensor(B, N, low=-4, high=4), dtypes=FLOAT + DOUBLE, call="torch.erf(x)", op=torch.erf)
of_one("special_erfcx.plain", tensor(B, N, low=-2, high=9), op=torch.special.erfcx)
of_one("special_entr.plain", tensor(B, N, low=-1, high=2), op=torch.special.entr, opset=9)
for name in ("asin", "acos", "atan", "sinh", "cosh", "tan", "asinh", "log1p", "expm1"):
    of_one(name + ".double", tensor(B, N, low=-0.9, high=0.9), dtypes=DOUBLE)
of_one("acosh.old_opsets", tensor(B, N, low=1, high=4))
of_one("atanh.old_opsets", tensor(B, N, low=-0.9, high=0.9))
of_one("expm1.near_zero", tensor(values=[1e-6, -1e-6, 1e-3, 0.0, 20.0, -20.0, INF, -INF]), rtol=1e-5, atol=1e-12)
of_one("log1p.near_zero", tensor(values=[1e-6, -1e-6, 1e-3, 0.0, 0.6, 1e6, INF, -1.0]), rtol=1e-5, atol=1e-12, opset=9)
of_one("log1p.near_zero_double", tensor(values=[1e-6, -1e-6, 1e-20, -1e-12, 0.0, 0.4, -0.499, 0.6, 1e6, INF, -1.0, -INF]),
       rtol=1e-14, atol=1e-30, opset=9, dtypes=DOUBLE)
of_one("sinh.near_zero", tensor(values=[1e-6, -1e-6, 1e-3, 0.0]), rtol=1e-5, atol=1e-12)
of_one("logit.plain", tensor(B, N, low=0.1, high=0.9), dtypes=FLOATS)
of_one("logit.eps", tensor(B, N, low=0, high=1), call="op(x, 0.2)")
for decimals in (2, -1):
    of_one(f"round.decimals{decimals}", tensor(B, N, low=-300, high=300), call=f"op(x, decimals={decimals})")
of_one("round.half", tensor(values=[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, INF, -INF]), call="torch.round(x)", op=torch.round)
for name in ("floor", "ceil", "trunc", "round", "sign", "square", "isnan", "isinf", "isfinite", "exp2", "rsqrt", "erf"):
    of_one(name + ".integer", tensor(B, N, low=1, high=4), dtypes=INTS)
of_one("neg.small_integers", tensor(B, N), dtypes=SMALL_INTS, call="-x", op=torch.neg)

# Predicates, also on special values.
special = tensor(values=[NAN, INF, -INF, 0.0, -0.0, 1.5, -2.5])
for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"):
    of_one(name + ".special", special, dtypes=FLOATS)
of_one("isfinite.small_numbers", tensor(values=[65504.0, 1e-7, -INF]), dtypes=FLOATS[1:], op=torch.isfinite)
of_one("nan_to_num.plain", special, dtypes=FLOATS, opset=9)
of_one("nan_to_num.values", special, call="op(x, 1.0, 2.0, -3.0)", opset=9)
of_one("logical_not.number", tensor(B, N, whole=True, low=0, high=1), dtypes=FLOATS + INTS)
of_one("bitwise_not.integer", x, dtypes=INTS + SMALL_INTS)

# Functions of two tensors.
of_two("atan2.plain", tensor(B, N), tensor(N), dtypes=FLOATS + DOUBLE)
of_two("atan2.quadrants", tensor(values=[1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 2.0, -2.0]),
       tensor(values=[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0, 0.0]))
of_two("atan2.infinite", tensor(values=[INF, INF, -INF, -INF, INF, 1.0, -1.0, 0.0, -0.0, 0.0, -0.0, NAN]),
       tensor(values=[INF, -INF, INF, -INF, 2.0, -INF, INF, -0.0, -0.0, 0.0, -2.0, INF]), dtypes=FLOATS + DOUBLE)
of_two("hypot.plain", x, tensor(N), dtypes=FLOATS)
of_two("hypot.infinite", tensor(values=[INF, NAN, -INF, 1.0, NAN, 0.0]), tensor(values=[NAN, INF, 2.0, -INF, 1.0, 0.0]), dtypes=FLOATS + DOUBLE)
of_two("hypot.far_doubles", tensor(values=[1e200, 1e-200, 0.0, 3e300]), tensor(values=[1e200, 1e-200, 5e-324, 1.0]), dtypes=DOUBLE, rtol=1e-12, atol=0)
of_two("hypot.far", tensor(values=[1e30, 1e-30, 0.0]), tensor(values=[1e30, 1e-30, 0.0]))
of_two("copysign.plain", x, tensor(N), dtypes=FLOATS)
of_two("xlogy.plain", tensor(B, N, whole=True, low=0), tensor(N, low=0.1), opset=9)
of_two("xlogy.scalar", x, x, call="op(x, 2.0) + op(2.0, y.abs() + 1)", opset=9)
of_two("special_xlog1py.plain", tensor(B, N, whole=True, low=0), tensor(N, low=0.1), op=torch.special.xlog1py, opset=9)
of_two("logaddexp.plain", x, tensor(N), dtypes=FLOATS, opset=9)
of_two("logaddexp2.plain", x, tensor(N), opset=9)
of_two("logaddexp.infinite", special, tensor(values=[0.0, INF, -INF, 0.0, 1.0, -INF, 3.0]), opset=9)
of_two("heaviside.plain", tensor(B, N, whole=True), tensor(N), dtypes=FLOATS)
of_two("fmax.nan", special, tensor(values=[1.0, NAN, 2.0, NAN, 0.0, NAN, 5.0]), opset=9)
of_two("fmin.nan", special, tensor(values=[1.0, NAN, 2.0, NAN, 0.0, NAN, 5.0]), opset=9)
of_two("fmax.integer", x, tensor(N), dtypes=INTS)
of_two("fmin.integer", x, tensor(N), dtypes=INTS)
of_two("float_power.plain", tensor(B, N, low=0.5), tensor(N))
of_two("true_divide.plain", x, tensor(N, low=1), dtypes=NUMBERS)
of_two("floor_divide.rounding", tensor(values=[1.0, 0.3, 0.6, 0.9, -1.0]), tensor(values=[0.1, 0.1, 0.2, 0.3, 0.1]))
of_two("fmod.negative", tensor(B, N, low=-9, high=9), tensor(B, N, low=-4, high=-1), dtypes=NUMBERS)
for name in ("remainder", "fmod"):
    of_one(name + ".scalar_negative", tensor(B, N, low=-9, high=9), call="op(x, -2.5)", dtypes=FLOAT + INTS)
    of_one(name + ".small_integers", tensor(B, N, low=-9, high=9), call="op(x, 4)", dtypes=SMALL_INTS)
of_one("remainder.scalar_left", tensor(B, N, low=1, high=4), call="op(7, x)", dtypes=NUMBERS)
for name in ("left", "right"):
    op = getattr(torch, f"bitwise_{name}_shift")
    of_two(f"bitwise_{name}_shift.tensor", tensor(B, N, low=-20, high=20), tensor(N, low=0, high=6), op=op,
           dtypes=INTS + SMALL_INTS, opset=9)
    of_one(f"bitwise_{name}_shift.scalar", tensor(B, N, low=-20, high=20), call="op(x, 2)", op=op, dtypes=INTS + SMALL_INTS)
for kind, other in (("bytes", torch.tensor([1, 3, 9], dtype=torch.uint8)), ("longs", torch.tensor([1, 0, 40])), ("byte", torch.tensor(2, dtype=torch.uint8)), ("number", 3)):
    calls = "x << other, x >> other" + ("" if kind == "number" else ", other << x[0, 0], other >> x")
    family.case(f"shift.bools_by_{kind}", eval(f"lambda x: ({calls})", {"other": other}), mask(B, 3))
family.case("shift.operators", lambda x: (x << 3) + (x >> 1), tensor(B, N, low=-20, high=20), dtypes=INTS)
family.case("shift.by_one_of_higher_rank", lambda x: (x << torch.full((1, 1), 2), x >> torch.full((1, 1), 1), x << torch.full((1, 1), 70),
                                                      x >> torch.zeros(1, dtype=torch.int64)),
            tensor(N, low=-20, high=20, dtype=torch.int64))
for name in ("and", "or", "xor"):
    op = getattr(torch, "bitwise_" + name)
    of_two(f"bitwise_{name}.integer", x, tensor(N), op=op, dtypes=INTS + SMALL_INTS)
    edges = tensor(values=[-2**63, -2**63 + 5, -1, 0, 1, 2**62 + 3, 2**63 - 1], dtype=torch.int64)
    of_two(f"bitwise_{name}.edges", edges, tensor(values=[[-1], [2**63 - 1], [-2**63], [-6], [5]], dtype=torch.int64), op=op)
    of_two(f"bitwise_{name}.bytes", tensor(values=[0, 1, 127, 128, 255], dtype=torch.uint8), tensor(values=[[255], [129], [6]], dtype=torch.uint8), op=op)
    of_two(f"bitwise_{name}.bool", mask(B, N), mask(N), op=op)
family.case("bitwise.operators_on_bool", lambda x, y: (x & y) ^ (x | y), mask(B, N), mask(N))
family.case("where.number_first", lambda x: torch.where(x > 0, 1.5, x), x)
family.case("empty_like.filled", lambda x: torch.empty_like(x).fill_(2) + x, x)
family.case("bitwise.operators", lambda x, y: (x & 3) | (y ^ 5), x, tensor(N), dtypes=INTS[:1])

family.case("addcmul.plain", lambda x, y, z: torch.addcmul(x, y, z, value=0.5), x, tensor(N), tensor(B, 1), dtypes=FLOATS)
family.case("addcmul.integer", lambda x, y, z: torch.addcmul(x, y, z, value=2), x, tensor(N), tensor(B, 1), dtypes=INTS)
family.case("addcdiv.plain", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), x, tensor(N), tensor(B, 1, low=1), dtypes=FLOATS)
for weight in (0.3, 0.7):
    of_two(f"lerp.scalar{weight}", x, x, call=f"op(x, y, {weight})", dtypes=FLOATS)
family.case("lerp.far", lambda x, y, w: torch.lerp(x, y, w), tensor(values=[1e10, 1.0, -3.0, 2.0, -1e8]), tensor(values=[1.0, 1e10, 5.0, -7.0, 3.0]),
            tensor(values=[1.0, 0.0, 0.5, -0.7, 0.9999]), dtypes=(torch.float32, torch.float64))
family.case("lerp.tensor", lambda x, y, w: torch.lerp(x, y, w), x, x, tensor(N, low=0, high=1))

of_two("isclose.plain", tensor(B, N, whole=True), tensor(N, whole=True), dtypes=FLOATS + INTS)
of_two("isclose.tolerance", x, x, call="op(x, x + 1e-3, rtol=1e-2, atol=1e-2) & op(y, y)")
of_two("isclose.equal_nan", special, special, call="op(x, y, equal_nan=True)")
of_two("where.mixed", x, tensor(B, N, dtype=torch.int64), call="torch.where(x > 0, x, y)", op=torch.where, opset=9)
of_two("where.scalars", mask(B, N), x, call="torch.where(x, 1.5, -2.0) + y", op=torch.where, opset=9)
of_one("comparison.large_and_small", tensor(B, N, low=-100, high=100), call="(x > 50).to(torch.uint8) + (x <= -50.5)",
       dtypes=NUMBERS, op=torch.gt)

# Constants.
of_one("eye.of_size", x, call="op(x.size(0), x.size(1) + 1) @ torch.ones(x.size(1) + 1)", opset=9)
for name in ("tril", "triu"):
    for diagonal in (0, 1, -2):
        of_one(f"{name}.diagonal{diagonal}", tensor(2, B, N), call=f"op(x, {diagonal})", dtypes=NUMBERS if diagonal == 1 else FLOAT,
               opset=9)
    of_one(f"{name}.bool", mask(B, N), opset=9)
    of_one(f"{name}_indices.plain", tensor(1), call="op(3, 4, 1) + x.long()", op=getattr(torch, name + "_indices"))
for name in ("hann", "hamming", "blackman"):
    of_one(f"{name}_window.plain", tensor(8), call="op(8) * x", op=getattr(torch, name + "_window"))
    of_one(f"{name}_window.symmetric", tensor(8), call="op(8, periodic=False) * x", op=getattr(torch, name + "_window"))
of_one("hann_window.of_size", x, call="op(x.size(1)) * x", opset=9)
of_one("arange.step_down", x, call="op(x.size(1), -3, -2)", opset=9)
of_one("arange.float_of_size", x, call="op(0.0, x.size(1), 0.5)", opset=9)
of_one("arange.dtype", x, call="op(x.size(1), dtype=torch.float16)", opset=9)
of_one("linspace.of_size", x, call="op(0.0, 1.0, x.size(1)) * x", opset=9)
of_one("linspace.integer", tensor(1), call="op(0, 10, 7, dtype=torch.int64) + x.long()")
of_one("full_like.large_integer", x, call="op(x, 2 ** 60 + 1, dtype=torch.int64)", opset=9)
of_two("copy.broadcast", tensor(B, 3, N), tensor(3, 1), call="torch.zeros_like(x).copy_(y)", op=torch.mul, opset=9)
