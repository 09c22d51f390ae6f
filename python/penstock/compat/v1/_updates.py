"""Assignments to variables as functions: tf.assign, tf.scatter_add and related ones."""

from __future__ import annotations

from penstock._api import public
from penstock._autodiff.tape import IndexedSlices


@public("v1.assign")
def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Sets a variable."""
    return ref.assign(value, name=name)


@public("v1.assign_add")
def assign_add(ref, value, use_locking=None, name=None):
    """Adds to a variable."""
    return ref.assign_add(value, name=name)


@public("v1.assign_sub")
def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts from a variable."""
    return ref.assign_sub(value, name=name)


def _scatter(kind, doc):
    def scatter(ref, indices, updates, use_locking=False, name=None):
        return getattr(ref, kind)(IndexedSlices(updates, indices), name=name)

    scatter.__name__ = scatter.__qualname__ = kind
    scatter.__doc__ = doc
    return scatter


scatter_add = public("v1.scatter_add")(
    _scatter("scatter_add", "Adds to the rows of a variable that the indices name.")
)
scatter_div = public("v1.scatter_div")(
    _scatter("scatter_div", "Divides the rows of a variable that the indices name.")
)
scatter_max = public("v1.scatter_max")(
    _scatter("scatter_max", "The larger of a row of a variable and its update.")
)
scatter_min = public("v1.scatter_min")(
    _scatter("scatter_min", "The smaller of a row of a variable and its update.")
)
scatter_mul = public("v1.scatter_mul")(
    _scatter("scatter_mul", "Multiplies the rows of a variable that the indices name.")
)
scatter_sub = public("v1.scatter_sub")(
    _scatter("scatter_sub", "Subtracts from the rows that the indices name.")
)
scatter_update = public("v1.scatter_update")(
    _scatter("scatter_update", "Sets the rows of a variable that the indices name.")
)


@public("v1.scatter_nd_add")
def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
    """Adds to the indexed elements or slices of a variable."""
    return ref.scatter_nd_add(indices, updates, name)


@public("v1.scatter_nd_sub")
def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts from the indexed elements or slices of a variable."""
    return ref.scatter_nd_sub(indices, updates, name)


@public("v1.scatter_nd_update")
def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
    """Sets the indexed elements or slices of a variable."""
    return ref.scatter_nd_update(indices, updates, name)
