"""Complex tensors, which a model represents as real ones with a last axis of 2: creation, movement, arithmetic, conversion."""
import torch

from case import Dim, Family, index, mask, tensor

family = Family("complex")
N = Dim("n", 4, 7)
C64, C128 = torch.complex64, torch.complex128
z = tensor(N, 3, low=-2, high=2)
w = tensor(N, 3, low=0.5, high=2)
both = dict(dtypes=(C64, C128), rtol=1e-4, atol=1e-5)
AXIS = torch.arange(4)

for name, text in [
    ("neg", "-z"), ("square", "z.square()"), ("reciprocal", "1 / z"), ("abs", "z.abs()"), ("angle", "z.angle()"), ("sgn", "z.sgn()"),
    ("exp", "z.exp()"), ("log", "z.log()"), ("sqrt", "z.sqrt()"), ("rsqrt", "z.rsqrt()"), ("bases", "(z.exp2(), z.expm1(), z.log2(), z.log10(), z.log1p())"),
    ("sin", "(z.sin(), z.cos(), z.tan())"), ("sinh", "(z.sinh(), z.cosh(), z.tanh())"), ("asin", "(z.asin(), z.acos(), z.atan())"),
    ("asinh", "(z.asinh(), z.acosh(), z.atanh())"), ("sigmoid", "(z.sigmoid(), torch.nn.functional.silu(z))"),
    ("powers", "(z ** 2, z ** 3, z ** -1, z ** 0.5, z ** 2.5, 2.0 ** z, z ** (1 + 2j), z ** 0)"), ("power", "z ** z"),
    ("numbers", "(z + 2, 3 - z, z * 2.5, z / 4, z + (1 + 2j), z * 2j, z / (3 - 1j), 2j / z)"),
    ("isreal", "torch.isreal(z)"),
    ("tests", "(z == z.real, z != z, torch.isnan(z), torch.isinf(z), torch.isfinite(z), torch.isreal(z), torch.logical_not(z), torch.isclose(z, z + 1e-9))"),
    ("parts", "(z.real, z.imag, torch.view_as_real(z), torch.view_as_complex(torch.view_as_real(z) * 2))"),
    ("conjugates", "(z.conj(), z.conj() * z, torch.conj_physical(z), z.conj().resolve_conj(), z.mH, z.conj().imag, z.mH.adjoint(), torch.resolve_neg(z.conj().imag))"),
    ("casts", "(z.to(torch.complex128), z.to(torch.complex64), z.real.to(torch.complex64), z.bool(), z.detach(), z.clone(), z.contiguous())"),
    ("sums", "(z.sum(), z.sum(1), z.mean(0, keepdim=True), z.cumsum(0), z.diff(dim=0), z.var(), z.std(1))"),
    ("filled", "(torch.zeros_like(z), torch.ones_like(z), torch.full_like(z, 1 - 2j), z.new_ones(2), z.new_zeros(2), z.new_full([2], 3j), z.new_full([2], 3.5, dtype=torch.float32), torch.zeros_like(z, dtype=torch.int64), torch.ones_like(z.real, dtype=z.dtype))"),
    ("shapes", "(z.reshape(-1), z.view(3, -1), z.t(), z.transpose(0, 1), z.permute(1, 0), z.unsqueeze(1), z.unsqueeze(1).squeeze(1), z.flatten(), z.mT, z.unflatten(1, (3, 1)))"),
    ("moves", "(z.flip(0), z.roll(1, 1), z.rot90(), torch.movedim(z, 0, 1), torch.swapaxes(z, 0, 1), z.fliplr(), z.flipud())"),
    ("pieces", "(z[1], z[:, 1:], z[-1:], z.select(1, 2), z.narrow(1, 0, 2), z.diagonal(), z.tril(), z.triu(1), *z.split(2, 1), *z.chunk(2, 1), *z.unbind(1), z.unfold(1, 2, 1))"),
    ("spread", "(z.expand(2, *z.shape), z.repeat(2, 1), z.tile(2), torch.broadcast_to(z, (2, *z.shape)), z.repeat_interleave(2, 1), z[:1].expand_as(z), z.real.expand_as(z), z.real.view_as(z))"),
    ("joined", "(torch.cat([z, z.conj()]), torch.cat([z, z.real], 1), torch.stack([z, z * 2], -1), torch.hstack([z, z]), torch.vstack([z, z]))"),
    ("padded", "(torch.nn.functional.pad(z, (1, 2)), torch.nn.functional.pad(z, (0, 1), value=2.0))"),
    ("chosen", "(torch.where(z.real > 0, z, z.conj()), torch.where(z.real > 0, z, 1.5), torch.where(z.real > 0, z.real, z), z.masked_fill(z.real > 0, 1 - 1j))"),
    ("norms", "(torch.linalg.vector_norm(z), torch.linalg.vector_norm(z, 1, dim=1), torch.linalg.norm(z), torch.norm(z), torch.nn.functional.normalize(z))"),
    ("matrices", "(z @ z.mH, z.mT @ z, torch.einsum('ij,kj->ik', z, z), torch.outer(z[:, 0], z[:, 1]), torch.mv(z, z[0]))"),
    ("vectors", "(torch.dot(z[0], z[1]), torch.vdot(z[0], z[1]), torch.linalg.vecdot(z, z + 1j), torch.kron(z[0], z[1]), torch.tensordot(z, z, ([0], [0])))"),
    ("nonzero", "(lambda y: (y.any(), y.all(1), torch.count_nonzero(y, 0), y.any(0), y.nonzero(), torch.argwhere(y)))(torch.where(z.real > 0, z, 0))"),
    ("ticks", "torch.fft.fftshift(z)"),
    ("integrals", "(torch.trapezoid(z, dim=0), torch.trapezoid(z, z.real), torch.trapz(z, dim=1))"),
    ("tuples", "(torch.cartesian_prod(z[0], z[1]), torch.combinations(z[0]), *torch.atleast_2d(z[0], z))"),
    ("at_least", "torch.atleast_2d(z[0], z)"),
    ("logic", "(lambda y: (torch.logical_and(y, z), torch.logical_or(y, 1j * y), torch.logical_xor(y, z.real)))(torch.where(z.real > 0, z, 0))"),
]:
    call = eval("lambda z: " + text, {"torch": torch})
    family.case(name, call, z, **both)
    if name in ("abs", "exp", "sums", "pieces"):
        family.case(name + ".scalar_sizes", eval("lambda z: (z.abs(), z.exp(), z.sum(), z.real, z * z)"), tensor(), **both)
