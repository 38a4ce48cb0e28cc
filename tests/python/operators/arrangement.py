"""Permutations, reshapes, repetitions and patches: the less common forms."""
import torch
from torch.nn import functional as F

from case import BOOL, FLOAT, FLOATS, INTS, NUMBERS, SMALL_INTS, Dim, Family, index, mask, tensor

family = Family("arrangement", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 6)
x = tensor(B, 3, N)
square = tensor(B, N, N)

for name, text in [
    ("two_open", "x.view(x.size(0), x.size(1), -1)"), ("merged_first", "x.view(-1, x.size(2))"),
    ("reordered", "x.view(x.size(2), x.size(1), x.size(0))"), ("added_axis", "x.view(x.size(0), 1, x.size(1), x.size(2))"),
    ("split_known", "x.view(x.size(0), 3, 1, x.size(2))"), ("list_of_one", "x.reshape([-1])"),
]:
    family.case(f"view.{name}", eval("lambda x: " + text), x)
family.case("view.small_integers", lambda x: x.view(x.size(0), -1), x, dtypes=SMALL_INTS + (torch.int16, torch.bool))
family.case("flatten.between", lambda x: x.flatten(1, -2), tensor(B, 3, N, 2))
family.case("flatten.moving_between", lambda x: x.flatten(1, 2), tensor(2, B, N, 3))
family.case("flatten.moving_tail", lambda x: x.flatten(0, 1), tensor(2, 3, B, N))
family.case("flatten.empty", lambda x: x.flatten(1), tensor(0, 3, 2))
family.case("unflatten.moving", lambda x: x.unflatten(0, (-1, 2)), tensor(Dim("n", 4, 6), B))
family.case("ravel.plain", lambda x: x.ravel(), x)
for rank in (1, 2, 3):
    call = eval(f"lambda x: torch.atleast_{rank}d(x)", {"torch": torch})
    for dims in ((), (N,), (B, N), (B, 2, N), (B, 2, N, 2)):
        family.case(f"atleast_{rank}d.rank{len(dims)}", call, tensor(*dims))
family.case("expand.size_of_other", lambda x, y: x.expand(y.size(0), -1, y.size(2)), tensor(3, 1), x, opset=8)
family.case("expand.products", lambda x: x.expand(x.size(1) * 2, -1), tensor(1, N), opset=8)
family.case("expand.fixed", lambda x: x.expand(2, 3, 4), tensor(3, 1))
family.case("expand_as.integers", lambda x, y: x.expand_as(y), tensor(1, N), tensor(B, 3, N), dtypes=INTS + BOOL, opset=8)
family.case("broadcast_tensors.plain", lambda x, y: torch.broadcast_tensors(x, y), tensor(B, 1), tensor(3, 1, N), opset=8)
family.case("broadcast_tensors.three", lambda x, y, z: torch.broadcast_tensors(x, y, z), tensor(B, 1), tensor(1, N), tensor(),
            opset=8)
family.case("repeat.of_rank0", lambda x: x.repeat(3, 2), tensor())
family.case("repeat.ones", lambda x: x.repeat(1, 1, 1), x)
family.case("repeat.bool", lambda x: x.repeat(2, 1, 1), x, dtypes=BOOL + SMALL_INTS)
family.case("tile.short", lambda x: x.tile(2), x)
family.case("tile.long", lambda x: x.tile(2, 1, 1, 3), x)
family.case("repeat_interleave.flat", lambda x: x.repeat_interleave(2), tensor(B, N))
family.case("repeat_interleave.last", lambda x: x.repeat_interleave(2, -1), x)
family.case("repeat_interleave.counts", lambda x, n: x.repeat_interleave(n, 0), tensor(3, N), index(3, below=4), opset=11)
family.case("meshgrid.three", lambda x, y, z: torch.meshgrid(x, y, z, indexing="xy"), tensor(B), tensor(N), tensor(2), opset=8)
family.case("meshgrid.fixed", lambda x, y: torch.meshgrid(x, y, indexing="ij"), tensor(2), tensor(3))
for name, text in [
    ("plain", "x.movedim(1, 0)"), ("two", "x.movedim((0, 1), (2, 0))"), ("negative", "x.moveaxis(-1, -3)"),
]:
    family.case(f"movedim.{name}", eval("lambda x: " + text), x)
family.case("mT.plain", lambda x: x.mT, x)
family.case("flip.fixed", lambda x: x.flip(1), x)
family.case("flip.moving", lambda x: x.flip(0, -1), x, opset=9, dtypes=NUMBERS + BOOL)
family.case("flip.sides", lambda x: (x.fliplr(), x.flipud()), tensor(B, N), opset=9)
for turns in (-1, 0, 1, 2, 3):
    family.case(f"rot90.{turns}".replace("-", "minus"), eval(f"lambda x: torch.rot90(x, {turns}, (1, 2))", {"torch": torch}), x,
                opset=9)
