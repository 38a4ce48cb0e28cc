"""Counts, quantiles, integrals, covariances, divisors, and unpooling."""
import torch
import torch.nn.functional as F

from case import BOOL, FLOAT, FLOATS, INTS, SMALL_INTS, Dim, Family, index, tensor

family = Family("counting", opset=9)
B = Dim("batch", 2, 5)
N = Dim("n", 6, 9)
x = tensor(B, 3, N)
whole = tensor(B, 3, N, whole=True)
NAN = float("nan")

family.case("bincount.plain", lambda x: torch.bincount(x), index(N, below=7), opset=11)
family.case("bincount.minimum", lambda x: torch.bincount(x, minlength=12), index(N, below=7), opset=11)
family.case("bincount.weights", lambda x, w: torch.bincount(x, w), index(N, below=7), tensor(N), opset=11)
family.case("bincount.integer_weights", lambda x, w: torch.bincount(x, w), index(N, below=7), tensor(N, dtype=torch.int64), opset=11)
family.case("bincount.empty", lambda x: torch.bincount(x, minlength=3), index(0, below=7), opset=11)
family.case("histc.range", lambda x: torch.histc(x, 5, -1, 2), x)
family.case("histc.data", lambda x: torch.histc(x, 7), x)
family.case("histc.equal", lambda x: torch.histc(x * 0, 4), x)
family.case("histc.whole", lambda x: torch.histc(x, 6, -3, 3), whole)
family.case("histogram.bins", lambda x: torch.histogram(x, 5), tensor(N, 4))
family.case("histogram.range", lambda x: torch.histogram(x, 4, range=(-1.0, 2.0), density=True), tensor(N, 4))
points = tensor(N, 4, 2)
family.case("histogramdd.bins", lambda x: torch.histogramdd(x, 3), points, dtypes=(torch.float32, torch.float64))
family.case("histogramdd.each", lambda x, w: torch.histogramdd(x, [2, 5], weight=w, density=True), points, tensor(N, 4, low=0.1))
family.case("histogramdd.parts", lambda x, e: (*torch.ops.aten._histogramdd_bin_edges(x, [2, 3]), torch.ops.aten._histogramdd_from_bin_cts(x, [2, 3]),
                                                torch.ops.aten._histogramdd_from_bin_tensors(x, [e, e])), points, tensor(values=[-3.0, 0.0, 0.5, 3.0]))
family.case("histogramdd.range", lambda x: torch.histogramdd(x, [2, 1], range=[-1.0, 1.5, -3.0, 0.0]).hist, points)
family.case("histogramdd.edges", lambda x, e: torch.histogramdd(x, [e, torch.tensor([-3.0, 0.0, 0.5, 3.0])], density=True)[0], points,
            tensor(values=[-2.0, 0.0, 1.0]))
family.case("histogramdd.descending", lambda x, e, d: torch.histogramdd(x, [e, d], density=True).hist, points, tensor(values=[-2.0, 9.0, -1.5, 1.0]),
            tensor(values=[3.0, -3.0]))
family.case("histogramdd.empty", lambda x: torch.histogramdd(x, 2), tensor(0, 2))
family.case("histogram.edges", lambda x, w: torch.histogram(x, torch.tensor([-3.0, -1.0, 0.0, 3.0]), weight=w), tensor(N, 4, whole=True), tensor(N, 4))
family.case("histogram.no_points", lambda x: (*torch.histogram(x, 3), torch.histogramdd(x.unsqueeze(1).expand(-1, 2), [2, 3])),
            tensor(Dim("n", 4, 0)), dtypes=(torch.float32, torch.float64))
family.case("histogram.one_point", lambda x: (*torch.histogram(x, 3, density=True), torch.histogramdd(x.unsqueeze(1).expand(-1, 2), 3)), tensor(Dim("n", 0, 1)))
EDGES = [0.0, 2.0, -1.0, 1.0, 0.5, 3.0, 2.5]
UNORDERED = tensor(values=[-1.0, -0.5, 0.0, 0.2, 0.5, 0.7, 1.0, 1.5, 2.0, 2.2, 2.5, 3.0, -2.0, NAN])
family.case("histogram.unordered", lambda x, e: [torch.histogram(x, edges, weight=x.nan_to_num().cos()).hist for edges in (e, torch.tensor([-1.0, 1, 0, 2]), e[:4], e[:3])],
            UNORDERED, tensor(values=EDGES))
