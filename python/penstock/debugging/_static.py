"""Checks of shapes and dtypes: they raise ValueError and TypeError, and need no values."""

from __future__ import annotations

import numpy as np

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._context.trace import call_when_run
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.spec import TensorSpec
from penstock._tensors.tensor import get_static_value


def _tensor(value):
    return (
        value if is_tensor_like(value) or isinstance(value, TensorSpec) else _core.to_tensor(value)
    )


def _prefix(message) -> str:
    return f"{message}.  " if message else ""


def _later(name, check, tensors):
    """Calls check(specs) at run time, with the tensors' shapes then."""
    from penstock import raw_ops

    kinds = [tensor.dtype for tensor in tensors]

    def run(shapes):
        specs = [TensorSpec(shape.numpy(), kind) for shape, kind in zip(shapes, kinds, strict=True)]
        try:
            check(specs)
        except ValueError as error:
            raise errors.InvalidArgumentError(None, None, str(error)) from None

    call_when_run(name, run, [raw_ops.Shape(input=tensor) for tensor in tensors])


def _rank_of(rank) -> int:
    rank = _core.to_tensor(rank)
    assert_type(rank, dtypes.int32)
    if rank.ndim:
        raise ValueError("Rank must be a scalar.")
    known = get_static_value(rank)
    return int(rank if known is None else known)


def _check_rank(x, fits, wanted, message):
    x = _tensor(x)
    shape = x.shape
    if shape.rank is None:
        _later("assert_rank", lambda specs: _check_rank(specs[0], fits, wanted, message), [x])
    elif not fits(shape.rank):
        raise ValueError(
            f"{_prefix(message)}Tensor  must have rank {wanted}.  Received rank {shape.rank}, "
            f"shape {shape}"
        )


@public("assert_rank", "debugging.assert_rank")
def assert_rank(x, rank, message=None, name=None):
    """Raises unless x has that rank."""
    rank = _rank_of(rank)
    _check_rank(x, lambda own_rank: own_rank == rank, rank, message)


@public("debugging.assert_rank_at_least")
def assert_rank_at_least(x, rank, message=None, name=None):
    """Raises unless x has at least that rank."""
    rank = _rank_of(rank)
    _check_rank(x, lambda own_rank: own_rank >= rank, f"at least {rank}", message)


@public("debugging.assert_rank_in")
def assert_rank_in(x, ranks, message=None, name=None):
    """Raises unless the rank of x is one of `ranks`."""
    ranks = tuple(_rank_of(rank) for rank in ranks)
    _check_rank(x, lambda own_rank: own_rank in ranks, f"in {ranks}", message)


@public("debugging.assert_scalar")
def assert_scalar(tensor, message=None, name=None):
    """Raises unless the tensor is a scalar."""
    shape = _tensor(tensor).shape
    if shape.rank:
        raise ValueError(f"{_prefix(message)}Expected scalar shape, saw shape: {shape}.")


@public("debugging.assert_type", "v1.assert_type")
def assert_type(tensor, tf_type, message=None, name=None):
    """Raises unless the tensor's dtype is `tf_type`."""
    tf_type, own_dtype = dtypes.as_dtype(tf_type), _tensor(tensor).dtype
    if own_dtype is not tf_type:
        raise TypeError(f"{_prefix(message)}tensor must be of type {tf_type!r}; got {own_dtype!r}")


@public("debugging.assert_integer", "v1.assert_integer")
def assert_integer(x, message=None, name=None):
    """Raises unless x has an integer dtype."""
    dtype = _tensor(x).dtype
    if not dtype.is_integer:
        raise TypeError(
            f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {dtype}'
        )


