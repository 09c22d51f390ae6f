"""What counts as a tensor: tensors, variables, and variables of TensorFlow 1 graphs."""

from __future__ import annotations

from penstock import _core
from penstock._api import public


class GraphVariableBase:
    """The base of graph variables, which have no object in the runtime."""

    __slots__ = ()


_VARIABLES = (_core.VariableHandle, GraphVariableBase)
_TENSORS = (_core.Tensor, *_VARIABLES)


def is_tensor_like(value) -> bool:
    """Whether it is a tensor or a variable, of a graph too: what has a dtype and a shape, and what
    ops take as it is."""
    return isinstance(value, _TENSORS)


def is_graph_variable(value) -> bool:
    """Whether it is a variable of a TensorFlow 1 graph."""
    return isinstance(value, GraphVariableBase)


@public("is_symbolic_tensor")
def is_symbolic_tensor(tensor):
    """True for a tensor of a function that is being traced."""
    return isinstance(tensor, _core.SymbolicTensor)
