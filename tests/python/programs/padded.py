"""Masks as long as the longest length in a run, and maps padded to the size of others: dtype and rank of later values are known."""
import torch
import torch.nn.functional as F
from torch import nn

from case import Family, fill, whole

family = Family("padded", opset=13)


DATA = [(fill(*size), whole(lengths)) for size, lengths in [((5, 2, 8), [5, 3]), ((7, 3, 8), [2, 7, 4]), ((1, 1, 8), [1])]]


def padding(counts):
    longest = int(torch.max(counts).item())
    return torch.arange(longest).expand(counts.shape[0], longest) >= counts.unsqueeze(1)


class Attention(nn.Module):
    """Two attentions in sequence: the second reads dtype and rank of the first one's result."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)
        self.norm = nn.LayerNorm(8)

    def forward(self, x, counts):
        mask = padding(counts)
        y, _ = self.attention(x, x, x, key_padding_mask=mask, need_weights=False)
        y = self.norm(y + x)
        z, weights = self.attention(y, y, y, key_padding_mask=mask)
        return z, weights


@family.on(*DATA)
def products_of_masked_scores(x, counts):
    t, b, e = x.shape
    heads = x.view(t, b * 2, 4).transpose(0, 1)
    scores = torch.bmm(heads, heads.transpose(1, 2)).view(b, 2, t, -1)
    scores = scores.masked_fill(padding(counts)[:, None, None], -1e9).view(b * 2, t, -1)
    weights = torch.softmax(scores.float(), -1).type_as(scores)
    y = torch.bmm(weights, heads).transpose(0, 1).contiguous().view(t, b, e)
    y = F.linear(y, torch.eye(8, dtype=y.dtype))
    return (y if y.dim() == 3 else y.unsqueeze(0)).clamp(min=-10, max=10), y[t - 1:].to(y.dtype)


@family.on(*[(fill(n, 5, 8), whole(lengths)) for n, lengths in [(2, [5, 3]), (3, [2, 5, 4]), (1, [5])]])
def masks_of_rows_that_are_all_as_long(x, counts):
    mask = padding(counts)
    weights = torch.bmm(x, x.transpose(1, 2)).masked_fill(mask[:, None], -1e9).softmax(-1)
    y = F.layer_norm(torch.bmm(weights.masked_fill(mask[:, None], 0.0), x), (8,))
    kept = torch.where(mask[..., None], torch.zeros(1, dtype=x.dtype), y)
    return F.layer_norm(kept, (8,)), F.layer_norm(torch.addcmul(x, kept, mask[..., None].to(x.dtype)), (8,))


@family.on(*DATA)
def attention_by_hand(x, counts):
    q = x.transpose(0, 1).unsqueeze(1)
    mask = torch.zeros(q.size(0), 1, 1, q.size(2)).masked_fill(padding(counts)[:, None, None], float("-inf"))
    if q.size(0) == 1:
        mask = mask[0]
    y = F.scaled_dot_product_attention(q, q, q, mask)
    if y.dtype == torch.float64 or y.dim() == 3:
        y = y * 2
    return y


family.program("Attention", Attention(), *DATA)


class Joined(nn.Module):
    """Enlarges a map, pads it if it is one line shorter than another one, and concatenates both."""

    def __init__(self):
        super().__init__()
        self.enlarge, self.conv = nn.ConvTranspose2d(3, 3, 2, stride=2), nn.Conv2d(6, 3, 3, padding=1)

    def forward(self, x, beside):
        x = self.enlarge(x)
        dimensions = len(x.shape) - 2
        pads = [0] * (dimensions * 2)
        for i in range(dimensions):
            if beside.shape[-i - 1] != x.shape[-i - 1]:
                pads[i * 2 + 1] = 1
        return self.conv(torch.cat([F.pad(x, pads, "replicate"), beside], dim=1))


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool, self.low, self.high = nn.MaxPool2d(2), Joined(), Joined()

    def forward(self, x):
        half = self.pool(x)
        return self.high(self.low(self.pool(half), half), x)


family.program("Pyramid", Pyramid(), *[(fill(*size),) for size in [(1, 3, 12, 16), (2, 3, 7, 9), (1, 3, 5, 6)]])
