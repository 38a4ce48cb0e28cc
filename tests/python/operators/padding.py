"""Padding in every mode."""
import torch
from torch.nn import functional as F

from case import BOOL, FLOAT, FLOATS, INTS, NUMBERS, Dim, Family, tensor

family = Family("padding", opset=7)
B = Dim("batch", 2, 3)
H = Dim("height", 5, 6)
W = Dim("width", 6, 4)
image = tensor(B, 3, H, W)



def pad_by_sum(x, y):
    return F.pad(x, (1, 2), value=float(y.sum()))


for name, pads, value in [
    ("last", (1, 2), 0), ("two", (1, 2, 0, 1), 0), ("value", (1, 2, 3, 4), -1.5), ("batch", (0, 0, 0, 0, 1, 1, 2, 0), 0.5),
    ("nothing", (0, 0), 0), ("negative", (-1, 2, 1, -2), 0), ("all_negative", (-1, -1), 0), ("negative_value", (-1, 2), 3),
]:
    family.case("constant_pad_nd." + name, eval(f"lambda x: F.pad(x, {pads}, value={value})", {"F": F}), image,
                dtypes=FLOATS if name in ("value", "negative") else FLOAT, opset=10 if "negative" in name else 7)
family.case("constant_pad_nd.integer", lambda x: F.pad(x, (1, 2), value=7), tensor(B, W), dtypes=INTS + (torch.bool,))
family.case("constant_pad_nd.infinity", lambda x: F.pad(x, (1, 2), value=float("-inf")), image)
family.case("constant_pad_nd.of_size", lambda x: F.pad(x, (0, 8 - x.size(-1))), tensor(B, W), opset=11)
family.case("constant_pad_nd.operator", lambda x: torch.constant_pad_nd(x, (1, 1), 2), tensor(B, W))
family.case("constant_pad_nd.from_empty", lambda x: F.pad(x, (1, 1)), tensor(2, 0))
far = tensor(B, 3, H, W, dtype=torch.int64)
for name, text in {
    "constant": "F.pad(x, (1, 2, 3, 0))", "value": "F.pad(x, (1, 2, 3, 0), value=2**60 + 1)", "cropped": "F.pad(x, (-1, 2, 0, -2))",
    "reflect": "F.pad(x, (3, 2, 1, 3), mode='reflect')", "replicate": "F.pad(x, (3, 9, 0, 3), mode='replicate')", "circular": "F.pad(x, (3, 2, 1, 3), mode='circular')",
    "reflect_cropped": "F.pad(x, (-1, 2, 0, 1), mode='reflect')",
}.items():
    family.case(f"far.{name}", eval(f"lambda given: (lambda x: {text})(given * (2**53 + 3) + given) % 1009", {"F": F}), far)
family.case("constant_pad_nd.double", lambda x: (F.pad(x, (1, 2), value=0.1) - 0.1) * 1e9, tensor(B, 3, W, dtype=torch.float64))
family.case("constant_pad_nd.computed", pad_by_sum, tensor(B, W), tensor(2, dtype=torch.float32, whole=True), script=True, dtypes=NUMBERS)
for mode in ("reflect", "replicate", "circular"):
    for rank, pads in ((1, (1, 2)), (2, (1, 2, 0, 3)), (3, (1, 2, 2, 0, 1, 1))):
        sides = [Dim("depth", 4, 5), H, W][-rank:]
        call = eval(f"lambda x: F.pad(x, {pads}, mode='{mode}')", {"F": F})
        family.case(f"pad.{mode}{rank}d", call, tensor(B, 3, *sides), dtypes=FLOATS if rank == 2 else FLOAT)
        family.case(f"pad.{mode}{rank}d_unbatched", call, tensor(3, *sides))
    if mode != "circular":
        call = eval(f"lambda x: F.pad(x, (-1, 2), mode='{mode}')", {"F": F})
        family.case(f"pad.{mode}_negative", call, tensor(B, 3, W), opset=10)
family.case("pad.circular_negative", lambda x: F.pad(x, (-1, 2), mode="circular"), tensor(B, 3, 6), opset=10)
family.case("pad.circular_negative_begin", lambda x: F.pad(x, (2, -3, -1, 4), mode="circular"), tensor(B, 3, 7, 8))


def wrap_by_sizes(x):
    n = x.size(0)
    return torch.nn.functional.pad(x, [n - 3, 3 - n, 4 - 2 * n, 2 - n], mode="circular")


family.case("pad.circular_computed", wrap_by_sizes, tensor(B, 3, 7, 8), script=True, opset=10)
family.case("pad.circular_whole", lambda x: F.pad(x, (6, 6), mode="circular"), tensor(B, 3, 6))
family.case("pad.replicate_far", lambda x: F.pad(x, (9, 8), mode="replicate"), tensor(B, 3, W))
for name in ("ReflectionPad2d", "ReplicationPad2d", "ZeroPad2d"):
    family.case(f"module.{name}", getattr(torch.nn, name)((1, 2, 2, 1)), image)


class Strided(torch.nn.Module):
    """A convolution that pads its input to a multiple of the stride, by numbers that are weights."""

    def __init__(self):
        super().__init__()
        self.stride, self.kernel = torch.nn.Buffer(torch.tensor(2)), torch.nn.Buffer(torch.tensor(3))
        self.layer = torch.nn.Conv1d(3, 3, 3, 2)

    def forward(self, x):
        length = x.shape[-1]
        steps = torch.ceil((length - self.kernel) / self.stride + 1).to(torch.int64) - 1
        x = F.pad(x, (1, steps * self.stride + self.kernel - length), mode="reflect")
        return self.layer(x[..., :x.shape[-1]])


family.case("pad.by_weights", Strided(), tensor(B, 3, Dim("length", 11, 14)), opset=11)
family.case("pad.by_weights_twice", torch.nn.Sequential(Strided(), torch.nn.ELU(), Strided()), tensor(B, 3, Dim("length", 11, 14)), opset=11)


class Residual(torch.nn.Module):
    """A convolution after a sum of tensors with computed padding."""

    def __init__(self):
        super().__init__()
        self.one = torch.nn.Buffer(torch.tensor(1))
        self.layer = torch.nn.Conv1d(4, 4, 3)

    def padded(self, x, kernel):
        length = x.shape[-1]
        steps = torch.ceil((length - kernel + (kernel - 1)) / self.one + 1).long() - 1
        return F.pad(x, (0, steps * self.one + kernel - (kernel - 1) - length))

    def forward(self, x):
        x = self.padded(x, self.one * 4)
        x = x + self.padded(x, self.one)
        return F.gelu(self.layer(x))


family.case("pad.by_weights_beside_a_sum", Residual(), tensor(B, 4, Dim("length", 64, 33)), opset=11)
