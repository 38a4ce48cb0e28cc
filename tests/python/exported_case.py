"""Defines cases for torch.export, and the inputs that most of them use."""
import dataclasses

import torch


@dataclasses.dataclass
class Case:
    """A module, its arguments at several sizes, and its dynamic axes: {argument: {axis: name}}."""
    name: str
    make: object
    args: object            # function of a batch and a length -> tuple of arguments
    dynamic: dict = None
    kwargs: object = None   # the same -> dict
    strict: bool = False
    decompose: bool = True
    shapes: object = None  # function -> dynamic_shapes for torch.export, instead of `dynamic`
    sizes: tuple = ()       # further batches and lengths
    tolerance: float = 1e-4
    verify: bool = True  # also verified by the library, with its own tolerance
    written: bool = False  # also compare what it writes to buffers and inputs
    opset: int = 0  # oldest opset that has a model of it
    by_module: bool = False  # compare the decomposed program with the module, because PyTorch's decompositions change its results
    refused: str = ""  # part of the message with which the export must be refused
    refused_open: str = ""  # the same, for dynamic axes only
    refused_decomposed: str = ""  # the same, for decomposed programs only

    @property
    def is_open(self):
        return bool(self.dynamic or self.shapes)


CASES = []


def case(args, dynamic=None, kwargs=None, **options):
    """Decorator that makes a case of a module class or a function."""
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
