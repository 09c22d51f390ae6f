"""Lists that a loop in a graph appends to: tensor arrays there, Python lists elsewhere."""

from __future__ import annotations

from penstock import _core
from penstock._control_flow.graph_array import GraphArray


class NewList(list):
    """A list made by converted code: a loop in a graph may turn it into a TensorList."""


class TensorList(GraphArray):
    """The elements that a loop in a graph has appended: a tensor with a row for each."""

    def __init__(self, values):
        super().__init__("float32", 0, dynamic_size=True)
        self._about.dtype = None  # that of the first element
        for value in values:
            self._about.dtype = self._about.dtype or _core.to_tensor(value).dtype

    # All arrays derived from one share it, like the shape of an element.
    _dtype = property(lambda self: self._about.dtype, lambda self, unused: None)

    @classmethod
    def of(cls, values):
        result = cls(values)
        for value in values:
            result = result.append(value)
        return result

    def append(self, value):
        """The list with one more element."""
        value = _core.to_tensor(value, self._dtype, self._dtype is not None)
        self._about.dtype = self._about.dtype or value.dtype
        return self.write(self._size, value)

    def __tf_tensor__(self, dtype=None, name=None):
        return self.stack()

    def __getitem__(self, index):
        return self.stack()[index]

    def __len__(self):
        raise TypeError("a list that a loop in a graph has appended to is as long as the loop ran")


def new_list(values):
    return NewList(values)


def list_append(target, value):
    """`target` after `target.append(value)`"""
    if isinstance(target, TensorList):
        return target.append(value)
    target.append(value)
    return target


def in_loop(value):
    """A variable in the form that a loop in a graph uses."""
    return TensorList.of(value) if isinstance(value, NewList) else value
