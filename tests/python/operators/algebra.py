"""Linear algebra: factors, solutions, determinants, batched and of every shape."""
import torch

from case import Dim, Family, tensor

family = Family("algebra", opset=11)
B = Dim("batch", 2, 5)
N = Dim("n", 3, 4)
LOOSE = {"rtol": 1e-3, "atol": 1e-3}
square = tensor(B, 4, 4)
sized = tensor(B, N, N)
tall = tensor(B, 5, 3)
wide = tensor(B, 3, 5)
DOUBLE = torch.float64


def positive(x):
    return x @ x.mT + 2 * torch.eye(x.shape[-1], dtype=x.dtype)


for name, text in [
    ("det", "torch.linalg.det(x)"), ("slogdet", "torch.linalg.slogdet(x)"), ("logdet", "torch.logdet(x)"),
    ("inv", "torch.linalg.inv(x)"), ("inv_ex", "torch.linalg.inv_ex(x)"), ("lu_factor", "torch.linalg.lu_factor(x)"),
    ("lu_factor_ex", "torch.linalg.lu_factor_ex(x)"), ("lu", "torch.linalg.lu(x)"), ("lu_unpack", "torch.lu_unpack(*torch.linalg.lu_factor(x))"),
    ("qr", "torch.linalg.qr(x)"), ("aliases", "(torch.det(x), torch.inverse(x), torch.slogdet(x), *torch.qr(x))"),
    ("lu_with_info", "torch._lu_with_info(x)"), ("geqrf", "torch.geqrf(x)"),
]:
    call = eval("lambda x: " + text, {"torch": torch})
    family.case(f"{name}.plain", call, square, **LOOSE)
    family.case(f"{name}.matrix", call, tensor(3, 3), **LOOSE)
    family.case(f"{name}.double", call, tensor(2, B, 5, 5, dtype=DOUBLE), rtol=1e-8, atol=1e-8)
    family.case(f"{name}.one", call, tensor(B, 1, 1), **LOOSE)
    if name in ("det", "slogdet", "inv", "qr", "lu_factor"):
        family.case(f"{name}.sized", call, sized, **LOOSE)
    if name in ("lu_factor", "lu", "lu_unpack", "qr", "geqrf"):
        family.case(f"{name}.tall", call, tall, **LOOSE)
        family.case(f"{name}.wide", call, wide, **LOOSE)
