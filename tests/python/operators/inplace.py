"""In-place writes: to values, views, slices, and values that are read again afterwards."""
import torch
from torch.nn import functional as F

from case import FLOAT, FLOATS, INTS, NUMBERS, Dim, Family, index, mask, tensor

family = Family("inplace", opset=7)
B = Dim("batch", 3, 5)
N = Dim("n", 4, 6)
x = tensor(B, N)

for name, call in [
    ("add", "y.add_(2)"), ("add_alpha", "y.add_(x, alpha=3)"), ("sub", "y.sub_(x * 2)"), ("mul", "y.mul_(x)"), ("div", "y.div_(2)"),
    ("relu", "y.relu_()"), ("sigmoid", "y.sigmoid_()"), ("tanh", "y.tanh_()"), ("exp", "y.exp_()"), ("neg", "y.neg_()"), ("abs", "y.abs_()"),
    ("clamp", "y.clamp_(-1, 1)"), ("pow", "y.pow_(2)"), ("zero", "y.zero_()"), ("fill", "y.fill_(3)"), ("copy", "y.copy_(x * 3)"),
    ("copy_broadcast", "y.copy_(x[:1])"), ("threshold", "F.threshold_(y, 0.5, -1)"), ("leaky_relu", "F.leaky_relu_(y, 0.2)"),
    ("elu", "F.elu_(y)"), ("hardtanh", "F.hardtanh_(y)"), ("silu", "F.silu(y, inplace=True)"), ("hardswish", "F.hardswish(y, inplace=True)"),
    ("dropout", "F.dropout(y, 0.5, False, inplace=True)"), ("masked_fill", "y.masked_fill_(x > 0, 1)"), ("round", "y.floor_()"),
    ("sqrt", "y.abs_().sqrt_()"), ("index_fill_part", "y[:, 1:3].fill_(7)"),
]:
    scope = {"torch": torch, "F": F}
    exec(f"def function(x):\n  y = x + 1\n  {call}\n  return y * 2 + x\n", scope)
    opset = {"masked_fill": 9, "copy_broadcast": 8}.get(name, 7)
    family.case(f"value.{name}", scope["function"], x, opset=opset)
for name, body in {
    "slice": "y[:, 1:3] = 5.0", "slice_tensor": "y[1:] = x[:-1]", "select": "y[0] = 1.0", "select_last": "y[..., -1] = x[..., 0]",
    "slice_step": "y[:, ::2] = 0.0", "slice_add": "y[:, 1:] += 2", "select_mul": "y[1].mul_(3)", "transposed": "y.t()[1] = 4.0", "adjoint": "y.mH[1] = 4.0",
    "viewed": "y.view(-1)[2] = 9.0", "reshaped": "y.view(-1, 2)[:, 0] = -1.0", "unsqueezed": "y.unsqueeze(0)[0, 1] = 2.0",
    "nested": "y[1:][0] = 6.0", "chunk": "y.chunk(2, 1)[1].fill_(8)", "mask": "y[y > 0] = 0.0", "index": "y[[0, 2]] = 1.0",
    "index_add": "y[torch.tensor([0, 2])] += 1.0", "view_read_later": "z = y[0]\n  y.add_(1)\n  y = y + z",
    "read_before": "z = y * 1\n  y.add_(1)\n  y = y + z", "diagonal": "y[:3, :3].diagonal().fill_(0)", "ellipsis": "y[...] = 3.0",
    "whole": "y[:] = x * 2", "relu_of_view": "y[:, :2].relu_()", "two_writes": "y[0] = 1.0\n  y[:, 0] = 2.0",
    "swap": "z = y[0].clone()\n  y[0] = y[1]\n  y[1] = z",
}.items():
    scope = {"torch": torch, "F": F}
    exec(f"def function(x):\n  y = x * 2\n  {body}\n  return y\n", scope)
    size = tensor(3, 4) if name in ("diagonal", "viewed", "swap") else x
    family.case(f"write.{name}", scope["function"], size, opset=11, dtypes=FLOATS if name == "slice" else FLOAT)

