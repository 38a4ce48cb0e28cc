"""Gradients of activations, called by name and by programs that differentiate."""
import torch
import torch.nn.functional as F

from case import FLOATS, INTS, Dim, Family, tensor

family = Family("gradients", opset=9)
aten = torch.ops.aten
B = Dim("batch", 2, 5)
x = tensor(B, 3, 6)
NAN, INF = float("nan"), float("inf")
g = tensor(9)
edges = tensor(values=[-INF, -30.0, -3.0, -0.5, 0.0, 0.5, 3.0, 30.0, INF])
GRADIENTS = {
    "tanh": lambda g, x: aten.tanh_backward(g, torch.tanh(x)),
    "sigmoid": lambda g, x: aten.sigmoid_backward(g, torch.sigmoid(x)),
    "threshold": lambda g, x: aten.threshold_backward(g, x, 0.25),
    "silu": lambda g, x: aten.silu_backward(g, x),
    "mish": lambda g, x: aten.mish_backward(g, x),
    "gelu": lambda g, x: aten.gelu_backward(g, x),
    "gelu_tanh": lambda g, x: aten.gelu_backward(g, x, approximate="tanh"),
    "elu": lambda g, x: aten.elu_backward(g, 0.7, 1.5, 2.0, False, x),
    "elu_of_result": lambda g, x: aten.elu_backward(g, 0.7, 1.5, 2.0, True, F.elu(x)),
    "leaky_relu": lambda g, x: aten.leaky_relu_backward(g, x, 0.1, False),
    "softplus": lambda g, x: aten.softplus_backward(g, x, 2.0, 3.0),
    "hardsigmoid": lambda g, x: aten.hardsigmoid_backward(g, x),
    "hardswish": lambda g, x: aten.hardswish_backward(g, x),
    "log_sigmoid": lambda g, x: aten.log_sigmoid_backward(g, x, torch.exp(-torch.abs(x))),
    "softshrink": lambda g, x: aten.softshrink_backward(g, x, 0.5),
    "hardshrink": lambda g, x: aten.hardshrink_backward(g, x, 0.5),
    "hardtanh": lambda g, x: aten.hardtanh_backward(g, x, -1, 2),
}
UNBOUNDED = {"silu", "mish", "gelu", "gelu_tanh"}  # LibTorch returns NaN for an infinity here

for name in ("gelu", "gelu_tanh"):
    family.case(f"{name}.wide", GRADIENTS[name], x, x, opset=7, dtypes=[torch.float64])
for name, gradient in GRADIENTS.items():
    family.case(f"{name}.plain", gradient, x, x, dtypes=FLOATS)
    family.case(f"{name}.empty", gradient, tensor(0, 3), tensor(0, 3))
    family.case(f"{name}.scalar", gradient, tensor(), tensor())
    if name not in UNBOUNDED:
        family.case(f"{name}.edges", gradient, g, edges)

family.case("threshold.nan", lambda g, x: aten.threshold_backward(g, x, 0.0), tensor(2), tensor(values=[NAN, 1.0]))
family.case("threshold.integers", lambda g, x: aten.threshold_backward(g, x, 1), x, x, dtypes=INTS)
family.case("hardtanh.borders", lambda g, x: aten.hardtanh_backward(g, x, -1, 2), tensor(4), tensor(values=[-1.0, 2.0, 1.999, NAN]))
family.case("softmax.plain", lambda g, y: aten._softmax_backward_data(g, y, 1, torch.float32), x, x, opset=7)
family.case("softmax.log", lambda g, y: aten._log_softmax_backward_data(g, y, 1, torch.float32), x, x, opset=7)
family.case("dropout.plain", lambda g, m: aten.native_dropout_backward(g, m > 0, 2.0), x, x, opset=7, dtypes=FLOATS + INTS)
