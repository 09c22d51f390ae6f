"""Parts of tensors that need more than one op: rows, masks, pieces; and padding."""

from __future__ import annotations

import builtins

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._context.scope import scoped
from penstock._core import Tensor
from penstock._memory.host import handles
from penstock._ops.convert import cast, shape_of, size_of, sizes_of
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.shape import TensorShape


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
    """x where the condition holds and y elsewhere; without them, the positions where it holds.

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
        condition = _core.to_tensor(condition, dtypes.bool)
    if condition.dtype is not dtypes.bool:
        raise errors.InvalidArgumentError(
            None, None, f"where needs a condition of bools, not of {condition.dtype.name}"
        )
    return raw_ops.SelectV2(condition=condition, t=x, e=y, name=name)


@public("boolean_mask")
@scoped("boolean_mask", "GatherV2")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask") -> Tensor:
    """The elements of `tensor` where `mask` holds."""
    tensor, mask = _core.to_tensor(tensor), _core.to_tensor(mask)
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
        return _open_split(_core.to_tensor(value), num_or_size_splits, axis, num)
    if isinstance(num_or_size_splits, _core.Tensor) and num_or_size_splits.ndim == 0:
        raise ValueError(_NO_SCALAR)
    if isinstance(num_or_size_splits, int) or getattr(num_or_size_splits, "ndim", None) == 0:
        value = _core.to_tensor(value)
        with handles(_parts(value, num_or_size_splits), "Split"):
            return raw_ops.Split(value=value, num_split=num_or_size_splits, axis=axis, name=name)
    count = len(num_or_size_splits) if hasattr(num_or_size_splits, "__len__") else 0
    with handles(count, "SplitV"):
        return raw_ops.SplitV(value=value, size_splits=num_or_size_splits, axis=axis, name=name)


def _parts(value, count) -> int:
    """The number of tensors that a split makes; 0 if the op rejects it."""
    most = value.shape.num_elements()
    return count if most is not None and isinstance(count, int) and 0 < count <= most else 0


def _open_split(value, sizes, axis, num):
    """Parts whose sizes are known only at run time; their number is known."""
    if sizes.shape.rank == 0:
        raise ValueError(_NO_SCALAR)
    num = sizes.shape[0] if num is None else num
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}")
    if value.shape.rank is None or not -value.shape.rank <= axis < value.shape.rank:
        raise ValueError(f"axis {axis} is not a dimension of shape {value.shape}")
    # A size of -1 means the remainder.
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
    value = _core.to_tensor(value)
    rank = value.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is not in [{-rank}, {rank})")
    num = value.shape[axis] if num is None else num
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    with handles(_parts(value, num), "Unpack"):
        return raw_ops.Unpack(value=value, num=num, axis=axis, name=name)


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
    tensor = _core.to_tensor(tensor)
    is_zero = isinstance(constant_values, (int, float)) and constant_values == 0
    if is_zero:
        constant_values = "" if tensor.dtype is dtypes.string else False
    return raw_ops.PadV2(
        input=tensor,
        paddings=paddings,
        constant_values=constant_values,
        name=name or ("Pad" if is_zero else "PadV2"),
    )


@public("strided_slice")
def strided_slice(
    input_,
    begin,
    end,
    strides=None,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    var=None,
    name=None,
) -> Tensor:
    """What `input_[begin:end:strides]` picks, dimension by dimension."""
    begin = _core.to_tensor(begin)
    return raw_ops.StridedSlice(
        input=input_,
        begin=begin,
        end=cast(end, begin.dtype),
        strides=raw_ops.OnesLike(x=begin) if strides is None else cast(strides, begin.dtype),
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name or "StridedSlice",
    )
