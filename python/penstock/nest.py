"""tf.nest: nested structures."""

from penstock._nest import flatten
from penstock._nest import pack_like as pack_sequence_as

__all__ = ["flatten", "map_structure", "pack_sequence_as"]


def map_structure(func, *structures, **kwargs):
    """The structure with `func` of the corresponding leaves."""
    leaves = [flatten(structure) for structure in structures]
    if any(len(each) != len(leaves[0]) for each in leaves):
        raise ValueError("The structures don't have the same nested structure.")
    return pack_sequence_as(structures[0], [func(*items) for items in zip(*leaves, strict=True)])
