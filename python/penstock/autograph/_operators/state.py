"""The variables of a statement: read, and compared between branches and iterations."""

from __future__ import annotations

from penstock import _core
from penstock._control_flow.tensor_array import TensorArray


class Undefined:
    """Represents a variable without a value."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<undefined {self.name}>"


class _NoReturn(Undefined):
    """Represents the result of a function that has not returned; it may be read."""


NO_RETURN = _NoReturn("return value")
_MISSING = (NameError, AttributeError, KeyError, IndexError, TypeError)


def is_undefined(value) -> bool:
    """Whether a variable has no value."""
    return type(value) is Undefined


def result(value):
    """The result of a function that may have ended without a `return`."""
    return None if value is NO_RETURN else value


def read(get, names) -> list:
    """The values of variables; Undefined for those without one."""
    if get is None:
        return []
    values = []
    for name, reader in zip(names, get(), strict=True):
        try:
            values.append(reader())
        except _MISSING:
            values.append(Undefined(name))
    return values


def is_tensor(value) -> bool:
    return isinstance(value, (_core.Tensor, _core.VariableHandle))


def as_leaf(value):
    """A leaf as a tensor if possible; other objects unchanged."""
    if isinstance(value, (_core.Tensor, TensorArray)):
        return value
    try:
        return _core.to_tensor(value)
    except (TypeError, ValueError):
        return value


def check_condition(value, what):
    """Raises if a tensor is not a valid condition."""
    if value.dtype.name != "bool" or value.shape.rank != 0:
        raise ValueError(
            f"condition of {what} expected to be `tf.bool` scalar, got {value}; to use as boolean "
            "Tensor, use `tf.cast`; to check for None, use `is not None`"
        )
