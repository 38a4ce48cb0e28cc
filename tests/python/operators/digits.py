"""Relative accuracy where formulas cancel: near zero, near the ends of a domain, for large arguments. In float64 and
float32, without an absolute tolerance."""
import torch
import torch.nn.functional as F

from case import Family, tensor

family = Family("digits", opset=9)
INF = float("inf")
DOUBLE = torch.float64
STEPS = [1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.03, 0.24, 0.26, 0.49, 0.51, 0.74, 0.76]
NEAR_ZERO = [s * x for x in [1e-300, *STEPS] for s in (1, -1)]
NEAR_ZERO_SINGLE = [s * x for x in [1e-30, *STEPS] for s in (1, -1)]
FAR = [1.0, 2.0, 5.0, 12.0, 19.0, 21.0, 36.0, 40.0, 80.0, 300.0, 700.0]


def add(name, function, doubles, singles=(), opset=None, exact=1e-12, close=3e-6):
    family.case(f"{name}.double", function, tensor(values=doubles, dtype=DOUBLE), rtol=exact, atol=0.0, opset=opset)
    if singles:
        family.case(f"{name}.single", function, tensor(values=singles), rtol=close, atol=0.0, opset=opset)


def both(values):
    return [s * v for v in values for s in (1, -1)]


for name in ("asinh", "atanh", "sinh", "tanh", "expm1", "log1p", "sin", "tan", "asin", "atan", "erf"):
    add(f"{name}.near_zero", eval(f"lambda x: torch.{name}(x)", {"torch": torch}), NEAR_ZERO, NEAR_ZERO_SINGLE, opset=7 if name != "log1p" else 9)
