"""Writes of elements at indices, under masks and to views."""
import torch

from case import BOOL, FLOAT, FLOATS, INTS, NUMBERS, SMALL_INTS, Dim, Family, index, mask, tensor

family = Family("writing", opset=11)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)
x = tensor(B, 3, N)
rows = tensor(3, 4)
columns = tensor(values=[[0, 3], [2, 1], [1, 0]], dtype=torch.int64)
repeated = tensor(values=[[0, 3], [2, 2], [0, 0]], dtype=torch.int64)

family.case("slice_scatter.plain", lambda x, y: torch.slice_scatter(x, y, 1, 1, 3), tensor(B, 5), tensor(B, 2), opset=7)
family.case("slice_scatter.step", lambda x, y: torch.slice_scatter(x, y, 1, 0, 5, 2), tensor(B, 5), tensor(B, 3), opset=7)
family.case("slice_scatter.moving", lambda x, y: torch.slice_scatter(x, y, 1, 1, 3), tensor(B, N), tensor(B, 2), opset=7)
family.case("slice_scatter.moving_end", lambda x, y: torch.slice_scatter(x, y, 1, -3, -1), tensor(B, N), tensor(B, 2), opset=7)
family.case("slice_scatter.moving_step", lambda x, y: torch.slice_scatter(x, x[:, ::2] + y, 1, 0, None, 2), tensor(B, N),
            tensor(1), opset=10)
family.case("slice_scatter.moving_inner", lambda x: torch.slice_scatter(x, x[:, 1:-1] * 2, 1, 1, -1), tensor(B, N), opset=9)
family.case("slice_scatter.moving_step_inner", lambda x: torch.slice_scatter(x, x[:, 1:-1:2] * 2, 1, 1, -1, 2), tensor(B, N),
            opset=10)
family.case("slice_scatter.all", lambda x, y: torch.slice_scatter(x, y, 1), tensor(B, N), tensor(B, N), opset=7)
family.case("select_scatter.plain", lambda x, y: torch.select_scatter(x, y, 1, 1), x, tensor(B, N), opset=7)
family.case("select_scatter.last", lambda x, y: torch.select_scatter(x, y, 2, -1), x, tensor(B, 3), opset=7)
family.case("select_scatter.first", lambda x, y: torch.select_scatter(x, y, 0, 0), x, tensor(3, N), opset=7)
family.case("select_scatter.next_to_last", lambda x, y: torch.select_scatter(x, y, 2, -2), x, tensor(B, 3), opset=7)
family.case("select_scatter.of_size", lambda x, y: torch.select_scatter(x, y, 2, x.size(2) - 2), x, tensor(B, 3), opset=9)
for offset in (-1, 0, 2):
    spelled = str(offset).replace("-", "minus")
    call = eval(f"lambda x, y: torch.diagonal_scatter(x, y, {offset})", {"torch": torch})
    family.case(f"diagonal_scatter.{spelled}", call, tensor(4, 5), tensor({-1: 3, 0: 4, 2: 3}[offset]), opset=7)
family.case("diagonal_scatter.moving", lambda x, y: torch.diagonal_scatter(x, y, 0, 1, 2), tensor(B, N, N), tensor(B, N), opset=9)
family.case("diagonal_scatter.moving_below", lambda x: torch.diagonal_scatter(x, x.diagonal(-1, 1, 2) * 2, -1, 1, 2), tensor(B, N, N),
            opset=9)
family.case("as_strided_scatter.plain", lambda x, y: torch.as_strided_scatter(x, y, (2, 2), (5, 2), 1), tensor(3, 5), tensor(2, 2),
            opset=7)
for name, text in [("rows", "(3, 2), (5, 3), 1"), ("repeated", "(2, 3, 2), (7, 2, 1), 0"), ("last", "(2,), (14,), 0"), ("nothing", "(0, 2), (3, 1), 2")]:
    family.case(f"as_strided_scatter.{name}", eval(f"lambda x, y: torch.as_strided_scatter(x, y, {text})", {"torch": torch}), tensor(Dim("rows", 3, 6), 5),
                tensor(*eval(text)[0]), opset=7)
family.case("as_strided_scatter.of_fewer_axes", lambda x, y: torch.as_strided_scatter(x, y, (x.size(0),), (5,), 1), tensor(Dim("rows", 3, 6), 5),
            tensor(Dim("rows", 3, 6)), opset=11)
family.case("as_strided_scatter.of_more_axes", lambda x, y: torch.as_strided_scatter(x, y, (2, y.size(1)), (5, 1), 1), tensor(12),
            tensor(2, Dim("columns", 3, 4)), opset=11)
