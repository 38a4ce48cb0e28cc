"""Distances, limits on norms, elementwise products, and tuples of elements."""
import torch
import torch.nn.functional as F

from case import FLOAT, FLOATS, INTS, Dim, Family, index, tensor

family = Family("distance", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)
x = tensor(B, 4, 3)
y = tensor(B, 2, 3)

for name, p in [("two", 2.0), ("one", 1.0), ("zero", 0.0), ("infinity", float("inf")), ("half", 1.5)]:
    scope = {"torch": torch, "F": F, "p": p}
    dtypes = FLOATS if name == "two" else FLOAT
    family.case(f"cdist.{name}", eval("lambda x, y: torch.cdist(x, y, p)", scope), x, y, dtypes=FLOAT)
    family.case(f"pairwise.{name}", eval("lambda x, y: F.pairwise_distance(x, y, p)", scope), x, x, dtypes=dtypes)
    family.case(f"pdist.{name}", eval("lambda x: F.pdist(x, p)", scope), tensor(N, 3), opset=9)
    family.case(f"renorm.{name}", eval("lambda x: torch.renorm(x, p, 1, 1.5)", scope), x) if p not in (0.0, float("inf")) else None
family.case("cdist.many", lambda x, y: torch.cdist(x, y), tensor(30, 5), tensor(28, 5))
family.case("cdist.broadcast", lambda x, y: torch.cdist(x, y), tensor(B, 1, 4, 3), tensor(2, 5, 3))
family.case("cdist.mode", lambda x, y: torch.cdist(x, y, compute_mode="use_mm_for_euclid_dist"), x, y, rtol=1e-3, atol=1e-3)
family.case("cdist.empty", lambda x, y: torch.cdist(x, y), tensor(2, 4, 0), tensor(2, 3, 0))
family.case("cdist.forward", lambda x, y: torch.ops.aten._cdist_forward(x, y, 2.0, None), x, y)
family.case("cdist.euclidean", lambda x, y: torch._euclidean_dist(x, y), tensor(5, 3), tensor(4, 3), rtol=1e-3, atol=1e-3)
family.case("pdist.forward", lambda x: torch._pdist(x) if hasattr(torch, "_pdist") else torch.ops.aten._pdist_forward(x), tensor(N, 3), opset=9)
family.case("pdist.one_row", lambda x: F.pdist(x), tensor(1, 3), opset=9)
family.case("pairwise.keep", lambda x, y: F.pairwise_distance(x, y, keepdim=True), x, tensor(4, 3))
family.case("pairwise.wrapping", lambda x, y: F.pairwise_distance(x, y), tensor(B, 4, low=0, high=200), tensor(B, 4, low=0, high=200),
            dtypes=(torch.uint8,))
family.case("pairwise.vectors", lambda x, y: F.pairwise_distance(x, y, eps=0.1), tensor(5), tensor(5))
family.case("renorm.negative", lambda x: x.renorm(2, -1, 2), x)
family.case("embedding.max_norm", lambda i, w: F.embedding(i, w * 1.0, max_norm=1.0), index(B, 3, below=6), tensor(6, 4), opset=11)
family.case("embedding.max_norm_one", lambda i, w: F.embedding(i, w * 1.0, max_norm=2.0, norm_type=1.0), index(B, 3, below=6),
            tensor(6, 4), opset=11)

family.case("cross.plain", lambda x, y: torch.linalg.cross(x, y), x, x, dtypes=FLOATS + INTS)
family.case("cross.first_of_three", lambda x, y: torch.cross(x, y), tensor(B, 3, 3), tensor(B, 3, 3))
family.case("cross.dim", lambda x, y: torch.cross(x, y, dim=-2), tensor(B, 3, 4), tensor(B, 3, 4))
family.case("cross.broadcast", lambda x, y: torch.linalg.cross(x, y), x, tensor(1, 1, 3))
family.case("vecdot.plain", lambda x, y: torch.linalg.vecdot(x, y), x, tensor(4, 3), dtypes=FLOATS)
family.case("vecdot.dim", lambda x, y: torch.linalg.vecdot(x, y, dim=0), x, x)
family.case("kron.plain", lambda x, y: torch.kron(x, y), tensor(B, 3), tensor(2, 4), dtypes=FLOATS + INTS)
family.case("kron.ranks", lambda x, y: (torch.kron(x, y), torch.kron(y, x)), tensor(B, 3), tensor(2))
family.case("vander.plain", lambda x: torch.linalg.vander(x), tensor(B, 4, low=-1, high=1), dtypes=FLOAT)
family.case("vander.count", lambda x: torch.linalg.vander(x, N=3), tensor(B, N, low=-2, high=2), dtypes=FLOAT + INTS)
family.case("vander.rank0", lambda x: torch.linalg.vander(x, N=3), tensor())
family.case("vander.complex_rank0", lambda z: torch.linalg.vander(z, N=3), tensor(dtype=torch.complex64), opset=9)
family.case("vander.complex_infinity", lambda x: torch.linalg.vander(torch.complex(x, x * 0)), tensor(values=[1e30, 2.0, 0.0]), opset=9)
family.case("vander.falling", lambda x: (torch.vander(x), torch.vander(x, 3, increasing=True)), tensor(N, low=-2, high=2), dtypes=FLOAT + INTS)
family.case("cartesian_prod.two", lambda x, y: torch.cartesian_prod(x, y), tensor(N), tensor(3), dtypes=FLOATS + INTS, opset=9)
family.case("cartesian_prod.three", lambda x, y, z: torch.cartesian_prod(x, y, z), tensor(N), tensor(3), tensor(B), opset=9)
family.case("cartesian_prod.one", lambda x: torch.cartesian_prod(x), tensor(N))
family.case("combinations.two", lambda x: torch.combinations(x), tensor(N), dtypes=FLOATS + INTS, opset=9)
family.case("combinations.three", lambda x: torch.combinations(x, 3), tensor(N), opset=9)
family.case("combinations.again", lambda x: torch.combinations(x, 3, with_replacement=True), tensor(N), opset=9)
family.case("combinations.ends", lambda x: (torch.combinations(x, 1), torch.combinations(x, 0)), tensor(N), opset=9)
family.case("combinations.too_few", lambda x: torch.combinations(x, 3), tensor(2), opset=9)
