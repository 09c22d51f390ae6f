"""tf.TensorSpec: a dtype and a shape, without values."""

from __future__ import annotations

from penstock import dtypes
from penstock._shape import TensorShape


class TensorSpec:
    """What a function's argument looks like: `tf.TensorSpec([2, 3], tf.float32)`."""

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_value):
        """True when a tensor, or all that another spec stands for, is one of these."""
        return (
            hasattr(spec_or_value, "shape")
            and dtypes.as_dtype(spec_or_value.dtype) == self._dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def __eq__(self, other):
        return (
            isinstance(other, TensorSpec)
            and (self._dtype, self._name) == (other._dtype, other._name)
            and self._shape._dims == other._shape._dims
        )

    def __hash__(self):
        return hash((self._shape._dims, self._dtype))

    def __repr__(self):
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"
