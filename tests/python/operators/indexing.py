"""Reads and writes by index: integers, slices, None, Ellipsis, masks and index tensors, and combinations."""
import torch
import torch.nn.functional as F

from case import FLOAT, FLOATS, INTS, NUMBERS, Dim, Family, index, mask, tensor

family = Family("indexing", opset=9)
B = Dim("batch", 3, 5)
N = Dim("n", 6, 8)
x = tensor(B, 4, N)

# Basic indices, in Python's notation.
for name, text, opset in [
    ("integer", "x[1]", 7), ("integer_negative", "x[-1]", 10), ("integers", "x[0, 1]", 7), ("tuple", "x[1, :, 2]", 7),
    ("integer_middle", "x[:, 2]", 7), ("integer_last", "x[..., 1]", 7), ("ellipsis", "x[1, ..., 0]", 7), ("slice", "x[:, 1:3]", 7),
    ("slice_step", "x[:, :, ::2]", 10), ("slice_start_step", "x[:, 1::2]", 10), ("slice_negative", "x[:, -3:-1]", 7),
    ("slice_far", "x[:, 1:100]", 7), ("slice_far_negative", "x[:, -100:2]", 7), ("slice_empty", "x[:, 2:2]", 7),
    ("slice_end", "x[:, :, :-1]", 7), ("slice_all", "x[:]", 7), ("none", "x[None]", 7), ("none_middle", "x[:, None, 1:]", 7),
    ("none_mixed", "x[1, None, ..., None, 0]", 7), ("slice_of_size", "x[:, :, : x.size(2) // 2]", 10),
    ("slice_from_size", "x[:, :, x.size(2) - 2 :]", 10), ("slice_twice", "x[1:][:, 1:3]", 7), ("ellipsis_only", "x[...]", 7),
]:
    family.case(f"basic.{name}", eval("lambda x: " + text), x, dtypes=FLOATS + INTS if name in ("integer", "slice_step") else FLOAT,
                opset=opset)
family.case("basic.rank0_none", lambda x: x[None], tensor(), opset=7)
family.case("basic.rank0_ellipsis", lambda x: x[...], tensor(), opset=7)
family.case("select.plain", lambda x: x.select(1, -1), x)
family.case("select.first", lambda x: torch.select(x, 0, 1), x, dtypes=NUMBERS)
family.case("index_select.plain", lambda x, i: torch.index_select(x, 1, i), x, index(5, below=4), dtypes=NUMBERS)
family.case("index_select.first", lambda x, i: x.index_select(0, i), x, index(N, below=3))
family.case("index_select.negative_dim", lambda x, i: x.index_select(-1, i), x, index(2, below=6))
family.case("index_select.int32", lambda x, i: x.index_select(1, i), x, tensor(3, low=0, high=3, dtype=torch.int32))
family.case("index_select.rank0", lambda x, i: x.index_select(0, i), tensor(N), index(below=6))
family.case("index_select.empty", lambda x, i: x.index_select(1, i), x, index(0, below=4))
family.case("gather.plain", lambda x, i: torch.gather(x, 1, i), tensor(B, 4), index(B, 2, below=4), dtypes=NUMBERS)
family.case("take.plain", lambda x, i: torch.take(x, i), tensor(3, 4), index(N, below=12))

