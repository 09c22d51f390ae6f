"""Making tensors and converting them; indexing that one op does not do."""

from __future__ import annotations

import builtins
import contextlib
import operator

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._base.version_1 import version_1
from penstock._context.scope import default_graph, name_scope, result_named, scoped
from penstock._core import Tensor
from penstock._memory.host import filled, handles
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.shape import TensorShape
from penstock._tensors.slices import IndexedSlices, with_values


def _as_dtype(dtype):
    return None if dtype is None else dtypes.as_dtype(dtype)


@public("convert_to_tensor")
def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) -> Tensor:
    """`value` as a tensor: numbers, nested lists, NumPy arrays, variables.

    Args:
      value: A number, a string, a nested list, an array or a variable.
      dtype: The dtype; None is derived from the value.
      dtype_hint: The dtype where the value fits it; another one is no error.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.convert_to_tensor([1.5, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2. ], dtype=float32)>
    """
    is_hint = dtype is None and dtype_hint is not None
    wanted = dtypes.as_dtype(dtype_hint) if is_hint else _as_dtype(dtype)
    if not _core.is_building():
        return _core.to_tensor(value, wanted, is_hint)
    builder = default_graph()._builder
    first = builder.num_nodes()
    tensor = _core.to_tensor(value, wanted, is_hint)
    if name and isinstance(value, (list, tuple)) and isinstance(tensor, _core.SymbolicTensor):
        return builder.named(tensor, first, name)  # tensors that were put together
    return _node(tensor, name)


def node_of(value, dtype, name):
    """A value as a constant of that name, where a graph is built; else as it is."""
    if not _core.is_building() or isinstance(value, _core.SymbolicTensor):
        return value
    return _node(_core.to_tensor(value, dtype, False), name)


def _node(tensor, name):
    """A value as a node of the graph that is being built."""
    return version_1.nodes.constant(tensor, name)


@public("constant")
def constant(value, dtype=None, shape=None, name="Const") -> Tensor:
    """A tensor with the given value, of the given dtype and shape.

    Args:
      value: A number, a string, a nested list or an array.
      dtype: The dtype; None is derived from the value.
      shape: The shape; a single number fills it.
      name: The name of the operation in a graph.

    >>> tf.constant([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.constant(0.5, shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """
    dtype = _as_dtype(dtype)
    if isinstance(value, _core.Tensor) and dtype not in (None, value.dtype):
        raise TypeError(
            f"Expected tensor {value.numpy()} with dtype {dtype!r}, but got dtype {value.dtype!r}."
        )
    tensor = _core.to_tensor(value, dtype, False)
    if _core.is_building():
        return _node(tensor if shape is None else _shaped(tensor, shape), name)
    if shape is None:
        return tensor
    shape = TensorShape(shape)
    if tensor.shape == shape:
        return tensor
    count = tensor.shape.num_elements()
    if count is None:
        return raw_ops.Reshape(tensor=tensor, shape=shape)
    if count == 1:
        return raw_ops.Fill(dims=list(shape), value=raw_ops.Reshape(tensor=tensor, shape=[]))
    if count != shape.num_elements():
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {tensor.numpy()} "
            f"(converted from {value}) has {count} elements, but got `shape` {shape} with "
            f"{shape.num_elements()} elements)."
        )
    return raw_ops.Reshape(tensor=tensor, shape=list(shape))


def _shaped(tensor, shape):
    """A value as a constant of another shape: the last element fills what is left."""
    flat, wanted = tensor._read_only_array().reshape(-1), TensorShape(shape)
    count = wanted.num_elements()
    if count == 0:
        flat = flat[:0]
    if flat.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count:d}, but got {flat.size:d}"
        )
    if not flat.size:
        return _core.to_tensor(flat.reshape(wanted.as_list()), tensor.dtype, False)
    return filled(flat, wanted.as_list(), tensor.dtype, "constant")