family.case("histogram.unordered_count", lambda x, e: torch.histogram(x, e.flip(0)).hist, tensor(60), tensor(Dim("edges", 4, 9)), opset=10)
family.case("histogram.unordered_halves", lambda x, e: torch.histogram(x, torch.cat([e.new_full((1,), -4.0), e, e.new_full((1,), 4.0)])).hist, tensor(60), tensor(Dim("edges", 4, 9)))
FAR = tensor(values=[1e8, 1e8 + 8, 1e8, 1e8 + 16, 1e8 + 8, 1e8 + 24])
family.case("histogram.far", lambda x: (torch.histogram(x, 8).hist, torch.histogram(x, 30, range=(1e8, 1e8 + 40.0)).hist, torch.histogramdd(x.reshape(3, 2), 7).hist), FAR)
family.case("histogram.repeated", lambda x: torch.histogram(x, torch.tensor([0.0, 0, 0.5, 0.5, 2.5, 2.5])).hist, UNORDERED)
family.case("histogramdd.unordered", lambda x, e: torch.histogramdd(torch.stack([x, x.flip(0)], 1), [e, torch.tensor([-1.0, 1, 0, 0.5, 2.5])]).hist,
            UNORDERED, tensor(values=EDGES))
family.case("isin.plain", lambda x, y: torch.isin(x, y), whole, tensor(4, whole=True), dtypes=FLOATS + INTS + SMALL_INTS, opset=7)
family.case("isin.invert", lambda x, y: torch.isin(x, y, invert=True), whole, tensor(2, 2, whole=True), opset=7)
family.case("isin.number", lambda x: (torch.isin(x, 1), torch.isin(2, x)), whole, dtypes=INTS, opset=7)
family.case("isin.nothing", lambda x, y: torch.isin(x, y), whole, tensor(0), opset=7)
family.case("unique_consecutive.plain", lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True), tensor(B, N, low=0, high=1, whole=True),
            dtypes=FLOAT + INTS + BOOL, opset=11)
family.case("unique_consecutive.dim", lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True, dim=1),
            tensor(2, N, low=0, high=1, whole=True), opset=11)
family.case("unique_consecutive.values", lambda x: torch.unique_consecutive(x), tensor(N, low=0, high=1, whole=True), opset=11)
family.case("unique_consecutive.one", lambda x: torch.unique_consecutive(x, return_counts=True), tensor(1), opset=11)
family.case("unique_consecutive.by_dim", lambda x: torch.ops.aten.unique_dim_consecutive(x, 0, True, True), tensor(N, 1, low=0, high=1, whole=True), opset=11)
family.case("nonzero_static.plain", lambda x: torch.nonzero_static(x, size=9), tensor(B, 3, low=0, high=1, whole=True))
family.case("nonzero_static.fewer", lambda x: torch.nonzero_static(x, size=2, fill_value=7), tensor(B, 3, low=0, high=1, whole=True))
family.case("nanmedian.plain", lambda x: torch.nanmedian(torch.where(x > 1, NAN, x)), x, opset=11)
family.case("nanmedian.dim", lambda x: torch.nanmedian(torch.where(x > 0, NAN, x), 2)[0], x, opset=11)
family.case("nanmedian.keep", lambda x: torch.nanmedian(torch.where(x > 2, NAN, x), 1, keepdim=True), x, opset=11)
family.case("nanmedian.integers", lambda x: torch.nanmedian(x, 1)[0], tensor(B, 6), dtypes=INTS, opset=11)
family.case("nanmedian.rank0", lambda x: torch.nanmedian(x, 0), tensor(), opset=11)
for how in ("linear", "lower", "higher", "midpoint", "nearest"):
    scope = {"torch": torch, "how": how}
    family.case(f"quantile.{how}", eval("lambda x: torch.quantile(x, 0.3, dim=1, interpolation=how)", scope), x, opset=11)
    family.case(f"nanquantile.{how}", eval("lambda x: torch.nanquantile(torch.where(x > 2, float('nan'), x), 0.3, dim=2, keepdim=True, interpolation=how)", scope), x, opset=11)
