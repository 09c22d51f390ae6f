"""Nested structures: lists, tuples, namedtuples and dictionaries of anything."""

from collections import defaultdict
from collections.abc import Mapping


def flatten(structure) -> list:
    """The leaves in order; dictionaries by sorted key."""
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flatten(item)]
    if isinstance(structure, Mapping):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    return [structure]


def pack_like(structure, leaves):
    """The leaves in the form of `structure`."""
    return _pack(structure, iter(leaves))


def _pack(structure, leaves):
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[_pack(item, leaves) for item in structure])
    if isinstance(structure, (list, tuple)):
        items = [_pack(item, leaves) for item in structure]
        return tuple(items) if isinstance(structure, tuple) else items
    if isinstance(structure, Mapping):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        ordered = ((key, packed[key]) for key in structure)
        if isinstance(structure, defaultdict):
            return type(structure)(structure.default_factory, ordered)
        return type(structure)(ordered)
    return next(leaves)
