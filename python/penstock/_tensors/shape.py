"""tf.TensorShape: a shape whose dimensions, or whose rank, may be unknown."""

from __future__ import annotations

import itertools
import sys

from penstock._api import public
from penstock._tensors.dimension import Dimension
from penstock._tensors.dimension import size_of as _dim

_gives_dimensions = False  # whether programs get TensorFlow 1's Dimension from a shape


def give_dimensions(wanted: bool):
    """Whether `shape[i]` and iteration return a Dimension to programs. Our own code gets
    integers."""
    global _gives_dimensions
    _gives_dimensions = wanted


def _is_asked_by_program() -> bool:
    """Whether the caller of a TensorShape method is the user's program."""
    module = sys._getframe(2).f_globals.get("__name__", "")
    return module.partition(".")[0] != "penstock"


_MOST = 10_000  # dimensions: far more than any op takes


@public("TensorShape")
class TensorShape:
    """The shape of a tensor: TensorShape([2, None]); TensorShape(None) has an unknown rank.

    Args:
      dims: The sizes; None in place of one is unknown.

    >>> tf.TensorShape([2, None]).is_compatible_with([2, 5])
    True
    """

    __slots__ = ("_dims",)

    def __init__(self, dims):
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif hasattr(dims, "__iter__"):
            self._dims = tuple(map(_dim, itertools.islice(dims, _MOST + 1)))
            if len(self._dims) > _MOST:
                raise ValueError(f"A shape has at most {_MOST} dimensions.")
        else:
            self._dims = (_dim(dims),)

    @property
    def rank(self):
        """The number of dimensions; None if unknown.

        >>> tf.TensorShape([2, None]).rank
        2
        """
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self):
        """The dimensions as a list of Dimension; None if the rank is unknown.

        >>> tf.TensorShape([2, None]).dims
        [Dimension(2), Dimension(None)]
        """
        return None if self._dims is None else [Dimension(dim) for dim in self._dims]

    def _known(self, what):
        if self._dims is None:
            raise ValueError(f"{what} is not defined on an unknown TensorShape.")
        return self._dims

    def as_list(self):
        """The sizes as a list, with None for unknown ones.

        >>> tf.TensorShape([2, None]).as_list()
        [2, None]
        """
        return list(self._known("as_list()"))

    def num_elements(self):
        if not self.is_fully_defined():
            return None
        count = 1
        for dim in self._dims:
            count *= dim
        return count

    def is_fully_defined(self):
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self):
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other):
        other = other if type(other) is TensorShape else TensorShape(other)
        if self._dims is None or other._dims is None or self._dims == other._dims:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def assert_is_compatible_with(self, other):
        """Raises ValueError if no shape fits both.

        Args:
          other: Another shape.

        >>> tf.TensorShape([None, 3]).assert_is_compatible_with([2, 3])
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank):
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def merge_with(self, other):
        """The combination of both shapes; raises ValueError if they differ.

        Args:
          other: Another shape.

        >>> tf.TensorShape([None, 3]).merge_with([2, None])
        TensorShape([2, 3])
        """
        other = TensorShape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape(
            b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)
        )

    def concatenate(self, other):
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank):
        self.assert_has_rank(rank)
        return self.merge_with(TensorShape([None] * rank))

    def with_rank_at_least(self, rank):
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank):
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_same_rank(self, other):
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def most_specific_compatible_shape(self, other):
        other = TensorShape(other)
        if self.rank is None or self.rank != other.rank:
            return TensorShape(None)
        return TensorShape(
            a if a == b else None for a, b in zip(self._dims, other._dims, strict=True)
        )

    def is_subtype_of(self, other):
        if other.rank is None:
            return True
        return self.rank == other.rank and all(
            b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        if _gives_dimensions and _is_asked_by_program():
            return iter(self.dims)
        return iter(self._dims)

    def __getitem__(self, key):
        """One dimension, or the shape of a slice of them.

        Args:
          key: An integer or a slice.

        >>> tf.TensorShape([2, None, 4])[0], tf.TensorShape([2, None, 4])[1:]
        (2, TensorShape([None, 4]))
        """
        if _gives_dimensions and not isinstance(key, slice) and _is_asked_by_program():
            return Dimension(None) if self._dims is None else self.dims[key]
        if self._dims is None:
            return TensorShape(None) if isinstance(key, slice) else None
        return TensorShape(self._dims[key]) if isinstance(key, slice) else self._dims[key]

    def __eq__(self, other):
        try:
            return self._dims == TensorShape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self):
        return hash(self._dims)

    def __repr__(self):
        dims = self.dims if _gives_dimensions or self._dims is None else list(self._dims)
        return f"TensorShape({dims})"

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        texts = ["?" if _gives_dimensions and dim is None else str(dim) for dim in self._dims]
        return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"

    def __tf_tensor__(self, dtype=None, name=None):
        from penstock import _core, dtypes

        if not self.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {self} to a Tensor.")
        is_wide = any(dim >= 2**31 for dim in self._dims)
        dtype = dtypes.int64 if is_wide else dtype or dtypes.int32
        return _core.to_tensor(list(self._dims), dtype)

    def __reduce__(self):
        return TensorShape, (None if self._dims is None else list(self._dims),)


def from_tuple(dims):
    """A TensorShape of valid dimensions, unchecked."""
    shape = TensorShape.__new__(TensorShape)
    shape._dims = dims
    return shape
