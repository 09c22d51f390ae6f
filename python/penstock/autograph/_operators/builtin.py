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
from penstock._tensors.composite import LoopSource
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


def _are_datasets(values) -> bool:
    return builtins.bool(values) and all(
        isinstance(each, LoopSource) and each._is_dataset for each in values
    )


def _enumerate(iterable, start=0):
    if _core.is_tracing() and _are_datasets([iterable]):
        return iterable.enumerate(start)
    return builtins.enumerate(iterable, start)


def _zip(*iterables, strict=False):
    if _core.is_tracing() and _are_datasets(iterables):
        return iterables[0].zip(*iterables)
    return builtins.zip(*iterables, strict=strict)


def _map(function, *iterables):
    if not _core.is_tracing() or not _are_datasets(iterables):
        return builtins.map(function, *iterables)
    rows = iterables[0] if len(iterables) == 1 else iterables[0].zip(*iterables)
    return rows.map(function)


def _filter(function, iterable):
    if _core.is_tracing() and _are_datasets([iterable]):
        return iterable.filter(function)
    return builtins.filter(function, iterable)


def _next(iterator, *default):
    if not default or not isinstance(iterator, LoopSource) or not _core.is_tracing():
        return builtins.next(iterator, *default)
    from penstock._control_flow.conditionals import cond

    following = iterator.get_next_as_optional()
    return cond(following.has_value(), following.get_value, lambda: default[0])


OVERLOADS = {
    builtins.enumerate: _enumerate,
    builtins.filter: _filter,
    builtins.float: _number(builtins.float, dtypes.float32),
    builtins.int: _number(builtins.int, dtypes.int32),
    builtins.len: _len,
    builtins.map: _map,
    builtins.next: _next,
    builtins.range: _range,
    builtins.sorted: _sorted,
    builtins.zip: _zip,
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
