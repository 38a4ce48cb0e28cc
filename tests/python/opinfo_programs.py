"""Samples of PyTorch's table of operators (OpInfo) as programs: a trace, a script, or an exported program of one call."""
import hashlib
import itertools
import sys
import types
import unittest

import opinfo_script
from case import as_model

OFFERED = 100  # how many samples of an entry are considered
RTOL = {"float16": (1e-2, 1e-2), "bfloat16": (4e-2, 4e-2)}
# They return uninitialised memory.
UNINITIALISED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
# PyTorch does not define which of equal elements their indices select; the position of their argument `dim`.
OPEN_INDICES = {"topk": 1, "kthvalue": 1, "mode": 0, "sort": 0, "argsort": 0}
DRAWS = 64  # how many seeds are tried to detect random results


def op_infos():
    """PyTorch's table, in its order: "name" or "name/variant" -> OpInfo."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        # PyTorch's test helpers import it for assertions that are not used here.
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stub
    from torch.testing._internal import common_methods_invocations as table
    # The entries of random operators set a seed in every call, which would hide that they are random.
    table.wrapper_set_seed = lambda call, *args, **kwargs: call(*args, **kwargs)
    return {info.name + (f"/{info.variant_test_name}" if info.variant_test_name else ""): info for info in table.op_db}


def offered_samples(info, dtype):
    import torch
    torch.manual_seed(int.from_bytes(hashlib.sha256(info.name.encode()).digest()[:4], "big"))
    return list(itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), OFFERED))


def spread(items, count):
    """`count` of the items, including the first and the last."""
    if len(items) <= count:
        return items
    return [items[round(i * (len(items) - 1) / (count - 1))] for i in range(count)] if count > 1 else items[:1]


def tolerance(info, dtype):
    """The tolerance of the entry if it is looser than that of the tests."""
    from torch.testing._internal.common_device_type import toleranceOverride
    rtol, atol = RTOL.get(str(dtype).removeprefix("torch."), (1e-4, 2e-5))
    for decorated in info.decorators or ():
        for inner in getattr(decorated, "decorators", ()):
            if isinstance(inner, toleranceOverride) and dtype in inner.d:
                rtol, atol = max(rtol, inner.d[dtype].rtol), max(atol, inner.d[dtype].atol)
    return rtol, atol


class Program:
    """A call of an operator as a function of its tensors; all other arguments are constant."""

    def __init__(self, info, sample):
        import torch
        from torch.utils import _pytree
        self.torch, self.pytree, self.info, self.sample = torch, _pytree, info, sample
        leaves, self.spec = _pytree.tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.leaves = leaves
        self.tensors = tuple(leaves[i].detach() for i in self.places)
        self.names = [f"x{i}" for i in range(len(self.tensors))]

    def arguments(self, tensors):
        leaves = list(self.leaves)
        for i, t in zip(self.places, tensors):
            leaves[i] = t
        given, args, kwargs = self.pytree.tree_unflatten(leaves, self.spec)
        return (given, *args), kwargs

    def whole(self, tensors):
        args, kwargs = self.arguments(tensors)
        return self.info.op(*args, **kwargs)

    def results(self, value):
        """The leaves of the result; numbers, which a trace cannot return, become tensors."""
        leaves, self.result_spec = self.pytree.tree_flatten(value)
        return tuple(v if isinstance(v, self.torch.Tensor) else self.torch.tensor(v) for v in leaves if v is not None)

    def traced(self):
        """The trace of the call."""
        torch, names = self.torch, ", ".join(self.names)
        scope = {"__name__": "sample", "whole": self.whole, "results": self.results}
        exec(f"def forward({names}):\n  return results(whole([{names}]))\n", scope)
        torch.manual_seed(0)
        return torch.jit.trace(scope["forward"], self.tensors, check_trace=False)

    def scripted(self):
        """The call as a script: the first notation that TorchScript accepts and that returns the same results."""
        expected, reason = self.answer(), None
        random = self.random(expected)
        args, kwargs = self.arguments(tuple(opinfo_script.Name(n) for n in self.names))
        for spelling in opinfo_script.spellings(self.info.name, args, kwargs):
            try:
                script = opinfo_script.compiled(self.names, spelling)
                found = self.answer_of(script)
            except Exception as error:
                reason = reason or error
                continue
            alike = len(found) == len(expected) and all(f.shape == e.shape for f, e in zip(found, expected))
            if alike and (random or all(self.torch.allclose(f.to(e.dtype), e, 1e-3, 1e-3, equal_nan=True) for f, e in zip(found, expected))):
                return script
            reason = reason or ValueError("the script returns another result than the call")
        raise reason

    def exported(self, decompose):
        """The program of torch.export."""
        torch, pytree, whole = self.torch, self.pytree, self.whole

        class Call(torch.nn.Module):
            def forward(self, *tensors):
                return tuple(v for v in pytree.tree_leaves(whole(tensors)) if v is not None)
        program = torch.export.export(Call(), self.tensors)
        return program.run_decompositions() if decompose else program

    def answer_of(self, module):
        """The results of a script or an exported program; a float is a double there."""
        self.torch.manual_seed(0)
        results = self.pytree.tree_leaves(module(*(t.clone() for t in self.tensors)))
        dtypes = {float: self.torch.float64, complex: self.torch.complex128}
        return tuple(v if isinstance(v, self.torch.Tensor) else self.torch.tensor(v, dtype=dtypes.get(type(v)))
                     for v in results if v is not None)

    def answer(self, seed=0):
        self.torch.manual_seed(seed)
        return self.results(self.whole(tuple(t.clone() for t in self.tensors)))

    def random(self, expected):
        """True if the results contain random numbers or uninitialised memory."""
        if self.info.name in UNINITIALISED:
            return True
        before = self.torch.manual_seed(0).get_state()
        self.answer()
        draws = DRAWS if not self.torch.equal(before, self.torch.random.get_rng_state()) else 2
        return any(not self.same(expected, self.answer(seed)) for seed in range(1, draws))

    def same(self, results, others):
        return all(a.shape == b.shape and a.dtype == b.dtype
                   and self.torch.equal(self.torch.nan_to_num(as_model(a)), self.torch.nan_to_num(as_model(b)))
                   for a, b in zip(results, others))

    def precise(self, expected):
        """The results computed in float64 and rounded; those of a narrow float dtype unchanged if that is not possible."""
        short_float = {self.torch.float16, self.torch.bfloat16}
        if not short_float & {t.dtype for t in expected}:
            return expected
        try:
            found = self.results(self.whole(tuple(t.double() if t.dtype in short_float else t for t in self.tensors)))
        except Exception:
            return expected
        return tuple(f.to(e.dtype) if f.shape == e.shape else e for f, e in zip(found, expected))

    def comparable(self, tensors):
        """The parts of the results that the entry declares as determined, for example singular vectors without their signs."""
        process = self.sample.output_process_fn_grad
        leaves = list(tensors)
        if self.info.name in OPEN_INDICES and not self.sample.kwargs.get("stable"):
            *values, indices = leaves
            return values + self.elements_at(indices)
        if len(leaves) != self.result_spec.num_leaves:
            return leaves
        value = process(self.pytree.tree_unflatten(leaves, self.result_spec))
        return [v for v in self.pytree.tree_leaves(value) if isinstance(v, self.torch.Tensor)]

    def elements_at(self, indices):
        """The elements that indices along the sample's `dim` select, and whether the indices differ from each other."""
        place = OPEN_INDICES[self.info.name]
        dim = self.sample.kwargs.get("dim", self.sample.args[place] if len(self.sample.args) > place else -1)
        given = self.tensors[0]
        if given.dim() == 0 or given.numel() == 0:
            return [indices]
        indices = indices if indices.dim() == given.dim() else indices.unsqueeze(dim)
        return [given.gather(dim, indices), indices.sort(dim)[0].diff(dim=dim) != 0]

    def at(self, tensors):
        """The same call with other tensors."""
        other = Program(self.info, self.sample)
        other.tensors = tensors
        return other

    def moved(self, traced):
        """(the program at a second size, [(input, axis)]), for the first axis, the batch axis if there is one, along
        which the call runs with more elements and returns what its trace returns."""
        reason = "no tensor has an axis"
        for axis, which in self.movable():
            second, further = (self.at(tuple(self.longer(t, axis, by) if i in which else t for i, t in enumerate(self.tensors)))
                               for by in (1, 4))
            if all(second.tensors[i].numel() == self.tensors[i].numel() for i in which):
                continue
            try:
                expected = second.answer()
                further.answer()
            except Exception:
                reason = "no axis can have another size"
                continue
            try:
                self.torch.manual_seed(0)
                found = second.results(traced(*(t.clone() for t in second.tensors)))
            except Exception:
                reason = "the trace runs at one size only"
                continue
            if len(found) == len(expected) and (self.random(self.answer()) or self.same(found, expected)):
                return second, [(self.names[i], axis) for i in which]
            reason = "the trace holds for one size only"
        raise ValueError(reason)

    def movable(self):
        """Axes ordered by how likely they are a batch axis: of all tensors with the first one's size there, of one alone."""
        ranks = [t.dim() for t in self.tensors]
        sizes = lambda axis: [t.shape[axis] if axis < t.dim() else None for t in self.tensors]
        for least in (2, 1, 0):
            for axis in range(max(ranks, default=0)):
                here = sizes(axis)
                for size in dict.fromkeys(n for n in here if n is not None and n == max(n, least) and (n < 2 or least == 2)):
                    together = [i for i, n in enumerate(here) if n == size]
                    yield axis, together
                    if len(together) > 1:
                        yield from ((axis, [i]) for i in together)

    def longer(self, tensor, axis, by):
        """Repeats its last element along the axis, so that batches of matrices keep their properties. An empty axis
        gets ones; matrices get more along the diagonal, so that they are definite and their eigenvalues differ."""
        if tensor.shape[axis]:
            return self.torch.cat([tensor, *[tensor.narrow(axis, tensor.shape[axis] - 1, 1)] * by], axis)
        made = tensor.new_ones([by if i == axis else n for i, n in enumerate(tensor.shape)])
        if made.dim() > 2 and made.shape[-1] == made.shape[-2] and made.dtype.is_floating_point:
            made.diagonal(dim1=-2, dim2=-1).add_(self.torch.arange(made.shape[-1], dtype=made.dtype))
        return made
