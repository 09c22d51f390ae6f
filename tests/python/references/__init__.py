"""What each op should compute, in NumPy: a line per op in one of the files beside this one.

    ref("AddV2", lambda x, y: x + y)

Inputs come positionally, attributes as keywords under their names (dtypes as np.dtype, strings in
tensors as object arrays of bytes). The result is an array or a tuple of arrays; op_reference casts
them to the op's dtypes before it compares. Where the values are not determined (random numbers),
the result is a Like, or `check` looks at the outputs itself:

    ref("RandomUniform", lambda shape, **_: Like(shape))
    ref("Shuffle", check=lambda inputs, outputs, **attrs: ...)  # raises AssertionError
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import NamedTuple


class Like(NamedTuple):
    """A result of this shape, with any values."""

    shape: tuple[int, ...]


class Reference(NamedTuple):
    compute: Callable | None
    check: Callable | None


_references: dict[str, Reference] = {}


def ref(name: str, compute: Callable | None = None, *, check: Callable | None = None) -> None:
    """Sets the reference of the op with TensorFlow's name `name`."""
    if name in _references:
        raise ValueError(f"{name} has two references")
    if (compute is None) == (check is None):
        raise ValueError(f"{name} needs a function to compute or one to check, and not both")
    _references[name] = Reference(compute, check)


def load() -> dict[str, Reference]:
    """Every reference by the op's name."""
    for module in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        importlib.import_module(module.name)
    return _references
