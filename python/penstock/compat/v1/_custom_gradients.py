"""Custom gradients as parts of graphs."""

from __future__ import annotations

from penstock import _core, raw_ops


class CustomGradient:
    """The gradient of a part of a graph: a function of the gradients at its results."""

    def __init__(self, inputs, results, backward):
        self.inputs = [_core.to_tensor(value) for value in inputs]
        copies = [raw_ops.Identity(input=result) for result in results]
        self.outputs = raw_ops.IdentityN(input=copies) if copies else []
        self._backward = backward

    def at_inputs(self, dys) -> tuple[list, list]:
        """(the inputs with a gradient, their gradients). A dy of None is zeros."""
        filled = [
            raw_ops.ZerosLike(x=output) if dy is None else dy
            for output, dy in zip(self.outputs, dys, strict=True)
        ]
        grads = zip(self.inputs, self._backward(filled), strict=True)
        pairs = [(x, dx) for x, dx in grads if dx is not None and _may_have_gradient(x)]
        return [x for x, _ in pairs], [dx for _, dx in pairs]


def _may_have_gradient(x) -> bool:
    is_number = x.dtype.is_floating or x.dtype.is_complex
    return is_number and isinstance(x, _core.SymbolicTensor)