family.case("quantile.infinite", lambda x: (torch.quantile(x, 0.3, dim=1), torch.quantile(x, torch.tensor([0.2, 0.9]), dim=1, interpolation="midpoint")),
            tensor(values=[[-float("inf"), 3.0, 1.0, 2.0], [1e20, 1.0, float("inf"), 2.0]]), opset=11)
family.case("quantile.vector", lambda x, q: torch.quantile(x, q, dim=-2), x, tensor(4, low=0, high=1), opset=11)
family.case("quantile.vector_keep", lambda x, q: torch.quantile(x, q, dim=0, keepdim=True), x, tensor(4, low=0, high=1), opset=11)
family.case("quantile.whole", lambda x: (torch.quantile(x, 0.25), torch.quantile(x, 0.75, keepdim=True)), x, opset=11)
family.case("quantile.whole_vector", lambda x, q: torch.quantile(x, q), x, tensor(3, low=0, high=1), opset=11)
family.case("quantile.nan", lambda x: torch.quantile(torch.where(x > 2.5, NAN, x), 0.5, dim=2), x, opset=11)
family.case("nanquantile.nothing", lambda x: torch.nanquantile(torch.where(x > -9, NAN, x), 0.5, dim=2), x, opset=11)
family.case("mode.plain", lambda x: torch.mode(x), whole, dtypes=FLOATS + INTS + SMALL_INTS)
family.case("mode.dim", lambda x: torch.mode(x, 0, keepdim=True), whole)
family.case("mode.rank0", lambda x: torch.mode(x), tensor())

family.case("trapezoid.step", lambda x: torch.trapezoid(x, dx=0.5), x, opset=7)
family.case("trapezoid.dim", lambda x: torch.trapezoid(x, dim=1), x, dtypes=FLOATS + INTS, opset=7)
family.case("trapezoid.places", lambda x, y: torch.trapezoid(x, y, dim=2), x, tensor(N), opset=7)
family.case("trapezoid.places_each", lambda x, y: torch.trapz(x, y), x, tensor(3, N), opset=7)
family.case("trapezoid.cumulative", lambda x: torch.cumulative_trapezoid(x, dim=1), x, opset=11)
family.case("trapezoid.cumulative_places", lambda x, y: torch.cumulative_trapezoid(x, y), x, tensor(N), opset=11)
family.case("trapezoid.wrapping", lambda x, y: (torch.trapezoid(x), torch.trapezoid(x, y), torch.cumulative_trapezoid(x),
                                                torch.trapezoid(x, y.float())),
            tensor(B, N, low=0, high=200), tensor(N, low=0, high=200), dtypes=(torch.uint8, torch.int16), opset=11)
family.case("gradient.plain", lambda x: torch.gradient(x), tensor(N, 5), opset=7)
family.case("gradient.spacing", lambda x: torch.gradient(x, spacing=0.5, dim=1, edge_order=2), tensor(B, N), opset=7)
family.case("gradient.places", lambda x, y: torch.gradient(x, spacing=(y.cumsum(0),), dim=1, edge_order=1), tensor(B, N), tensor(N, low=1, high=2), opset=11)
family.case("gradient.places_edge", lambda x, y: torch.gradient(x, spacing=(y.cumsum(0),), dim=0, edge_order=2), tensor(N, B), tensor(N, low=1, high=2), opset=11)
family.case("cov.plain", lambda x: torch.cov(x), tensor(3, N), opset=7)
family.case("cov.vector", lambda x: torch.cov(x, correction=0), tensor(N), opset=7)
family.case("cov.weights", lambda x, f, a: torch.cov(x, fweights=f, aweights=a), tensor(3, N), index(N, below=4, above=1), tensor(N, low=0.1, high=1), opset=7)
family.case("cov.of_one", lambda x: torch.cov(x).sum(), tensor(Dim("rows", 1, 3), 4), opset=7)
family.case("corrcoef.of_one", lambda x: torch.corrcoef(x).sum(), tensor(Dim("rows", 1, 3), 4), opset=7)
family.case("corrcoef.plain", lambda x: torch.corrcoef(x), tensor(3, N), opset=7)
family.case("corrcoef.vector", lambda x: torch.corrcoef(x), tensor(N), opset=7)
family.case("gcd.plain", lambda x, y: torch.gcd(x, y), tensor(B, 5, low=-40, high=40), tensor(5, low=-40, high=40), dtypes=INTS + SMALL_INTS, opset=7)
family.case("lcm.plain", lambda x, y: torch.lcm(x, y), tensor(B, 5, low=-9, high=9), tensor(B, 1, low=-9, high=9), dtypes=INTS + SMALL_INTS, opset=7)
family.case("lcm.least", lambda x, y: (torch.lcm(x, y), torch.gcd(x, y)), tensor(values=[-2**63, -1, 0, -2**63]),
            tensor(values=[-1, -2**63, -2**63, -2**63]), dtypes=(torch.int64,), opset=7)
