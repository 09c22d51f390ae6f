"""Python's built-in functions that also take tensors in converted code, and `assert`."""

from __future__ import annotations

import builtins
import sys

from penstock import _core, dtypes, raw_ops
from penstock._base.nest import flatten
from penstock._control_flow import symbolic
from penstock._ops import convert as _convert
from penstock._ops import create as _create
from penstock._ops import index as _index
from penstock.autograph._operators.state import is_tensor


def _stays(value) -> bool:
    """Whether a value is taken as a tensor: one with a value is Python's while a function is
    traced."""
    return symbolic.is_symbolic(value) or (is_tensor(value) and not _core.is_tracing())


def _number(kind, dtype):
    def convert(*args, **kwargs):
        if len(args) == 1 and not kwargs and _stays(args[0]):
            if args[0].dtype.name == "string":
                from penstock.strings import to_number

                return to_number(args[0], dtype)
            return _convert.cast(args[0], dtype)
        return kind(*args, **kwargs)

    return convert


def _len(value):
    return length_of(value) if isinstance(value, _core.Tensor) else builtins.len(value)


def length_of(value):
    """The number of a tensor's rows; an integer if known."""
    if value.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {value.shape}")
    known = value.shape[0]
    if known is not None:
        return known
    return raw_ops.Shape(input=value)[0]


def _range(*args, **kwargs):
    if any(map(_stays, args)):
        return _create.range(*args, **kwargs)
    return builtins.range(*args, **kwargs)


def _sorted(rows, /, *, key=None, reverse=False):
    if not _stays(rows):
        return builtins.sorted(rows, key=key, reverse=reverse)
    from penstock._control_flow.maps import map_fn
    from penstock._ops.order import argsort, sort

    direction = "DESCENDING" if reverse else "ASCENDING"
    if key is None:
        return sort(rows, direction=direction)
    keys = map_fn(key, rows)
    return _index.gather(rows, argsort(keys, direction=direction))


OVERLOADS = {
    builtins.float: _number(builtins.float, dtypes.float32),
    builtins.int: _number(builtins.int, dtypes.int32),
    builtins.len: _len,
    builtins.range: _range,
    builtins.sorted: _sorted,
}


def print_(*args, **kwargs):
    """Python's print; tensors are printed at run time."""
    if not any(map(is_tensor, flatten(args))) or kwargs.keys() - {"sep", "end"}:
        return builtins.print(*args, **kwargs)
    from penstock._ops.printing import print as tensor_print

    return tensor_print(*args, output_stream=sys.stdout, **kwargs)


def assert_stmt(test, message, as_op):
    """`assert test, message()`; an op for a tensor without a value."""
    if symbolic.is_symbolic(test) or (as_op and is_tensor(test)):
        from penstock.debugging import Assert

        Assert(test, [test if message is None else message()])
    elif not test:
        raise AssertionError() if message is None else AssertionError(message())
