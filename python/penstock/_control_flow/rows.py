"""Helpers shared by map_fn, scan and the folds: the elements of a structure of tensors, by row."""

from __future__ import annotations

from penstock import _core, raw_ops
from penstock._base.nest import flatten, pack_like
from penstock._ops.index import unstack
from penstock._tensors.spec import TensorSpec


def check_callable(fn):
    if not callable(fn):
        raise TypeError(f"fn must be callable. Received: {fn!r}")


class Rows:
    """The rows of `elems`: element i has the i-th row of every tensor."""

    def __init__(self, elems):
        self._form = elems
        self.tensors = [_core.to_tensor(leaf) for leaf in flatten(elems)]

    def check_rank(self, error):
        """Raises `error` if a tensor has no rows."""
        if any(tensor.shape.rank == 0 for tensor in self.tensors):
            raise error

    def count(self):
        """How many there are, the same of every tensor: as a scalar tensor where that is known only
        when a function runs."""
        known = {tensor.shape[:1][0] for tensor in self.tensors} - {None}
        if len(known) > 1:
            first, second, *_ = (tensor.shape[0] for tensor in self.tensors)
            raise ValueError(f"Dimensions {first} and {second} are not compatible")
        return known.pop() if known else raw_ops.Shape(input=self.tensors[0])[0]

    def at(self, index):
        """The element at a symbolic index."""
        return self.pack([raw_ops.GatherV2(params=x, indices=index, axis=0) for x in self.tensors])

    def slice(self, index):
        """The element with a number, outside of a loop. Along an axis that is counted from the end
        a gather's gradient is no list of rows."""
        axes = [-(tensor.shape.rank or 0) for tensor in self.tensors]
        pairs = zip(self.tensors, axes, strict=True)
        return self.pack([raw_ops.GatherV2(params=x, indices=index, axis=k) for x, k in pairs])

    def pack(self, row):
        """The tensors of one row as an element."""
        return pack_like(self._form, row)

    def specs(self) -> list:
        """The specs of the tensors of one row."""
        return [TensorSpec(tensor.shape[1:], tensor.dtype) for tensor in self.tensors]

    def all(self) -> list:
        """All elements in order."""
        columns = zip(*[unstack(tensor) for tensor in self.tensors], strict=True)
        return [self.pack(row) for row in columns]


def check_form(form, result):
    """Raises if the result of a call has another structure than `form`."""
    from penstock.nest import assert_same_structure

    assert_same_structure(form, result)
