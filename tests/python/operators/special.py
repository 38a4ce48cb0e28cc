"""Special functions over their ranges, to float32's accuracy, and in float64."""
import torch

from case import INTS, Dim, Family, tensor

family = Family("special", opset=9)
B = Dim("batch", 2, 5)
N = 40
INFINITY, NAN = float("inf"), float("nan")
DOUBLE = torch.float64
WIDE = [(-2, 2), (-9, 9), (-60, 60), (0, 1), (1, 300)]
ENDS = [0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e-20, 1e20, 0.5, 2.0, 8.0, -8.0]


def add(name, function, ranges, ends=None, dtypes=(torch.float32, DOUBLE), rtol=3e-6, atol=1e-6, exact=(1e-9, 1e-10)):
    for place, (low, high) in enumerate(ranges):
        spelled = f"{name}.{place}"
        family.case(spelled, function, tensor(B, N, low=low, high=high), dtypes=dtypes[:1], rtol=rtol, atol=atol)
        if DOUBLE in dtypes:
            family.case(spelled + ".double", function, tensor(B, N, low=low, high=high, dtype=DOUBLE), rtol=exact[0], atol=exact[1])
    if ends:
        family.case(f"{name}.ends", function, tensor(values=ends), rtol=rtol, atol=atol)


def of(text):
    return eval("lambda x: " + text, {"torch": torch})


for function in ("lgamma", "digamma"):
    add(function, of(f"torch.{function}(x)"), [(0.001, 3), (-4.3, 4.7), (1, 300)],
        [1.0, 2.0, 0.0, INFINITY, 0.5, 1e10, 1e-20] + ([-1.0, -INFINITY] if function == "lgamma" else []))
family.case("lgamma.integers", lambda x: (torch.lgamma(x), torch.digamma(x)), tensor(B, 5, low=1, high=9), dtypes=INTS, rtol=3e-6)
family.case("lgamma.half", lambda x: (torch.lgamma(x), torch.special.gammaln(x)), tensor(B, 5, low=0.1, high=9, dtype=torch.float16), rtol=1e-2)
family.case("digamma.aliases", lambda x: (torch.special.digamma(x), torch.special.psi(x)), tensor(B, 5, low=0.1, high=9), rtol=3e-6)
for n in range(5):
    family.case(f"polygamma.{n}", of(f"torch.polygamma({n}, x)"), tensor(B, N, low=0.1, high=20), rtol=1e-5)
family.case("polygamma.poles", lambda x: torch.polygamma(1, x), tensor(values=[-8, -1, 0, 3]), dtypes=(torch.int64, torch.int8))
family.case("polygamma.reflected", lambda x: torch.polygamma(1, x), tensor(values=[-7.3, -0.5, 0.25, 0.49]), rtol=1e-5)
family.case("polygamma.ends", lambda x: (torch.polygamma(1, x), torch.polygamma(2, x)), tensor(values=[INFINITY, -INFINITY, NAN, 1e10]), rtol=1e-5)
family.case("polygamma.alias", lambda x: torch.special.polygamma(2, x), tensor(B, N, low=0.1, high=3), rtol=1e-5)
family.case("mvlgamma.plain", lambda x: (torch.mvlgamma(x, 3), torch.special.multigammaln(x, 2)), tensor(B, N, low=1.1, high=20), rtol=1e-5)
for name in ("gammainc", "gammaincc"):
    for place, high in enumerate((0.9, 4, 60, 2000)):
        family.case(f"{name}.{place}", eval(f"lambda a, x: torch.special.{name}(a, x)", {"torch": torch}), tensor(B, N, low=0, high=high),
                    tensor(B, N, low=0, high=high), rtol=1e-4, atol=2e-6)
    family.case(f"{name}.double", eval(f"lambda a, x: torch.special.{name}(a, x)", {"torch": torch}), tensor(B, N, low=0, high=40, dtype=DOUBLE),
                tensor(1, N, low=0, high=40, dtype=DOUBLE), rtol=1e-8, atol=1e-10)
    family.case(f"{name}.ends", eval(f"lambda a, x: torch.special.{name}(a, x)", {"torch": torch}),
                tensor(values=[0.0, 0.0, 1.0, 1.0, INFINITY, 2.0, -1.0, NAN, INFINITY, NAN, NAN, INFINITY, 0.0, 1.0]),
                tensor(values=[0.0, 1.0, 0.0, INFINITY, 1.0, -1.0, 1.0, 1.0, INFINITY, 0.0, INFINITY, NAN, NAN, NAN]))
