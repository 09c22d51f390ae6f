"""What map_fn, scan and the folds share: the elements of a structure of tensors, by row."""

from __future__ import annotations

from penstock import _core
from penstock._functions.basic import unstack
from penstock._nest import flatten, pack_like


def check_callable(fn):
    if not callable(fn):
        raise TypeError(f"fn must be callable. Received: {fn!r}")


class Rows:
    """The rows of `elems`: element i has the i-th row of every tensor."""

    def __init__(self, elems):
        self._form = elems
        self.tensors = [_core.to_tensor(leaf, None, False) for leaf in flatten(elems)]

    def check_rank(self, error):
        """Raises `error` where a tensor has no rows."""
        if any(tensor.shape.rank == 0 for tensor in self.tensors):
            raise error

    def count(self) -> int:
        """How many there are: the same of every tensor."""
        first = self.tensors[0].shape[0]
        for tensor in self.tensors[1:]:
            if tensor.shape[0] != first:
                raise ValueError(f"Dimensions {first} and {tensor.shape[0]} are not compatible")
        return first

    def all(self) -> list:
        """All elements in order."""
        columns = zip(*[unstack(tensor) for tensor in self.tensors], strict=True)
        return [pack_like(self._form, row) for row in columns]


def check_form(form, result):
    """Raises where the result of a call has another structure than `form`."""
    from penstock.nest import assert_same_structure

    assert_same_structure(form, result)
