"""tf.TensorArray: a list of tensors of one dtype, written and read by index."""

from __future__ import annotations

import operator

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._base.nest import flatten
from penstock._memory.host import handles
from penstock._ops.create import zeros
from penstock._ops.index import split, unstack
from penstock._tensors.shape import TensorShape


def _invalid(text):
    return errors.InvalidArgumentError(None, None, text)


def _out_of_range(text):
    return errors.OutOfRangeError(None, None, text)


_MOST = 2**31 - 1  # elements: an index is an int32


def _checked_size(size) -> int:
    if size > _MOST:
        raise _invalid(f"TensorArray: a size of {size} is more than {_MOST}")
    return max(size, 0)


@public("TensorArray")
class TensorArray:
    """Tensors by index. Changes are made in place; the methods that make them return the array.

    An element is let go of when it is read, unless `clear_after_read=False`; elements that were
    never written are zeros. Inside of a function nothing changes in place: graph_array.py.

    Args:
      *args: dtype, size=None, dynamic_size=None, clear_after_read=None, element_shape=None
        and more, as in TensorFlow.

    >>> array = tf.TensorArray(tf.float32, size=2)
    >>> array = array.write(0, 1.0).write(1, 2.0)
    >>> array.stack()
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """

    _of_graphs = None  # the class of arrays in functions: graph_array.py says it

    def __new__(cls, *args, **kwargs):
        is_traced = cls is TensorArray and _core.is_tracing()
        return object.__new__(TensorArray._of_graphs if is_traced else cls)

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        self._start(size, handle, infer_shape, element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._clears = clear_after_read is None or bool(clear_after_read)

    def _start(self, size, handle, infer_shape, element_shape):
        if handle is not None:
            raise ValueError(
                "TensorArray handles are not supported when eager execution is enabled."
            )
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        self._size = _checked_size(operator.index(size))
        self._elements = {}  # by index: what was written and, if reading clears, not read since
        self._cleared = set()
        self._infers = infer_shape
        self._shape = TensorShape(element_shape)

    def _in_graph(self):
        """The array as one of the function that is being traced."""
        array = TensorArray._of_graphs(
            self._dtype,
            self._size,
            self._dynamic_size,
            infer_shape=self._infers,
            element_shape=self._shape,
        )
        for index, element in self._elements.items():
            array = array.write(index, element)
        return array

    dtype = property(lambda self: self._dtype)
    dynamic_size = property(lambda self: self._dynamic_size)
    element_shape = property(lambda self: self._shape)
    handle = property(lambda self: None)
    flow = property(lambda self: _core.to_tensor(0, dtypes.int32))

    def size(self, name=None):
        """How many elements there are, as a tensor."""
        return _core.to_tensor(self._size, dtypes.int32)

    def identity(self):
        return self

    def mark_used(self):
        """Does nothing: an unread array costs nothing but itself."""

    def grad(self, source, flow=None, name=None):
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly: gradients go through the "
            "elements themselves."
        )

    def close(self, name=None):
        """Releases all elements."""
        self._replace([])

    def read(self, index, name=None):
        """The element at `index`."""
        index = operator.index(index)
        if index < 0:
            raise _out_of_range(f"Reading from negative indices (index {index}) is not allowed.")
        if index >= self._size:
            raise _out_of_range(
                f"Tried to read from index {index} but array size is: {self._size} "
            )
        if index in self._cleared:
            raise _invalid(
                f"Could not read index {index} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)"
            )
        element = self._values([index])[0]
        if self._clears:
            self._elements.pop(index, None)
            self._cleared.add(index)
        return element

    def _values(self, indices) -> list:
        """The elements at `indices`, with zeros for missing ones."""
        with handles(len(indices), "TensorArray"):
            blank = None if all(index in self._elements for index in indices) else self._zeros()
            return [self._elements.get(index, blank) for index in indices]

    def _zeros(self):
        if not self._shape.is_fully_defined():
            written = next(iter(self._elements.values()), None)
            if self._infers and isinstance(written, _core.SymbolicTensor):
                return raw_ops.ZerosLike(x=written)  # all have one shape, known at run time
            raise ValueError(
                "TensorArray: an element that was not written is zeros, of a shape that is not "
                f"known: {self._shape}"
            )
        return zeros(self._shape, self._dtype)

    def _converted(self, value):
        value = _core.to_tensor(value, self._dtype, True)
        if value.dtype is not self._dtype:
            raise _invalid(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{value.dtype.name} "
            )
        return value

    def _check_shape(self, shape):
        if not self._shape.is_compatible_with(shape):
            raise ValueError(f"Incompatible shape for value ({shape}), expected ({self._shape})")
        if self._infers:
            self._shape = self._shape.merge_with(shape)

    def write(self, index, value, name=None):
        """The array, with `value` at `index`.

        Args:
          index: The place.
          value: The value.
          name: The name of the operation in a graph.

        >>> tf.TensorArray(tf.int32, size=1).write(0, 5).read(0)
        <tf.Tensor: shape=(), dtype=int32, numpy=5>
        """
        index = operator.index(index)
        if index < 0:
            raise _out_of_range(f"Writing to negative indices (index {index}) is not allowed.")
        if index >= self._size and not self._dynamic_size:
            raise _out_of_range(
                f"Tried to write to index {index} but array is not resizeable and size is: "
                f"{self._size} "
            )
        value = self._converted(value)
        self._check_shape(value.shape)
        self._size = max(self._size, _checked_size(index + 1))
        self._elements[index] = value
        self._cleared.discard(index)
        return self

    def _replace(self, values):
        self._size = len(values)
        self._elements = dict(enumerate(values))
        self._cleared.clear()

    def stack(self, name=None):
        """All elements as one tensor, along a new first dimension.

        Args:
          name: The name of the operation in a graph.

        >>> tf.TensorArray(tf.int32, size=2).unstack([5, 6]).stack()
        <tf.Tensor: shape=(2,), dtype=int32, numpy=array([5, 6], dtype=int32)>
        """
        return self._stacked(range(self._size))

    def gather(self, indices, name=None):
        """The elements at `indices` as one tensor, along a new first dimension."""
        if isinstance(indices, _core.SymbolicTensor):
            return raw_ops.GatherV2(params=self.stack(), indices=indices, axis=0)
        indices = [operator.index(index) for index in indices]
        for index in indices:
            if not 0 <= index < self._size:
                raise IndexError(f"TensorArray index {index} out of range, size is {self._size}")
        return self._stacked(indices)

    def _stacked(self, indices):
        if not indices:
            shape = list(self._shape) if self._shape.is_fully_defined() else []
            return zeros([0, *shape], self._dtype)
        return raw_ops.Pack(values=self._values(indices))

    def concat(self, name=None):
        """All elements as one tensor, along their first dimension."""
        values = self._values(range(self._size))
        for index, value in enumerate(values):
            if value.ndim == 0:
                raise _invalid(
                    f"Concat saw a scalar shape at index {index} but requires at least vectors."
                )
        return raw_ops.ConcatV2(values=values, axis=0)

    def _rows(self, value, expected):
        """The number of rows taken; if it is open, the number of indices."""
        is_open = value.shape.rank != 0 and value.shape[0] is None
        return expected if is_open and not self._dynamic_size else None

    def unstack(self, value, name=None):
        """The array, with the rows of `value` as its elements."""
        value = self._converted(value)
        rows = unstack(value, self._rows(value, self._size))
        if len(rows) > self._size and not self._dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(rows)} tensors into a TensorArray of static size "
                f"{self._size} "
            )
        self._check_shape(value.shape[1:])
        self._replace(rows)
        return self

    def scatter(self, indices, value, name=None):
        """The array, with the rows of `value` at `indices`."""
        indices = [operator.index(index) for index in indices]
        value = self._converted(value)
        rows = unstack(value, self._rows(value, len(indices)))
        if len(rows) != len(indices):
            raise _invalid(f"TensorArray.scatter: {len(indices)} indices for {len(rows)} rows")
        for index, row in zip(indices, rows, strict=True):
            self.write(index, row)
        return self

    def split(self, value, lengths, name=None):
        """The array, with parts of `value`, so many rows each, as its elements."""
        value = self._converted(value)
        lengths = [operator.index(length) for length in lengths]
        if value.ndim == 0:
            raise _invalid("Expected value to be at least a vector, but received shape: [] ")
        if value.shape[0] not in (sum(lengths), None):
            raise _invalid(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sum(lengths)} and value's shape is: {value.shape.as_list()} "
            )
        if len(lengths) != self._size and not self._dynamic_size:
            raise _invalid(
                f"TensorArray's size is not equal to the size of lengths ({self._size} vs. "
                f"{len(lengths)}), and the TensorArray is not marked as dynamically resizeable."
            )
        parts = split(value, lengths) if lengths else []
        same = len(set(lengths)) == 1
        self._check_shape(TensorShape([lengths[0] if same else None]).concatenate(value.shape[1:]))
        self._replace(parts)
        return self


def has_array(structure) -> bool:
    """Whether the structure contains an array."""
    return any(isinstance(leaf, TensorArray) for leaf in flatten(structure))