family.case("as_strided_scatter.moving", lambda x, y: torch.as_strided_scatter(x, y, (x.size(0), 2), (5, 2), 1), tensor(Dim("rows", 3, 6), 5), tensor(Dim("rows", 3, 6), 2), opset=11)

family.case("masked_fill.infinity", lambda x, m: x.masked_fill(m, float("-inf")), x, mask(B, 3, N), dtypes=FLOATS, opset=7)
family.case("masked_fill.broadcast", lambda x, m: x.masked_fill(m, 2), x, mask(3, 1), dtypes=NUMBERS + SMALL_INTS, opset=7)
family.case("masked_fill.tensor", lambda x, m, v: x.masked_fill(m, v), x, mask(B, 1, N), tensor(), opset=7)
family.case("masked_fill.bool", lambda x, m: x.masked_fill(m, torch.tensor(True)), x, mask(B, 1, N), dtypes=BOOL, opset=7)
family.case("masked_scatter.plain", lambda x, m, v: x.masked_scatter(m, v), tensor(B, N), mask(B, N), tensor(40))
family.case("masked_scatter.broadcast", lambda x, m, v: x.masked_scatter(m, v), tensor(B, N), mask(N), tensor(40), dtypes=FLOAT + INTS)
family.case("index_fill.plain", lambda x, i: x.index_fill(1, i, 2), x, index(2, below=3), dtypes=NUMBERS, opset=9)
family.case("index_fill.negative", lambda x, i: x.index_fill(-1, i, -1), x, index(3, below=4, above=-4), opset=9)
family.case("index_fill.tensor", lambda x, i, v: x.index_fill(0, i, v), x, index(1, below=2), tensor(), opset=9)

family.case("scatter.value", lambda x, i: x.scatter(1, i, 2), rows, columns, dtypes=NUMBERS + SMALL_INTS, opset=9)
family.case("scatter.larger_source", lambda x, i, v: x.scatter(1, i, v), rows, columns, tensor(5, 4), opset=9)
family.case("scatter.smaller_index", lambda x, i, v: x.scatter(0, i, v), tensor(4, 5), tensor(values=[[0, 3], [2, 1]], dtype=torch.int64),
            tensor(2, 2), opset=9)
family.case("scatter.moving", lambda x, i: x.scatter(1, i, 1.0), tensor(B, 4), index(B, 1, below=4), opset=9)
family.case("scatter.add", lambda x, i, v: x.scatter(1, i, v, reduce="add"), rows, repeated, tensor(3, 2), dtypes=NUMBERS)
family.case("scatter.multiply", lambda x, i, v: x.scatter(1, i, v, reduce="multiply"), rows, repeated, tensor(3, 2), dtypes=FLOATS)
family.case("scatter.add_number", lambda x, i: x.scatter(1, i, 2.5, reduce="add"), rows, repeated)
family.case("scatter_add.moving", lambda x, i, v: x.scatter_add(1, i, v), tensor(B, 4), index(B, 3, below=4), tensor(B, 3),
            dtypes=NUMBERS)
family.case("scatter_add.smaller", lambda x, i, v: x.scatter_add(0, i, v), tensor(4, 5), index(3, 2, below=4), tensor(3, 5))
few, rows_of_more = Dim("few", 2, 1), Dim("rows", 4, 5)
family.case("scatter_add.open_smaller", lambda x, i, v: (x.scatter_add(1, i, v), x.scatter_add(0, i, v)), tensor(rows_of_more, N), index(few, 3, below=2), tensor(few, 4),
            dtypes=NUMBERS)
family.case("scatter_reduce.open_smaller", lambda x, i, v: (x.scatter_reduce(0, i, v, "amax"), x.scatter_reduce(0, i, v, "prod", include_self=False)),
            tensor(rows_of_more, N), index(few, 3, below=2), tensor(few, 4), dtypes=(torch.float32, torch.int64))
family.case("scatter_add.rank0", lambda x, i, v: x.scatter_add(0, i, v), tensor(), index(below=1), tensor())
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    for include in (True, False):
        call = eval(f"lambda x, i, v: x.scatter_reduce(1, i, v, '{reduce}', include_self={include})")
        name = f"scatter_reduce.{reduce}" + ("" if include else "_without_self")
        family.case(name, call, rows, repeated, tensor(3, 2), dtypes=NUMBERS)
        family.case(name + "_moving", call, tensor(B, N), index(B, 3, below=4), tensor(B, 3))
        if reduce != "sum":
            call = eval(f"lambda x, i, v: x.index_reduce(0, i, v, '{reduce}', include_self={include})")
            family.case(name.replace("scatter_reduce", "index_reduce"), call, tensor(4, N), index(3, below=4), tensor(3, N))
