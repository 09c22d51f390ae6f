"""tf.nest: nested structures of lists, tuples, namedtuples and dictionaries."""

from collections.abc import Mapping as _Mapping

from penstock._base.nest import flatten as _flatten
from penstock._base.nest import pack_like as _pack_like


def is_nested(seq):
    """True for lists, tuples and dictionaries; strings and tensors are single values."""
    return isinstance(seq, (list, tuple, _Mapping))


def flatten(structure, expand_composites=False) -> list:
    """The leaves in order; dictionaries by sorted key.

    Args:
      structure: A nest: lists, tuples and dictionaries of anything.
      expand_composites: True to take composite tensors apart.

    >>> tf.nest.flatten({"b": [2, 3], "a": 1})
    [1, 2, 3]
    """
    return _flatten(structure)


def _difference(first, second, check_types):
    """The error class and the text of the first difference, or None."""
    if is_nested(first) != is_nested(second):
        kinds = (f"type={type(value).__name__} str={value}" for value in (first, second))
        return ValueError, 'Substructures "{}" and "{}" are not both sequences'.format(*kinds)
    if not is_nested(first):
        return None
    both_maps = isinstance(first, _Mapping) and isinstance(second, _Mapping)
    if check_types and type(first) is not type(second) and not both_maps:
        return TypeError, f"types differ: {type(first)} and {type(second)}"
    if both_maps and set(first) != set(second):
        return ValueError, f"keys differ: {list(first)} and {list(second)}"
    if len(first) != len(second):
        return ValueError, f"numbers of elements differ: {len(first)} and {len(second)}"
    for pair in zip(_items(first), _items(second), strict=True):
        difference = _difference(*pair, check_types)
        if difference:
            return difference
    return None


def _items(structure):
    if isinstance(structure, _Mapping):
        return [structure[key] for key in sorted(structure)]
    return structure


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False) -> None:
    """Raises unless both have the same structure."""
    difference = _difference(nest1, nest2, check_types)
    if difference:
        kind, text = difference
        raise kind(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: type={type(nest1).__name__} str={nest1}\n\n"
            f"Second structure: type={type(nest2).__name__} str={nest2}\n\n"
            f"More specifically: {text}"
        )


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The flat sequence in the form of `structure`."""
    if not is_nested(flat_sequence) or isinstance(flat_sequence, _Mapping):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    atoms = len(_flatten(structure))
    if atoms != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {atoms} atoms, but flat_sequence had "
            f"{len(flat_sequence)} items.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack_like(structure, flat_sequence)


def map_structure(func, *structure, **kwargs):
    """The structure with `func` of the corresponding leaves.

    Args:
      func: A function of as many leaves as there are structures.
      *structure: Nests of the same form.
      **kwargs: check_types and expand_composites, as in TensorFlow.

    >>> tf.nest.map_structure(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
    {'x': 11, 'y': [22]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", None)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types)
    leaves = zip(*map(_flatten, structure), strict=True)
    return _pack_like(structure[0], [func(*group) for group in leaves])
