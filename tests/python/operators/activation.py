"""Activation functions."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOATS, INTS, NUMBERS, Dim, Family, tensor

family = Family("activation", opset=7)
B = Dim("batch", 2, 5)
N = Dim("n", 4, 7)
x = tensor(B, 3, N, low=-4, high=4)

family.case("relu.plain", lambda x: F.relu(x), x, dtypes=NUMBERS + (torch.int8,))
family.case("relu6.plain", lambda x: F.relu6(x), tensor(B, N, low=-3, high=9), dtypes=FLOATS)
family.case("hardtanh.plain", lambda x: F.hardtanh(x, -0.5, 2.0), x, dtypes=FLOATS)
family.case("hardswish.plain", lambda x: F.hardswish(x), x, dtypes=FLOATS)
family.case("hardsigmoid.plain", lambda x: F.hardsigmoid(x), x, dtypes=FLOATS)
family.case("silu.plain", lambda x: F.silu(x), x, dtypes=FLOATS)
family.case("mish.plain", lambda x: F.mish(x), x)
family.case("gelu.none", lambda x: F.gelu(x), x, dtypes=FLOATS, opset=9)
family.case("gelu.tanh", lambda x: F.gelu(x, approximate="tanh"), x, dtypes=FLOATS)
family.case("elu.plain", lambda x: F.elu(x), x, dtypes=FLOATS)
family.case("elu.alpha", lambda x: F.elu(x, 0.3), x)
family.case("elu.scales", lambda x: torch._C._nn.elu(x, 0.3, 1.7, 0.6), x)
family.case("selu.plain", lambda x: F.selu(x), x)
family.case("celu.plain", lambda x: F.celu(x, 0.7), x)
family.case("leaky_relu.plain", lambda x: F.leaky_relu(x), x, dtypes=FLOATS)
family.case("leaky_relu.slope", lambda x: F.leaky_relu(x, 0.3), x)
family.case("leaky_relu.negative_slope", lambda x: F.leaky_relu(x, -0.3), x)
family.case("softplus.plain", lambda x: F.softplus(x), x)
family.case("softplus.beta", lambda x: F.softplus(x, beta=2.0, threshold=3.0), x)
family.case("log_sigmoid.plain", lambda x: F.logsigmoid(x), x)
family.case("threshold.zero", lambda x: F.threshold(x, 0, 0), x, dtypes=FLOATS)
family.case("threshold.value", lambda x: F.threshold(x, 0.5, -2.0), x, dtypes=FLOATS)
family.case("threshold.negative", lambda x: F.threshold(x, -1.0, 7.0), x)
family.case("threshold.at_the_border", lambda x: F.threshold(x, 1, 5), tensor(B, N, whole=True), dtypes=NUMBERS)
family.case("prelu.channels", nn.PReLU(3), x, dtypes=FLOATS)
family.case("prelu.one_weight", nn.PReLU(), x, dtypes=FLOATS)
family.case("prelu.one_weight_image", nn.PReLU(1), tensor(B, 3, N, N))
family.case("prelu.channels_image", nn.PReLU(3), tensor(B, 3, N, N))
family.case("prelu.channels_matrix", nn.PReLU(3), tensor(B, 3))
family.case("prelu.vector", nn.PReLU(1), tensor(N))
family.case("prelu.weight_input", lambda x, weight: F.prelu(x, weight), x, tensor(3), dtypes=FLOATS)
family.case("prelu.weight_input_rank0", lambda x, weight: F.prelu(x, weight), x, tensor())
for dim in (0, 1, 2, -1, -2):
    sizes = [Dim("batch", 2, 3), 4, Dim("n", 6, 3)]
    sizes[dim] = 4 if isinstance(sizes[dim], int) else Dim(sizes[dim].name, 4, 6)
    scope = {"F": F, "dim": dim}
    family.case(f"glu.dim{dim}", eval("lambda x: F.glu(x, dim)", scope), tensor(*sizes), dtypes=FLOATS if dim == 1 else FLOATS[:1])
for name in ("softmax", "log_softmax"):
    for dim in (0, 1, 2, -1, -3):
        scope = {"op": getattr(F, name), "dim": dim}
        family.case(f"{name}.dim{dim}", eval("lambda x: op(x, dim)", scope), x, dtypes=FLOATS if dim == 1 else FLOATS[:1])
    scope = {"op": getattr(F, name), "torch": torch}
    family.case(f"{name}.rank1", eval("lambda x: op(x, 0)", scope), tensor(N))
    family.case(f"{name}.rank0", eval("lambda x: op(x, 0)", scope), tensor())
    family.case(f"{name}.rank4", eval("lambda x: op(x, 1)", scope), tensor(B, 3, N, 2))
    family.case(f"{name}.dtype", eval("lambda x: op(x, -1, dtype=torch.float32)", scope), tensor(B, N, dtype=torch.float16))
    family.case(f"{name}.dtype_of_integer", eval("lambda x: op(x, -1, dtype=torch.float32)", scope), tensor(B, N), dtypes=INTS[:1])
    family.case(f"{name}.no_dim", eval(f"lambda x: torch.nn.{dict(softmax='Softmax', log_softmax='LogSoftmax')[name]}(1)(x)", scope),
                tensor(B, N))
for name in ("softmax", "log_softmax"):
    scope = {"op": getattr(F, name), "torch": torch}
    family.case(f"{name}.nan", eval("lambda x: op(torch.where(x > 2, torch.log(-x), x), 1)", scope), x, dtypes=(torch.float64, torch.float32))
family.case("softmin.plain", lambda x: F.softmin(x, 1), x)