family.case("det.singular", lambda x: (torch.linalg.det(x), torch.linalg.slogdet(x)), tensor(values=[[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [4.0, 5.0, 6.0]]))
family.case("det.negative", lambda x: torch.logdet(x), tensor(values=[[0.0, 1.0], [1.0, 0.0]]))
family.case("lu_factor.zero_pivot", lambda x: torch.linalg.lu_factor_ex(x), tensor(values=[[0.0, 1.0], [0.0, 2.0]]))
family.case("lu_factor.unpivoted", lambda x: torch.lu_unpack(*torch.linalg.lu_factor(x)), square, **LOOSE)
for mode in ("complete", "r"):
    call = eval(f"lambda x: torch.linalg.qr(x, {mode!r})", {"torch": torch})
    for name, shape in (("tall", tall), ("wide", wide)):
        family.case(f"qr.{name}_{mode}", call, shape, **LOOSE)
family.case("qr.zero_column", lambda x: torch.linalg.qr(x), tensor(values=[[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]), **LOOSE)
family.case("householder.product", lambda x: torch.linalg.householder_product(*torch.geqrf(x)), tall, **LOOSE)
family.case("householder.orgqr", lambda x: torch.orgqr(*torch.geqrf(x)), tall, **LOOSE)
for left in (True, False):
    for turned in (True, False):
        call = eval(f"lambda x, y: torch.ormqr(*torch.geqrf(x), y, left={left}, transpose={turned})", {"torch": torch})
        family.case(f"householder.ormqr_{left}_{turned}", call, tensor(B, 4, 3), tensor(B, 4, 2) if left else tensor(B, 2, 4), **LOOSE)

right = tensor(B, 4, 2)
family.case("solve.plain", lambda x, y: torch.linalg.solve(x, y), square, right, **LOOSE)
family.case("solve.vector", lambda x, y: torch.linalg.solve(x, y), tensor(4, 4), tensor(4), **LOOSE)
family.case("solve.vectors", lambda x, y: torch.linalg.solve(x, y), square, tensor(B, 4), **LOOSE)
family.case("solve.right", lambda x, y: torch.linalg.solve(x, y, left=False), square, tensor(B, 2, 4), **LOOSE)
family.case("solve.broadcast", lambda x, y: torch.linalg.solve(x, y), tensor(4, 4), tensor(B, 3, 4, 2), **LOOSE)
family.case("solve.broadcast_matrix", lambda x, y: torch.linalg.solve(x, y), tensor(B, 1, 4, 4), tensor(1, 3, 4, 2), **LOOSE)
family.case("solve.ex", lambda x, y: torch.linalg.solve_ex(x, y), square, right, **LOOSE)
family.case("solve.lu", lambda x, y: torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y), square, right, **LOOSE)
family.case("solve.lu_adjoint", lambda x, y: torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y, adjoint=True), square, right, **LOOSE)
family.case("solve.lu_right", lambda x, y: torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y, left=False), square, tensor(B, 2, 4), **LOOSE)
family.case("solve.lu_old", lambda x, y: torch.lu_solve(y, *torch.linalg.lu_factor(x)), square, right, **LOOSE)
steep = lambda x: x + 9 * torch.eye(x.shape[-1])
for upper in (True, False):
    scope = {"torch": torch, "steep": steep, "upper": upper, "positive": positive}
    name = "upper" if upper else "lower"
    family.case(f"triangular.{name}", eval("lambda x, y: torch.linalg.solve_triangular(steep(x), y, upper=upper)", scope), square, right, **LOOSE)
    family.case(f"triangular.{name}_right", eval("lambda x, y: torch.linalg.solve_triangular(steep(x), y, upper=upper, left=False, unitriangular=True)", scope),
                square, tensor(B, 2, 4, low=-1, high=1), **LOOSE)
    family.case(f"triangular.{name}_old", eval("lambda x, y: torch.triangular_solve(y, steep(x), upper=upper, transpose=True)", scope), square, right, **LOOSE)
    family.case(f"cholesky.{name}", eval("lambda x: torch.linalg.cholesky(positive(x), upper=upper)", scope), square, **LOOSE)
    family.case(f"cholesky.{name}_old", eval("lambda x: torch.cholesky(positive(x), upper=upper)", scope), tensor(4, 4), **LOOSE)
    family.case(f"cholesky.{name}_ex", eval("lambda x: torch.linalg.cholesky_ex(positive(x), upper=upper)", scope), sized, **LOOSE)
    family.case(f"cholesky.{name}_solve", eval("lambda x, y: torch.cholesky_solve(y, torch.linalg.cholesky(positive(x), upper=upper), upper=upper)", scope), square, right, **LOOSE)
    family.case(f"cholesky.{name}_inverse", eval("lambda x: torch.cholesky_inverse(torch.linalg.cholesky(positive(x), upper=upper), upper=upper)", scope), square, **LOOSE)


def symmetric(x):
    return x + x.mT


# Vectors are determined up to their signs, so values computed from them are compared.
for name, text in [
    ("eigh", "(lambda e: (e[0], (e[1] * e[0].unsqueeze(-2)) @ e[1].mT, e[1].mT @ e[1]))(torch.linalg.eigh(symmetric(x)))"),
    ("eigh_upper", "(lambda e: (e[0], (e[1] * e[0].unsqueeze(-2)) @ e[1].mT))(torch.linalg.eigh(x, UPLO='U'))"),
    ("eigvalsh", "torch.linalg.eigvalsh(x)"), ("matrix_exp", "torch.matrix_exp(x)"),
    ("powers", "(torch.linalg.matrix_power(x, 5), torch.linalg.matrix_power(x, 0), torch.linalg.matrix_power(x * 0.1 + torch.eye(x.shape[-1], dtype=x.dtype), -3))"),
    ("hermitian", "torch.linalg.pinv(symmetric(x), hermitian=True)"), ("cond_one", "(torch.linalg.cond(x, 1), torch.linalg.cond(x, 'fro'))"),
]:
    scope = {"torch": torch, "symmetric": symmetric}
    for place, shape in (("plain", square), ("odd", tensor(B, 5, 5)), ("matrix", tensor(3, 3)), ("two", tensor(B, 2, 2)), ("one", tensor(B, 1, 1))):
        family.case(f"{name}.{place}", eval("lambda x: " + text, scope), shape, rtol=2e-3, atol=2e-3 if name != "powers" else 2e-2)
    family.case(f"{name}.double", eval("lambda x: " + text, scope), tensor(B, 6, 6, dtype=DOUBLE), rtol=1e-7, atol=1e-7)