family.case("mul", lambda z, w: (z * w, z * w[0], z.real * w, w * z.imag, w * w.real), z, w, **both)
family.case("div", lambda z, w: (z / w, z / w.real, z.real / w, torch.true_divide(z, w[:1])), z, w, **both)
zeros = tensor(values=[[3 + 4j, -1j, 2], [0j, 1 + 1j, -5]], dtype=C64)
family.case("div_by_zero", lambda z: (z / (z * 0), z / z, (z * 0).reciprocal(), z.rsqrt(), torch.addcdiv(z, z, z * 0)), zeros, opset=9)
family.case("pow_zero", lambda z: (z ** 0, (z / (z * 0)) ** 0), zeros, opset=9)
family.case("pow_of_zero", lambda z: tuple(z ** n for n in (0.5, 1, 2, 2.5, 3, 4, -0.5, -1, -1.5, -2, -3, 1j, 2j, 1 + 2j, -1 + 2j))
            + tuple(torch.pow(z, torch.full_like(z, n)) for n in (0, 2, -1, -1.5, 1j, 1 + 2j)) + (0 ** (z + 1), 0 ** (z - 1), 0 ** z, torch.float_power(z, -1)),
            tensor(values=[0j, 0j, 0j], dtype=C64), dtypes=(C64, C128), opset=9)