family.case("roll.moving_far", lambda x: x.roll(9, 0), x, opset=9)
family.case("roll.moving_back", lambda x: x.roll((-5, 2), (2, 1)), x, opset=9)
family.case("roll.flat_moving", lambda x: x.roll(-3), x, opset=9)
family.case("roll.zero", lambda x: x.roll((0, 3), (0, 1)), x)
family.case("narrow.negative", lambda x: x.narrow(1, -2, 2), x)
family.case("narrow.of_size", lambda x: x.narrow(2, 1, x.size(2) - 2), x, opset=9)
family.case("slice.steps", lambda x: x[:, ::2, 1::3], x, opset=9)
family.case("slice.middle", lambda x: x[:, :, x.size(2) // 4 : -1], x, opset=9)
family.case("slice.beyond", lambda x: x[:, :, -100 : x.size(2) + 3], x, opset=9)
family.case("select.of_size", lambda x: x.select(2, x.size(2) - 2), x)
family.case("select.negative_moving", lambda x: x.select(2, -2), x)
family.case("unfold.moving", lambda x: x.unfold(2, 2, 2), x, opset=9)
family.case("unfold.first", lambda x: x.unfold(0, 2, 1), x, opset=9)
family.case("as_strided.plain", lambda x: x.as_strided((2, 3, 2), (4, 1, 2), 1), tensor(3, 5))
family.case("as_strided.rows", lambda x: x[1:].as_strided((2, 2), (4, 1)), tensor(3, 5))
family.case("as_strided.absolute", lambda x: x[1:].as_strided((2, 2), (4, 1), 6), tensor(3, 5))
family.case("as_strided.piece", lambda x: x.unbind(0)[1].as_strided((2, 2), (2, 1)), tensor(3, 5))
family.case("as_strided.turned", lambda x: x.t().as_strided((2, 2), (4, 1), 1), tensor(3, 5))
family.case("as_strided.turned_and_shaped", lambda x: x.view(4, 2, 3, 5).transpose(0, 1).transpose(1, 2).reshape(6, 4, 5).view(6, 2, 2, 5).as_strided(
    (6, 3, 2, 5), (5, 30, 30, 1)), tensor(4, 30))
family.case("as_strided.copied", lambda x: x.t().contiguous().as_strided((2, 2), (3, 1)), tensor(3, 5))
for offset in (-2, -1, 0, 1, 3):
    spelled = str(offset).replace("-", "minus")
    scope = {"torch": torch}
    family.case(f"diagonal.{spelled}", eval(f"lambda x: torch.diagonal(x, {offset}, 0, 2)", scope), tensor(4, B, 5))
    family.case(f"diagonal.moving_{spelled}", eval(f"lambda x: torch.diagonal(x, {offset}, 1, 2)", scope), square, opset=9)
    family.case(f"diag_embed.{spelled}", eval(f"lambda x: torch.diag_embed(x, {offset})", scope), tensor(B, 3))
    family.case(f"diag_embed.moving_{spelled}", eval(f"lambda x: torch.diag_embed(x, {offset}, 0, -1)", scope), tensor(B, N),
                opset=9)
    family.case(f"diag.matrix_{spelled}", eval(f"lambda x: torch.diag(x, {offset})", scope), tensor(4, 5))
    family.case(f"diag.vector_{spelled}", eval(f"lambda x: torch.diag(x, {offset})", scope), tensor(4), dtypes=FLOAT + INTS)
family.case("diagflat.plain", lambda x: torch.diagflat(x), tensor(2, 3))
family.case("trace.plain", lambda x: torch.trace(x), tensor(4, 5), dtypes=FLOAT + INTS)
image = tensor(B, 2, Dim("h", 5, 7), 6)
for name, options in [("plain", "(2, 3)"), ("stride", "2, stride=2"), ("dilation", "(2, 2), dilation=(2, 1)"),
                      ("padding", "3, padding=(1, 2), stride=(2, 1)")]:
    family.case(f"im2col.{name}", eval(f"lambda x: F.unfold(x, {options})", {"F": F}), image, opset=9)
    family.case(f"im2col.{name}_unbatched", eval(f"lambda x: F.unfold(x, {options})", {"F": F}), tensor(2, 5, 6))
for name, options, positions in [("plain", "(2, 3)", 16), ("stride", "2, stride=2", 6), ("dilation", "(2, 2), dilation=(2, 1)", 15),
                                 ("padding", "3, padding=(1, 2), stride=(2, 1)", 24)]:
    taps = {"plain": 6, "stride": 4, "dilation": 4, "padding": 9}[name]
    family.case(f"col2im.{name}", eval(f"lambda x: F.fold(x, (5, 6), {options})", {"F": F}), tensor(B, 2 * taps, positions))
    family.case(f"col2im.{name}_unbatched", eval(f"lambda x: F.fold(x, (5, 6), {options})", {"F": F}), tensor(2 * taps, positions))
family.case("col2im.double", lambda x: F.fold(x, (5, 6), 3, padding=(1, 2), stride=(2, 1)), tensor(B, 18, 24, dtype=torch.float64), rtol=1e-13, atol=1e-13)
family.case("col2im.double_of_size", lambda x: F.fold(F.unfold(x, (3, 2), padding=1), x.shape[2:], (3, 2), padding=1),
            tensor(B, 2, Dim("h", 5, 7), Dim("w", 6, 4), dtype=torch.float64), opset=10, rtol=1e-13, atol=1e-13)
family.case("col2im.of_size", lambda x: F.fold(F.unfold(x, (3, 2), padding=1), x.shape[2:], (3, 2), padding=1), tensor(B, 2, Dim("h", 5, 7), Dim("w", 6, 4)), opset=10)
family.case("col2im.of_size_in_steps", lambda x: F.fold(F.unfold(x, 2, dilation=2, stride=(2, 3)), x.shape[2:], 2, dilation=2, stride=(2, 3)), tensor(B, 2, Dim("h", 6, 7), Dim("w", 7, 8)), opset=10)

family.case("hstack.plain", lambda x, y: torch.hstack([x, y]), tensor(B, 2), tensor(B, N))
family.case("hstack.vectors", lambda x, y: torch.hstack([x, y]), tensor(B), tensor(N))
family.case("vstack.plain", lambda x, y: torch.vstack([x, y]), tensor(N), tensor(B, N))
family.case("dstack.plain", lambda x, y: torch.dstack([x, y]), tensor(B, N), tensor(B, N))
family.case("column_stack.plain", lambda x, y: torch.column_stack([x, y]), tensor(N), tensor(N, 2))
family.case("cat.negative", lambda x, y: torch.cat([x, y], -2), tensor(B, 2, 3), tensor(B, N, 3))
family.case("cat.small_integers", lambda x, y: torch.cat([x, y], 1), tensor(B, 2), tensor(B, 3), dtypes=SMALL_INTS + BOOL)
family.case("stack.mixed", lambda x, y: torch.stack([x, y], 1), tensor(B, N), tensor(B, N, dtype=torch.int32))
family.case("block_diag.moving", lambda x, y: (torch.block_diag(x, y[0], x * 2), torch.block_diag(x > 0, y)), tensor(B, Dim("columns", 3, 1)), tensor(1, Dim("width", 2, 5)), opset=9)
family.case("block_diag.plain", lambda x, y: torch.block_diag(x, y), tensor(2, 3), tensor(B, 2))

family.case("split.moving", lambda x: x.split(2, 1)[0], tensor(B, Dim("n", 5, 6)))
family.case("split.moving_all", lambda x: x.split(3, 1), tensor(B, Dim("n", 8, 9)))
family.case("split_with_sizes.moving", lambda x: x.split([1, x.size(2) - 2, 1], 2), x, opset=9)
family.case("chunk.moving_uneven", lambda x: x.chunk(3, 1), tensor(B, Dim("n", 7, 8)), opset=9)
family.case("chunk.one", lambda x: x.chunk(1, 2), x)
family.case("unbind.last", lambda x: x.unbind(-1), tensor(B, 3))
family.case("tensor_split.moving", lambda x: x.tensor_split(3, 1), tensor(B, Dim("n", 7, 8)), opset=9)
family.case("tensor_split.indices", lambda x: x.tensor_split((1, 3), 1), tensor(B, N))
family.case("tensor_split.by_tensor", lambda x: x.tensor_split(torch.tensor([1, 3]), 1) + x.tensor_split(torch.tensor(2), 0), tensor(2, N))
family.case("tensor_split.sections_more", lambda x: x.tensor_split(4, 1), tensor(B, 3))
family.case("hsplit.plain", lambda x: (x.hsplit(2), x.vsplit((1,))), tensor(4, 6))
family.case("unflatten_dense_tensors.plain", lambda x, y: torch.ops.aten.unflatten_dense_tensors(torch.cat([y, x.flatten(), x[:, 0]]), [y, x, x[:, 0]]),
            tensor(B, 3), tensor(N), opset=9)
family.case("unflatten_dense_tensors.empty", lambda x: torch.ops.aten.unflatten_dense_tensors(x.flatten(), [x[:0], x]), tensor(B, 3), opset=14)
family.case("unflatten_dense_tensors.longer", lambda x: torch.ops.aten.unflatten_dense_tensors(x, [x.new_zeros(1, 2), x.new_zeros(())]), tensor(N))
family.case("dsplit.plain", lambda x: x.dsplit(2), tensor(B, 3, 4))
pad = torch.nn.utils.rnn.pad_sequence
family.case("pad_sequence.plain", lambda x, y: pad([x, y], padding_value=-1.5), tensor(N, 2), tensor(5, 2), dtypes=FLOATS)
family.case("pad_sequence.batch_first", lambda x, y, z: pad([x, y, z], True), tensor(N), tensor(5), tensor(0), dtypes=FLOATS + INTS)
family.case("pad_sequence.left", lambda x, y: pad([x, y], True, 7, padding_side="left"), tensor(5, 2, 3), tensor(N, 2, 3))
