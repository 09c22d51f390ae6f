"""tf.TensorArray inside a function being traced.

While all indices are known, elements are kept one by one and may differ in shape. With symbolic
indices, and in branches and loops, the array is one tensor with a row for each element: a scatter
writes, a gather reads. If the size may grow, there are more rows than elements; their number
doubles when they run out.

Nothing changes in place: a write returns a new array. All of them share what is known of an
element's shape. Before the first write that may be nothing: such an array is *blank*.
"""

from __future__ import annotations

import operator

from penstock import _core, dtypes, raw_ops
from penstock._context import trace as _tracing
from penstock._context.scope import scoped
from penstock._control_flow.conditionals import cond
from penstock._control_flow.tensor_array import _MOST, TensorArray, _checked_size, _invalid
from penstock._ops.convert import size_of, sizes_of
from penstock._ops.create import zeros
from penstock._ops.index import split, unstack
from penstock._tensors.shape import TensorShape


class _Elements:
    """What is known of the elements of an array and of those derived from it."""

    def __init__(self, shape, infers):
        self.shape = TensorShape(shape)  # required of all
        self.seen = self.shape  # of all so far; None if they differ
        self._infers = infers

    def check(self, shape, is_varied=False):
        """Raises if an element may not have the shape; `is_varied`: elements differ in it."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self.shape} ")
        if self._infers:
            self.shape = self.shape.merge_with(shape)
        is_like = self.seen is not None and self.seen.is_compatible_with(shape)
        self.seen = self.seen.merge_with(shape) if is_like and not is_varied else None


def _known(value):
    """A size or an index as a number, if known; else as a scalar tensor."""
    if not isinstance(value, (_core.SymbolicTensor, _core.VariableHandle)):
        return operator.index(value)
    value = _core.to_tensor(value)
    if not value.dtype.is_integer:
        raise TypeError(f"TensorArray: an index must be an integer, not {value.dtype.name}")
    return value if value.dtype.size >= 4 else raw_ops.Cast(x=value, DstT=dtypes.int32)


def _all_known(values) -> bool:
    return not isinstance(values, _core.SymbolicTensor) and not any(
        isinstance(value, (_core.SymbolicTensor, _core.VariableHandle)) for value in values
    )


class GraphArray(TensorArray):
    """A TensorArray of a function being traced."""

    def _start(self, size, handle, infer_shape, element_shape):
        if size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        self._about = _Elements(element_shape, infer_shape)
        size = _known(size)
        if isinstance(size, int) and size < 0:
            raise _invalid(
                f"The num_elements to reserve must be a non negative number, but got {size}"
            )
        self._size = _checked_size(size) if isinstance(size, int) else size
        self._parts = {}  # elements by index; None where there are rows
        self._rows = None  # at least as many as there are elements

    element_shape = property(lambda self: self._about.shape)

    def _in_graph(self):
        return self

    def _made(self, parts=None, rows=None, size=None):
        copy = object.__new__(type(self))
        copy._dtype, copy._dynamic_size, copy._about = self._dtype, self._dynamic_size, self._about
        copy._parts, copy._rows = parts, rows
        copy._size = self._size if size is None else size
        return copy

    def is_blank(self) -> bool:
        """Whether nothing was written and an element's shape is unknown."""
        shape = self._about.seen
        return self._rows is None and not self._parts and (shape is None or shape.rank is None)

    def num_tensors(self) -> int:
        """The number of tensors that represent it in branches and loops."""
        return 2 if self._dynamic_size else 1

    def tensors(self) -> list:
        """The tensors that represent it in branches and loops: the rows and, if it may change, the
        size."""
        rows = self.rows() if self._rows is None else self._rows
        return [rows, self.size()] if self._dynamic_size else [rows]

    def with_tensors(self, tensors):
        rows, *sizes = tensors
        return self._made(rows=rows, size=sizes[0] if sizes else None)

    def bounds(self) -> list:
        """The shapes that these tensors keep in a loop."""
        is_fixed = isinstance(self._size, int) and not self._dynamic_size
        rows = TensorShape([self._size if is_fixed else None]).concatenate(self._about.seen)
        return [rows, TensorShape([])] if self._dynamic_size else [rows]

    def rows(self, like=None):
        """All elements as one tensor: zeros for those that were not written, of the sizes of the
        element `like`, where nothing was."""
        if self._rows is not None:
            return self._rows[: self._size] if self._dynamic_size else self._rows
        shape = self._about.seen
        if shape is None:
            raise NotImplementedError(
                "TensorArray: elements of different shapes cannot go through branches and loops, "
                "or be read and written by indices that are tensors"
            )
        if self.is_blank():
            raise _invalid(
                "Tried to stack list which only contains uninitialized tensors and has a "
                f"non-fully-defined element_shape: {shape}"
            )
        if self._parts and isinstance(self._size, int):
            return self._packed(range(self._size))
        rows = zeros([self._size, *self._row_sizes(like)], self._dtype)
        for index, part in self._parts.items():
            rows = _with_row(rows, index, part)
        return rows

    def _row_sizes(self, like) -> list:
        """An element's sizes; 0 for those unknown before the first write."""
        like = next(iter(self._parts.values()), like)
        return [size or 0 for size in self._about.seen] if like is None else sizes_of(like)

    def _values(self, indices) -> list:
        blank = None if all(i in self._parts for i in indices) else self._blank_element()
        return [self._parts.get(index, blank) for index in indices]

    def _packed(self, indices):
        return raw_ops.Pack(values=self._values(indices))

    def _blank_element(self):
        shape = self._about.seen
        if self._parts and (shape is None or not shape.is_fully_defined()):
            return raw_ops.ZerosLike(x=next(iter(self._parts.values())))
        if shape is None or not shape.is_fully_defined():
            raise _invalid(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                f"{shape} and no list element is set."
            )
        return zeros(shape, self._dtype)

    def size(self, name=None):
        return _core.to_tensor(self._size, dtypes.int32)

    def identity(self):
        return self._made(self._parts, self._rows)

    def close(self, name=None):
        """Has no effect: the function keeps its tensors itself."""

    def grad(self, source, flow=None, name=None):
        raise NotImplementedError("TensorArray.grad is not supported in TensorFlow 2.")

    @scoped("TensorArrayV2Read", "TensorListGetItem")
    def read(self, index, name=None):
        index = _known(index)
        is_known = isinstance(index, int) and isinstance(self._size, int)
        if is_known and not 0 <= index < self._size:
            raise _invalid(
                f"Trying to access element {index} in a list with {self._size} elements."
            )
        if is_known and self._rows is None:
            return self._parts[index] if index in self._parts else self._blank_element()
        if self.is_blank():
            return self._blank_element()
        rows = self.rows() if self._rows is None else self._rows
        return raw_ops.GatherV2(params=rows, indices=index, axis=0)

    def write(self, index, value, name=None):
        index, value = _known(index), self._converted(value)
        self._about.check(value.shape)
        if isinstance(index, int) and isinstance(self._size, int):
            is_inside = 0 <= index < self._size or (self._dynamic_size and index >= 0)
            if not is_inside:
                raise _invalid(
                    f"Trying to modify element {index} in a list with {self._size} elements."
                )
            if self._rows is None:
                size = max(self._size, _checked_size(index + 1))
                return self._made({**self._parts, index: value}, size=size)
        rows, size = self._room(index, value)
        return self._made(rows=_with_row(rows, index, value), size=size)

    def _room(self, last, element):
        """(rows for an element at the index `last` too, the size with it)"""
        rows = self.rows(element) if self._rows is None else _of_width(self._rows, element)
        if not self._dynamic_size:
            return rows, None
        length = _checked_index(last) + 1
        return _of_length(rows, length), raw_ops.Maximum(x=self.size(), y=length)

    def _converted(self, value):
        value = _core.to_tensor(value, self._dtype, True)
        if value.dtype is not self._dtype:
            raise _invalid(
                f"Invalid data types; op elements {value.dtype.name} but list elements "
                f"{self._dtype.name}"
            )
        return value

    def stack(self, name=None):
        if _tracing.has_control_flow_v2:
            return self._stacked_as_list(name=name)
        return self._stacked_as_array(name=name)

    @scoped("TensorArrayV2Stack", "TensorListStack")
    def _stacked_as_list(self, name):
        return self._as_one()

    @scoped("TensorArrayStack", "TensorArrayGatherV3")
    def _stacked_as_array(self, name):
        return self._as_one()

    def _as_one(self):
        if self._rows is None and isinstance(self._size, int) and self._size > 0 and self._parts:
            return self._packed(range(self._size))
        return self.rows()

    @scoped("TensorListGather", ".")
    def gather(self, indices, name=None):
        if _all_known(indices) and self._rows is None and isinstance(self._size, int):
            indices = [operator.index(index) for index in indices]
            for index in indices:
                if not 0 <= index < self._size:
                    raise _invalid(
                        f"Index {index} out o range; list only has {self._size} elements."
                    )
            if indices:
                return self._packed(indices)
        return raw_ops.GatherV2(params=self.rows(), indices=_indices(indices), axis=0)

    @scoped("TensorListConcatV2", ".")
    def concat(self, name=None):
        if self._rows is None and self._parts and isinstance(self._size, int):
            values = self._values(range(self._size))
            if any(value.shape.rank == 0 for value in values):
                raise _invalid("Concat saw a scalar shape but requires at least vectors.")
            return raw_ops.ConcatV2(values=values, axis=0)
        rows = self.rows()
        if rows.shape.rank == 1:
            raise _invalid("Concat saw a scalar shape but requires at least vectors.")
        rest = raw_ops.Shape(input=rows)[2:]
        return raw_ops.Reshape(tensor=rows, shape=raw_ops.ConcatV2(values=[[-1], rest], axis=0))

    def unstack(self, value, name=None):
        value = self._converted(value)
        if value.shape.rank == 0:
            raise ValueError("TensorArray.unstack: a scalar has no rows")
        count = value.shape[0]
        is_fixed = isinstance(self._size, int) and not self._dynamic_size
        if is_fixed and count is not None and count > self._size:
            raise _invalid(
                f"Operation expected a list with {self._size} elements but got a list with "
                f"{count} elements."
            )
        self._about.check(value.shape[1:])
        return self._made(rows=value, size=size_of(value, 0))

    def scatter(self, indices, value, name=None):
        value = self._converted(value)
        self._about.check(value.shape[1:])
        if _all_known(indices) and self._rows is None and isinstance(self._size, int):
            indices = [operator.index(index) for index in indices]
            rows = unstack(value, None if value.shape[0] is not None else len(indices))
            if len(rows) != len(indices):
                raise _invalid(f"TensorArray.scatter: {len(indices)} indices for {len(rows)} rows")
            array = self
            for index, row in zip(indices, rows, strict=True):
                array = array.write(index, row)
            return array
        indices = _indices(indices)
        rows, size = self._room(raw_ops.Max(input=indices, axis=[0]), value[0])
        at = raw_ops.ExpandDims(input=indices, axis=1)
        rows = raw_ops.TensorScatterUpdate(tensor=rows, indices=at, updates=value)
        return self._made(rows=rows, size=size)

    def split(self, value, lengths, name=None):
        value = self._converted(value)
        if value.shape.rank == 0:
            raise _invalid("Expected value to be at least a vector, but received shape: [] ")
        if not _all_known(lengths):
            raise NotImplementedError("TensorArray.split: lengths that are known only later")
        lengths = [operator.index(length) for length in lengths]
        if value.shape[0] not in (sum(lengths), None):
            raise _invalid(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sum(lengths)} and value's shape is: {value.shape.as_list()} "
            )
        if isinstance(self._size, int) and len(lengths) != self._size and not self._dynamic_size:
            raise _invalid(
                f"TensorArray's size is not equal to the size of lengths ({self._size} vs. "
                f"{len(lengths)}), and the TensorArray is not marked as dynamically resizeable."
            )
        parts = split(value, lengths) if lengths else []
        same = len(set(lengths)) == 1
        rest = TensorShape([lengths[0] if same else None]).concatenate(value.shape[1:])
        self._about.check(rest, is_varied=not same)
        return self._made(dict(enumerate(parts)), size=len(parts))