for name, text in [
    ("svd", "(lambda u, s, v: (s, (u * s.unsqueeze(-2)) @ v, u.mT @ u, v @ v.mT))(*torch.linalg.svd(x, full_matrices=False))"),
    ("svd_full", "(lambda u, s, v: (s, u @ u.mT, v @ v.mT, u.mT @ x @ v.mT * 0 + (u.mT @ x @ v.mT).abs()))(*torch.linalg.svd(x))"),
    ("svd_old", "(lambda u, s, v: (s, (u * s.unsqueeze(-2)) @ v.mT))(*torch.svd(x))"),
    ("svdvals", "torch.linalg.svdvals(x)"), ("pinv", "torch.linalg.pinv(x)"), ("pinverse", "torch.pinverse(x, rcond=1e-3)"),
    ("rank", "torch.linalg.matrix_rank(x)"), ("cond", "(torch.linalg.cond(x), torch.linalg.cond(x, -2))"),
    ("norms", "(torch.linalg.matrix_norm(x, 2), torch.linalg.matrix_norm(x, -2, keepdim=True), torch.linalg.matrix_norm(x, 'nuc'))"),
]:
    for place, shape in (("plain", square), ("tall", tall), ("wide", wide), ("matrix", tensor(2, 4)), ("one", tensor(B, 1, 3))):
        family.case(f"{name}.{place}", eval("lambda x: " + text, {"torch": torch}), shape, rtol=2e-3, atol=2e-3)
    family.case(f"{name}.double", eval("lambda x: " + text, {"torch": torch}), tensor(B, 7, 4, dtype=DOUBLE), rtol=1e-7, atol=1e-7)
family.case("rank.tolerances", lambda x, t: (torch.linalg.matrix_rank(x, atol=t, rtol=t * 0.1), torch.linalg.matrix_rank(x[0, 0], atol=t[0, 0]),
            torch.linalg.pinv(x[0], rtol=t[0])), tensor(Dim("outer", 2, 3), 3, 4, 4), tensor(Dim("outer", 2, 3), 3, low=0.1, high=0.9), opset=11, **LOOSE)
family.case("rank.deficient", lambda x: (torch.linalg.matrix_rank(x[..., :1] * x[:, :1, :]), torch.linalg.matrix_rank(x, atol=1.0, rtol=0.0),
                                         torch.linalg.matrix_rank(symmetric(x), hermitian=True)), square)
for name, shape in (("nothing", tensor(0, 0)), ("batch_of_nothing", tensor(B, 0, 0))):
    family.case(f"cond.{name}", lambda x: tuple(torch.linalg.cond(x, p) for p in (None, -2, 1, -1, float("inf"), "fro", "nuc")), shape)
family.case("svd.deficient", lambda x: (lambda u, s, v: (s, u @ u.mT, v @ v.mT, (u[..., :3] * s.unsqueeze(-2)) @ v))(
    *torch.linalg.svd(torch.cat([x, x[..., :1]], -1))), tensor(B, 5, 2), **LOOSE)
family.case("svd.zeros", lambda x: (lambda u, s, v: (s, u @ u.mT, v @ v.mT))(*torch.linalg.svd(x * 0)), tall, **LOOSE)
family.case("eigh.diagonal", lambda x: torch.linalg.eigh(torch.diag_embed(x))[0], tensor(B, 5), **LOOSE)
family.case("eigh.equal", lambda x: torch.linalg.eigh(torch.ones_like(x))[0], square, **LOOSE)
# Matrices of dynamic sizes: other runs have more rows or more columns, an odd or an even number of them.
for name, rows, columns in [("turned", Dim("m", 3, 5), Dim("n", 4, 3)), ("even", Dim("m", 4, 6), Dim("n", 3, 2)), ("one", Dim("m", 3, 1), 2)]:
    family.case(f"open_svd.{name}", lambda x: (lambda u, s, v: (s, (u * s.unsqueeze(-2)) @ v, u.mT @ u))(*torch.linalg.svd(x, full_matrices=False)),
                tensor(B, rows, columns), **LOOSE)
    family.case(f"open_svd.{name}_full", lambda x: (lambda u, s, v: (s, u @ u.mT, v @ v.mT))(*torch.linalg.svd(x)), tensor(rows, columns), **LOOSE)
    family.case(f"open_values.{name}", lambda x: (torch.linalg.svdvals(x), torch.linalg.matrix_rank(x), torch.linalg.pinv(x), torch.linalg.cond(x)),
                tensor(B, rows, columns), **LOOSE)
    family.case(f"open_norms.{name}", lambda x: (torch.linalg.matrix_norm(x, 2), torch.linalg.matrix_norm(x, "nuc")), tensor(rows, columns), **LOOSE)
