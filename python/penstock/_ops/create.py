"""Tensors of given shapes: zeros, ones, ranges, diagonals."""

from __future__ import annotations

import builtins
import contextlib
import math
import operator

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._context.scope import name_scope, scoped
from penstock._core import Tensor
from penstock._ops.convert import as_node, cast, shape_of
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.shape import TensorShape


def dims_of(shape):
    """A shape for Fill. Anything but a list of sizes becomes a tensor; one number becomes a
    list."""
    if not isinstance(shape, _core.Tensor):
        tensors = (
            [n for n in shape if is_tensor_like(n)] if isinstance(shape, (list, tuple)) else []
        )
        if not tensors:
            with contextlib.suppress(TypeError, ValueError):
                sizes = TensorShape(shape)
                if sizes.is_fully_defined() or sizes is shape:
                    return sizes
        is_wide = not tensors or any(tensor.dtype is dtypes.int64 for tensor in tensors)
        shape = _core.to_tensor(shape, dtypes.int64 if is_wide else dtypes.int32)
    return raw_ops.Reshape(tensor=shape, shape=[-1]) if shape.shape.rank == 0 else shape


def fill_with(shape, value, dtype, name=None) -> Tensor:
    sizes = dims_of(shape)
    if _core.is_building() and name is not None:
        return _filled(sizes, value, dtype, name)
    return raw_ops.Fill(dims=sizes, value=_core.to_tensor(value, dtype))


def _filled(sizes, value, dtype, name):
    """The nodes that TensorFlow creates: one constant if it is small."""
    import numpy as np

    count = sizes.num_elements() if isinstance(sizes, TensorShape) else None
    if count is not None and count < 1000 and dtype is not dtypes.string:
        array = np.full(list(sizes), value, dtype.as_numpy_dtype)
        return as_node(_core.to_tensor(array, dtype), name)
    with name_scope(name) as scope:
        if isinstance(sizes, TensorShape):
            sizes = as_node(_core.to_tensor(sizes), "shape_as_tensor")
        value = as_node(_core.to_tensor(value, dtype), "Const")
        return raw_ops.Fill(dims=sizes, value=value, name=scope)


@public("zeros")
def zeros(shape, dtype=dtypes.float32, name=None, layout=None) -> Tensor:
    """A tensor of zeros.

    Args:
      shape: The shape of the result.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.
      layout: Taken as in TensorFlow, and not used.

    >>> tf.zeros([2, 3])
    <tf.Tensor: shape=(2, 3), dtype=float32, numpy=
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)>
    """
    dtype = dtypes.as_dtype(dtype)
    return fill_with(shape, "" if dtype is dtypes.string else False, dtype, name or "zeros")


@public("ones")
def ones(shape, dtype=dtypes.float32, name=None, layout=None) -> Tensor:
    """A tensor of ones.

    Args:
      shape: The shape of the result.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.
      layout: Taken as in TensorFlow, and not used.

    >>> tf.ones([2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>
    """
    return fill_with(shape, True, dtypes.as_dtype(dtype), name or "ones")


@public("zeros_like")
def zeros_like(input, dtype=None, name=None, layout=None) -> Tensor:
    """Zeros of the same shape and dtype.

    Args:
      input: The tensor.
      dtype: The dtype of the result; None is that of the input.
      name: The name of the operation in a graph.
      layout: Taken as in TensorFlow, and not used.

    Returns:
      A tensor.

    >>> tf.zeros_like([[5, 6]])
    <tf.Tensor: shape=(1, 2), dtype=int32, numpy=array([[0, 0]], dtype=int32)>
    """
    input = _core.to_tensor(input)
    wanted = input.dtype if dtype is None else dtypes.as_dtype(dtype)
    if _core.is_building() and wanted is input.dtype and not input.shape.is_fully_defined():
        return raw_ops.ZerosLike(x=input, name=name)
    return zeros(shape_of(input), wanted, name or "zeros_like")


@public("ones_like")
@scoped("ones_like")
def ones_like(input, dtype=None, name=None, layout=None) -> Tensor:
    """Ones of the same shape and dtype.

    Args:
      input: The tensor.
      dtype: The dtype of the result; None is that of the input.
      name: The name of the operation in a graph.
      layout: Taken as in TensorFlow, and not used.

    Returns:
      A tensor.

    >>> tf.ones_like([[5, 6]])
    <tf.Tensor: shape=(1, 2), dtype=int32, numpy=array([[1, 1]], dtype=int32)>
    """
    input = _core.to_tensor(input)
    return ones(shape_of(input), dtype or input.dtype, name)