@public("debugging.assert_same_float_dtype", "v1.assert_same_float_dtype")
def assert_same_float_dtype(tensors=None, dtype=None):
    """The common floating dtype: of the tensors, or the given one, or float32."""
    first = None
    for tensor in tensors or ():
        if dtype is None:
            dtype, first = tensor.dtype, tensor
        if tensor.dtype != dtype:
            like = "" if first is None else f" as {first!s}"
            raise ValueError(
                f"{tensor!s}, type={tensor.dtype}, must be of the same type ({dtype}){like}."
            )
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


@public("debugging.assert_proper_iterable", "v1.assert_proper_iterable")
def assert_proper_iterable(values):
    """Raises for an iterable that is a single value: a tensor, an array, a string."""
    kind = type(values)
    if isinstance(values, (_core.Tensor, np.ndarray, bytes, str)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {kind}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {kind}')


@public("debugging.is_numeric_tensor", "v1.is_numeric_tensor")
def is_numeric_tensor(tensor):
    """True for a tensor of numbers; False for variables and Python numbers."""
    return isinstance(tensor, _core.Tensor) and tensor.dtype.is_numeric


@public("debugging.assert_shapes")
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raises unless the tensors have the given shapes: (tensor, shape) pairs or a dictionary.

    In a shape a number is a size, a name a size that is the same wherever it stands, None or "."
    any size, and "*" or ..., as the first entry, any number of dimensions.
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    pairs = [(_tensor(tensor), wanted) for tensor, wanted in pairs if wanted is not None]
    wanted = [shape for _, shape in pairs]

    def check(tensors):
        sizes = {}  # by name: the size, and where it was first seen
        for tensor, shape in zip(tensors, wanted, strict=True):
            _check_shape(tensor, shape, sizes, _prefix(message))

    tensors = [tensor for tensor, _ in pairs]
    if all(tensor.shape.is_fully_defined() for tensor in tensors):
        check(tensors)
    else:
        _later("assert_shapes", check, tensors)


def _check_shape(tensor, wanted, sizes, prefix):
    what = f"Tensor shape={tensor.shape} dtype={tensor.dtype.name}"
    if not hasattr(wanted, "__iter__"):
        raise ValueError(
            f"{prefix}{what}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {wanted}"
        )
    entries = [_entry(size) for size in wanted]
    is_open = bool(entries) and entries[0] == "*"
    entries = entries[is_open:]
    if "*" in entries:
        raise ValueError(
            f"{prefix}{what} specified shape index {entries.index('*') + is_open}.  Symbol `...` "
            "or `*` for a variable number of unspecified dimensions is only allowed as the first "
            "entry"
        )
    if not entries and not is_open:
        entries = [1]
    dims = _dims(tensor.shape, len(entries), is_open, prefix)
    for i, (entry, size) in enumerate(zip(entries, dims, strict=True)):
        at = i - len(entries) if is_open else i
        if entry == ".":
            continue
        if isinstance(entry, int):
            expected, source = entry, "explicitly"
        else:
            here = f"by tensor {what.removeprefix('Tensor ')} dimension {at}"
            expected, source = sizes.setdefault(entry, (size, here))
        if size != expected:
            raise ValueError(
                f"{prefix}Specified {source}.  {what} dimension {at} must have size {expected}.  "
                f"Received size {size}, shape {tensor.shape}"
            )


def _entry(size):
    """A size, a name, "." for any size or "*" for any number of dimensions."""
    if size is None:
        return "."
    if size is ... or (isinstance(size, str) and size == "..."):
        return "*"
    try:
        return int(size)
    except (TypeError, ValueError):
        return size


def _dims(shape, count, is_open, prefix) -> list[int]:
    """The sizes for `count` entries: the last ones. A scalar counts as one element."""
    dims = list(shape) or [1]
    if len(dims) < count or (len(dims) > count and not is_open):
        wanted = "in (0, 1)" if count == 1 else f"at least {count}" if is_open else count
        raise ValueError(
            f"{prefix}Tensor  must have rank {wanted}.  Received rank {shape.rank}, shape {shape}"
        )
    return dims[len(dims) - count :]
