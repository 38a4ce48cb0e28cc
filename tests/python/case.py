"""Defines samples: a program, its arguments at two sizes, and how it is recorded."""
import dataclasses
import hashlib
import inspect

import torch
from torch import nn

import kept_builtins  # noqa: F401


@dataclasses.dataclass(frozen=True)
class Dim:
    """An axis that can be dynamic: its symbol, its size in the example, its size in the second run."""
    name: str
    first: int
    second: int


def pick_first(dim):
    return dim.first if isinstance(dim, Dim) else dim


def pick_second(dim):
    return dim.second if isinstance(dim, Dim) else dim


def seeded(text):
    """A random generator seeded by the string."""
    return torch.Generator().manual_seed(int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big"))


@dataclasses.dataclass
class Model:
    """A network with its inputs: `inputs` are functions (generator, pick) -> tensor, `dims` their axes."""
    name: str
    make: object
    inputs: list
    dims: list
    quick: bool = False
    opset: int = 9
    script: bool = False  # scripted, not traced
    further: tuple = ()  # for a script: functions like pick_second for further runs

    def arguments(self, pick):
        generator = seeded(f"{self.name} {pick.__name__}")
        return tuple(make(generator, pick) for make in self.inputs)


def call_module(function):
    """A module whose forward is the function, with the function's own argument names."""
    names = ", ".join(inspect.signature(function).parameters)
    scope = {}
    exec(f"def forward(self, {names}):\n  return self.function[0]({names})\n", scope)
    module = type("Case", (nn.Module,), {"forward": scope["forward"]})()
    module.function = (function,)
    return module


def train_where_possible(norm, inputs):
    """Runs normalisations in training mode if they have more than one value for each channel."""
    norm.train(inputs[0].numel() > inputs[0].shape[1])


def randomise(module, arguments, generator):
    """Sets every weight to a value that makes errors visible, and the statistics of batch normalisation to those of the example."""
    constant = lambda p: p.numel() > 0 and bool((p == p.flatten()[0]).all())
    with torch.no_grad():
        for _, p in sorted(module.named_parameters()):
            if not p.is_floating_point() or not constant(p):
                continue
            value = p.flatten()[0].item()
            noise = torch.empty(p.shape)
            if value == 0:
                p.copy_(noise.normal_(0, 0.1 if p.dim() < 2 else p[0].numel() ** -0.5, generator=generator))
            elif abs(value) < 1e-3:
                p.copy_(noise.uniform_(0.5, 1.0, generator=generator))
            else:
                p.copy_(value * noise.uniform_(0.7, 1.3, generator=generator))
        norms = [m for m in module.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm) and m.track_running_stats]
        if norms:
            module.eval()
            momenta = [m.momentum for m in norms]
            hooks = []
            for m in norms:
                m.momentum = 1.0
                hooks.append(m.register_forward_pre_hook(train_where_possible))
            module(*arguments)
            for hook in hooks:
                hook.remove()
            for m, momentum in zip(norms, momenta):
                m.momentum = momentum
                m.running_mean += 0.1 * torch.randn(m.running_mean.shape, generator=generator) * m.running_var.sqrt()
                m.running_var *= torch.empty(m.running_var.shape).uniform_(0.8, 1.25, generator=generator)
                m.running_var += 1e-3
    return module.eval()


def build(model, attempt=""):
    """The network of a Model, seeded, in eval mode; another attempt has other weights."""
    torch.manual_seed(seeded(model.name + attempt).initial_seed() % 2 ** 31)
    module = model.make()
    if not any(isinstance(m, (nn.modules.batchnorm._BatchNorm, nn.LayerNorm)) for m in module.modules()):
        for m in module.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
    module = randomise(module, model.arguments(pick_first), seeded(model.name + " weights" + attempt))
    if hasattr(module, "settle"):
        module.settle(*model.arguments(pick_first))
    return module


def trace(module, arguments, gradients):
    """Records the module once, as torch.jit.trace does, with gradients on or off."""
    with torch.set_grad_enabled(gradients):
        return torch.jit.trace(module, arguments, check_trace=False)


def flatten(value):
    """The tensors of a result, in order; nested tuples, lists and dicts are flattened; a list of numbers is one tensor."""
    if isinstance(value, torch.Tensor):
        return parts_of(value)
    if isinstance(value, list) and value and all(isinstance(item, (bool, int, float)) for item in value):
        return [torch.tensor(value, dtype=torch.float64 if isinstance(value[0], float) else None)]
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in flatten(item)]
    if isinstance(value, dict):
        return [t for item in value.values() for t in flatten(item)]
    if value is None:
        return []
    return [torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)]


