"""The networks of the bench for exported programs, and their archives."""
import sys
import pathlib

import torch
import torch.nn.functional as F
import torchvision
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))


class Bert(nn.Module):
    """An encoder of BERT's size: 12 layers of 768."""

    def __init__(self, layers=12, width=768, heads=12, words=30522, longest=512):
        super().__init__()
        self.words, self.places, self.kinds = (nn.Embedding(n, width) for n in (words, longest, 2))
        self.norm = nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True)
        self.layers = nn.ModuleList(nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).layers)
        self.pooled = nn.Linear(width, width)

    def forward(self, tokens, kinds):
        x = self.norm(self.words(tokens) + self.places(torch.arange(tokens.shape[1])) + self.kinds(kinds))
        for layer in self.layers:
            x = layer(x)
        return x, torch.tanh(self.pooled(x[:, 0]))


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, groups, inner):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        linear = lambda a, b: nn.Linear(a, b, bias=False)
        self.q, self.k, self.v = linear(width, width), linear(width, groups * self.size), linear(width, groups * self.size)
        self.o, self.gate, self.up, self.down = linear(width, width), linear(width, inner), linear(width, inner), linear(inner, width)
        self.first, self.second = nn.RMSNorm(width, eps=1e-6), nn.RMSNorm(width, eps=1e-6)

    def forward(self, x, cos, sin):
        def split(y, heads):
            return y.view(x.shape[0], x.shape[1], heads, self.size).transpose(1, 2)

        def turn(y):
            low, high = y.chunk(2, -1)
            return y * cos + torch.cat([-high, low], -1) * sin

        y = self.first(x)
        q, k, v = turn(split(self.q(y), self.heads)), turn(split(self.k(y), self.groups)), split(self.v(y), self.groups)
        k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(x.shape))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """A decoder in Llama's form: 4 layers of 2048 and 32000 words, 1 GiB of float32."""

    def __init__(self, layers=4, width=2048, heads=16, groups=4, inner=5632, words=32000):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, groups, inner) for _ in range(layers))
        self.norm = nn.RMSNorm(width, eps=1e-6)
        self.head = nn.Linear(width, words, bias=False)
        self.size = width // heads

    def forward(self, tokens):
        rate = 10000.0 ** (-torch.arange(0, self.size, 2).float() / self.size)
        angle = torch.outer(torch.arange(tokens.shape[1]).float(), rate)
        angle = torch.cat([angle, angle], -1)
        x = self.words(tokens)
        for layer in self.layers:
            x = layer(x, angle.cos(), angle.sin())
        return self.head(self.norm(x))


class Chain(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.Sequential(*(m for _ in range(layers) for m in (nn.Linear(8, 8), nn.ReLU())))

    def forward(self, x):
        return self.layers(x)


def tokens():
    return torch.randint(0, 30000, (1, 128))


MADE = {
    "resnet50": (lambda: torchvision.models.resnet50(weights=None), lambda: (torch.randn(1, 3, 224, 224),)),
    "vit_b_16": (lambda: torchvision.models.vit_b_16(weights=None), lambda: (torch.randn(1, 3, 224, 224),)),
    "bert": (Bert, lambda: (tokens(), torch.zeros(1, 128, dtype=torch.int64))),
    "llama": (Llama, lambda: (tokens(),)),
}


def make(name):
    """A network with random weights, and its arguments."""
    torch.manual_seed(5)
    if name.startswith("chain"):
        return Chain(int(name[5:])).eval(), (torch.randn(2, 8),)
    if name in MADE:
        network, arguments = (build() for build in MADE[name])
        return network.eval(), arguments
    import case
    import models
    model = next(m for m in models.all_models() if m.name == name)
    return case.build(model).eval(), model.arguments(case.pick_first)


def archive(folder, name):
    """The exported program of a network, made once."""
    path = folder / f"{name}.pt2"
    if not path.exists():
        network, arguments = make(name)
        part = folder / f"{name}.part.pt2"
        with torch.no_grad():
            torch.export.save(torch.export.export(network, arguments), part)
        part.rename(path)
    return path


def names(which):
    """Networks that the tests take, "quick" or "all"; scripts are no programs of torch.export."""
    import models
    return [m.name for m in models.all_models() if not m.script and (m.quick or which == "all")]


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(*names(sys.argv[2]))
        sys.exit()
    archive(pathlib.Path(sys.argv[1]), sys.argv[2])
