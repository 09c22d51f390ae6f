"""Several tensors as one, and one tensor several times."""

from __future__ import annotations

import contextlib

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._context.scope import graph_scope, scoped
from penstock._core import Tensor
from penstock._ops.convert import convert_to_tensor, size_of
from penstock._ops.index import unstack
from penstock._tensors.kinds import is_tensor_like


@public("concat")
def concat(values, axis, name="concat") -> Tensor:
    """The tensors one after the other along a dimension that they have.

    Args:
      values: A list of tensors that differ in this dimension only.
      axis: The dimension; a negative one counts from the end.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0)
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)>
    """
    values = values if isinstance(values, (list, tuple)) else [values]
    if len(values) > 1:
        return raw_ops.ConcatV2(values=values, axis=axis, name=name)
    with graph_scope(name or "concat"):
        return raw_ops.ConcatV2(values=values, axis=axis, name=name)


@public("stack")
def stack(values, axis=0, name="stack") -> Tensor:
    """The tensors as one, along a new dimension.

    Args:
      values: A list of tensors.
      axis: The dimension; a negative one counts from the end.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.stack([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.stack([[1, 2], [3, 4]], axis=1)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 3],
           [2, 4]], dtype=int32)>
    """
    if hasattr(values, "__tf_tensor__"):
        values = _core.to_tensor(values)
    if isinstance(values, _core.SymbolicTensor):
        if axis == 0:
            return values  # the rows of a tensor, stacked, are the tensor itself
        if not values.shape.rank or values.shape[0] is None:
            raise TypeError(f"Expected list for 'values' argument to 'pack' Op, not {values}.")
        values = unstack(values)
    if axis == 0 and not any(is_tensor_like(value) for value in values):
        with contextlib.suppress(TypeError, ValueError):  # not numbers throughout
            return convert_to_tensor(values, name=name)
    known = _core.to_tensor(values[0]).shape.rank
    if axis != 0:
        rank = None if known is None else known + 1
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return raw_ops.Pack(values=values, axis=axis, name=name)


@public("parallel_stack")
@scoped("parallel_stack")
def parallel_stack(values, name="parallel_stack") -> Tensor:
    """The tensors as one, along a new first dimension."""
    return raw_ops.Pack(values=values, name="ParallelConcat")


@public("repeat")
@scoped("Repeat")
def repeat(input, repeats, axis=None, name=None) -> Tensor:
    """Every element, or every slice along `axis`, so many times."""
    if axis is not None:
        input, axis = _core.to_tensor(input), int(axis)
        if input.shape.rank == 0:
            input = raw_ops.Reshape(tensor=input, shape=[1])
        rank = input.shape.rank
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    if isinstance(repeats, _core.SymbolicTensor):
        return _open_repeat(_core.to_tensor(input), repeats, axis)
    # TensorFlow's last node: the same count for all elements, or one count for each.
    last = (
        "boolean_mask/GatherV2"
        if _core.to_tensor(repeats).shape.num_elements() != 1
        else "Reshape_1"
    )
    axes = None if axis is None else [axis]
    return raw_ops.Repeat(data=input, repeats=repeats, axis=axes, name=last)


def _open_repeat(input, repeats, axis):
    """How often is known only when a function runs: which slice comes where is found then."""
    if axis is None:
        input, axis = raw_ops.Reshape(tensor=input, shape=[-1]), 0
    counts = raw_ops.BroadcastTo(input=repeats, shape=[size_of(input, axis)])
    places = raw_ops.Where(input=raw_ops.SequenceMask(lengths=counts))[:, 0]
    last = "boolean_mask/GatherV2"
    if input.shape.rank is not None and axis >= 0:
        axis -= input.shape.rank  # by a first axis given as 0 the gradient would be a list of rows
    return raw_ops.GatherV2(params=input, indices=places, axis=axis, name=last)


@public("dynamic_stitch")
def dynamic_stitch(indices, data, name=None) -> Tensor:
    """The slices of `data` at the places that `indices` names, in one tensor."""
    if not indices or len(indices) != len(data):
        raise errors.InvalidArgumentError(
            None,
            None,
            "dynamic_stitch needs as many indices as data, and at least one: it got "
            f"{len(indices)} and {len(data)}",
        )
    places = [_core.to_tensor(index, dtypes.int32) for index in indices]
    first = next((piece.dtype for piece in data if is_tensor_like(piece)), None)
    pieces = [_core.to_tensor(piece, first) for piece in data]
    return raw_ops.DynamicStitch(indices=places, data=pieces, name=name)
