"""Registers with C++ the Python objects that it returns or calls."""

import collections
import os

from penstock import _core, dtypes, errors
from penstock._ops import symbolic_index
from penstock._tensors import shape as _shape
from penstock._tensors import tensor as _tensor
from penstock._tensors.kinds import is_tensor_like


def _stack(values, dtype, is_hint=False):
    """A list that contains tensors, as one tensor."""
    if dtype is None:
        # Objects that convert themselves may not have a dtype.
        own_dtype = next((leaf.dtype for leaf in _leaves(values) if hasattr(leaf, "dtype")), None)
        return _packed(values, lambda value: _core.to_tensor(value, own_dtype))
    # A requested dtype applies to the tensors in the list too. A hint truncates nothing.
    if is_hint and dtype.is_integer and any(_is_wider(leaf, dtype) for leaf in _leaves(values)):
        dtype = dtypes.int64
    return _packed(values, lambda value: _cast(value, dtype))


def _packed(values, convert):
    """The values as one tensor; in a graph, lists in the list are named within it."""
    from penstock import raw_ops

    if not _core.is_building():
        return raw_ops.Pack(values=[*map(convert, values)])
    from penstock._context.scope import name_scope

    with name_scope("packed") as scope:
        return raw_ops.Pack(values=[*map(convert, values)], name=scope)


def _is_wider(leaf, dtype) -> bool:
    own_dtype = getattr(leaf, "dtype", dtype)
    return own_dtype.is_integer and own_dtype.size > dtype.size


def _cast(value, dtype):
    from penstock._ops.convert import cast

    return cast(value, dtype) if is_tensor_like(value) else _core.to_tensor(value, dtype)


def _leaves(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        elif is_tensor_like(value) or hasattr(value, "__tf_tensor__"):
            yield value


def _masked(tensor, mask):
    from penstock._ops.index import boolean_mask

    return boolean_mask(tensor, mask)


def _make_result(op, names):
    fields = collections.namedtuple(op, names)
    fields.__module__ = "penstock.raw_ops"
    return fields


def _reduce(tensor):
    """A pickled tensor names a public function, which stays where it is."""
    from penstock._ops.convert import convert_to_tensor

    return convert_to_tensor, (tensor._read_only_array(), tensor.dtype)


def install():
    _core.set_hooks(
        {
            "dtypes": {dtype._code: dtype for dtype in dtypes._ALL},
            "errors": errors._BY_CODE,
            "tracing_error": errors._TracingError,
            "as_dtype": dtypes.as_dtype,
            "make_shape": _shape.from_tuple,
            "make_result": _make_result,
            "masked": _masked,
            "unknown_index": symbolic_index.getitem,
            "stack": _stack,
        }
    )
    _tensor.install(symbolic_index.getitem, _reduce)
    package, library = os.path.dirname(os.path.dirname(__file__)), os.path.dirname(os.__file__)
    _core.set_package(package + os.sep, library + os.sep)
