"""Embeddings, dropout, conversions, new tensors and identities."""
import torch
from torch import nn
from torch.nn import functional as F

from case import BOOL, FLOAT, FLOATS, INTS, NUMBERS, Dim, Family, index, mask, tensor

family = Family("tensors", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)
x = tensor(B, N)

family.case("embedding.plain", nn.Embedding(9, 4), index(B, N, below=9), dtypes=FLOATS)
family.case("embedding.padding", nn.Embedding(9, 4, padding_idx=2), index(B, N, below=9))
family.case("embedding.padding_negative", nn.Embedding(9, 4, padding_idx=-1), index(B, N, below=9))
family.case("embedding.scale_by_frequency", nn.Embedding(9, 4, scale_grad_by_freq=True), index(B, N, below=9))
family.case("embedding.sparse", nn.Embedding(9, 4, sparse=True), index(B, N, below=9))
family.case("embedding.int32", nn.Embedding(9, 4), tensor(B, N, low=0, high=8, dtype=torch.int32))
family.case("embedding.rank0", nn.Embedding(9, 4), index(below=9))
family.case("embedding.rank3", nn.Embedding(9, 4), index(B, 2, N, below=9))
family.case("embedding.weight_input", lambda i, w: F.embedding(i, w, padding_idx=1), index(B, N, below=9), tensor(9, 4))
for rank, name in ((2, "dropout"), (3, "feature_dropout"), (4, "dropout2d"), (5, "dropout3d"), (2, "alpha_dropout"), (3, "feature_alpha_dropout")):
    op = {"feature_dropout": F.dropout1d, "feature_alpha_dropout": F.feature_alpha_dropout}.get(name) or getattr(F, name)
    shape = [B, N, 3, 2, 2][:rank]
    for training in (False, True):
        for rate in (0.0, 0.4):
            mode = f"{'train' if training else 'eval'}_{str(rate).replace('.', '_')}"
            family.case(f"{name}.{mode}", eval(f"lambda x: op(x, {rate}, training={training})", {"op": op}), tensor(*shape),
                        compare="shapes" if training and rate else "values", opset=12 if training and rate else 7,
                        dtypes=FLOATS if mode == "eval_0_4" and name == "dropout" else FLOAT)
family.case("dropout.all", lambda x: F.dropout(x, 1.0, training=True), x)
family.case("detach.plain", lambda x: x.detach() + 1, x)
family.case("detach.output", lambda x: x.detach(), x)
family.case("item.as_number", lambda x, y: x * torch.tensor(2.0).item() + y, x, x)
family.case("clone.plain", lambda x: x.clone(), x)
family.case("contiguous.plain", lambda x: x.t().contiguous(), x)
for name in ("float32", "float16", "float64", "int64", "int32", "int8", "uint8", "bool"):
    family.case(f"to.{name}", eval(f"lambda x: x.to(torch.{name})", {"torch": torch}), tensor(B, N, low=0, high=5), dtypes=NUMBERS)
family.case("to.truncates", lambda x: x.to(torch.int64), tensor(B, N))
family.case("to.other", lambda x, y: x.to(y), tensor(B, N), tensor(B, dtype=torch.float16))
family.case("to.methods", lambda x: (x.half(), x.double(), x.int(), x.long(), x.bool()), tensor(B, N, low=0))
family.case("type_as.plain", lambda x, y: x.type_as(y), tensor(B, N), tensor(1, dtype=torch.int64))
family.case("numel.plain", lambda x: x * x.numel(), x)
family.case("size.as_value", lambda x: x / x.size(1), x)
family.case("size.as_tensor", lambda x: torch.tensor(x.shape), tensor(2, 3))
family.case("size.negative", lambda x: x + x.size(-1), x)
family.case("dim.plain", lambda x: x + x.dim(), x)
for name in ("zeros", "ones"):
    scope = {"torch": torch}
    family.case(f"{name}.plain", eval(f"lambda x: x + torch.{name}(2, 1)", scope), tensor(2, N))
    family.case(f"{name}.of_size", eval(f"lambda x: torch.{name}(x.size(0), 3)", scope), x, opset=9)
    family.case(f"{name}.integer", eval(f"lambda x: torch.{name}(x.size(0), 3, dtype=torch.int64)", scope), x, opset=9)
    family.case(f"{name}_like.plain", eval(f"lambda x: torch.{name}_like(x)", scope), x, dtypes=NUMBERS + BOOL, opset=9)
    family.case(f"{name}_like.dtype", eval(f"lambda x: torch.{name}_like(x, dtype=torch.int64)", scope), x, opset=9)
    family.case(f"new_{name}.plain", eval(f"lambda x: x.new_{name}((3, x.size(0)))", scope), x, dtypes=NUMBERS, opset=9)
family.case("full.plain", lambda x: x + torch.full((2, 1), 1.5), tensor(2, N))
family.case("full.of_size", lambda x: torch.full((x.size(0), 2), -2.5), x, opset=9)
family.case("full.infinity", lambda x: torch.full((x.size(0), 2), float("-inf")), x, opset=9)
family.case("full.bool", lambda x: torch.full((x.size(0), 2), 1, dtype=torch.bool), x, opset=9)
family.case("full_like.plain", lambda x: torch.full_like(x, 3), x, dtypes=NUMBERS, opset=9)
family.case("empty.filled", lambda x: torch.empty(x.shape).fill_(2.0), x, opset=9)
family.case("arange.plain", lambda x: x + torch.arange(x.size(1)), x, opset=11)
family.case("arange.start_step", lambda x: torch.arange(1, x.size(1) * 2, 2), x, opset=11)
family.case("arange.float", lambda x: torch.arange(0.5, 4.0, 0.75) * x, tensor(B, 1))
family.case("linspace.plain", lambda x: torch.linspace(0, 1, 5) * x, tensor(B, 1))
family.case("scalar_tensor.plain", lambda x: x + torch.scalar_tensor(2.0), x)
family.case("one_hot.plain", lambda x: F.one_hot(x, 5), index(B, N, below=5), opset=9)

# Trivial programs.
family.case("program.identity", lambda x: x, x, dtypes=NUMBERS + BOOL)
family.case("program.same_output_twice", lambda x: (x + 1,) * 2, x)
family.case("program.input_and_result", lambda x: (x, x * 2), x)
family.case("program.unused_input", lambda x, y: x + 1, x, tensor(3))
family.case("program.constant_output", lambda x: (x, torch.ones(2, 3)), x)
family.case("program.nested_outputs", lambda x: ((x + 1, x + 2), [x + 3, x + 4]), x)
family.case("program.dead_code", lambda x: (torch.linalg.svd(x), x + 1)[1], tensor(3, 3))
family.case("program.rank0", lambda x, y: x * y + x, tensor(), tensor())


class Tied(nn.Module):
    """Two layers that share a weight."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))
        self.register_buffer("hidden", torch.zeros(4), persistent=False)
        self.register_buffer("count", torch.tensor(3))
        self.weight = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return x * self.scale + self.hidden * self.weight + self.count


class Transposed(nn.Module):
    """A weight that is not contiguous, and one that is a view of another."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(12.0).reshape(3, 4).t())
        self.part = nn.Parameter(torch.arange(20.0).reshape(4, 5)[1:3, 1:4])

    def forward(self, x):
        return x @ self.weight + self.part[0]


family.case("weights.tied", Tied(), tensor(B, 4))
family.case("weights.buffers", Buffers(), tensor(B, 4))
family.case("weights.not_contiguous", Transposed(), tensor(B, 4))
