"""Dimensions in another order, new ones, and what is known of shapes."""

from __future__ import annotations

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._base.nest import flatten
from penstock._context.scope import scoped
from penstock._core import Tensor
from penstock._ops.index import unstack
from penstock._tensors.shape import TensorShape
from penstock._tensors.tensor import get_static_value


@public("transpose")
def transpose(a, perm=None, conjugate=False, name="transpose") -> Tensor:
    """The dimensions in another order; without `perm` in the opposite one.

    Args:
      a: The tensor.
      perm: The order of the dimensions; None reverses them.
      conjugate: True to conjugate the elements as well.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)>
    """
    a = _core.to_tensor(a)
    if conjugate and a.dtype.is_complex:
        a = raw_ops.Conj(input=a)
    return raw_ops.Transpose(x=a, perm=perm, name=name)


def expand_dims(input, axis, name=None) -> Tensor:
    """With an axis that is an array: one of a single element is taken for that."""
    known = get_static_value(axis)
    if isinstance(known, (list, tuple)) or getattr(known, "ndim", 0):
        elements = flatten(known.tolist() if hasattr(known, "tolist") else list(known))
        if len(elements) != 1:
            fault = errors._TracingError if _core.is_tracing() else errors.InvalidArgumentError
            raise fault(None, None, "'dim' must be a tensor with a single value [Op:ExpandDims]")
        axis = elements[0]
    return raw_ops.ExpandDims(input=input, axis=axis, name=name)


@public("ensure_shape")
def ensure_shape(x, shape, name=None) -> Tensor:
    """`x`, if its shape is as given; None stands for any size."""
    shape = TensorShape(shape)
    if shape.rank is None:
        return _core.to_tensor(x)
    return raw_ops.EnsureShape(
        input=x, shape=[-1 if dim is None else dim for dim in shape], name=name
    )


@public("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x, shape_y) -> Tensor:
    """The shape that two shapes broadcast to, as a tensor."""
    return raw_ops.BroadcastArgs(s0=shape_x, s1=shape_y)


@public("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y) -> TensorShape:
    """The shape that two shapes broadcast to."""
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    rank = max(x.rank, y.rank)
    pairs = zip([1] * (rank - x.rank) + list(x), [1] * (rank - y.rank) + list(y), strict=True)
    dims = []
    for a, b in pairs:
        if a != b and 1 not in (a, b) and None not in (a, b):
            raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}.")
        dims.append(b if a == 1 or (a is None and b not in (None, 1)) else a)
    return TensorShape(dims)


@public("required_space_to_batch_paddings")
@scoped("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape, block_shape, base_paddings=None, name=None
) -> tuple[Tensor, Tensor]:
    """(paddings, crops) with which blocks divide the shape evenly."""
    if any(isinstance(size, _core.SymbolicTensor) for size in flatten(input_shape)):
        return _open_paddings(input_shape, block_shape, base_paddings)
    import numpy as np

    size, block = np.asarray(input_shape), np.asarray(block_shape)
    base = np.zeros([len(block), 2]) if base_paddings is None else np.asarray(base_paddings)
    base = base.astype(np.int32)
    extra = -(size + base.sum(axis=1)) % block
    paddings = np.stack([base[:, 0], base[:, 1] + extra], axis=1)
    crops = np.stack([np.zeros_like(extra), extra], axis=1)
    return _core.to_tensor(paddings.astype(np.int32)), _core.to_tensor(crops.astype(np.int32))


def _open_paddings(input_shape, block_shape, base_paddings):
    """The same, of sizes that are known only when a function runs."""
    block = _core.to_tensor(block_shape, dtypes.int32)
    if base_paddings is None:
        base_paddings = raw_ops.Fill(dims=[block.shape[0], 2], value=0)
    before, after = unstack(_core.to_tensor(base_paddings, dtypes.int32), 2, axis=1)
    extra = raw_ops.FloorMod(x=-(_core.to_tensor(input_shape) + before + after), y=block)
    paddings = raw_ops.Pack(values=[before, after + extra], axis=1)
    return paddings, raw_ops.Pack(values=[raw_ops.ZerosLike(x=extra), extra], axis=1)
