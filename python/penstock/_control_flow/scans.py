"""tf.scan, tf.foldl and tf.foldr: a function of what came before and the next row."""

from __future__ import annotations

from penstock import _core, errors
from penstock._control_flow.rows import Rows, check_callable, check_form
from penstock._nest import flatten, pack_like
from penstock._tensor_array import TensorArray
from penstock.nest import assert_same_structure


def _elements(fn, elems, is_reversed) -> list:
    check_callable(fn)
    rows = Rows(elems)
    rows.check_rank(IndexError("elems must be tensors with rows, not scalars"))
    rows.count()
    return rows.all()[::-1] if is_reversed else rows.all()


def _first(elements, initializer):
    """What comes before the rows: the first of them, which is taken, where nothing else is."""
    if initializer is not None:
        return _tensors(initializer)
    if not elements:
        raise errors.OutOfRangeError(None, None, "Tried to read from index 0 but array size is: 0 ")
    return elements.pop(0)


def _tensors(structure):
    leaves = [_core.to_tensor(leaf, None, False) for leaf in flatten(structure)]
    return pack_like(structure, leaves)


def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """All results of `a = fn(a, row)`, along a new first dimension.

    `a` is `initializer` at first or, without it, the first row, which then is the first result.
    With `reverse` the rows are taken from the last to the first."""
    elements = _elements(fn, elems, reverse)
    count = len(elements)
    places = iter(range(count - 1, -1, -1) if reverse else range(count))
    form = elems if initializer is None else initializer
    found = _first(elements, initializer)
    arrays = [
        TensorArray(leaf.dtype, count, infer_shape=infer_shape, element_shape=leaf.shape)
        if infer_shape
        else TensorArray(leaf.dtype, count, infer_shape=False)
        for leaf in flatten(found)
    ]
    if initializer is None:
        _write(arrays, next(places), found)
    for place, row in zip(places, elements, strict=True):
        result = fn(found, row)
        check_form(form, result)
        found = result
        _write(arrays, place, found)
    return pack_like(form, [array.stack() for array in arrays])


def _write(arrays, place, result):
    for array, leaf in zip(arrays, flatten(result), strict=True):
        array.write(place, leaf)


def _fold(fn, elems, initializer, is_reversed):
    elements = _elements(fn, elems, is_reversed)
    found = _first(elements, initializer)
    for row in elements:
        result = fn(found, row)
        assert_same_structure(found, result, check_types=False)
        found = result
    return _tensors(found)


def foldl(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """The last result of `a = fn(a, row)` over the rows from the first to the last; `a` is
    `initializer` at first or, without it, the first row."""
    return _fold(fn, elems, initializer, False)


def foldr(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """The last result of `a = fn(a, row)` over the rows from the last to the first; `a` is
    `initializer` at first or, without it, the last row."""
    return _fold(fn, elems, initializer, True)
