"""tf.scan, tf.foldl and tf.foldr: a function of the previous result and the next row."""

from __future__ import annotations

from penstock import _core, errors
from penstock._api import public
from penstock._base.nest import flatten, pack_like
from penstock._context.scope import scoped
from penstock._control_flow.loops import check_dtype, while_loop
from penstock._control_flow.rows import Rows, check_callable, check_form
from penstock._control_flow.tensor_array import TensorArray
from penstock.nest import assert_same_structure


def _rows(fn, elems):
    check_callable(fn)
    rows = Rows(elems)
    rows.check_rank(IndexError("elems must be tensors with rows, not scalars"))
    return rows


class _Walk:
    """The rows in order, or from the last to the first, and what comes before them: the first of
    them, which is taken, where nothing else is given."""

    def __init__(self, fn, elems, initializer, is_reversed):
        self._rows = _rows(fn, elems)
        self.count = self._rows.count()
        self._is_reversed = is_reversed
        self._begin = 0 if initializer is not None else 1
        if initializer is not None:
            self.first = _tensors(initializer)
        elif not _core.is_tracing() and self.count == 0:
            text = "Tried to read from index 0 but array size is: 0 "
            raise errors.OutOfRangeError(None, None, text)
        else:
            self.first = self._rows.slice(self.place(0))

    def place(self, number):
        """The index of the row that is visited at this position."""
        return self.count - 1 - number if self._is_reversed else number

    def run(self, step, state, **options):
        """The state after `state = step(state, place, row)` for the remaining rows."""
        if _core.is_tracing():
            return while_loop(
                lambda i, state: i < self.count,
                lambda i, state: (i + 1, step(state, place := self.place(i), self._rows.at(place))),
                (self._begin, state),
                **options,
            )[1]
        rows = self._rows.all()
        for number in range(self._begin, self.count):
            place = self.place(number)
            state = step(state, place, rows[place])
        return state


def _tensors(structure):
    leaves = [_core.to_tensor(leaf) for leaf in flatten(structure)]
    return pack_like(structure, leaves)


@public("scan")
@scoped("scan")
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
    walk = _Walk(fn, elems, initializer, reverse)
    form = elems if initializer is None else initializer
    arrays = [
        TensorArray(leaf.dtype, walk.count, infer_shape=infer_shape, element_shape=leaf.shape)
        if infer_shape
        else TensorArray(leaf.dtype, walk.count, infer_shape=False)
        for leaf in flatten(walk.first)
    ]
    if initializer is None:
        arrays = _written(arrays, walk.place(0), walk.first)

    def step(state, place, row):
        result = fn(state[0], row)
        check_form(form, result)
        if _core.is_tracing():
            for one, other in zip(flatten(state[0]), flatten(result), strict=True):
                check_dtype("of scan", one, _core.to_tensor(other))
        return result, _written(state[1], place, result)

    state = walk.run(step, (walk.first, arrays), back_prop=back_prop, swap_memory=swap_memory)
    return pack_like(form, [array.stack() for array in state[1]])


def _written(arrays, place, result):
    return [array.write(place, x) for array, x in zip(arrays, flatten(result), strict=True)]


def _fold(fn, elems, initializer, is_reversed, **options):
    walk = _Walk(fn, elems, initializer, is_reversed)

    def step(state, place, row):
        result = fn(state, row)
        assert_same_structure(state, result, check_types=False)
        return result

    return _tensors(walk.run(step, walk.first, **options))


@public("foldl")
@scoped("foldl")
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
    options = {"back_prop": back_prop, "swap_memory": swap_memory}
    return _fold(fn, elems, initializer, False, **options)


@public("foldr")
@scoped("foldr")
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
    options = {"back_prop": back_prop, "swap_memory": swap_memory}
    return _fold(fn, elems, initializer, True, **options)