TensorArray._of_graphs = GraphArray


def _indices(values):
    values = _core.to_tensor(values, dtypes.int64, True)
    is_index = values.dtype in (dtypes.int32, dtypes.int64)
    return values if is_index else raw_ops.Cast(x=values, DstT=dtypes.int32)


def _checked_index(index):
    """The index of a possible element, as int32; the function fails for any other."""
    index = raw_ops.Cast(x=_core.to_tensor(index), DstT=dtypes.int64)
    index = raw_ops.UnravelIndex(indices=index, dims=[_MOST])  # checks the range
    return raw_ops.Reshape(tensor=raw_ops.Cast(x=index, DstT=dtypes.int32), shape=[])


def _with_row(rows, index, value):
    at = raw_ops.Reshape(tensor=_core.to_tensor(index), shape=[1, 1])
    value = raw_ops.ExpandDims(input=value, axis=0)
    return raw_ops.TensorScatterUpdate(tensor=rows, indices=at, updates=value)


def _of_length(rows, length):
    """At least `length` rows: where there are fewer, twice as many, so that few steps of a loop
    have rows of another shape."""
    count = raw_ops.Shape(input=rows)[0]

    def filled():
        missing = raw_ops.Maximum(x=length, y=8) - count
        rest = raw_ops.Shape(input=rows)[1:]
        more = [raw_ops.Reshape(tensor=missing, shape=[1]), rest]
        return with_more(zeros(raw_ops.ConcatV2(values=more, axis=0), rows.dtype))

    def with_more(more):
        return raw_ops.ConcatV2(values=[rows, more], axis=0)

    def grown():
        doubled = lambda: with_more(raw_ops.ZerosLike(x=rows))  # noqa: E731
        is_enough = raw_ops.LogicalAnd(x=length <= 2 * count, y=count >= 8)
        return cond(is_enough, doubled, filled)

    return cond(length <= count, lambda: rows, grown)


def _of_width(rows, value):
    """Rows with as many numbers as `value`: where that is not known before something is written,
    they are without any until then."""
    if rows.shape[1:].is_fully_defined() or value.shape.rank == 0:
        return rows
    count = raw_ops.Shape(input=rows)[:1]
    shape = raw_ops.ConcatV2(values=[count, raw_ops.Shape(input=value)], axis=0)
    return cond(raw_ops.Size(input=rows) > 0, lambda: rows, lambda: zeros(shape, rows.dtype))
