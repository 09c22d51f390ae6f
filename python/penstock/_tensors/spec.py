"""tf.TensorSpec: a dtype and a shape, without values."""

from __future__ import annotations

import numpy as np

from penstock import _core, dtypes
from penstock._api import public
from penstock._tensors.shape import TensorShape


@public("TypeSpec")
class TypeSpec:
    """The description of a value, without the value."""

    __slots__ = ()


@public("TensorSpec")
class TensorSpec(TypeSpec):
    """The description of a function's argument: `tf.TensorSpec([2, 3], tf.float32)`.

    Args:
      shape: The shape; None in place of a size is any size.
      dtype: The dtype.
      name: The argument's name.

    >>> tf.TensorSpec([None, 3], tf.float32)
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)
    value_type = property(lambda self: _core.Tensor)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_value):
        """True if a tensor, or every tensor of another spec, fits this one."""
        return (
            isinstance(spec_or_value, (TensorSpec, _core.Tensor, _core.VariableHandle))
            and spec_or_value.dtype == self._dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def is_subtype_of(self, other):
        """True if every tensor that fits this one fits the other too."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype == other._dtype
            and _is_part_of(self._shape, other._shape)
            and (self._name is None or self._name == other._name)
        )

    def most_specific_common_supertype(self, others):
        """The narrowest spec that this one and the others fit; None if there is none."""
        shape, name = self._shape, self._name
        for other in others:
            if not isinstance(other, TensorSpec) or other._dtype != self._dtype:
                return None
            shape = _common(shape, other._shape)
            name = name if name == other._name else None
        return TensorSpec(shape, self._dtype, name)

    def most_specific_compatible_type(self, other):
        """As most_specific_common_supertype, but raises ValueError if there is none."""
        common = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return common

    def __eq__(self, other):
        return (
            isinstance(other, TensorSpec)
            and (self._dtype, self._name) == (other._dtype, other._name)
            and self._shape._dims == other._shape._dims
        )

    def __hash__(self):
        return hash((self._shape._dims, self._dtype))

    def __reduce__(self):
        return TensorSpec, (self._shape, self._dtype, self._name)

    def __repr__(self):
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


def _is_part_of(shape, other) -> bool:
    if other.rank is None:
        return True
    if shape.rank != other.rank:
        return False
    return all(b is None or a == b for a, b in zip(shape._dims, other._dims, strict=True))


def _common(shape, other):
    if shape.rank is None or shape.rank != other.rank:
        return TensorShape(None)
    pairs = zip(shape._dims, other._dims, strict=True)
    return TensorShape([a if a == b else None for a, b in pairs])


@public("type_spec_from_value")
def type_spec_from_value(value):
    """The TensorSpec of a tensor, a variable, an array or a number; the spec of a dataset.

    Args:
      value: The value.

    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    if isinstance(value, (_core.Tensor, _core.VariableHandle)):
        return TensorSpec.from_tensor(value)
    if isinstance(value, (np.ndarray, np.generic, int, float, complex, str, bytes, list, tuple)):
        return TensorSpec.from_tensor(_core.to_tensor(value))
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")