family.case("add", lambda z, w: (z + w, z - w, torch.sub(z, w, alpha=2), torch.add(z, w.real, alpha=3), w.real[:1] - z, torch.rsub(z, w)), z, w, **both)
family.case("addc", lambda z, w: (torch.addcmul(z, z, w, value=2), torch.addcdiv(z, w, w), torch.lerp(z, w, 0.3)), z, w, **both)
family.case("broadcast", lambda z, w: (z + w, z * w, z / w, torch.complex(z, w), torch.cat([z.unsqueeze(0) * 1j, w.reshape(1, 1, 3) + 1j])), tensor(1, 3), tensor(3))
family.case("complex", lambda x, y: torch.complex(x, y), tensor(N, 1), tensor(3), dtypes=(torch.float32, torch.float64))
family.case("polar", lambda x, y: torch.polar(x, y), tensor(N, 3, low=0), tensor(N, 3), dtypes=(torch.float32, torch.float64))
family.case("view_as_complex", lambda x: torch.view_as_complex(x) * 1j, tensor(N, 3, 2), dtypes=(torch.float32, torch.float64))
family.case("indexed", lambda z, i: (z[i], z.index_select(0, i), z.gather(0, i.unsqueeze(1).expand(-1, 3)), z.take(i), torch.take_along_dim(z, i.unsqueeze(1), 0)), z, index(5, below=4), **both)
family.case("scattered", lambda z, i: (z.scatter(0, i.reshape(1, 5)[:, :3], z[:1]), z.scatter_add(0, i.reshape(1, 5)[:, :3], z[:1]), z.scatter(0, i.reshape(1, 5)[:, :3], 2j),
                                       z.index_put((i[:2],), z[:2], accumulate=True), z.index_fill(0, i, 1j), z.index_add(0, i[:2], z[:2]), z.index_copy(0, i[:1], z[:1])),
            z, index(5, below=4), dtypes=(C64,), opset=16)
family.case("masked", lambda z, m: (z.masked_fill(m, 0), z.masked_fill(m, 2j)), z, mask(N, 3), **both)
family.case("addmm", lambda a, b: (torch.addmm(a, a, b), torch.addmm(a, a, b, beta=0, alpha=2), torch.baddbmm(a[None], a[None], b[None]), torch.addmv(a[0], a, b[0]),
                                   torch.addr(a, b[0], b[1]), torch.bmm(a[None], b[None]), torch.addbmm(a, a[None], b[None], beta=0.5)), tensor(3, 3), tensor(3, 3), **both)
family.case("linear", lambda x, w, b: (torch.nn.functional.linear(x, w), torch.nn.functional.linear(x, w, b)), tensor(N, 3), tensor(2, 3), tensor(2), **both)


family.case("copies", lambda z: (torch.ops.aten._conj(z), torch.ops.aten._conj_copy(z), torch.ops.aten._conj_physical(z), torch.ops.aten._neg_view(z), torch.ops.aten._neg_view_copy(z),
                                 torch.view_as_real_copy(z), torch.view_as_complex_copy(torch.view_as_real(z)), z.chalf().abs(), torch.ops.aten._neg_view(z.real)), z, dtypes=(C64,), rtol=1e-2, atol=1e-2)


