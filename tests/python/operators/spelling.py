"""Operators that are other names of operators with their own cases: special_*, casts, conjugates, and identities.

As scripts, because a trace records the other operator for most of these.
"""
import functools

import torch

from case import FLOAT, FLOATS, INTS, Dim, Family, tensor

family = Family("spelling", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)
x = tensor(B, N)
KINDS = FLOATS + INTS[:1]  # operators that only move or convert elements
case = functools.partial(family.case, script=True)


def call(text, names="x"):
    return torch.jit.CompilationUnit(f"def call({names}):\n  return torch.ops.aten.{text}\n").call


# Functions of one tensor: (operator, its other arguments, lowest value, highest value, oldest opset).
for name, rest, low, high, opset in [
    ("special_erf", "", -2, 2, 9), ("special_erfc", "", -2, 2, 9), ("special_exp2", "", -2, 2, 7), ("special_expit", "", -6, 6, 7),
    ("special_expm1", "", -2, 2, 7), ("special_log1p", "", -0.5, 4, 7), ("special_logit", ", 0.01", 0, 1, 7), ("special_round", "", -3, 3, 11),
    ("special_sinc", "", -2, 2, 9), ("special_softmax", ", 1", -3, 3, 7), ("special_log_softmax", ", 0", -3, 3, 7),
    ("special_logsumexp", ", [1]", -3, 3, 7), ("hardshrink", ", 0.75", -3, 3, 7), ("softshrink", ", 0.25", -3, 3, 7),
    ("special_xlogy", ", 2.5", -3, 3, 9),
]:
    float_answer = name not in ("special_round", "special_softmax", "special_log_softmax", "hardshrink", "softshrink")
    case(f"{name}.plain", call(f"{name}(x{rest})"), tensor(B, N, low=low, high=high), dtypes=FLOATS, opset=opset)
    if float_answer and name not in ("special_logit",):
        case(f"{name}.of_integer", call(f"{name}(x{rest})"), tensor(B, N, low=0, high=2), dtypes=INTS[:1], opset=opset)
case("special_xlogy.tensor", call("special_xlogy(x, y)", "x, y"), tensor(B, N, whole=True), tensor(N, low=0.1), dtypes=FLOATS, opset=9)
case("special_xlogy.number_first", call("special_xlogy(1.5, x)"), tensor(B, N, low=0.1), opset=9)
case("special_logsumexp.dims", call("special_logsumexp(x, [0, 2], True)"), tensor(B, 3, N), dtypes=FLOATS)
case("special_softmax.dtype", call("special_softmax(x, 1, torch.float32)"), tensor(B, N, dtype=torch.float16))
case("special_round.decimals", call("special_round(x, decimals=2)"), x, opset=11)

# Operators that return their argument if it is real.
for name in ("alias", "alias_copy", "conj", "conj_physical", "resolve_conj", "resolve_neg", "real", "detach_copy", "lift",
             "lift_fresh", "lift_fresh_copy", "cpu", "requires_grad_"):
    case(f"{name}.plain", call(f"{name}(x{', False' if name == 'requires_grad_' else ''}) + 1"),
                x, dtypes=KINDS)
for name in ("mH", "matrix_H", "adjoint"):
    case(f"{name}.plain", call(f"{name}(x)"), x if name != "adjoint" else tensor(B, 3, N), dtypes=KINDS)
    if name != "matrix_H":
        case(f"{name}.batch", call(f"{name}(x)"), tensor(B, 2, 3, N))
for name in ("Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"):
    case(f"cast_{name.lower()}.plain", call(f"_cast_{name}(x)"), tensor(B, N, low=0, high=9), dtypes=KINDS)
case("_to_copy.plain", call("_to_copy(x)"), x, dtypes=KINDS)
for name in ("float16", "float32", "int64", "bool"):
    case(f"_to_copy.{name}", call(f"_to_copy(x, dtype=torch.{name})"), tensor(B, N, low=0), dtypes=KINDS)

# Concatenation and products.
for name in ("concat", "concatenate"):
    case(f"{name}.plain", call(f"{name}([x, y], 1)", "x, y"), tensor(B, N), tensor(B, 3), dtypes=KINDS)
    case(f"{name}.mixed", call(f"{name}([x, y], -1)", "x, y"), tensor(B, N), tensor(B, 3, dtype=torch.int64))
