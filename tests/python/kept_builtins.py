"""Keeps the operators alive that PyTorch's script compiler knows by `id`.

The compiler's table of builtins holds ids, not objects. When the overloads of an operator are looked up again, its old
object is freed. A list or tuple that is later created at the same address is mistaken for the operator: about one script in
twenty of a network with a convolution failed with "builtin cannot be used as a value". Import this before scripting.
"""
from torch.jit import _builtins

_kept = []
_register = _builtins._register_builtin


def _register_and_keep(function, name):
    _kept.append(function)
    _register(function, name)


_builtins._register_builtin = _register_and_keep