unit = "torch.eye(4)"
for name, text in [
    ("inverses", f"(torch.linalg.inv(a), torch.linalg.inv_ex(a), torch.linalg.matrix_power(a, -2), torch.linalg.matrix_power(a, 3))"),
    ("solutions", "(torch.linalg.solve(a, y), torch.linalg.solve(a, y[..., 0]), torch.linalg.solve(a, y[0]), torch.linalg.solve(a, y.mT, left=False), torch.linalg.solve_ex(a, y), torch.linalg.solve(a[:1].expand(8, 4, 4), a[1]))"),
    ("cholesky", f"(lambda h: (torch.linalg.cholesky(h), torch.linalg.cholesky(h, upper=True), torch.linalg.cholesky_ex(h), torch.linalg.cholesky_ex(h - 9 * {unit})[1]))(a @ a.mH + {unit})"),
    ("cholesky_solutions", f"(lambda l: (torch.cholesky_solve(y, l), torch.cholesky_inverse(l)))(torch.linalg.cholesky(a @ a.mH + {unit}))"),
    ("determinants", "(torch.linalg.det(a), torch.linalg.slogdet(a), torch.logdet(a), torch.linalg.det(a * 0))"),
    ("values", "(torch.linalg.eigvalsh(a), torch.linalg.eigvalsh(a + a.mH, UPLO='U'), torch.linalg.svdvals(a), torch.linalg.svdvals(y))"),
    ("ranks", "(torch.linalg.matrix_rank(a), torch.linalg.matrix_rank(y @ y.mH), torch.linalg.cond(a), torch.linalg.cond(a, -2), torch.linalg.cond(a, 'fro'))"),
    ("pseudo_inverses", "(torch.linalg.pinv(y), torch.linalg.pinv(a + a.mH, hermitian=True), torch.linalg.pinv(a, rtol=0.3), torch.pinverse(y[0]))"),
    ("exponential", "torch.matrix_exp(a / 2)"),
    ("frobenius", "torch.linalg.matrix_norm(a)"),
    ("matrix_norms", "(torch.linalg.matrix_norm(a), torch.linalg.matrix_norm(a, 1), torch.linalg.matrix_norm(a, 2, keepdim=True), torch.linalg.matrix_norm(y, 'nuc'), torch.linalg.norm(y[0], -2), torch.linalg.norm(a, float('inf'), (0, 1)))"),
    ("triangles", f"(lambda t: (torch.linalg.solve_triangular(t, y, upper=True), torch.linalg.solve_triangular(t[:1], y, upper=False), torch.linalg.solve_triangular(t, y.mT, upper=True, left=False), "
                  f"torch.linalg.solve_triangular(a / 4, y, upper=False, unitriangular=True), *torch.triangular_solve(y, t), *torch.triangular_solve(y, t, upper=False, transpose=True)))(a + 5 * {unit})"),
    ("tensor_solutions", "(torch.linalg.tensorinv(a[0].reshape(2, 2, 4)), torch.linalg.tensorsolve(a[0].reshape(2, 2, 2, 2), y[0].reshape(4, 2)[:, 0].reshape(2, 2)), "
                         "torch.linalg.tensorsolve(a[0].reshape(2, 4, 2), y[0, :, 0], dims=(0,)))"),
    ("factors", "(torch.linalg.lu_factor(a), torch.linalg.lu_factor_ex(a * 0), torch.linalg.lu(a), torch.linalg.lu(y), torch.lu_unpack(*torch.linalg.lu_factor(y.mT)), torch.linalg.lu(a[0]))"),
    ("reflections", "(torch.linalg.qr(a), torch.linalg.qr(y, 'complete'), torch.linalg.qr(y.mT), torch.linalg.qr(y, 'r').R, torch.qr(a * 0, some=False), torch.geqrf(a))"),
    ("products_of_reflections", "(lambda r, t: (torch.linalg.householder_product(r, t), torch.ormqr(r, t, a), torch.ormqr(r, t, a, transpose=True), "
                                "torch.ormqr(r, t, a, left=False), torch.ormqr(r, t, a, left=False, transpose=True)))(*torch.geqrf(y))"),
    ("solutions_by_factors", "(lambda lu, p: (torch.linalg.lu_solve(lu, p, y), torch.linalg.lu_solve(lu, p, y, adjoint=True), torch.linalg.lu_solve(lu, p, y.mT, left=False), "
                             "torch.linalg.lu_solve(lu, p, y.mT, left=False, adjoint=True), torch.lu_solve(y, lu, p)))(*torch.linalg.lu_factor(a))"),
    ("vectors_of_hermitian", "(lambda h: (lambda l, v: (l, v.mH @ v, (v * l.unsqueeze(-2)) @ v.mH, h @ v - v * l.unsqueeze(-2)))(*torch.linalg.eigh(h)))(a + a.mH)"),
    ("vectors_of_triangles", "tuple(f for u in 'LU' for f in (lambda l, v: (l, (v * l.unsqueeze(-2)) @ v.mH))(*torch.linalg.eigh(a, u)))"),
    ("vectors_of_equal_values", f"tuple(f for h in ({unit} * 2 + a * 0, y @ y.mH, a[0, :3, :3] + a[0, :3, :3].mH, a[:, :1, :1]) for f in (lambda l, v: (l, v.mH @ v, (v * l.unsqueeze(-2)) @ v.mH))(*torch.linalg.eigh(h)))"),
    ("vectors_of_singular_values", "tuple(f for x in (a, y, y.mT, y[..., :1] @ y[..., :1].mH, a[0, :3, :3], a * 0) for f in (lambda u, s, v: (s, (u * s.unsqueeze(-2)) @ v, u.mH @ u, v @ v.mH))(*torch.linalg.svd(x, full_matrices=False)))"),
    ("whole_vectors_of_singular_values", "tuple(f for x in (a, y, y.mT) for f in (lambda u, s, v: (s, (u[..., :s.size(-1)] * s.unsqueeze(-2)) @ v[..., :s.size(-1), :], u.mH @ u, v @ v.mH))(*torch.linalg.svd(x)))"
                                         " + (lambda u, s, v: (s, (u * s.unsqueeze(-2)) @ v.mH))(*torch.svd(y))"),
    ("values_alone", "(torch.linalg.eigh(a)[0], torch.linalg.svd(y).S, torch.ops.aten._linalg_eigh(a)[0], torch.ops.aten._linalg_svd(y)[1], torch.ops.aten._linalg_svd(y, compute_uv=False)[1])"),
    ("least_squares", "(torch.linalg.lstsq(a, y)[0], torch.linalg.lstsq(y, a, driver='gels')[:2], torch.linalg.lstsq(y.mT, a[:, :2])[0], torch.linalg.lstsq(a[0], y[0], driver='gelsd')[2:], "
                      "torch.linalg.lstsq(y, a[..., 0])[0], torch.linalg.lstsq(a[0] * 0, y[0])[::2])"),
    ("chains", "(torch.linalg.multi_dot([a[0], y[0], y[1].mT]), torch.linalg.multi_dot([y[0, :, 0], a[0], y[1, :, 1]]), "
               "torch.linalg.multi_dot([a[0].mT, y[1, :, 1]]), torch.addmv(y[0, :, 0], a[0].mT, y[1, :, 1]))"),
]:
    family.case(name, eval("lambda a, y: " + text, {"torch": torch}), tensor(Dim("batch", 2, 3), 4, 4, low=-2, high=2),
                tensor(Dim("batch", 2, 3), 4, 2, low=-2, high=2), dtypes=(C64, C128), rtol=2e-3, atol=2e-3, opset=11)