# out= of operators that create a tensor: it keeps its dtype. `out.polygamma` has its arguments in another order.
for name, size, dtype, call in [
    ("zeros", "2, 3", "int64", "torch.zeros([2, 3], out=y)"), ("ones", "2, 3", "float64", "torch.ones([2, 3], out=y)"),
    ("full", "2, 3", "float64", "torch.full([2, 3], 7, out=y)"), ("arange", "5", "float64", "torch.arange(5, out=y)"),
    ("arange_step", "3", "int32", "torch.arange(1, 7, 2, out=y)"), ("eye", "3, 4", "int32", "torch.eye(3, 4, out=y)"),
    ("linspace", "4", "float64", "torch.linspace(0, 1, 4, out=y)"),
    ("window", "4", "float64", "torch.ops.aten.hann_window(4, out=y)"),
    ("zeros_like", "3, 4", "int64", "torch.ops.aten.zeros_like(x, memory_format=torch.contiguous_format, out=y)"),
    ("full_like", "3, 4", "float64", "torch.ops.aten.full_like(x, 3.5, memory_format=torch.contiguous_format, out=y)"),
    ("arange_cut", "3", "int64", "torch.arange(-1.5, 2.1, 1., out=y)"),
    ("arange_large", "3", "float64", "torch.arange(16777216., 16777219., out=y)"),
    ("full_digits", "2, 3", "float64", "torch.full([2, 3], 0.1, out=y)"), ("sum", "3", "float64", "torch.sum(x * 1e8, 1, out=y)"),
    ("add", "3, 4", "float64", "torch.add(x, x, out=y)"), ("cumsum", "3, 4", "float64", "torch.cumsum(x, 1, out=y)"),
    ("to_copy", "3, 4", "float64", "torch.ops.aten._to_copy(x, out=y)"),
]:
    scope = {"torch": torch}
    exec(f"def function(x):\n  y = torch.ones([{size}], dtype=torch.{dtype})\n  {call}\n  return y, y / 2, x * 2\n", scope)
    family.case(f"out.{name}", scope["function"], tensor(3, 4), opset=9)
family.case("out.polygamma", lambda x: (x.abs() + 1).polygamma_(1) * x, x, opset=9)


def input_written(x):
    x.add_(1)
    return x * 2


def input_returned(x):
    x[:, 0] = 0
    return x


family.case("input.written", input_written, x)
family.case("input.returned", input_returned, x, opset=11)