# Index tensors.
wide = tensor(4, 3, 5)
for name, text, indices, opset in [
    ("first", "x[i]", [(3,)], 9), ("first_matrix", "x[i]", [(2, 3)], 9), ("first_rank0", "x[i]", [()], 9),
    ("second", "x[:, i]", [(4,)], 9), ("second_matrix", "x[:, i]", [(2, 2)], 9), ("last", "x[..., i]", [(2,)], 9),
    ("two", "x[i, j]", [(3,), (3,)], 11), ("two_broadcast", "x[i, j]", [(3, 1), (2,)], 11),
    ("two_last", "x[:, i, j]", [(3,), (3,)], 11), ("two_apart", "x[i, :, j]", [(3,), (3,)], 11),
    ("two_apart_matrix", "x[i, :, j]", [(2, 1), (3,)], 11), ("three", "x[i, j, k]", [(3,), (3,), (3,)], 11),
    ("three_matrix", "x[i, j, k]", [(2, 3), (3,), (2, 1)], 11), ("with_integer", "x[i, 1]", [(3,)], 9),
    ("integer_first", "x[1, i]", [(3,)], 9), ("integer_apart", "x[i, :, 1]", [(3,)], 9),
    ("integer_first_apart", "x[1, :, i]", [(3,)], 9), ("with_slice", "x[i, 1:]", [(3,)], 9),
    ("with_slice_between", "x[i, 1:, j]", [(3,), (3,)], 11), ("with_none", "x[i, None]", [(3,)], 9),
    ("none_first", "x[None, i]", [(3,)], 9), ("none_between", "x[i, None, j]", [(3,), (3,)], 11),
    ("ellipsis_apart", "x[i, ..., j]", [(2,), (2,)], 11), ("empty", "x[i]", [(0,)], 9),
]:
    names = "ijk"[: len(indices)]
    bounds = [4, 3, 5]
    if name in ("second", "second_matrix", "integer_first"):
        bounds = [3]
    elif name in ("last", "integer_first_apart"):
        bounds = [5]
    elif name == "two_last":
        bounds = [3, 5]
    elif name in ("two_apart", "two_apart_matrix", "with_slice_between", "ellipsis_apart"):
        bounds = [4, 5]
    function = eval(f"lambda x, {', '.join(names)}: {text}")
    family.case(f"index.{name}", function, wide, *(index(*shape, below=b) for shape, b in zip(indices, bounds)),
                dtypes=NUMBERS if name in ("first", "two") else FLOAT, opset=opset)
    family.case(f"index.{name}_negative", function, wide, *(index(*shape, below=b, above=-b) for shape, b in zip(indices, bounds)),
                opset=opset)
family.case("index.dynamic", lambda x, i: x[i], tensor(B, 3), index(N, below=3))
family.case("index.dynamic_two", lambda x, i, j: x[i, j], tensor(B, N), index(Dim("k", 4, 7), below=3), index(Dim("k", 4, 7), below=6),
            opset=11)
family.case("index.dynamic_apart", lambda x, i, j: x[i, :, j], tensor(B, 2, N), index(Dim("k", 4, 7), below=3, above=-3),
            index(Dim("k", 4, 7), below=6, above=-6), opset=11)
family.case("index.int32", lambda x, i: x[i], tensor(B, 3), tensor(2, low=-3, high=2, dtype=torch.int32))
family.case("index.constant_list", lambda x: x[:, [0, 2, 1]], x)
family.case("index.constant_lists", lambda x: x[[0, 1, 2], [3, 2, -1]], x, opset=11)
family.case("index.mask", lambda x, m: x[m], tensor(B, N), mask(B, N), opset=11, dtypes=FLOATS + INTS)
family.case("index.mask_rows", lambda x, m: x[m], tensor(B, N), mask(B), opset=11)
family.case("index.mask_columns", lambda x, m: x[:, m], tensor(B, N), mask(N), opset=11)
family.case("index.mask_partial", lambda x, m: x[m], tensor(B, 3, N), mask(B, 3), opset=11)
family.case("index.mask_of_compare", lambda x: x[x > 0], tensor(B, N), opset=11)
family.case("index.mask_and_index", lambda x, i: x[torch.tensor([True, False, True]), i], tensor(3, 5), index(2, below=5), opset=11)
family.case("index.given_mask_and_index", lambda x, m, i: x[m, i], tensor(4, N),
            tensor(dtype=torch.bool, values=[True, False, True, True]), index(3, below=3), opset=11)
family.case("index.given_mask_and_indices", lambda x, m, i: x[m, :, i], tensor(4, N, 5),
            tensor(dtype=torch.bool, values=[True, False, True, True]), index(2, 3, below=5), opset=11)
family.case("index.mask_uint8", lambda x, m: x[m], tensor(B, N), tensor(B, low=0, high=1, dtype=torch.uint8), opset=11)
family.case("index.byte_list", lambda x: x[[True, False, True]], tensor(3, 4))
scope = {"op": torch.ops.aten._padded_dense_to_jagged_forward, "offsets": lambda n: F.pad(n.cumsum(0), (1, 0))}
for name, call in [("plain", "op(x, [offsets(n)])"), ("vectors", "op(x[:, :, 0], [offsets(n).int()])"), ("size", "op(x, [offsets(n)]).size(0) + n")]:
    family.case("_padded_dense_to_jagged_forward." + name, eval("lambda x, n: " + call, scope), tensor(B, 4, N), index(B, below=5))