add("asinh.far", lambda x: torch.asinh(x), both([1.0, 30.0, 1e5, 9e8, 1.1e9, 1e20, 1e155, 1e300, INF]), both([1.0, 30.0, 1e5, 1e10, 1e30]))
add("acosh.near_one", lambda x: torch.acosh(x), [1.0, *[1 + s for s in STEPS]], [1.0, 1 + 2.0**-23, 1 + 2.0**-20, 1.001, 1.1])
add("acosh.far", lambda x: torch.acosh(x), [2.0, 30.0, 1e5, 9e8, 1.1e9, 1e20, 1e155, 1e300, INF], [2.0, 30.0, 1e5, 1e10, 1e30])
add("atanh.near_one", lambda x: torch.atanh(x), both([1.0, *[1 - s for s in STEPS]]), both([1.0, 1 - 2.0**-24, 1 - 2.0**-20, 0.999, 0.9]))
add("asin.near_one", lambda x: torch.asin(x), both([1.0, *[1 - s for s in STEPS]]), both([1.0, 1 - 2.0**-24, 0.999, 0.9]))
add("acos.near_one", lambda x: torch.acos(x), both([1.0, *[1 - s for s in STEPS]]), both([1.0, 1 - 2.0**-24, 0.999, 0.9]))
add("atan.far", lambda x: torch.atan(x), both([0.99, 1.0, 1.01, 1e5, 1e15, 1e300, INF]), both([0.99, 1.0, 1.01, 1e5, 1e30]))
add("sinh.far", lambda x: torch.sinh(x), both(FAR), both([1.0, 5.0, 80.0]))
add("cosh.far", lambda x: torch.cosh(x), both(FAR), both([1.0, 5.0, 80.0]))
add("expm1.far", lambda x: torch.expm1(x), both(FAR), both([1.0, 5.0, 80.0]))
add("sigmoid.far", lambda x: torch.sigmoid(x), both(FAR))
add("silu.far", lambda x: F.silu(x), both(FAR))
add("softplus.far", lambda x: F.softplus(x), both(FAR), both([1.0, 5.0, 21.0, 80.0]))
add("log_sigmoid.far", lambda x: F.logsigmoid(x), both(FAR), both([1.0, 5.0, 21.0, 80.0]))
add("mish.far", lambda x: F.mish(x), both(FAR), both([1.0, 5.0, 21.0, 80.0]), exact=1e-11)
add("erf.far", lambda x: torch.erf(x), both([0.9, 1.0, 2.0, 4.0, 6.0, 30.0]), both([0.9, 1.0, 2.0, 4.0]))
add("erfc.far", lambda x: torch.erfc(x), both([1e-9, 0.4, 0.6, 1.0, 3.0, 5.5, 10.0, 26.0]), both([1e-9, 0.4, 0.6, 1.0, 3.0, 5.5, 9.0]), opset=7)
add("erfcx.far", lambda x: torch.special.erfcx(x), [-3.0, -0.4, 0.4, 3.0, 30.0, 1e6, 1e100], [-3.0, 0.4, 3.0, 30.0, 1e6])
for name, function in {"elu": lambda x: F.elu(x), "elu_alpha": lambda x: F.elu(x, 0.3), "selu": lambda x: F.selu(x), "celu": lambda x: F.celu(x, 0.3), "mish": lambda x: F.mish(x),
                       "silu": lambda x: F.silu(x), "gelu": lambda x: F.gelu(x), "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "softsign": lambda x: F.softsign(x)}.items():
    add(f"{name}.near_zero", function, NEAR_ZERO)
add("logit.near_zero", lambda x: torch.logit(x), [1e-300, *STEPS[:9]], [1e-30, *STEPS[:9]])
add("entropy.near_zero", lambda x: torch.special.entr(x), [1e-300, *STEPS], [1e-30, *STEPS])
add("erfinv.near_zero", lambda x: torch.erfinv(x), [s * x for x in STEPS for s in (1, -1)], [s * x for x in STEPS for s in (1, -1)], exact=1e-11)
add("erfinv.near_one", lambda x: torch.erfinv(x), both([1 - s for s in STEPS[1:]]), exact=1e-11)
add("lgamma.near_one_and_two", lambda x: torch.lgamma(x), [base + s * x for base in (1.0, 2.0) for x in STEPS[1:] for s in (1, -1)], exact=1e-9)
add("lgamma.near_zero", lambda x: torch.lgamma(x), NEAR_ZERO[2:], exact=1e-9)
add("digamma.near_zero", lambda x: torch.digamma(x), NEAR_ZERO[2:], exact=1e-9)
add("ndtr.far", lambda x: torch.special.ndtr(x), [-1.0, -1e-9, 1e-9, 1.0, 5.0], [-1.0, 1.0, 5.0], exact=1e-11)
add("log_ndtr.far", lambda x: torch.special.log_ndtr(x), [-1e5, -37.0, -5.0, -1.0, -0.9, 0.9, 1.0, 5.0, 9.0, 20.0, 37.0], [-100.0, -5.0, -1.0, 1.0], exact=1e-11)
add("sinc.near_zero", lambda x: torch.sinc(x), NEAR_ZERO, NEAR_ZERO_SINGLE)
add("log.near_one", lambda x: (torch.log(x), torch.log2(x), torch.log10(x)), [1 + s for s in both(STEPS)], [1 + s for s in both(STEPS[3:])])
add("xlogy.near_one", lambda x: (torch.special.xlogy(x - 1, x), torch.special.xlog1py(3.0, x - 1)), [1 + s for s in both(STEPS)])
add("logaddexp.apart", lambda x: (torch.logaddexp(x * 0, -x), torch.logaddexp2(x * 0, -x), torch.logsumexp(torch.stack([x * 0 - 1, x * 0 - 2]), 0)), FAR[:8])
add("hypot.near_zero", lambda x: (torch.hypot(x, x * 3), torch.atan2(x, x + 1), torch.hypot(x, x + 1)), NEAR_ZERO[2:])
add("binary_cross_entropy.far", lambda x: (F.binary_cross_entropy_with_logits(x, x * 0, reduction="none"), F.soft_margin_loss(x, x * 0 + 1, reduction="none")), both(FAR[:9]))
rows = tensor(3, 4, dtype=DOUBLE)
for name, function in {
    "layer_norm": lambda x: F.layer_norm(x * 1e-3, (4,), eps=1e-6), "batch_norm": lambda x: F.batch_norm(x, x[0] * 0.3, x[1].abs() * 1e-6, eps=1e-5),
    "instance_norm": lambda x: F.instance_norm(x.unsqueeze(0) * 1e-3, eps=1e-6), "group_norm": lambda x: F.group_norm(x * 1e-3, 2, eps=1e-6),
    "rms_norm": lambda x: F.rms_norm(x * 1e-3, (4,), eps=1e-6), "normalize": lambda x: F.normalize(x * 1e-9, eps=1e-7),
    "cosine": lambda x: F.cosine_similarity(x * 1e-6, x.flip(0) * 1e-6, eps=1e-7), "pairwise": lambda x: F.pairwise_distance(x * 1e-6, x * 2e-6),
    "norm": lambda x: (torch.linalg.vector_norm(x * 1e-12), torch.norm(x * 1e-9, 3), x.mul(1e-9).std(0), (x + 1e6).var(0)),
}.items():
    family.case(f"{name}.of_small", function, rows, rtol=1e-9, atol=0.0)