family.case("lcm.beyond", lambda x, y: torch.lcm(x, y), tensor(values=[127, -128, 100, 100]), tensor(values=[-2, 2, 7, 33]), dtypes=SMALL_INTS[:1], opset=7)
family.case("gcd.empty", lambda x, y: torch.gcd(x, y), tensor(0, dtype=torch.int64), tensor(0, dtype=torch.int64), opset=7)
family.case("ldexp.plain", lambda x, y: torch.ldexp(x, y), x, tensor(N, dtype=torch.int64), opset=7)
family.case("ldexp.large_power", lambda x, y: torch.ldexp(x * 2.0 ** -100, y), tensor(N), tensor(N, low=130, high=160, dtype=torch.int64))
family.case("ldexp.beyond", lambda x, y: torch.ldexp(x, y), tensor(values=[0.0, 1.0, -1.0, 1e-40]),
            tensor(values=[5000, 4000, -9000, 30]), dtypes=(torch.float32, torch.float64))
family.case("ldexp.broken_power", lambda x, y: torch.ldexp(x, y), tensor(values=[0.5, 3e-38, 0.0, float("-inf"), 2.0]),
            tensor(values=[130.0, 140.0, 200.0, float("inf"), 3.5]))
family.case("ldexp.half", lambda x, y: torch.ldexp(x, y), tensor(N, dtype=torch.float16), tensor(N, dtype=torch.int32))
family.case("frexp.plain", lambda x: torch.frexp(x), tensor(B, 40, low=-1000, high=1000), dtypes=FLOATS)
family.case("frexp.powers", lambda x: torch.frexp(x), tensor(values=[0.0, 1.0, 2.0, 0.5, 0.25, -4.0, 1024.0, 1e-30, 3e30, 0.99999994]))

family.case("unpool.two", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), tensor(B, 3, 6, 8), opset=11)
family.case("unpool.one", lambda x: F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2), tensor(B, 3, 8), opset=11)
family.case("unpool.three", lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2), tensor(B, 3, 4, 6, 8), opset=11)
family.case("unpool.sample", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), tensor(3, 6, 8), opset=11)
family.case("fractional.two", lambda x, r: F.fractional_max_pool2d_with_indices(x, 2, output_size=(4, 5), _random_samples=r),
            tensor(B, 3, 9, 11), tensor(B, 3, 2, low=0, high=1), opset=11)
family.case("fractional.nan", lambda x, r: F.fractional_max_pool2d_with_indices(torch.where(x > 2, NAN, x), 2, output_size=(4, 5), _random_samples=r),
            tensor(B, 3, 9, 11), tensor(B, 3, 2, low=0, high=1), opset=11)
family.case("fractional.three", lambda x, r: F.fractional_max_pool3d_with_indices(x, 2, output_size=(3, 4, 1), _random_samples=r),
            tensor(B, 3, 7, 9, 6), tensor(B, 3, 3, low=0, high=1), opset=11)
family.case("shift.plain", lambda x: (torch.fft.fftshift(x), torch.fft.ifftshift(x)), x, opset=9)
family.case("shift.dim", lambda x: (torch.fft.fftshift(x, dim=1), torch.fft.ifftshift(x, dim=(0, -2))), x, opset=9)
family.case("sum_to_size.plain", lambda x: (x.sum_to_size(3, 1), x.sum_to_size(1, 3, 6)), tensor(B, 3, 6), opset=7)
family.case("sum_to_size.whole", lambda x: (x.sum_to_size(3, 1), x.sum_to_size(2, 3, 6)), tensor(2, 3, 6), opset=7, dtypes=(torch.int32, torch.uint8))
family.case("isreal.plain", lambda x: torch.isreal(x), x)