family.case("_padded_dense_to_jagged_forward.total", lambda x: scope["op"](x, [torch.tensor([0, 2, 2, 6])], 6), tensor(3, 4, N))
family.case("masked_select.plain", lambda x, m: torch.masked_select(x, m), tensor(B, N), mask(B, N), opset=11)
family.case("nonzero.plain", lambda x: torch.nonzero(x), tensor(B, N, whole=True), opset=9)

# Writing with index tensors, out of place.
for name, call, indices, values, opset in [
    ("first", "(i,)", [(2,)], (2, 3, 5), 11), ("first_broadcast", "(i,)", [(2,)], (3, 5), 11), ("first_scalar", "(i,)", [(2,)], (), 11),
    ("first_matrix", "(i,)", [(2, 1)], (2, 1, 3, 5), 11), ("two", "(i, j)", [(3,), (3,)], (3, 5), 11),
    ("two_broadcast_values", "(i, j)", [(3,), (3,)], (1,), 11), ("two_broadcast", "(i, j)", [(2, 1), (3,)], (2, 3, 5), 11),
    ("second", "(None, i)", [(2,)], (4, 2, 5), 11), ("second_broadcast", "(None, i)", [(2,)], (2, 5), 11),
    ("two_last", "(None, i, j)", [(3,), (3,)], (4, 3), 11), ("two_apart", "(i, None, j)", [(3,), (3,)], (3, 3), 11),
    ("three", "(i, j, k)", [(3,), (3,), (3,)], (3,), 11),
]:
    bounds = {"second": [3], "second_broadcast": [3], "two_last": [3, 5], "two_apart": [4, 5]}.get(name, [4, 3, 5])
    names = "ijk"[: len(indices)]
    # Without accumulation, writing an element twice is undefined, so the indices are distinct.
    distinct = [tensor(values=torch.arange(torch.Size(shape).numel()).reshape(shape).tolist(), dtype=torch.int64) for shape in indices]
    text = call.replace("None", ":")[1:-1].rstrip(",")
    function = eval(f"lambda x, {', '.join(names)}, v: put(x, v, {', '.join(names)})",
                    {"put": eval(f"lambda x, v, {', '.join(names)}: assign(x.clone(), v, lambda y, w: y.__setitem__(({text.replace(':', 'slice(None)')},), w))",
                                 {"assign": lambda y, v, write: (write(y, v), y)[1]})})
    family.case(f"assign.{name}", function, wide, *distinct, tensor(*values), opset=opset,
                dtypes=FLOATS + INTS if name in ("first", "two") else FLOAT)
    negative = [tensor(values=(-1 - torch.arange(torch.Size(shape).numel())).reshape(shape).tolist(), dtype=torch.int64)
                for shape in indices]
    family.case(f"assign.{name}_negative", function, wide, *negative, tensor(*values), opset=opset)
    if "None" not in call:
        function = eval(f"lambda x, {', '.join(names)}, v: x.index_put({call}, v, accumulate=True)")
        family.case(f"index_put.{name}_accumulate", function, wide, *(index(*shape, below=b) for shape, b in zip(indices, bounds)),
                    tensor(*values), opset=16)
        function = eval(f"lambda x, {', '.join(names)}, v: x.index_put({call}, v)")
        family.case(f"index_put.{name}", function, wide, *distinct, tensor(*values), opset=opset)
family.case("index_put.dynamic", lambda x, i, v: x.index_put((i,), v), tensor(B, N), tensor(values=[2, 0], dtype=torch.int64),
            tensor(2, N), opset=11)
family.case("index_put.mask", lambda x, m: x.index_put((m,), torch.tensor(5.0)), tensor(B, N), mask(B, N), opset=11)
family.case("index_put.mask_rows", lambda x, m: x.index_put((m,), torch.tensor(5.0)), tensor(B, N), mask(B), opset=11)
family.case("index_put.mask_values", lambda x, v: x.index_put((torch.tensor([True, False, True]),), v), tensor(3, N), tensor(2, N),
            opset=11)
family.case("index_put.mask_accumulate", lambda x, m: x.index_put((m,), torch.tensor(5.0), accumulate=True), tensor(B, N), mask(B, N),
            opset=16)
family.case("scatter.rows", lambda x, i, v: x.scatter(1, i, v), tensor(3, 4), tensor(values=[[0, 3], [2, 1], [1, 0]], dtype=torch.int64),
            tensor(3, 2), opset=9)
family.case("scatter_add.rows", lambda x, i, v: x.scatter_add(1, i, v), tensor(3, 4), index(3, 2, below=4), tensor(3, 2))
