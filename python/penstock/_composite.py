"""Nested structures down to their tensors: IndexedSlices are taken apart as well."""

from __future__ import annotations

from penstock import _core
from penstock._nest import flatten, pack_like
from penstock._tape import IndexedSlices


def flatten_all(structure) -> list:
    """The leaves; of IndexedSlices their values, indices and dense shape."""
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
    made = [
        IndexedSlices(next(leaves), next(leaves), next(leaves))
        if isinstance(leaf, IndexedSlices)
        else next(leaves)
        for leaf in flatten(structure)
    ]
    return pack_like(structure, made)


def form_of(structure) -> str:
    """What kind of result it is: the simple ones are put together in C++."""
    if structure is None:
        return "none"
    if isinstance(structure, _core.Tensor):
        return "tensor"
    is_flat = type(structure) in (tuple, list)
    if is_flat and all(isinstance(item, _core.Tensor) for item in structure):
        return type(structure).__name__
    return "packed"