def by_part(value):
    """Regroups a result for a model: a list of tuples or dicts of dynamic length becomes one list for each of their items."""
    if isinstance(value, dict):
        return {key: by_part(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(by_part(item) for item in value)
    if not isinstance(value, list) or not value or not isinstance(value[0], (tuple, dict)):
        return value
    parts = zip(*[item.values() if isinstance(item, dict) else item for item in value])
    return [list(part) if isinstance(part[0], torch.Tensor) else torch.tensor(part, dtype=torch.float64 if isinstance(part[0], float) else None)
            for part in parts]


def parts_of(tensor):
    """The tensor itself; for a quantised one its integers, scale and zero point."""
    if not tensor.is_quantized:
        return [tensor]
    integers = tensor.int_repr()
    if tensor.qscheme() == torch.per_channel_affine:
        return [integers, tensor.q_per_channel_scales().float(), tensor.q_per_channel_zero_points().to(integers.dtype)]
    return [integers, torch.tensor(tensor.q_scale(), dtype=torch.float32), torch.tensor(tensor.q_zero_point(), dtype=integers.dtype)]


def names_of_parts(names, arguments):
    """The names of a model's inputs."""
    return [name + ending for name, a in zip(names, arguments)
            for ending in (("", "_scale", "_zero_point") if isinstance(a, torch.Tensor) and a.is_quantized else ("",))]


def as_model(tensor):
    """The tensor in the form of a model's inputs and outputs: a complex one becomes real with a last axis of 2."""
    return torch.view_as_real(tensor.resolve_conj()).resolve_neg() if tensor.is_complex() else tensor


def tolerance(dtype, tensors):
    """rtol and atol for a case of this dtype with these tensors. Only if all floats are float64, they are tight, and
    scaled by the largest number."""
    if dtype in (torch.float16, torch.bfloat16):
        return 1e-2, 1e-2
    floats = [t for t in tensors if t.is_floating_point() or t.is_complex()]
    if not floats or any(torch.finfo(t.dtype).eps > torch.finfo(torch.float64).eps for t in floats):
        return 1e-4, 2e-5
    finite = [t[t.isfinite()].abs() for t in floats]
    return 1e-9, 1e-12 * max([1.0] + [float(t.max()) for t in finite if t.numel()])


FLOATS = (torch.float32, torch.float16)
INTS = (torch.int64, torch.int32)
SMALL_INTS = (torch.int8, torch.uint8)
FLOAT = (torch.float32,)
BOOL = (torch.bool,)
NUMBERS = FLOATS + INTS
ALL_NUMBERS = NUMBERS + SMALL_INTS


@dataclasses.dataclass
class Input:
    """An argument: its axes, its range, and its dtype (that of the case if None). `whole` draws integers only. With
    `steps`, a scale and a zero point, it is quantised to `dtype`."""
    dims: tuple
    low: float
    high: float
    dtype: object
    whole: bool
    values: object
    steps: tuple = None

    def draw(self, generator, pick, dtype):
        if self.steps:
            plain = dataclasses.replace(self, dtype=torch.float32, steps=None)
            return torch.quantize_per_tensor(plain.draw(generator, pick, dtype), *self.steps, self.dtype)
        dtype = self.dtype or dtype
        if self.values is not None:
            return torch.tensor(self.values, dtype=dtype)
        shape = [pick(n) for n in self.dims]
        if dtype == torch.bool:
            return torch.rand(shape, generator=generator) > 0.5
        if dtype.is_complex:
            parts = torch.empty([*shape, 2], dtype=dtype.to_real()).uniform_(self.low, self.high, generator=generator)
            return torch.view_as_complex(parts)
        if dtype.is_floating_point and not self.whole:
            drawn = torch.float64 if dtype == torch.float64 else torch.float32
            return torch.empty(shape, dtype=drawn).uniform_(self.low, self.high, generator=generator).to(dtype)
        low = max(0, self.low) if dtype == torch.uint8 else self.low
        return torch.randint(int(low), int(self.high) + 1, shape, generator=generator).to(dtype)


def tensor(*dims, low=-3, high=3, dtype=None, whole=False, values=None, steps=None):
    """An argument of an operator's case; `values` fixes its content."""
    if values is not None:
        dims = tuple(torch.tensor(values).shape)
    return Input(dims, low, high, dtype, whole, values, steps)


def index(*dims, below, above=0):
    """An argument of indices: above <= index < below."""
    return tensor(*dims, low=above, high=below - 1, dtype=torch.int64)


def mask(*dims):
    return tensor(*dims, dtype=torch.bool)


@dataclasses.dataclass
class Case:
    """A call of an operator: `program` is a function of tensors or a module, traced or scripted.

    `opset` is the oldest opset at which it must convert; below it a refusal is right too, but a wrong model never is.
    `compare` says what to compare: "values", or "shapes" if the values are random.
    """
    name: str
    program: object
    inputs: tuple
    dtype: torch.dtype
    script: bool
    train: bool
    opset: int
    rtol: float  # None: that of the dtypes in the run
    atol: float
    compare: str
    first: bool
    ready: bool = False  # `program` builds the module, which is used unchanged

    def arguments(self, pick):
        generator = seeded(f"{self.name} {pick.__name__}")
        return tuple(i.draw(generator, pick, self.dtype) for i in self.inputs)

    def module(self):
        if self.ready:
            torch.manual_seed(seeded(self.name).initial_seed() % 2 ** 31)
            module = self.program()
            return torch.jit.script(module) if self.script else module
        if not isinstance(self.program, nn.Module):
            return torch.jit.script(self.program) if self.script else call_module(self.program)
        module = copy_of(self.program)
        generator = seeded(self.name + " weights")
        with torch.no_grad():
            for name, p in sorted(list(module.named_parameters()) + list(module.named_buffers())):
                if p.is_floating_point():
                    low, high = (0.5, 2.0) if name.endswith("running_var") else (-0.6, 0.6)
                    p.copy_(torch.empty(p.shape).uniform_(low, high, generator=generator))
        if self.dtype.is_floating_point:
            module.to(self.dtype)
        module.train(self.train)
        return torch.jit.script(module) if self.script else module


def fill(*shape, low=-2, high=2):
    """An argument of a program's run: a float32 tensor of this shape."""
    return tensor(*shape, low=low, high=high)


def whole(value):
    """An argument of a program's run: a rank-0 tensor with this integer."""
    return tensor(values=value, dtype=torch.int64)


def number(value):
    """An argument of a program's run that is an int in the program."""
    return value


@dataclasses.dataclass
class Program:
    """A scripted program with runs that take different paths; it is exported with the first run as example.

    Axes whose sizes differ between the runs are dynamic; axes with the same sizes in every run share a symbol. A list
    of tensors is passed as a list, and is one sequence input of the model.
    """
    name: str
    program: object
    runs: tuple
    opset: int
    rtol: float = 1e-4
    atol: float = 2e-5
    compare: str = "values"
    parts: bool = False  # regroup its result with by_part()

    def module(self):
        if not isinstance(self.program, nn.Module):
            return torch.jit.script(self.program)
        torch.manual_seed(seeded(self.name).initial_seed() % 2 ** 31)
        return torch.jit.script(copy_of(self.program).eval())

    def arguments(self, run):
        generator = seeded(f"{self.name} {run}")

        def draw(item):
            if isinstance(item, list):
                return [draw(i) for i in item]
            return item.draw(generator, pick_first, torch.float32) if isinstance(item, Input) else item
        return tuple(draw(i) for i in self.runs[run])

    def has_lists(self):
        return any(isinstance(i, list) for i in self.runs[0])

    def dynamic(self):
        """[(position, axis, symbol)]"""
        sizes = {}
        for position, item in enumerate(self.runs[0]):
            items = [run[position] if isinstance(run[position], list) else [run[position]] for run in self.runs]
            for axis in range(len(items[0][0].dims) if isinstance(items[0][0], Input) else 0):
                # A size that differs between the items of one list has no name.
                found = tuple(size for of_run in items for size in {i.dims[axis] for i in of_run})
                if len(found) == len(self.runs) and len(set(found)) > 1:
                    sizes.setdefault(found, []).append((position, axis))
        return [(*place, f"size_{k}") for k, places in enumerate(sizes.values()) for place in places]


def copy_of(module):
    import copy
    return copy.deepcopy(module)


class Family:
    """The cases of one family of operators."""

    def __init__(self, name, opset=9):
        self.name = name
        self.opset = opset
        self.cases = []

    def program(self, name, program, *runs, opset=None, parts=False):
        """Adds `<family>.<name>`, a scripted program with its runs."""
        full = f"{self.name}.{name}"
        assert all(c.name != full for c in self.cases), full
        assert len(runs) > 2, full
        self.cases.append(Program(full, program, runs, opset or self.opset, parts=parts))

    def on(self, *runs, opset=None, parts=False):
        """A decorator that adds the function as a program, by its own name."""
        def add(function):
            self.program(function.__name__, function, *runs, opset=opset, parts=parts)
            return function
        return add

    def ready(self, name, build, *inputs, atol, script=False, opset=None):
        """Adds `<family>.<name>` with the module that `build()` returns; its weights are not changed."""
        full = f"{self.name}.{name}"
        assert all(c.name != full for c in self.cases), full
        self.cases.append(Case(full, build, inputs, torch.float32, script, False, opset or self.opset, 1e-6, atol, "values", True, True))

    def case(self, name, program, *inputs, dtypes=FLOAT, script=False, train=False, opset=None, rtol=None, atol=None,
             compare="values"):
        """Adds `<family>.<name>` for the first dtype and `<family>.<name>.<dtype>` for the others."""
        for dtype in dtypes:
            full = f"{self.name}.{name}" + ("" if dtype == dtypes[0] else "." + str(dtype).removeprefix("torch."))
            assert all(c.name != full for c in self.cases), full
            self.cases.append(Case(
                full, program, inputs, dtype, script, train, opset or self.opset, rtol, atol, compare, dtype == dtypes[0]))