# Views, written as a whole and in part; both tensors are read again.
VIEWS = {
    "shapes": ["torch.atleast_1d({})", "torch.atleast_3d({})", "{}.flatten()", "{}.ravel()", "{}.reshape(-1, 3)", "{}.reshape_as(torch.zeros(3, 8))",
               "{}.unsqueeze(0).squeeze()", "{}[None, :, None].squeeze((0, 2))", "{}.unflatten(-1, (2, -1))", "{}.unsqueeze(-1)", "{}.view(2, -1)",
               "{}.view_as(torch.zeros(2, 12))", "{}.expand(4, 6)", "{}.expand_as(torch.zeros(4, 6))", "{}.broadcast_to((4, 6))", "torch.ops.aten._unsafe_view({}, (2, 12))"],
    "orders": ["{}.adjoint()", "{}.mH", "{}.mT", "{}.H", "{}.T", "{}.t()", "{}.moveaxis(0, -1)", "{}.movedim((0, 1), (1, 0))", "{}.permute(1, 0)",
               "{}.swapaxes(0, 1)", "{}.swapdims(-1, -2)", "{}.transpose(0, -1)", "{}.view(2, 2, 6).permute(2, 0, 1)"],
    "parts": ["{}.as_strided((2, 3), (6, 2), 1)", "{}.as_strided((3, 2), (2, 3))", "{}.diagonal(1)", "{}.diagonal(-1, 1, 0)", "{}.narrow(1, 1, 2)", "{}.select(1, -1)", "{}[1:, ::2]", "{}[..., -3:-1]", "{}[2:2]"],
    "pieces": ["{}.chunk(4, -1)[2]", "{}.split(4, 1)[1]", "{}.split([1, 3], 0)[1]", "{}.unbind(1)[2]", "{}.tensor_split(4, 1)[2]", "{}.tensor_split((1, -2), -1)[1]",
               "{}.tensor_split((1, 9), 1)[1]", "{}.tensor_split(torch.tensor([2, 5]), 1)[2]", "{}.hsplit(3)[1]", "{}.hsplit([2])[0]", "{}[0].hsplit(2)[1]", "{}.vsplit(2)[1]",
               "{}.vsplit([1, 3])[1]", "{}.view(2, 2, 6).dsplit(3)[2]", "{}.unsafe_chunk(4, -1)[2]", "{}.unsafe_split(4, 1)[1]",
               "{}.unsafe_split_with_sizes([1, 3], 0)[1]"],
    "equations": ["torch.einsum('ij->ji', {})", "torch.einsum('...i->i...', {})", "torch.einsum('ba', {})", "torch.einsum('...ij->ij', {})", "torch.einsum('ij->...ji', {})",
                  "torch.einsum('ii->i', {}[:, 1:5])",
                  "torch.einsum('aiaj->jia', {}.view(2, 3, 2, 2))", "torch.linalg.diagonal({}, offset=1)", "torch.narrow({}, 1, torch.tensor(2), 3)"],
    "complex": ["torch.view_as_complex({}.view(4, 3, 2)).real", "torch.view_as_complex({}.view(4, 3, 2)).imag",
                "torch.view_as_real(torch.view_as_complex({}.view(4, 3, 2)).mT)", "torch.view_as_real(torch.view_as_complex({}.view(4, 3, 2)).conj().resolve_conj())"],
}


def written_through(views):
    views = [eval("lambda y: " + view.format("y"), {"torch": torch}) for view in views]

    def function(x):
        results = []
        for i, view in enumerate(views):
            y, z = x * (2 * i + 2), x * (2 * i + 3)
            whole, part = view(y), view(z)
            whole.copy_(whole * 0 + torch.arange(whole.numel()).view(whole.shape))
            part[:1].mul_(-1)
            part[..., -1:].add_(5)
            results += [y, whole + 0, z, part * 1]
        return tuple(results)
    return function


for name, views in VIEWS.items():
    family.case(f"through.{name}", written_through(views), tensor(4, 6), opset=13)


# A tensor that is set to the storage of another one.
def after_set(x, y):
    z = x * 2
    before = z[0]
    z.set_(y * 3)
    z.add_(1)
    return z, before, x


def set_twice(x, y):
    z, first, second = torch.empty(0), x + 1, y + 1
    z.set_(first)
    z.mul_(2)
    z.set_(second)
    z.sub_(1)
    return z, first, second


def set_to_part(x, y):
    z, y = x * 2, y + 0
    z.set_(y, 2, [2, 2], [4, 1])
    z.add_(1)
    return z, y


def set_to_other_shape(x, y):
    z = torch.zeros(2, 7, dtype=x.dtype)
    before = z + 1
    z.set_(x * 3)
    return z + y, before, z.size(0)


for script in (False, True):
    ending = "_script" if script else ""
    family.case("set.other_shape" + ending, set_to_other_shape, tensor(B, N), tensor(B, N), script=script)
    family.case("set.from_tensor" + ending, after_set, tensor(B, N), tensor(B, N), script=script)
    family.case("set.twice" + ending, set_twice, tensor(B, N), tensor(N, B), script=script)
    family.case("set.part" + ending, set_to_part, tensor(2, 3), tensor(3, 4), script=script, opset=11)
