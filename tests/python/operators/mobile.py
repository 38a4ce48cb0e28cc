"""Scripts whose weights optimize_for_mobile() has packed."""
import torch
from torch import nn
from torch.utils.mobile_optimizer import optimize_for_mobile

from case import Dim, Family, tensor

family = Family("mobile", opset=11)
B = Dim("batch", 2, 3)


class Layers(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1, stride=2, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.grouped = nn.Conv2d(width, width, (3, 1), dilation=(2, 1), groups=2)
        self.back = nn.ConvTranspose2d(width, 3, 3, stride=2, padding=1, output_padding=1)
        self.linear = nn.Linear(3, 5)
        self.drop = nn.Dropout()

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        y = nn.functional.hardtanh(self.grouped(y), -0.1, 0.2)
        y = self.back(y)
        y = torch.relu(y + 0.1)
        z = self.linear(self.drop(y.mean((2, 3))))
        return y, torch.relu(z + z)


def optimised(*arguments):
    """The scripted layers with packed weights."""
    return lambda: optimize_for_mobile(torch.jit.script(Layers(*arguments).eval()))


family.ready("layers.plain", optimised(), tensor(B, 3, 10, Dim("width", 8, 12)), atol=1e-5, script=True)
family.ready("layers.wide", optimised(64), tensor(B, 3, 10, 8), atol=1e-5, script=True)