lengths = tensor(values=[2, 0, 5], dtype=torch.int64)
for reduce in ("sum", "mean", "max", "min", "prod"):
    call = eval(f"lambda x, n: (torch.segment_reduce(x, {reduce!r}, lengths=n, unsafe=True), torch.segment_reduce(x, {reduce!r}, lengths=n, unsafe=True, initial=2))", {"torch": torch})
    family.case(f"segment_reduce.{reduce}", call, tensor(7, N), lengths, opset=11)
family.case("segment_reduce.offsets", lambda x, o: torch.segment_reduce(x, "sum", offsets=o, unsafe=True), tensor(7, N), tensor(values=[0, 3, 3, 7], dtype=torch.int64), opset=11)
family.case("segment_reduce.batch", lambda x, n: torch.segment_reduce(x, "max", lengths=n, unsafe=True, axis=1), tensor(2, 5, N),
            tensor(values=[[1, 4], [2, 3]], dtype=torch.int64), opset=11)
family.case("nextafter.plain", lambda x, y: torch.nextafter(x, y), tensor(values=[0.0, 1.0, -1.0, 1.5, 3e38, float("inf"), 1e-45, 1.17549435e-38, -1e-40, 2.0, NAN, 4.0]),
            tensor(values=[1.0, 2.0, 0.0, -5.0, float("inf"), 0.0, -1.0, 0.0, -1.0, 2.0, 1.0, NAN]), rtol=1e-9, atol=1e-46)
for dtype in (torch.float64, torch.float16, torch.bfloat16):
    kind, f = str(dtype).removeprefix("torch."), torch.finfo(dtype)
    values = [0.0, 1.0, -2.0, 1 / 3, f.max, f.tiny, -f.tiny, f.tiny * 3, f.tiny / 4, float("inf"), f.tiny * 2, 1 - f.eps / 2, NAN]
    both = eval("lambda x: tuple(torch.nextafter(x.to(dtype), torch.full_like(x, end).to(dtype)).double() for end in (inf, 0.0, -inf))",
                {"torch": torch, "dtype": dtype, "inf": float("inf")})
    family.case(f"nextafter.of_{kind}", both, tensor(values=values), dtypes=(torch.float64,), rtol=f.eps / 4,
                atol=max(f.tiny * f.eps / 4, 5e-324), opset=13)
family.case("nextafter.sizes", lambda x, y: torch.nextafter(x, y), tensor(N, 1), tensor(3))
family.case("chunk_cat.plain", lambda x, y: torch.ops.aten._chunk_cat([x, y], 1, 2), tensor(B, 5, 3), tensor(B, 2, 4))
family.case("logspace.tensors", lambda x, y: (torch.logspace(x, y, 6), torch.logspace(x, y, 5, base=2.0), torch.logspace(x, 2, 1)), tensor(), tensor(), opset=11)
family.case("masked_index.plain", lambda x, m, i: torch.ops.aten._unsafe_masked_index(x, m, [i, None], 3.0), tensor(5, N), tensor(values=[[True], [False], [True]], dtype=torch.bool),
            tensor(values=[1, 99, -2], dtype=torch.int64))
family.case("masked_index.accumulated", lambda x, m, i, v: torch.ops.aten._unsafe_masked_index_put_accumulate(x, m, [i, None], v), tensor(5, N),
            tensor(values=[[True], [False], [True]], dtype=torch.bool), tensor(values=[1, 99, -4], dtype=torch.int64), tensor(3, N), opset=16)
family.case("max_pool_backward.plain", lambda x, g: torch.ops.aten.max_pool2d_with_indices_backward(
    g, x, [3, 3], [2, 2], [1, 1], [1, 1], False, torch.ops.aten.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1])[1]), tensor(B, 2, 7, 8), tensor(B, 2, 4, 4), opset=16, dtypes=FLOATS)
family.case("narrow.by_tensor", lambda x, s: x.narrow(0, s, 2), tensor(5, N), tensor(values=2, dtype=torch.int64), opset=10)
family.case("gather.nothing", lambda x, i: x.gather(0, i), tensor(4, 3), index(0, below=3))
