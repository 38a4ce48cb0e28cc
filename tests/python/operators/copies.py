"""The _copy operators, whose namesakes return views."""
import torch

from case import FLOATS, INTS, Dim, Family, tensor

family = Family("copies", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)

for name, arguments, opset in [
    ("as_strided_copy", "[2, 2], [3, 1], 1", 9), ("diagonal_copy", "1, 0, 2", 9), ("expand_copy", "[3, -1, -1, -1]", 8),
    ("permute_copy", "[2, 0, 1]", 7), ("select_copy", "1, -1", 7), ("slice_copy", "1, 1, 3", 7), ("split_copy", "2, 1", 7),
    ("split_with_sizes_copy", "[1, 3], 1", 7), ("squeeze_copy", "", 7), ("transpose_copy", "0, -1", 7), ("unbind_copy", "1", 7),
    ("unfold_copy", "1, 2, 1", 7), ("unsqueeze_copy", "-2", 7), ("view_copy", "[-1, 2]", 7), ("narrow_copy", "1, 1, 2", 7),
    ("detach_copy", "", 7),
]:
    x = tensor(B, 4, N)
    if name == "as_strided_copy":
        x = tensor(3, 4)
    elif name == "squeeze_copy":
        x = tensor(3, 1, 4)
    elif name == "diagonal_copy":
        x = tensor(3, N, 4)
    family.case(f"{name}.plain", eval(f"lambda x: op({', '.join(['x'] + [arguments] * bool(arguments))})", {"op": getattr(torch.ops.aten, name)}), x,
                dtypes=FLOATS + INTS[:1], opset=opset)
family.case("t_copy.plain", lambda x: torch.ops.aten.t_copy(x), tensor(B, N), dtypes=FLOATS + INTS[:1])
family.case("t_copy.vector", lambda x: torch.ops.aten.t_copy(x), tensor(N))
family.case("squeeze_copy.dim", lambda x: torch.ops.aten.squeeze_copy(x, 1), tensor(B, 1, N))
family.case("squeeze_copy.dims", lambda x: torch.ops.aten.squeeze_copy(x, [1, -1]), tensor(B, 1, N, 1))
family.case("slice_copy.step", lambda x: torch.ops.aten.slice_copy(x, -1, None, None, 2), tensor(B, N), opset=10)
# The same dtype; another one has no ONNX form.
family.case("view_copy.dtype", lambda x: torch.ops.aten.view_copy(x, torch.float32), tensor(B, N))
family.case("select_copy.then_written", lambda x: torch.ops.aten.select_copy(x, 0, 1).add_(1) + x, tensor(B, N))
family.case("unbind_copy.last", lambda x: torch.ops.aten.unbind_copy(x, -1), tensor(B, 3))
