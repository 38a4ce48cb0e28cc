"""Nested tensors: what nn.TransformerEncoder makes of a padding mask, and operators on them."""
import torch
from torch import nn
from torch.nn import functional as F

from case import Dim, Family, index, mask, tensor

family = Family("nested", opset=9)
B = Dim("batch", 3, 4)
N = Dim("n", 5, 7)
x = tensor(B, N, 8)
lengths = index(B, below=6)
mostly = index(B, below=6, above=1)


def valid(x, lengths):
    return torch.arange(x.size(1))[None] < lengths[:, None]


class Encoder(nn.Module):
    """Two layers with a padding mask, of bools or numbers."""

    def __init__(self, numbers=False, norm=None, **options):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=norm)
        self.numbers = numbers

    def forward(self, x, lengths):
        padding = ~valid(x, lengths)
        if self.numbers:
            padding = torch.zeros(padding.shape).masked_fill(padding, float("-inf"))
        return self.encoder(x, src_key_padding_mask=padding)


class Unchecked(Encoder):
    """The same without a check that the mask is left-aligned."""

    def __init__(self):
        super().__init__()
        self.encoder.mask_check = False

    def forward(self, x, mask):
        return self.encoder(x, src_key_padding_mask=mask)


class AnyMask(Encoder):
    """The same with a check in the module."""

    def forward(self, x, lengths):
        return self.encoder(x, src_key_padding_mask=lengths)


class Layer(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)

    def forward(self, x, lengths):
        rows = torch._nested_tensor_from_mask(x, valid(x, lengths))
        return self.layer(self.layer(rows)).to_padded_tensor(-1.0)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x, lengths):
        rows = torch._nested_tensor_from_mask(x, valid(x, lengths), mask_check=False)
        return self.attention(rows, rows, rows, need_weights=False)[0].to_padded_tensor(0.0, x.size())


class FeedForward(nn.Module):
    """Operators on each row, in sequence, also where padding yields no number."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.norm = nn.Linear(8, 6), nn.Linear(6, 8), nn.LayerNorm(8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x, lengths):
        rows = torch._nested_tensor_from_mask(x + 4, valid(x, lengths))
        y = self.second(F.dropout(F.gelu(self.first(rows)), 0.5, False))
        y = self.norm(rows + F.relu(y))
        return self.layer(y.div(rows)).to_padded_tensor(0.0, x.size())


for name, options in {
    "plain": {}, "gelu": {"activation": "gelu"}, "eps": {"layer_norm_eps": 0.1}, "final_norm": {"norm": nn.LayerNorm(8)},
    "norm_first": {"norm_first": True}, "numbers": {"numbers": True},
}.items():
    family.case("encoder." + name, Encoder(**options), x, lengths)
# A script checks at run time that the mask is left-aligned.
family.case("encoder.script", Encoder().requires_grad_(False), x, lengths, script=True, opset=11)
family.case("encoder.script_any_mask", AnyMask().requires_grad_(False), x, mask(B, N), script=True, opset=11)
family.case("encoder.double", Encoder(), x, lengths, dtypes=(torch.float64,), rtol=1e-9, atol=1e-9)
family.case("encoder.every_element", Encoder(), tensor(2, 4, 8), tensor(values=[4, 4], dtype=torch.int64))
family.case("encoder.one_position", Encoder(), tensor(B, 1, 8), index(B, below=2))
family.case("encoder.any_mask", Unchecked(), x, mask(B, N))
family.case("layer.padded_to_longest", Layer(), x, mostly)
family.case("layer.norm_first", Layer(norm_first=True), x, mostly)
family.case("attention.plain", Attention(), x, lengths)
family.case("feed_forward.plain", FeedForward(), x, mostly, opset=11)
family.case("to_padded_tensor.longest", lambda x, lengths: torch._nested_tensor_from_mask(x, valid(x, lengths)).to_padded_tensor(2.5), x, mostly)
family.case("to_padded_tensor.longer", lambda x, lengths: torch._nested_tensor_from_mask(x, valid(x, lengths)).to_padded_tensor(2.5, (3, 9, 10)),
            tensor(3, 5, 8), index(3, below=6))
family.case("to_padded_tensor.any_mask", lambda x, seen: torch._nested_tensor_from_mask(x, seen, mask_check=False).to_padded_tensor(0.5, x.size()),
            x, mask(B, N))
family.case("nested_to_padded_tensor.plain",
            lambda x, lengths: torch.nested.to_padded_tensor(torch._nested_tensor_from_mask(x, valid(x, lengths)), -1.0), x, mostly)
