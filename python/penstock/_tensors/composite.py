"""Nested structures down to their tensors, including the parts of IndexedSlices."""

from __future__ import annotations

from penstock import _core
from penstock._base.nest import flatten, pack_like
from penstock._tensors.slices import IndexedSlices


def flatten_all(structure) -> list:
    """The leaves; for IndexedSlices their values, indices and dense shape."""
    leaves = []
    for leaf in flatten(structure):
        if isinstance(leaf, IndexedSlices):
            leaves += [leaf.values, leaf.indices, leaf.dense_shape]
        else:
            leaves.append(leaf)
    return leaves


def pack_all(structure, leaves):
    """The leaves in the form of `structure`."""
    leaves = iter(leaves)
    packed = [
        IndexedSlices(next(leaves), next(leaves), next(leaves))
        if isinstance(leaf, IndexedSlices)
        else next(leaves)
        for leaf in flatten(structure)
    ]
    return pack_like(structure, packed)


def is_plain(structure) -> bool:
    """Whether it contains only tensors, None, lists, tuples and dictionaries."""
    if type(structure) in (tuple, list):
        return all(map(is_plain, structure))
    if type(structure) is dict:
        return all(map(is_plain, structure.values()))
    return structure is None or isinstance(structure, _core.Tensor)
