"""Nested structures down to their tensors, including the parts of composite values."""

from __future__ import annotations

from penstock import _core
from penstock._base.nest import flatten, pack_like
from penstock._tensors.slices import IndexedSlices


class Composite:
    """A value that consists of tensors: an iterator, whose handle is one."""

    __slots__ = ()
    _num_parts = 1

    def _parts(self) -> list:
        """The tensors."""
        raise NotImplementedError

    def _settled(self):
        """The same, whose parts are always the same tensors: as the argument of a function."""
        return self

    def _with_parts(self, parts):
        """The same with other tensors."""
        raise NotImplementedError

    def _parts_key(self):
        """What else distinguishes it, for the key of a trace."""
        raise NotImplementedError


class LoopSource:
    """What a loop of a function that is traced can run over: a dataset or an iterator."""

    __slots__ = ()
    # Whether it has the methods enumerate, zip, map and filter: it may begin anew.
    _is_dataset = False

    def _loop(self):
        """An object with advance(), which goes to the next item and returns whether there is one,
        and current(), that item."""
        raise NotImplementedError


def _parts_of(leaf):
    if isinstance(leaf, IndexedSlices):
        return [leaf.values, leaf.indices, leaf.dense_shape]
    return leaf._parts() if isinstance(leaf, Composite) else None


def _num_parts(leaf):
    """The number of its tensors; None for what is no composite."""
    if isinstance(leaf, IndexedSlices):
        return 3
    return leaf._num_parts if isinstance(leaf, Composite) else None


def flatten_all(structure) -> list:
    """The leaves, with the tensors of composite values in their place."""
    leaves = []
    for leaf in flatten(structure):
        parts = _parts_of(leaf)
        leaves += [leaf] if parts is None else parts
    return leaves


def pack_all(structure, leaves):
    """The leaves in the form of `structure`."""
    leaves = iter(leaves)

    def value(leaf):
        count = _num_parts(leaf)
        if count is None:
            return next(leaves)
        parts = [next(leaves) for _ in range(count)]
        return IndexedSlices(*parts) if isinstance(leaf, IndexedSlices) else leaf._with_parts(parts)

    return pack_like(structure, [value(leaf) for leaf in flatten(structure)])


def is_plain(structure) -> bool:
    """Whether it contains only tensors, None, lists, tuples and dictionaries."""
    if type(structure) in (tuple, list):
        return all(map(is_plain, structure))
    if type(structure) is dict:
        return all(map(is_plain, structure.values()))
    return structure is None or isinstance(structure, _core.Tensor)