family.case("scatter_reduce.amin_narrow", lambda x, i, v: x.scatter_reduce(0, i, v, "amin", include_self=False), tensor(2, 5),
            tensor(values=[[0, 1, 0], [1, 0, 1]], dtype=torch.int64), tensor(2, 3), dtypes=INTS, opset=11)
family.case("index_add.plain", lambda x, i, v: x.index_add(1, i, v), tensor(B, 4, N), index(3, below=4), tensor(B, 3, N), dtypes=NUMBERS)
family.case("index_add.alpha", lambda x, i, v: x.index_add(0, i, v, alpha=2), tensor(4, N), index(5, below=4), tensor(5, N))
family.case("index_copy.plain", lambda x, i, v: x.index_copy(1, i, v), tensor(B, 4, N), tensor(values=[3, 0], dtype=torch.int64),
            tensor(B, 2, N), opset=9, dtypes=FLOATS + INTS)
family.case("put.plain", lambda x, i, v: x.put(i, v), tensor(3, 4), tensor(values=[[0, -1], [5, 2]], dtype=torch.int64), tensor(2, 2),
            opset=9)
family.case("put.accumulate", lambda x, i, v: x.put(i, v, accumulate=True), tensor(B, 4), index(6, below=8), tensor(6))
family.case("index_put.small_integers", lambda x, i, v: x.index_put((i,), v, accumulate=True), tensor(4, 2), index(3, below=4),
            tensor(3, 2), dtypes=SMALL_INTS)
family.case("index_put.none", lambda x, i, v: torch.ops.aten.index_put(x, (None, i), v), tensor(B, 4, N),
            tensor(values=[1, 3], dtype=torch.int64), tensor(B, 2, N), opset=9)
family.case("index_put.apart", lambda x, i, v: torch.ops.aten.index_put(x, (i, None, i), v), tensor(4, B, 5),
            tensor(values=[1, 3], dtype=torch.int64), tensor(2, B), opset=9)
family.case("index_put.accumulate_apart", lambda x, i, v: torch.ops.aten.index_put(x, (None, None, i.view(-1, 1, 1), i), v, True),
            tensor(B, 2, N, N), tensor(values=[1, 2], dtype=torch.int64), tensor(B, 2, 2, 1, 2), opset=13)
family.case("index_put.mask_middle", lambda x, m: torch.ops.aten.index_put(x, (None, m), torch.tensor(1.5)), tensor(B, 3, N), mask(3),
            opset=7)

family.case("take_along_dim.plain", lambda x, i: torch.take_along_dim(x, i, 1), tensor(B, 4, N), index(B, 2, N, below=4), dtypes=NUMBERS)
family.case("take_along_dim.broadcast", lambda x, i: torch.take_along_dim(x, i, 1), tensor(B, 4, N), index(1, 2, 1, below=4))
family.case("take_along_dim.modulo", lambda x, i: torch.take_along_dim(x, i * 3 - 5, 1), tensor(B, 4, N), index(B, 2, N, below=4))
family.case("take_along_dim.flat", lambda x, i: torch.take_along_dim(x, i), tensor(3, 4), index(5, below=12))
family.case("gather.small", lambda x, i: x.gather(0, i), tensor(4, 5), index(2, 3, below=4), dtypes=NUMBERS + SMALL_INTS + BOOL, opset=7)
family.case("gather.rank0", lambda x, i: x.gather(0, i), tensor(), index(below=1), opset=7)
family.case("gather.moving", lambda x, i: x.gather(2, i), x, index(B, 2, 3, below=4), opset=9)
family.case("take.negative", lambda x, i: torch.take(x, i), tensor(3, 4), index(2, 3, below=12, above=-12), opset=7)
family.case("nonzero.rank0", lambda x: torch.nonzero(x), tensor(low=1, high=2), opset=9)
family.case("nonzero.as_tuple", lambda x: torch.nonzero(x, as_tuple=True), tensor(B, N, whole=True), opset=9)
family.case("nonzero.types", lambda x: torch.nonzero(x), tensor(B, N, whole=True), dtypes=NUMBERS + SMALL_INTS + BOOL, opset=9)
family.case("where.condition", lambda x: torch.where(x > 0), tensor(B, N), opset=9)
family.case("argwhere.plain", lambda x: torch.argwhere(x), tensor(B, N, whole=True), opset=9)
family.case("masked_select.broadcast", lambda x, m: torch.masked_select(x, m), tensor(B, 1, N), mask(3, 1), opset=9)
family.case("masked_select.types", lambda x, m: torch.masked_select(x, m), tensor(B, N), mask(B, N), dtypes=INTS + BOOL + SMALL_INTS,
            opset=9)