case("linalg_matmul.plain", call("linalg_matmul(x, y)", "x, y"), tensor(B, N, 5), tensor(5, 3), dtypes=FLOATS + INTS, opset=9)
case("linalg_matmul.vectors", call("linalg_matmul(x, y)", "x, y"), tensor(N), tensor(N))
case("chain_matmul.plain", call("chain_matmul([x, y, x])", "x, y"), tensor(N, 5), tensor(5, N), dtypes=FLOATS)
case("linalg_diagonal.plain", call("linalg_diagonal(x)"), tensor(B, 4, 4), dtypes=FLOAT, opset=9)
case("linalg_diagonal.moved", call("linalg_diagonal(x, offset=1, dim1=0, dim2=2)"), tensor(3, N, 4), dtypes=FLOATS, opset=9)
case("frobenius_norm.dim", call("frobenius_norm(x, [1])"), x, dtypes=FLOATS)
case("frobenius_norm.dims", call("frobenius_norm(x, [0, -1], True)"), tensor(B, 3, N))
# torch.norm itself calls linalg_vector_norm.
case("norm.number", call("norm(x, 3)"), x, dtypes=FLOATS)
case("norm.dim", call("norm(x, 2, [1], True)"), x, dtypes=FLOATS)
case("norm.none", call("norm(x, None, [0, 1])"), x)
case("norm.dtype", call("norm(x, 1, [1], False, dtype=torch.float32)"), x, dtypes=(torch.float16,))
case("norm.whole_dtype", call("norm(x, 2, dtype=torch.float32)"), x, dtypes=(torch.float16,))
case("_aminmax.plain", call("_aminmax(x)"), x, dtypes=FLOATS + INTS)
case("_aminmax.dim", call("_aminmax(x, 1, True)"), x, dtypes=FLOATS)

# Shapes.
for name, text, opset in [
    ("_unsafe_view.plain", "_unsafe_view(x, [-1, 3])", 7), ("_reshape_copy.plain", "_reshape_copy(x, [3, -1])", 7),
    ("_shape_as_tensor.plain", "_shape_as_tensor(x) + 1", 7), ("_dim_arange.plain", "_dim_arange(x, 2)", 11),
    ("native_channel_shuffle.plain", "native_channel_shuffle(x, 3)", 7), ("unsafe_split.plain", "unsafe_split(x, 2, 1)[1]", 7),
    ("unsafe_split_with_sizes.plain", "unsafe_split_with_sizes(x, [1, 2, 3], 1)[1]", 7),
]:
    case(name, call(text), tensor(B, 6, N), dtypes=KINDS, opset=opset)
case("_reshape_from_tensor.plain", call("_reshape_from_tensor(x, y)", "x, y"), tensor(2, 6), tensor(values=[3, 4], dtype=torch.int64))
case("native_channel_shuffle.image", call("native_channel_shuffle(x, 2)"), tensor(B, 6, 4, N), dtypes=FLOATS)

# New tensors.
for name, text in [
    ("new_full.plain", "new_full(x, [x.size(0), 2], 3)"), ("new_empty.filled", "new_empty(x, [x.size(0), 3]).fill_(2)"),
    ("new_empty_strided.filled", "new_empty_strided(x, [x.size(0), 3], [3, 1]).fill_(2)"),
    ("empty_strided.filled", "empty_strided([x.size(0), 3], [3, 1]).fill_(2)"),
    ("empty_permuted.filled", "empty_permuted([x.size(0), 3], [0, 1]).fill_(2)"),
]:
    case(name, call(text), x, dtypes=KINDS if "new" in name else FLOAT, opset=9)
case("new_full.dtype", call("new_full(x, [2, x.size(1)], 1.5, dtype=torch.float64)"), x, dtypes=INTS[:1], opset=9)

# Reads and writes by index.
i = tensor(values=[2, 0], dtype=torch.int64)
case("_unsafe_index.plain", call("_unsafe_index(x, [None, i])", "x, i"), tensor(B, 4), i, dtypes=KINDS, opset=9)
case("_unsafe_index.two", call("_unsafe_index(x, [i, i])", "x, i"), tensor(3, N), i, opset=11)
case("_unsafe_index_put.plain", call("_unsafe_index_put(x, [i], v)", "x, i, v"), tensor(3, N), i, tensor(2, N), dtypes=KINDS, opset=11)
case("_unsafe_index_put.accumulate", call("_unsafe_index_put(x, [i], v, True)", "x, i, v"), tensor(3, N), i, tensor(2, N), opset=16)
case("_index_put_impl.plain", call("_index_put_impl(x, [None, i], v)", "x, i, v"), tensor(B, 4), i, tensor(B, 2), dtypes=KINDS, opset=11)
case("_index_put_impl.in_place", call("_index_put_impl_(x * 2, [i], v, True)", "x, i, v"), tensor(3, N), i, tensor(2, N), opset=16)
case("fill_diagonal.plain", call("fill_diagonal_(x * 2, 5)"), tensor(B, N), dtypes=KINDS, opset=11)
case("fill_diagonal.wrapped", call("fill_diagonal_(x * 2, 1.5, True)"), tensor(7, 3), opset=11)
case("fill_diagonal.tall", call("fill_diagonal_(x * 2, 1.5)"), tensor(7, 3), opset=11)
case("fill_diagonal.cube", call("fill_diagonal_(x * 2, 1.5)"), tensor(3, 3, 3), opset=11)