@public("cast", "dtypes.cast")
def cast(x, dtype, name=None) -> Tensor:
    """`x` with its elements converted to `dtype`; IndexedSlices stay what they are.

    Args:
      x: The tensor.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.cast([1.8, 2.2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    dtype = dtypes.as_dtype(dtype)
    if isinstance(x, IndexedSlices):
        return with_values(x, cast(x.values, dtype))
    x = _core.to_tensor(x, None, False)
    if x.dtype is dtype:
        return x
    if dtypes.string in (x.dtype, dtype):
        raise errors.UnimplementedError(
            None, None, f"Cast {x.dtype.name} to {dtype.name} is not supported [Op:Cast]"
        )
    return raw_ops.Cast(x=x, dtype=dtype, name=name)


def _dims(shape):
    """A shape for Fill. What is no list of sizes becomes a tensor: of one number, a list of it."""
    if not isinstance(shape, _core.Tensor):
        tensors = (
            [n for n in shape if is_tensor_like(n)] if isinstance(shape, (list, tuple)) else []
        )
        if not tensors:
            with contextlib.suppress(TypeError, ValueError):
                sizes = TensorShape(shape)
                if sizes.is_fully_defined() or sizes is shape:
                    return sizes
        is_wide = not tensors or any(each.dtype is dtypes.int64 for each in tensors)
        shape = _core.to_tensor(shape, dtypes.int64 if is_wide else dtypes.int32, False)
    return raw_ops.Reshape(tensor=shape, shape=[-1]) if shape.shape.rank == 0 else shape


def shape_of(tensor):
    """The shape: as a tensor, where it is known only when a function runs."""
    return tensor.shape if tensor.shape.is_fully_defined() else raw_ops.Shape(input=tensor)


def size_of(tensor, axis):
    """The size of a dimension: as a tensor, where it is known only when a function runs."""
    size = tensor.shape[axis]
    return raw_ops.Shape(input=tensor)[axis] if size is None else size


def sizes_of(tensor) -> list:
    """The sizes of all dimensions; the rank is known."""
    if tensor.shape.is_fully_defined():
        return list(tensor.shape)
    found = raw_ops.Shape(input=tensor)
    return [found[i] if size is None else size for i, size in enumerate(tensor.shape)]


def count_of(tensor):
    """How many elements there are: as a tensor, where it is known only when a function runs."""
    count = tensor.shape.num_elements()
    return raw_ops.Size(input=tensor) if count is None else count


def fill_with(shape, value, dtype, name=None) -> Tensor:
    sizes = _dims(shape)
    if _core.is_building() and name is not None:
        return _filled(sizes, value, dtype, name)
    return raw_ops.Fill(dims=sizes, value=_core.to_tensor(value, dtype, False))


def _filled(sizes, value, dtype, name):
    """The nodes that TensorFlow makes: one constant, where it is small."""
    import numpy as np

    count = sizes.num_elements() if isinstance(sizes, TensorShape) else None
    if count is not None and count < 1000 and dtype is not dtypes.string:
        array = np.full(list(sizes), value, dtype.as_numpy_dtype)
        return _node(_core.to_tensor(array, dtype, False), name)
    with name_scope(name) as scope:
        if isinstance(sizes, TensorShape):
            sizes = _node(_core.to_tensor(sizes, None, False), "shape_as_tensor")
        value = _node(_core.to_tensor(value, dtype, False), "Const")
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
    input = _core.to_tensor(input, None, False)
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
    input = _core.to_tensor(input, None, False)
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
        nothing = _core.to_tensor(False, dtype, False)
        return raw_ops.MatrixDiagV3(
            diagonal=diagonal, k=0, num_rows=-1, num_cols=-1, padding_value=nothing
        )
    return raw_ops.MatrixSetDiagV3(
        input=zeros([*batch, rows, columns], dtype), diagonal=diagonal, k=0
    )


def _open_eye(num_rows, num_columns, batch_shape, dtype):
    """An identity matrix whose sizes are known only when a function runs."""
    num_columns = num_rows if num_columns is None else num_columns
    batch_shape = _core.to_tensor([] if batch_shape is None else batch_shape, dtypes.int32, False)
    sizes = [cast(size, dtypes.int32) for size in (num_rows, num_columns)]
    shortest = raw_ops.Minimum(x=sizes[0], y=sizes[1])
    shape, on = (
        raw_ops.ConcatV2(values=[batch_shape, raw_ops.Pack(values=each)], axis=0)
        for each in (sizes, [shortest])
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
            cast(v, dtype) if isinstance(v, _core.Tensor) else _core.to_tensor(v, dtype, False)
            for v in (start, limit, delta)
        ]
    else:
        values = [_core.to_tensor(v, None, False) for v in (start, limit, delta)]
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


@public("divide", "truediv", "math.divide", "math.truediv")
def divide(x, y, name=None) -> Tensor:
    """x / y, as the operator does it.

    Args:
      x: The tensor.
      y: The other tensor.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.divide([3, 1], 2)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5, 0.5])>
    """
    if not is_tensor_like(x):
        x = _core.to_tensor(x, y.dtype if is_tensor_like(y) else None, False)
    if name is None or not _core.is_building():
        return x / y
    if getattr(x, "dtype", dtypes.int32).is_floating:
        return raw_ops.RealDiv(x=x, y=y, name=name)
    return result_named(x / y, name)


@public("gather")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None) -> Tensor:
    """The slices of `params` along `axis` that `indices` names.

    Args:
      params: The table.
      indices: Where: a tensor of int16, int32 or int64.
      validate_indices: Taken as in TensorFlow, and not used.
      axis: The dimension of `params` that the indices are of; None is the first.
      batch_dims: How many leading dimensions `params` and `indices` have in common.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.gather([[1, 2], [3, 4], [5, 6]], [2, 0])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[5, 6],
           [1, 2]], dtype=int32)>
    """
    axis = batch_dims if axis is None else axis
    if getattr(getattr(indices, "dtype", None), "name", None) == "int16":
        indices = cast(indices, dtypes.int32)
    if _core.is_building() and axis == 0 and hasattr(params, "sparse_read"):
        return params.sparse_read(indices, name)
    return raw_ops.GatherV2(
        params=params, indices=indices, axis=axis, batch_dims=batch_dims, name=name
    )


@public("where", "v1.where_v2")
def where(condition, x=None, y=None, name=None) -> Tensor:
    """x where the condition holds and y elsewhere; without them, where it holds.

    Args:
      condition: A tensor of bool.
      x: The tensor.
      y: The other tensor.
      name: The name of the operation in a graph.

    Returns:
      A tensor; without x and y, the indices of the true elements as rows of int64.

    >>> tf.where([True, False], [1, 2], [3, 4])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>
    >>> tf.where([True, False, True])
    <tf.Tensor: shape=(2, 1), dtype=int64, numpy=
    array([[0],
           [2]])>
    """
    if x is None and y is None:
        return raw_ops.Where(input=condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    if not is_tensor_like(condition):
        condition = _core.to_tensor(condition, dtypes.bool, False)
    if condition.dtype is not dtypes.bool:
        raise errors.InvalidArgumentError(
            None, None, f"where needs a condition of bools, not of {condition.dtype.name}"
        )
    return raw_ops.SelectV2(condition=condition, t=x, e=y, name=name)


@public("boolean_mask")
@scoped("boolean_mask", "GatherV2")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask") -> Tensor:
    """The elements of `tensor` where `mask` holds."""
    tensor, mask = _core.to_tensor(tensor, None, False), _core.to_tensor(mask, None, False)
    if mask.shape.rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None. E.g. "
            "shape=[None] is ok, but shape=None is not."
        )
    if mask.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    axis = 0 if axis is None else int(axis)
    masked = tensor.shape[axis : axis + mask.ndim]
    masked.assert_is_compatible_with(mask.shape)
    sizes = shape_of(tensor)
    before, after = sizes[:axis], sizes[axis + mask.ndim :]
    if isinstance(sizes, TensorShape):
        shape = [*before, masked.num_elements(), *after]
    else:
        shape = raw_ops.ConcatV2(values=[before, [-1], after], axis=0)
    rows = raw_ops.Reshape(tensor=tensor, shape=shape)
    places = raw_ops.Where(input=raw_ops.Reshape(tensor=mask, shape=[-1]))
    return raw_ops.GatherV2(
        params=rows, indices=raw_ops.Squeeze(input=places, axis=[1]), axis=axis, name=name
    )


_NO_SCALAR = "Rank-0 tensors are not supported as the num_or_size_splits argument to split."


@public("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split") -> list[Tensor]:
    """The parts of `value` along `axis`: so many equal ones, or of the given sizes.

    Args:
      value: The value.
      num_or_size_splits: How many parts, or their sizes.
      axis: The dimension; a negative one counts from the end.
      num: How many.
      name: The name of the operation in a graph.

    Returns:
      A list of tensors.

    >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> tf.split([1, 2, 3, 4], [1, 3])[1]
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([2, 3, 4], dtype=int32)>
    """
    if isinstance(num_or_size_splits, _core.SymbolicTensor):
        return _open_split(_core.to_tensor(value, None, False), num_or_size_splits, axis, num)
    if isinstance(num_or_size_splits, _core.Tensor) and num_or_size_splits.ndim == 0:
        raise ValueError(_NO_SCALAR)
    if isinstance(num_or_size_splits, int) or getattr(num_or_size_splits, "ndim", None) == 0:
        value = _core.to_tensor(value, None, False)
        with handles(_parts(value, num_or_size_splits), "Split"):
            return raw_ops.Split(value=value, num_split=num_or_size_splits, axis=axis, name=name)
    count = len(num_or_size_splits) if hasattr(num_or_size_splits, "__len__") else 0
    with handles(count, "SplitV"):
        return raw_ops.SplitV(value=value, size_splits=num_or_size_splits, axis=axis, name=name)


def _parts(value, count) -> int:
    """How many tensors a split makes; 0 of what the op refuses."""
    most = value.shape.num_elements()
    return count if most is not None and isinstance(count, int) and 0 < count <= most else 0


def _open_split(value, sizes, axis, num):
    """Parts whose sizes are known only when a function runs; how many there are, is known."""
    if sizes.shape.rank == 0:
        raise ValueError(_NO_SCALAR)
    num = sizes.shape[0] if num is None else num
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}")
    if value.shape.rank is None or not -value.shape.rank <= axis < value.shape.rank:
        raise ValueError(f"axis {axis} is not a dimension of shape {value.shape}")
    # A size of -1 stands for what the others leave.
    rest = cast(size_of(value, axis), sizes.dtype) - raw_ops.Sum(input=sizes) - 1
    sizes = raw_ops.SelectV2(condition=sizes < 0, t=rest, e=sizes)
    ends = raw_ops.Cumsum(x=sizes)
    axis %= value.shape.rank
    before, shape, parts = (slice(None),) * axis, sizes_of(value), []
    for i in builtins.range(num):
        end = ends[i] if i + 1 < num else None
        part = value[(*before, slice(ends[i] - sizes[i], end))]
        shape[axis] = cast(sizes[i], dtypes.int32)
        parts.append(raw_ops.Reshape(tensor=part, shape=shape))  # an error if they do not add up
    return parts


@public("unstack")
def unstack(value, num=None, axis=0, name="unstack") -> list[Tensor]:
    """The slices along `axis` as a list.

    Args:
      value: The value.
      num: How many slices; None is taken from the shape.
      axis: The dimension; a negative one counts from the end.
      name: The name of the operation in a graph.

    Returns:
      A list of tensors.

    >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    value = _core.to_tensor(value, None, False)
    rank = value.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is not in [{-rank}, {rank})")
    num = value.shape[axis] if num is None else num
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    with handles(_parts(value, num), "Unpack"):
        return raw_ops.Unpack(value=value, num=num, axis=axis, name=name)


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
        given = [each for each in (on_value, off_value) if each is not None]
        dtype = _core.to_tensor(given[0], None, False).dtype if given else dtypes.float32
    dtype = dtypes.as_dtype(dtype)
    return raw_ops.OneHot(
        indices=indices,
        depth=depth,
        on_value=_core.to_tensor(True if on_value is None else on_value, dtype, False),
        off_value=_core.to_tensor(False if off_value is None else off_value, dtype, False),
        axis=-1 if axis is None else axis,
        name=name,
    )