family.case("open_values.nothing", lambda x: (torch.linalg.svdvals(x), torch.linalg.matrix_rank(x), torch.linalg.pinv(x), torch.linalg.matrix_norm(x, 2)),
            tensor(B, Dim("m", 3, 0), 2), **LOOSE)
family.case("open_eigh.odd", lambda x: (lambda e: (e[0], (e[1] * e[0].unsqueeze(-2)) @ e[1].mT))(torch.linalg.eigh(symmetric(x))),
            tensor(B, Dim("n", 4, 5), Dim("n", 4, 5)), **LOOSE)
family.case("open_eigh.one", lambda x: torch.linalg.eigvalsh(x @ x.mT), tensor(Dim("n", 3, 1), 4), **LOOSE)
family.case("lstsq.open", lambda x, y: torch.linalg.lstsq(x, y)[0], tensor(B, Dim("m", 5, 8), 3), tensor(B, Dim("m", 5, 8), 2), **LOOSE)
family.case("nuclear_norm.plain", lambda x: (torch.ops.aten.nuclear_norm(x[0]), torch.ops.aten.nuclear_norm(x, [1, 2], True)), square, **LOOSE)
family.case("matrix_exp.large", lambda x: torch.matrix_exp(x * 5), tensor(B, 3, 3), rtol=1e-3, atol=1e-2)
family.case("tensor.inverse", lambda x: torch.linalg.tensorinv(x, 1), tensor(4, 2, 2), **LOOSE)
family.case("tensor.open_inverse", lambda x: torch.linalg.tensorinv(x, 1), tensor(Dim("rows", 4, 6), 2, Dim("half", 2, 3)), opset=11, **LOOSE)
family.case("tensor.open_solve", lambda x, y: torch.linalg.tensorsolve(x, y), tensor(2, Dim("n", 3, 2), Dim("rows", 6, 4)), tensor(2, Dim("n", 3, 2)),
            opset=11, **LOOSE)
family.case("tensor.solve", lambda x, y: torch.linalg.tensorsolve(x, y), tensor(2, 3, 6), tensor(2, 3), **LOOSE)
for name, shape in [("matrices", tensor(1, 1, 0, 0)), ("batch", tensor(2, 0, 3, 3)), ("rows", tensor(0, 2, 0, 3))]:
    family.case(f"empty.{name}", lambda x: (*torch.linalg.qr(x), torch.linalg.qr(x, "r")[1], *torch.linalg.lu(x)), shape)
for name, shape in [("matrices", tensor(2, 2, 0, 0)), ("batch", tensor(2, 0, 3, 3))]:
    family.case(f"empty_square.{name}", lambda x: (torch.linalg.inv(x), torch.linalg.solve(x, x), torch.linalg.det(x)), shape)
family.case("lstsq.tall", lambda x, y: torch.linalg.lstsq(x, y)[0], tall, tensor(B, 5, 2), **LOOSE)
family.case("lstsq.wide", lambda x, y: torch.linalg.lstsq(x, y)[0], wide, tensor(B, 3, 2), **LOOSE)
family.case("lstsq.by_values", lambda x, y: (torch.linalg.lstsq(x, y, driver="gelsd").solution, torch.linalg.lstsq(x, y, driver="gelss")[2:]),
            tall, tensor(B, 5, 2), **LOOSE)
family.case("lstsq.gels", lambda x, y: torch.linalg.lstsq(x, y, driver="gels")[:2], tall, tensor(B, 5, 2), **LOOSE)
