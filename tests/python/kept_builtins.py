"""Keeps the operators that PyTorch's script compiler knows by `id` alive.

The compiler's table of builtins holds ids, not objects. An operator whose overloads are looked up anew frees its old
object, and a list or a tuple that comes to lie at the same address is taken for the operator: about one script in
twenty of a network with a convolution failed with "builtin cannot be used as a value". Import this before scripting.
"""
from torch.jit import _builtins

_kept = []
_register = _builtins._register_builtin


def _register_and_keep(function, name):
    _kept.append(function)
    _register(function, name)


_builtins._register_builtin = _register_and_keep