@public("eye", "linalg.eye")
@scoped("eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None) -> Tensor:
    """The identity matrix.

    Args:
      num_rows: How many rows there are.
      num_columns: How many columns there are; None is as many as rows.
      batch_shape: The leading dimensions; None is none.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.eye(2)
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[1., 0.],
           [0., 1.]], dtype=float32)>
    """
    dtype = dtypes.as_dtype(dtype)
    if _core.SymbolicTensor in (type(num_rows), type(num_columns), type(batch_shape)):
        return _open_eye(num_rows, num_columns, batch_shape, dtype)
    num_columns = num_rows if num_columns is None else num_columns
    if isinstance(num_rows, float) or isinstance(num_columns, float):
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
            f"num_rows={num_rows}, num_columns={num_columns}"
        )
    batch = [] if batch_shape is None else [*map(operator.index, batch_shape)]
    rows, columns = operator.index(num_rows), operator.index(num_columns)
    diagonal = ones([*batch, min(rows, columns)], dtype)
    if rows == columns:
        nothing = _core.to_tensor(False, dtype)
        return raw_ops.MatrixDiagV3(
            diagonal=diagonal, k=0, num_rows=-1, num_cols=-1, padding_value=nothing
        )
    return raw_ops.MatrixSetDiagV3(
        input=zeros([*batch, rows, columns], dtype), diagonal=diagonal, k=0
    )


def _open_eye(num_rows, num_columns, batch_shape, dtype):
    """An identity matrix whose sizes are known only at run time."""
    num_columns = num_rows if num_columns is None else num_columns
    batch_shape = _core.to_tensor([] if batch_shape is None else batch_shape, dtypes.int32)
    sizes = [cast(size, dtypes.int32) for size in (num_rows, num_columns)]
    shortest = raw_ops.Minimum(x=sizes[0], y=sizes[1])
    shape, on = (
        raw_ops.ConcatV2(values=[batch_shape, raw_ops.Pack(values=value)], axis=0)
        for value in (sizes, [shortest])
    )
    return raw_ops.MatrixSetDiagV3(input=zeros(shape, dtype), diagonal=ones(on, dtype), k=0)


@public("range")
def range(start, limit=None, delta=1, dtype=None, name="range") -> Tensor:
    """The numbers from `start` up to `limit`, `delta` apart.

    Args:
      start: The first number; the limit, where it is the only argument.
      limit: The end, which is not included.
      delta: The distance between two numbers.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.range(3)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>
    >>> tf.range(1, 10, 4)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 5, 9], dtype=int32)>
    """
    if limit is None:
        start, limit = 0, start
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
        values = [
            cast(v, dtype) if isinstance(v, _core.Tensor) else _core.to_tensor(v, dtype)
            for v in (start, limit, delta)
        ]
    else:
        values = [_core.to_tensor(v) for v in (start, limit, delta)]
        order = [
            dtypes.int32,
            dtypes.int64,
            dtypes.float16,
            dtypes.bfloat16,
            dtypes.float32,
            dtypes.float64,
        ]
        widest = max((v.dtype for v in values), key=lambda d: order.index(d) if d in order else -1)
        values = [cast(v, widest) for v in values]
    return raw_ops.Range(start=values[0], limit=values[1], delta=values[2], name=name)


@public("one_hot")
def one_hot(
    indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None
) -> Tensor:
    """Rows with one value at the given index and another elsewhere.

    Args:
      indices: Where: a tensor of int32 or int64.
      depth: The size of the new dimension.
      on_value: What stands at the index; None is 1.
      off_value: What stands elsewhere; None is 0.
      axis: Where the new dimension goes; None is the end.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.one_hot([0, 2], depth=3)
    <tf.Tensor: shape=(2, 3), dtype=float32, numpy=
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)>
    """
    if dtype is None:
        values = [value for value in (on_value, off_value) if value is not None]
        dtype = _core.to_tensor(values[0]).dtype if values else dtypes.float32
    dtype = dtypes.as_dtype(dtype)
    return raw_ops.OneHot(
        indices=indices,
        depth=depth,
        on_value=_core.to_tensor(True if on_value is None else on_value, dtype),
        off_value=_core.to_tensor(False if off_value is None else off_value, dtype),
        axis=-1 if axis is None else axis,
        name=name,
    )