# LibTorch's float32 kernel is less accurate than its dtype here.
family.case("igamma.large_orders", lambda a, x: (torch.igamma(a, x), torch.igammac(a, x)), tensor(values=[[2e6], [1e7], [1e9], [1e12], [1e20]], dtype=DOUBLE),
            tensor(values=[2.001e6, 1.0001e7, 1e9, 9.9999e8, 1e12, 3.0, 1e30], dtype=DOUBLE), rtol=1e-7)
family.case("igamma.plain", lambda a, x: (torch.igamma(a, x), torch.igammac(a, x)), tensor(B, 4, low=0.1, high=5), tensor(4, low=0.1, high=5))
family.case("zeta.plain", lambda x, q: torch.special.zeta(x, q), tensor(B, N, low=1.1, high=20), tensor(B, N, low=0.1, high=20), rtol=1e-5)
family.case("zeta.number", lambda x: (torch.special.zeta(x, 2.5), torch.special.zeta(2.0, x)), tensor(B, N, low=1.5, high=9), rtol=1e-5)
family.case("zeta.ends", lambda x, q: torch.special.zeta(x, q), tensor(values=[1.0, 0.5, 3.0, 3.0, 2.0, 50.0] + [INFINITY] * 4),
            tensor(values=[1.0, 1.0, 0.0, -2.0, 1e8, 12.0, 1.0, 0.5, -0.5, 2.0]), rtol=1e-5)

# LibTorch's J, Y and Ai are accurate to about 1e-7 away from 0, and to 1e-5 for large arguments.
ROUGH = (1e-6, 1e-6)
for name in ("i0", "i0e", "i1", "i1e", "modified_bessel_i0", "modified_bessel_i1", "bessel_j0", "bessel_j1"):
    add(name, of(f"torch.special.{name}(x)"), WIDE[:3], [v for v in ENDS if v == v and not (abs(v) == INFINITY and name in ("i0e", "i1e"))], rtol=5e-6, exact=ROUGH)
for name in ("modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "bessel_y0", "bessel_y1"):
    add(name, of(f"torch.special.{name}(x)"), [(0.01, 1), (0.5, 9), (5, 60)], [0.0, -1.0, 1.0, 2.0, 8.0], rtol=5e-6, exact=ROUGH)
add("spherical_bessel_j0", of("torch.special.spherical_bessel_j0(x)"), WIDE[:3], [0.0, 1e-20, INFINITY, 1e20, 0.5])
add("airy_ai", of("torch.special.airy_ai(x)"), [(-2, 2), (-9, 9), (-60, 5)], [0.0, 2.0, -6.0, 100.0, 200.0, INFINITY, -INFINITY], rtol=1e-5, atol=5e-6, exact=(1e-5, 5e-6))
family.case("i0.plain", lambda x: torch.i0(x), tensor(B, N), rtol=3e-6)

add("erfinv", of("torch.erfinv(x)"), [(-0.9, 0.9), (-1, 1), (-1e-6, 1e-6)], [0.0, -0.0, 1.0, -1.0, 1.5, NAN, 0.9999999, 1e-30], atol=1e-12)
family.case("erfinv.alias", lambda x: torch.special.erfinv(x), tensor(B, 5, low=-1, high=1), rtol=3e-6)
add("ndtr", of("torch.special.ndtr(x)"), [(-3, 3), (-12, 2)], [INFINITY, -INFINITY, NAN], dtypes=(torch.float32,), atol=1e-7)
add("ndtri", of("torch.special.ndtri(x)"), [(0, 1), (0, 1e-6), (0.999, 1)], [0.0, 1.0, 0.5, 1e-37, -1.0, 2.0])
add("log_ndtr", of("torch.special.log_ndtr(x)"), [(-3, 3), (-60, 9)], [-INFINITY, INFINITY, -1.0], rtol=5e-6)

for name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
             "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
             "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
             "legendre_polynomial_p"):
    call = eval(f"lambda x, n: torch.special.{name}(x, n)", {"torch": torch})
    family.case(f"{name}.plain", call, tensor(B, 8, low=0, high=1), tensor(8, low=-2, high=9, whole=True), rtol=1e-4, atol=1e-4)
    family.case(f"{name}.outside", call, tensor(B, 1, low=-3, high=3), tensor(6, low=0, high=6), rtol=1e-4, atol=1e-3)
    family.case(f"{name}.no_degree", call, tensor(B, 1, low=0, high=1), tensor(values=[INFINITY, 2.0, -INFINITY, NAN, 3.0]), rtol=1e-4, atol=1e-4)
    family.case(f"{name}.number", eval(f"lambda x: torch.special.{name}(x, 5)", {"torch": torch}), tensor(B, 3, low=-1, high=1), rtol=1e-4, atol=1e-4)
    family.case(f"{name}.first", eval(f"lambda x: (torch.special.{name}(x, 0), torch.special.{name}(x, 1))", {"torch": torch}), tensor(B, 3, low=-1, high=1))
