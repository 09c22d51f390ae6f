"""tf.compat.v1.Dimension: the size of one dimension, known or unknown."""

from __future__ import annotations

import operator

from penstock._api import public


def size_of(value):
    """The size of a dimension as an integer; None if unknown."""
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value.value
    number = operator.index(value)
    if number < 0:
        raise ValueError(f"Dimension {number} must be >= 0")
    return number


@public("v1.Dimension")
class Dimension:
    """A size that may be unknown; results of arithmetic with an unknown size are unknown too.

    Args:
      value: The size; None is unknown.

    >>> tf.compat.v1.Dimension(3) + 2
    Dimension(5)
    """

    __slots__ = ("value",)
    __hash__ = None

    def __init__(self, value):
        try:
            self.value = size_of(value)
        except TypeError:
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, got value "
                f"'{value!r}' with type '{type(value)!r}'"
            ) from None

    def __repr__(self):
        return f"Dimension({self.value})"

    def __str__(self):
        return "?" if self.value is None else str(self.value)

    def __bool__(self):
        return bool(self.value)

    def __int__(self):
        return self.value

    __index__ = __int__

    def __tf_tensor__(self, dtype=None, name=None):
        from penstock import _core, dtypes

        if self.value is None:
            raise ValueError(f"Cannot convert an unknown Dimension to a Tensor: {self}")
        return _core.to_tensor(self.value, dtype or dtypes.int32)

    def is_compatible_with(self, other):
        other = Dimension(other)
        return None in (self.value, other.value) or self.value == other.value

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other):
        other = Dimension(other)
        self.assert_is_compatible_with(other)
        return other if self.value is None else Dimension(self.value)


def _compared(compare):
    def method(self, other):
        try:
            other = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        known = None not in (self.value, other.value)
        return compare(self.value, other.value) if known else None

    return method


def _worked_out(work, is_reflected=False):
    def method(self, other):
        try:
            other = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if None in (self.value, other.value):
            return Dimension(None)
        left, right = (other, self) if is_reflected else (self, other)
        return Dimension(work(left.value, right.value))

    return method


def _no_division(is_reflected=False):
    def method(self, other):
        left, right = (other, self) if is_reflected else (self, other)
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(left).__name__}' and "
            f"'{type(right).__name__}', please use // instead"
        )

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Dimension, f"__{_name}__", _compared(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Dimension, f"__{_name}__", _worked_out(getattr(operator, _name)))
    setattr(Dimension, f"__r{_name}__", _worked_out(getattr(operator, _name), True))
Dimension.__truediv__, Dimension.__rtruediv__ = _no_division(), _no_division(True)
