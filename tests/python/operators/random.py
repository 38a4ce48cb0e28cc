"""Random operators, in programs whose result does not depend on the random numbers."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOATS, INTS, Dim, Family, tensor

family = Family("random", opset=9)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)
x = tensor(B, N)
scope = {"torch": torch, "F": F, "ops": torch.ops.aten}
for name, text in [
    ("rand.range", "(lambda r: (r >= 0) & (r < 1))(torch.rand(x.size(0), 3))"), ("rand.dtype", "(torch.rand(x.shape, dtype=torch.float64) < 1)"),
    ("rand_like.range", "(lambda r: (r >= 0) & (r <= 1))(torch.rand_like(x))"),
    ("randn.range", "torch.randn(x.size(0), 3).abs() < 40"), ("randn_like.range", "torch.randn_like(x).abs() < 40"),
    ("randint.one_value", "torch.randint(3, 4, (x.size(0), 3))"), ("randint.from_zero", "torch.randint(1, (x.size(0), 3), dtype=torch.int32)"),
    ("randint.range", "(lambda r: (r >= -2) & (r < 5))(torch.randint(-2, 5, x.shape))"),
    ("randint.far", "(lambda r: (r >= 1000000) & (r < 1000003))(torch.randint(1000000, 1000003, (x.size(0), 500)))"),
    ("randint.wide", "(lambda r: (r % 2 == 1).any())(torch.randint(0, 2 ** 40, (x.size(0), 500)))"),
    ("randint.low", "(lambda r: ((r >= -2 ** 62) & (r < -2 ** 62 + 1000), (r != r[:1, :1]).any()))(torch.randint(-2 ** 62, -2 ** 62 + 1000, (x.size(0), 50)))"),
    ("rand.half", "torch.rand(x.size(0), 20000, dtype=torch.float16) < 1"),
    ("rand.number", "torch.rand(()) < 1 + 0 * x"), ("rand.none", "torch.rand(0, 3) + x[:0, :3]"),
    ("randn.spread", "(lambda r: ((r.mean().abs() < 0.1) & ((r.std() - 1).abs() < 0.1), (r.flatten()[1:] != r.flatten()[:-1]).float().mean() > 0.99))(torch.randn(x.size(0), 5000))"),
    ("rand.runs", "(lambda r: r != r.flip(0))(torch.stack([torch.rand(5), torch.rand(5)])) | (x[0, 0] > 9)"),
    ("randint_like.one_value", "torch.randint_like(x, 3, 4)"), ("randint_like.from_zero", "torch.randint_like(x, 1)"),
    ("randint_like.range", "(lambda r: (r >= 0) & (r < 5) & (r == r.floor()))(torch.randint_like(x, 5))"),
    ("random.range", "(lambda r: (r >= 2) & (r < 5) & (r == r.floor()))((x * 2).random_(2, 5))"), ("random.below", "x.long().random_(1)"),
    ("random.functional", "ops.random(x, 3, 4)"),
    ("random.endless", "(lambda r: ((r >= 0) & (r <= 2 ** 24) & (r == r.floor()), (r > 2 ** 20).any()))(torch.zeros(x.size(0), 500).random_())"),
    ("random.endless_half", "(lambda r: ((r >= 0) & (r <= 2 ** 11) & (r == r.floor()), (r > 200).any()))(torch.zeros(x.size(0), 500, dtype=torch.half).random_())"),
    ("random.endless_double", "(lambda r: ((r >= 0) & (r == r.floor()), (r > 2 ** 50).any()))(torch.zeros(x.size(0), 500).double().random_())"),
    ("random.endless_int", "(lambda r: (r >= 0, (r > 2 ** 29).any()))(torch.zeros(x.size(0), 500, dtype=torch.int32).random_())"),
    ("random.endless_long", "(lambda r: (r >= 0, (r > 2 ** 61).any(), (r % 64 == 1).any()))(torch.zeros(x.size(0), 900, dtype=torch.int64).random_())"),
    ("random.endless_bytes", "(lambda r: (r >= 5, (r > 100).any()))(torch.zeros(x.size(0), 500, dtype=torch.int8).random_(5, None))"),
    ("random.endless_bools", "(lambda r: (r.any(), r.logical_not().any()))(torch.zeros(x.size(0), 500, dtype=torch.bool).random_())"),
    ("normal.no_spread", "torch.normal(x, 0.0)"), ("normal.tensors", "torch.normal(x, x * 0)"), ("normal.number_first", "torch.normal(1.5, x * 0)"),
    ("normal.sized", "torch.normal(1.5, 0.0, (3, 2)) + x[:, :1, None]"), ("normal.in_place", "(x * 2).normal_(2.5, 0.0)"),
    ("normal_functional.no_spread", "ops.normal_functional(x, 2.5, 0.0)"),
    ("uniform.in_place", "(lambda r: (r >= 2) & (r <= 3))((x * 2).uniform_(2, 3))"),
    ("uniform.functional", "(lambda r: (r >= 2) & (r <= 3))(ops.uniform(x, 2.0, 3.0))"),
    ("multinomial.certain", "torch.multinomial((x == x.amax(1, keepdim=True)).float(), 1)"),
    ("multinomial.replaced", "torch.multinomial((x == x.amax(1, keepdim=True)).float(), 3, True)"),
    ("multinomial.vector", "torch.multinomial((x[0] == x[0].amax()).float(), 2, True) + torch.multinomial((x[0] == x[0].amin()).float(), 1)"),
    ("multinomial.all", "torch.multinomial((x > -9).float()[:, :3], 3).sort(1)[0]"),
    ("bernoulli.certain", "torch.bernoulli((x > 0).float())"), ("bernoulli.all", "ops.bernoulli(x, 1.0)"), ("bernoulli.none", "ops.bernoulli(x, 0.0)"),
    ("bernoulli.tensor", "ops.bernoulli(x, (x > 0).double())"), ("bernoulli.in_place", "(x * 2).bernoulli_(1.0)"),
    ("rrelu_with_noise_functional.no_spread", "ops.rrelu_with_noise_functional(x, x * 0, 0.25, 0.25, True)"),
    ("rrelu_with_noise_functional.parts", "(lambda r: (torch.where(x < 0, x * r[1], x) - r[0], (r[1] <= 0.3) & (x < 0) | (r[1] == 1)))(ops.rrelu_with_noise_functional(x, x * 0, 0.1, 0.3, True))"),
    ("rrelu_with_noise_functional.off", "ops.rrelu_with_noise_functional(x, x * 2, 0.1, 0.3, False)"),
    ("rrelu.no_spread", "torch.nn.functional.rrelu(x, 0.25, 0.25, True)"),
    ("dropout.drops", "(lambda r: ((r == 0).float().mean() - 0.5).abs() < 0.2)(F.dropout(x[:1, :1].expand(20, 50).exp(), 0.5))"),
    ("dropout.channels", "(lambda r: ((r == 0).float().mean() - 0.5).abs() < 0.3)(F.dropout2d(x[:1, :1, None, None].expand(20, 20, 2, 2).exp(), 0.5))"),
    ("dropout.of_attention", "(lambda q: (lambda r: (r != r[:1]).any())(F.scaled_dot_product_attention(q, q, q, dropout_p=0.5)))(x[:1, :1].expand(1, 20, 8).exp())"),
    ("native_dropout.none", "ops.native_dropout(x, 0.0, True)"), ("native_dropout.scaled",
     "(lambda r: ((r[0] - x * 2) * r[1], r[0] * r[1].logical_not()))(ops.native_dropout(x, 0.5, True))"),
]:
    family.case(name, eval("lambda x: " + text, scope), x, opset=10 if name == "multinomial.all" else 9,
                dtypes=FLOATS if name in ("rand_like.range", "randn_like.range", "bernoulli.certain", "randint_like.one_value") else FLOATS[:1])
for name, text in [
    ("exponential.range", "(lambda r: (r >= 0) & (r < 40))((x * 2).exponential_(0.5))"), ("exponential.functional", "ops.exponential(x, 2.0) >= 0"),
    ("cauchy.no_spread", "(x * 2).cauchy_(2.5, 1e-30)"), ("cauchy.functional", "ops.cauchy(x, 2.5, 1e-30)"),
    ("geometric.range", "(lambda r: (r >= 1) & (r == r.floor()))((x * 2).geometric_(0.4))"), ("geometric.sure", "ops.geometric(x, 0.9999999999)"),
    ("log_normal.no_spread", "(x * 2).log_normal_(0.5, 1e-30)"), ("log_normal.functional", "ops.log_normal(x, 1.0, 2.0) > 0"),
]:
    family.case(name, eval("lambda x: " + text, scope), x)
family.case("randperm.sorted", lambda x: (torch.randperm(x.size(1)).sort()[0], torch.randperm(5, dtype=torch.int32).sort()[0]), x, opset=10)
moments = "(lambda r: ((r.mean() - {m}).abs() < {m} / 4, (r.var() - {v}).abs() < {v} / 2, r.min() > 0))({r})"
for name, text in [
    ("_standard_gamma.large", moments.format(m=2.5, v=2.5, r="torch._standard_gamma(x.flatten()[:1].expand(6000) * 0 + 2.5)")),
    ("_standard_gamma.small", moments.format(m=0.3, v=0.3, r="torch._standard_gamma(x.flatten()[:1].expand(6000) * 0 + 0.3)")),
    ("_sample_dirichlet.sums", "torch._sample_dirichlet(x.abs() + 0.5).sum(1)"),
    ("_sample_dirichlet.parts", "(torch._sample_dirichlet((x[:1, :1] * 0 + torch.tensor([1.0, 2.0, 5.0])).expand(6000, 3)).mean(0)"
     " - torch.tensor([0.125, 0.25, 0.625])).abs() < 0.05"),
]:
    family.case(name, eval("lambda x: " + text, scope), x, opset=9)
family.case("_standard_gamma.corners", lambda x: torch._standard_gamma(x), tensor(values=[0.0, float("inf"), float("nan")]))


class Between(nn.Module):
    """Dropout between two layers differs between the rows of the batch."""

    def __init__(self):
        super().__init__()
        self.layers = nn.LSTM(4, 8, 2, dropout=0.5)

    def forward(self, x):
        results = self.layers(x[:, :1].exp().expand(x.size(0), 6, 4))[0]
        return (results != results[:, :1]).any()


family.case("dropout.between_layers", Between().train(), tensor(B, 3, 4), train=True)