@public("pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None) -> Tensor:
    """`tensor` with values added at its edges.

    Args:
      tensor: The tensor.
      paddings: How much is added before and behind each dimension: a matrix of two columns.
      mode: "CONSTANT", "REFLECT" or "SYMMETRIC".
      constant_values: What is added in the mode CONSTANT.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.pad([[1, 2]], [[1, 0], [0, 1]])
    <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
    array([[0, 0, 0],
           [1, 2, 0]], dtype=int32)>
    """
    if mode.upper() not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(f"pad has the modes CONSTANT, REFLECT and SYMMETRIC, not {mode!r}")
    if mode.upper() != "CONSTANT":
        return raw_ops.MirrorPad(input=tensor, paddings=paddings, mode=mode.upper(), name=name)
    tensor = _core.to_tensor(tensor, None, False)
    is_zero = isinstance(constant_values, (int, float)) and constant_values == 0
    if is_zero:
        constant_values = "" if tensor.dtype is dtypes.string else False
    return raw_ops.PadV2(
        input=tensor,
        paddings=paddings,
        constant_values=constant_values,
        name=name or ("Pad" if is_zero else "PadV2"),
    )


@public("rank")
def rank(input, name=None) -> Tensor:
    """The number of dimensions, as a tensor.

    Args:
      input: The tensor.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.rank([[1, 2], [3, 4]])
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    input = _core.to_tensor(input, None, False)
    if isinstance(input, _core.SymbolicTensor) and input.shape.rank is None:
        return raw_ops.Rank(input=input, name=name)
    made = _core.to_tensor(input.ndim, None, False)
    return _node(made, name or "Rank") if _core.is_building() else made


@public("from_dlpack", "experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule) -> Tensor:
    """A tensor over the memory of another library's, or of its DLPack capsule."""
    if not hasattr(dlcapsule, "__dlpack__"):
        return _core.from_dlpack(dlcapsule)
    try:
        made = dlcapsule.__dlpack__(max_version=(1, 1))
    except TypeError:
        made = dlcapsule.__dlpack__()
    return _core.from_dlpack(made)


@public("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor):
    """A DLPack capsule of the tensor's memory."""
    return tf_tensor.__dlpack__()


@public("experimental.from_numpy")
def from_numpy(array) -> Tensor:
    """A tensor over the array's own memory. The array must not change while the tensor lives."""
    return _core.from_numpy(array)


@public("gradients")
def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients="none",
):
    """Gradients in a graph; outside of one, a GradientTape is the way.

    Args:
      ys: A tensor, or a list of them.
      xs: A tensor or variable, or a list of them.
      grad_ys: Gradients of the ys, in place of ones.
      name: The scope of the gradients.
      gate_gradients: Taken as in TensorFlow, and not used.
      aggregation_method: Taken as in TensorFlow, and not used.
      stop_gradients: Tensors that no gradient goes through.
      unconnected_gradients: "none" for None where there is no path, "zero" for zeros.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     x = tf.constant(3.0)
    ...     print(sess.run(tf.gradients(x * x, x)))
    [np.float32(6.0)]
    """
    return version_1.gradients(
        ys,
        xs,
        grad_ys,
        name,
        gate_gradients=gate_gradients,
        stop_gradients=stop_gradients,
        unconnected_gradients=unconnected_gradients,
    )