@public("fill")
def fill(dims, value, name=None, layout=None) -> Tensor:
    """A tensor of one value.

    Args:
      dims: The shape of the result.
      value: The value.
      name: The name of the operation in a graph.
      layout: Taken as in TensorFlow, and not used.

    >>> tf.fill([2, 2], 7)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[7, 7],
           [7, 7]], dtype=int32)>
    """
    # A list without elements has no dtype of its own: as a shape it is one of integers.
    is_empty = isinstance(dims, (list, tuple)) and len(dims) == 0
    dims, value = _core.to_tensor(dims, dtypes.int32 if is_empty else None), _core.to_tensor(value)
    if dims.ndim == 0:
        dims = raw_ops.ExpandDims(input=dims, axis=0)
    if value.shape.rank != 0 and value.shape.num_elements() in (1, None):
        value = raw_ops.Reshape(tensor=value, shape=[])
    return raw_ops.Fill(dims=dims, value=value, name=name)


@public("linspace", "v1.lin_space")
def linspace(start, stop, num, name=None, axis=0) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start: The first number.
      stop: The last number.
      num: How many.
      name: The name of the operation in a graph.
      axis: The dimension; a negative one counts from the end.

    Returns:
      A tensor.

    >>> tf.linspace(0.0, 1.0, 3)
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0. , 0.5, 1. ], dtype=float32)>
    """
    start, num = _core.to_tensor(start), _core.to_tensor(num)
    stop = _core.to_tensor(stop, start.dtype)
    if not num.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: num) must be of type integer. Received `tensor` = "
            f"{num} of dtype: {num.dtype}"
        )
    if start.dtype.is_integer:
        start, stop = cast(start, dtypes.float64), cast(stop, dtypes.float64)
    if num.shape.rank == 1:
        num = raw_ops.Reshape(tensor=num, shape=[])
    if isinstance(num, _core.EagerTensor) and num.ndim == 0 and int(num) == 0:
        # The op refuses it: an empty part of a single number.
        return raw_ops.LinSpace(start=start, stop=stop, num=1, axis=axis)[_nothing_along(axis)]
    num = num if num.dtype is dtypes.int64 else cast(num, dtypes.int32)
    return raw_ops.LinSpace(start=start, stop=stop, num=num, axis=axis, name=name)


def _nothing_along(axis):
    """The index of no element along a dimension."""
    every = (slice(None),)
    return (*every * axis, slice(0)) if axis >= 0 else (..., slice(0), *every * (-axis - 1))


@public("meshgrid")
def meshgrid(*args, **kwargs) -> list[Tensor]:
    """Grids of coordinates: each vector spread over the dimensions of the others.

    Args:
      *args: Vectors.
      **kwargs: indexing: "xy" (the default) or "ij".

    Returns:
      A list of tensors.

    >>> tf.meshgrid([1, 2], [3, 4, 5])
    [<tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 2],
           [1, 2],
           [1, 2]], dtype=int32)>, <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[3, 3],
           [4, 4],
           [5, 5]], dtype=int32)>]
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` must be either 'xy' or 'ij', got '{indexing}'")
    return _grids(list(args), indexing, name=name) if args else []


@scoped("meshgrid", "mul", *(f"mul_{i}" for i in builtins.range(1, 16)))
def _grids(values, indexing, name) -> list[Tensor]:
    return raw_ops.Meshgrid(values=values, indexing=indexing)


@public("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None) -> Tensor:
    """True in the first lengths[i] places of row i."""
    dtype = dtypes.as_dtype(dtype)
    if maxlen is None:
        return raw_ops.SequenceMask(lengths=lengths, dtype=dtype, name=name)
    maxlen = _core.to_tensor(maxlen)
    if maxlen.shape.rank not in (0, None):
        raise ValueError(
            f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} "
            f"with shape '{maxlen.shape}' instead"
        )
    if not (maxlen.dtype.is_integer or maxlen.dtype.is_floating):
        raise TypeError(f"Cannot convert 0 to EagerTensor of dtype {maxlen.dtype.name}")
    if isinstance(maxlen, _core.SymbolicTensor):
        places = raw_ops.Range(start=0, limit=cast(maxlen, dtypes.int64), delta=1)
        ends = raw_ops.ExpandDims(input=cast(lengths, dtypes.int64), axis=-1)
        return cast(raw_ops.Less(x=places, y=ends), dtype, name)
    limit = maxlen.numpy()
    if limit < 0:
        raise errors.InvalidArgumentError(
            None, None, f"Requires start <= limit when delta > 0: 0/{limit}"
        )
    # A part of a place is a place.
    return raw_ops.SequenceMask(lengths=lengths, maxlen=[math.ceil(limit)], dtype=dtype, name=name)
