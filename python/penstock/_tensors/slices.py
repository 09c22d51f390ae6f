"""tf.IndexedSlices: some rows of a tensor, such as an embedding's gradient."""

from __future__ import annotations

from penstock import _core
from penstock._api import public
from penstock._tensors.tensor import get_static_value


@public("IndexedSlices")
class IndexedSlices:
    """Rows of a tensor: values[i] belongs to row indices[i]; repeated rows add up."""

    def __init__(self, values, indices, dense_shape=None):
        self.values, self.indices, self.dense_shape = values, indices, dense_shape

    dtype = property(lambda self: self.values.dtype)
    device = property(lambda self: self.values.device)
    name = property(lambda self: self.values.name)
    shape = property(lambda self: _shape_of(self.dense_shape))

    def consumers(self):
        return []

    def __tf_tensor__(self, dtype=None, name=None):
        from penstock import raw_ops

        if self.dense_shape is None:
            raise ValueError("IndexedSlices without a dense_shape cannot become a Tensor")
        column = raw_ops.ExpandDims(input=self.indices, axis=-1)
        shape = _core.to_tensor(self.dense_shape)
        if shape.dtype != column.dtype:
            shape = raw_ops.Cast(x=shape, DstT=column.dtype)
        return raw_ops.ScatterNd(indices=column, updates=self.values, shape=shape)

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __str__(self):
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{shape})"

    def __repr__(self):
        return f"IndexedSlices(indices={self.indices!r}, values={self.values!r})"


def _shape_of(dense_shape):
    from penstock._tensors.shape import TensorShape

    if isinstance(dense_shape, _core.SymbolicTensor):
        sizes = get_static_value(dense_shape)
        if sizes is None:
            rank = dense_shape.shape[0]
            return TensorShape(None if rank is None else [None] * rank)
        dense_shape = sizes
    elif isinstance(dense_shape, _core.EagerTensor):
        dense_shape = dense_shape.numpy()  # not row by row, as nodes of a graph
    return TensorShape(None if dense_shape is None else list(map(int, dense_shape)))


def with_values(like, values):
    """`values` in the form of `like`: as the rows of IndexedSlices, or unchanged."""
    if isinstance(like, IndexedSlices):
        return IndexedSlices(values, like.indices, like.dense_shape)
    return values


def values_of(value):
    """The rows of IndexedSlices; anything else as a tensor."""
    return value.values if isinstance(value, IndexedSlices) else _core.to_tensor(value)
