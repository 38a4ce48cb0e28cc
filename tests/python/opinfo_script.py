"""A call of an operator as TorchScript source."""
import dataclasses
import linecache
import math
import typing

OPERATORS = {"__radd__": "{1} + {0}", "__rsub__": "{1} - {0}", "__rmul__": "{1} * {0}", "__rdiv__": "{1} / {0}",
             "__rmod__": "{1} % {0}", "__rpow__": "{1} ** {0}", "__rand__": "{1} & {0}", "__ror__": "{1} | {0}",
             "__rxor__": "{1} ^ {0}", "__rmatmul__": "{1} @ {0}"}


@dataclasses.dataclass(frozen=True)
class Name:
    """A tensor, by its name in the script."""
    text: str


CASTS = {"bfloat16": "bfloat16", "bool": "bool", "byte": "uint8", "char": "int8", "double": "float64", "float": "float32", "half": "float16",
         "int": "int32", "long": "int64", "short": "int16", "cfloat": "complex64", "cdouble": "complex128"}
# Arguments to omit if they have their default value, because not all TorchScript overloads have them.
DEFAULTS = {"requires_grad": False, "as_tuple": False}


def compiled(names, expression):
    """A script whose `forward` returns the expression of the tensors."""
    import torch
    text = f"def forward(self{''.join(f', {n}: torch.Tensor' for n in names)}):\n  return {expression}\n"
    place = f"<{expression}>"
    linecache.cache[place] = len(text), None, text.splitlines(True), place
    scope = {"__name__": "sample", "torch": torch, "List": typing.List}
    exec(compile(text, place, "exec"), scope)
    return torch.jit.script(type("Call", (torch.nn.Module,), {"forward": scope["forward"], "__module__": "sample"})())


def spellings(name, args, kwargs):
    """Calls of the operator by PyTorch's name, as a method, as a member, and with the tensor after the first argument."""
    if name == "__getitem__":
        yield f"{written(args[0])}[{subscript(args[1])}]"
        return
    if name in OPERATORS:
        yield OPERATORS[name].format(*map(written, args))
        return
    if name in CASTS:
        options = "".join(f", {key}={written(value)}" for key, value in kwargs.items())
        yield f"{written(args[0])}.to(torch.{CASTS[name]}{options})"
        return
    *_, last = name.split(".")
    given = [written(a) for a in args]
    named = [f"{key}={written(value)}" for key, value in kwargs.items() if key not in DEFAULTS or value != DEFAULTS[key]]
    call = lambda parts: ", ".join([*parts, *named])
    yield f"torch.{name}({call(given)})"
    yield f"{given[0]}.{last}({call(given[1:])})"
    yield f"torch.ops.aten.{last}({call(given)})"
    if len(given) > 1:
        yield f"torch.{name}({call([given[1], given[0], *given[2:]])})"
    if len(given) == 1 and not named:
        yield f"{given[0]}.{last}"


def written(value):
    """A value as a literal of TorchScript."""
    import torch
    if isinstance(value, Name):
        return value.text
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, complex):
        return f"complex({written(value.real)}, {written(value.imag)})"
    if isinstance(value, torch.device):
        return f"torch.device('{value}')"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value)
    if isinstance(value, list) or isinstance(value, torch.Size):
        return f"[{', '.join(map(written, value))}]" if len(value) else "torch.jit.annotate(List[int], [])"
    if isinstance(value, tuple):
        return f"({', '.join(map(written, value))},)" if value else "torch.jit.annotate(List[int], [])"
    raise TypeError(f"a {type(value).__name__} has no form in TorchScript")


def subscript(index):
    """The expression between the brackets."""
    if isinstance(index, tuple):
        return ", ".join(map(subscript, index))
    if isinstance(index, slice):
        return ":".join("" if part is None else written(part) for part in (index.start, index.stop, index.step))
    return "..." if index is Ellipsis else written(index)