for name, rows, columns in [("turned", Dim("rows", 3, 5), Dim("columns", 4, 3)), ("one", Dim("rows", 4, 1), 2)]:
    family.case(f"open_singular_values.{name}", lambda y: (torch.linalg.svdvals(y), torch.linalg.pinv(y), *(lambda u, s, v: (s, (u * s.unsqueeze(-2)) @ v))(
        *torch.linalg.svd(y, full_matrices=False))), tensor(2, rows, columns), dtypes=(C64,), rtol=2e-3, atol=2e-3, opset=11)
family.case("open_eigenvalues", lambda y: (lambda l, v: (l, (v * l.unsqueeze(-2)) @ v.mH))(*torch.linalg.eigh(y @ y.mH)),
            tensor(2, Dim("rows", 4, 3), 5), dtypes=(C64,), rtol=2e-3, atol=2e-3, opset=11)
for name, text in [
    ("products", "(z.prod(), z.prod(0), z.prod(1, keepdim=True), z[:, :0].prod(1), torch.where(z.real > 0, z, 0).prod(1))"),
    ("running_products", "(z.cumprod(0), z.cumprod(1))"), ("running_logsumexp", "(z.logcumsumexp(0), (z * 9).logcumsumexp(1), z[0].logcumsumexp(0), torch.complex(z.real.log(), z.imag).logcumsumexp(1))"), ("logsumexp", "(z.logsumexp(1), (z * 50).logsumexp((0, 1), keepdim=True), (z[0, 0] * 9).logsumexp(0))"),
    ("distances", "(torch.dist(z, z.conj()), torch.dist(z, z.real, 1), torch.nn.functional.l1_loss(z, z.conj()), torch.nn.functional.l1_loss(z, z * 2, reduction='none'))"),
    ("covariances", "(torch.cov(z), torch.cov(z[0]), torch.cov(z, correction=0, fweights=torch.tensor([1, 2, 3])))"),
    ("correlations", "(torch.corrcoef(z), torch.corrcoef(z[0]), torch.corrcoef(z[:1]), torch.cov(z[:1]), torch.corrcoef(z * 1e-3 + 2))"),
    ("without_nan", "(lambda h: (torch.nan_to_num(h), torch.nan_to_num(h, 1.0, 2.0, 3.0)))(torch.complex(z.real / (z.real > 0), z.imag / (z.imag < 1)))"),
    ("pairs", "(F.pairwise_distance(z, z.conj()), F.pairwise_distance(z, z * 2, p=1.0, keepdim=True), F.triplet_margin_loss(z, z.conj(), z * 2), "
              "F.triplet_margin_loss(z, z.conj(), z * 2, swap=True, reduction='none'))"),
    ("scaled", "(torch.renorm(z, 2, 0, 1.0), torch.renorm(z * 0, 1, 1, 1.0), F.rms_norm(z, (3,)), F.rms_norm(z, (3,), z[0], eps=0.1))"),
    ("powers_in_rows", "(torch.linalg.vander(z[0]), torch.linalg.vander(z, N=2))"), ("logaddexp", "torch.logaddexp(z, z.conj() * 2)"),
    ("softmax_of_real_part", "(torch.softmax(z, 1, dtype=torch.float64), torch.log_softmax(z, 0, dtype=torch.float32))"),
    ("steps", "(torch.gradient(z, dim=0)[0], torch.gradient(z, spacing=2.0, dim=1)[0], torch.ldexp(z, torch.tensor(3)))"),
    ("complex_steps", "(torch.trapezoid(z, z.conj(), dim=0), torch.trapz(z.real, z), torch.cumulative_trapezoid(z, z * 2))"),
    ("sinc", "(torch.sinc(z), torch.special.sinc(z * 0))"), ("empty", "(torch.empty_like(z).fill_(2j), z.new_empty([2, 2]).zero_())"),
]:
    family.case(name, eval("lambda z: " + text, {"torch": torch, "F": torch.nn.functional}), z, **both,
                **({"opset": 11} if name in ("running_products", "complex_steps", "covariances", "correlations") else {}))
