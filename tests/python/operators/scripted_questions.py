"""Queries of scripts about values, strings and gradients: the results must be the program's, not the exporter's."""
from typing import Any, Dict, List

import torch
from torch import nn

from case import Dim, Family, index, tensor

family = Family("scripted_questions", opset=9)
x = tensor(Dim("batch", 2, 5), Dim("n", 4, 6))


def format_numbers(x):
    text = "{} {} {} {}".format(1, 2.5, True, "a")
    return x + len(text), x * (2 if "{}".format(1.5) == "1.5" else 3)


def format_none(x):
    return x + (1 if "{}".format(None) == "None" else 2)


def format_containers(x):
    return x + len("{}|{}|{}".format([1, 2], (1, 2.5), {"a": 1}))


def format_large(x):
    return x + len("{} {}".format(1e20, float("inf")))


def text_of_number(x):
    return x + len(str(1.0) + str(2) + str(True))


def is_list(value: Any) -> bool:
    return isinstance(value, list)


def is_tuple(value: Any) -> bool:
    return isinstance(value, tuple)


def is_integers(value: Any) -> bool:
    return isinstance(value, List[int])


def is_counts(value: Any) -> bool:
    return isinstance(value, Dict[str, int])


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def instances(x):
    code = 1 if is_list([1, 2]) else 0
    code += 2 if is_list((1, 2)) else 0
    code += 4 if is_list(x) else 0
    code += 8 if is_tuple((1, x)) else 0
    code += 16 if is_tuple([1, 2]) else 0
    code += 32 if is_integers([1, 2]) else 0
    code += 64 if is_integers([x]) else 0
    code += 128 if is_counts({"a": 1}) else 0
    code += 256 if is_number(x.size(0)) else 0
    code += 512 if is_number(x) else 0
    return x + code


def layouts_of_inputs(x):
    code = 1 if x.is_contiguous() else 2
    code += 4 if x.t().contiguous().is_contiguous() else 8
    return (x.view(-1) if x.is_contiguous() else x.reshape(-1)) + code


def put_in_order(x):
    y = x.t()
    if not y.is_contiguous():
        y = y.contiguous()
    y = y + 0 if y.size(0) > 100 else y
    assert y.is_contiguous(), "in order"
    z = x[:, 1:]
    z = z if z.is_contiguous() else z.contiguous()
    return y.view(-1), z.view(-1)


def gradients_of_input(x):
    return x + (1 if x.requires_grad else 2) + (4 if x.detach().requires_grad else 8)


def gradients_asked_for(x):
    y = x.detach().requires_grad_()
    return y + (1 if y.requires_grad else 2)


def gradients_switched_off(x):
    with torch.no_grad():
        inside = torch.is_grad_enabled()
        y = x * 2
    return y + (1 if inside else 2)


def inference(x):
    return x + (1 if x.is_inference() else 2)


class Learning(nn.Module):
    """Queries which of its values require gradients: not constants, scalars or values computed without gradients."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.second = nn.Parameter(torch.ones(1))
        self.fixed = nn.Parameter(torch.ones(1), requires_grad=False)

    def forward(self, x):
        y = x * self.weight
        code = 2 if (x * self.fixed).requires_grad else 0
        code += 4 if torch.zeros_like(y).requires_grad else 0
        code += 8 if y.detach().requires_grad else 0
        code += 16 if (y > 0).requires_grad else 0
        code += 32 if self.weight.requires_grad else 0
        with torch.no_grad():
            z = x * self.weight
        code += 64 if z.requires_grad else 0
        code += 128 if (x * self.fixed).is_leaf else 0
        code += 256 if y.detach().is_leaf else 0
        code += 512 if (y > 0).is_leaf else 0
        code += 1024 if self.weight.is_leaf else 0
        code += 2048 if z.is_leaf else 0
        code += 4096 if y.is_leaf == y.requires_grad else 0
        code += 8192 if y.is_leaf and not y.requires_grad else 0
        for weight in [self.weight, self.second]:
            code += 16384 if weight.requires_grad else 0
        return y + code


class Enabled(nn.Module):
    """Values computed with gradients enabled require them, also afterwards."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x):
        code = 1 if torch.is_grad_enabled() else 0
        torch.set_grad_enabled(True)
        y = x * self.weight
        code += 2 if torch.is_grad_enabled() else 0
        code += 4 if y.requires_grad else 0
        with torch.no_grad():
            z = y * 2
            code += 8 if z.requires_grad or torch.is_grad_enabled() else 0
        code += 16 if (y + 1).requires_grad else 0
        torch.set_grad_enabled(False)
        code += 32 if y.requires_grad else 0
        code += 64 if (y - 3).requires_grad else 0
        code += 128 if torch.is_grad_enabled() else 0
        return y * 1.5 + code


def gradients_asked_again(x):
    y = x.detach().requires_grad_()
    code = 1 if y.requires_grad else 0
    y.requires_grad_(False)
    code += 2 if y.requires_grad else 0
    with torch.no_grad():
        y.requires_grad_()
    code += 4 if y.requires_grad else 0
    return y.detach() + code


class Checked(nn.Module):
    """Like the fast paths of PyTorch's layers: the result passes through a string and another function."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def reason(self, x):
        reason = ""
        if self.training:
            reason = "training"
        elif torch.is_grad_enabled() and (self.weight.requires_grad or x.requires_grad):
            reason = "gradients"
        return reason

    def forward(self, x):
        if not self.reason(x):
            return x * self.weight * 3
        return x - self.weight


def arange_to_float(x):
    return torch.arange(0, float(x), dtype=torch.int64)


def arange_between(x):
    size = x.size(0)
    return (torch.arange(size, 8.5, 1.5, dtype=torch.int64), torch.arange(0.5, size * 1.5, 1.25, dtype=torch.int32),
            torch.arange(-0.5, 4.75, 0.5))


def interleaved(x, counts):
    return x.repeat_interleave(counts, 0)


def devices_and_kinds(x):
    if x.is_mtia or x.is_sparse_csr or x.is_pinned() or x.is_distributed() or x.is_meta or x.is_mps:
        return x * 3
    if x.is_cpu and x.is_leaf and not x.retains_grad and x.itemsize == x.element_size():
        return x * 2
    return x + 1


for program in (format_numbers, format_none, format_containers, format_large, text_of_number, instances, layouts_of_inputs,
                put_in_order, gradients_of_input, gradients_asked_for, gradients_switched_off, inference, devices_and_kinds):
    family.case(f"{program.__name__}.plain", program, x, script=True)
family.case("gradients_of_weights.plain", Learning(), x, script=True)
family.case("gradients_asked_again.plain", gradients_asked_again, x, script=True)
family.case("gradients_switched_on.plain", Enabled(), x, script=True)
family.case("gradients_of_fast_path.plain", Checked(), tensor(3, 4), script=True)
family.case("arange.to_float", arange_to_float, tensor(low=2, high=9), script=True)
family.case("arange.to_half", arange_to_float, tensor(values=8.5), script=True)
family.case("arange.between", arange_between, x, script=True)
rows = Dim("rows", 3, 4)
family.case("repeat_interleave.one_count", interleaved, tensor(rows, 2), index(Dim("counts", 3, 1), below=4, above=1), script=True, opset=11)
