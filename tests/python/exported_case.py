"""What a case for torch.export is, and the inputs that most of them take."""
import dataclasses

import torch


@dataclasses.dataclass
class Case:
    """A module, its arguments at several sizes, and which axes are open: {argument: {axis: name}}."""
    name: str
    make: object
    args: object            # function of a batch and a length -> tuple of arguments
    dynamic: dict = None
    kwargs: object = None   # the same -> dict
    strict: bool = False
    decompose: bool = True
    shapes: object = None   # function -> dynamic_shapes as torch.export takes them, in place of `dynamic`
    sizes: tuple = ()       # further batches and lengths
    tolerance: float = 1e-4
    verify: bool = True     # by the library as well, whose tolerance is its own
    written: bool = False   # what it writes to buffers and inputs is compared as well
    opset: int = 0          # below which there is no model of it
    by_module: bool = False  # decomposed, too, is compared with the module, as PyTorch's decompositions change what it gives
    refused: str = ""       # part of what the export must be refused with
    refused_open: str = ""  # the same where its open axes make it so
    refused_decomposed: str = ""  # the same where decompositions alone make it so

    @property
    def is_open(self):
        return bool(self.dynamic or self.shapes)


CASES = []


def case(args, dynamic=None, kwargs=None, **options):
    """Makes a case of a class of modules or of a function."""
    def add(target):
        name = target.__name__.lstrip("_")
        if isinstance(target, type):
            make = target
        else:
            def make():
                from case import call_module
                return call_module(target)
        CASES.append(Case(name, make, args, dynamic, kwargs, **options))
        return target
    return add


def rows(b, s):
    return (torch.randn(b, 4),)


def two(b, s):
    return torch.randn(b, 4), torch.randn(b, 4)


def steps(b, s):
    return (torch.randn(b, s, 4),)


def image(b, s):
    return (torch.randn(b, 3, 8, 8),)


BATCH = {"x": {0: "batch"}}
BOTH = {"x": {0: "batch"}, "y": {0: "batch"}}
STEPS = {"x": {0: "batch", 1: "steps"}}