for name, rows in [("one_row", 1), ("rows", 4)]:
    family.case(f"covariances.{name}", lambda z: (torch.cov(z), torch.corrcoef(z)), tensor(Dim("rows", 3, rows), 5), **both, opset=11)
family.case("drawn", lambda z: (torch.randn(2, 3, dtype=torch.complex64), torch.randn_like(z), z.clone().normal_(), torch.zeros_like(z).uniform_()), z,
            dtypes=(C64,), compare="shapes")


def write(z, w):
    z = z.clone()
    z[0] = w[1]
    z[:, 1] *= 2j
    z.real.add_(1)
    z.imag[0] = 3
    z.add_(w)
    z.t()[0].mul_(w[:, 0])
    torch.view_as_real(z)[..., 0].neg_()
    return z, z.clone().conj_physical_(), z.clone().fill_(1j)


family.case("write", write, z, w, **both)


def in_script(z, w):
    parts = [z, w * 1j]
    parts.append(torch.conj(z) + complex(1.0, 2.0))
    y = torch.cat(parts)
    if z.shape[0] > 2:
        y = y * complex(0.0, 1.0)
    return y, y.abs(), torch.is_complex(y), torch.cat([z] * 2), torch.allclose(y, y), torch.allclose(z, z * 1.1)


family.case("script", in_script, z, w, dtypes=(C64,), script=True)


class Weights(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 2, dtype=C64, generator=torch.Generator().manual_seed(5)))
        self.register_buffer("turn", torch.exp(1j * torch.arange(2.0)))

    def forward(self, z):
        return z @ self.weight * self.turn + 0.5j


family.case("weights", Weights(), z, dtypes=(C64,))


def in_branch(z, w):
    if bool(z.real.sum() > 0):
        y = z * w
    else:
        y = z - 1j
    for i in range(z.shape[0]):
        y = y * 0.5 + w
    return y, z.shape[0]


family.case("control", in_branch, z, w, dtypes=(C64,), script=True, opset=11)
