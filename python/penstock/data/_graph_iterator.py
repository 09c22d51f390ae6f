"""Whole runs over a dataset: reductions."""

from __future__ import annotations

from penstock import _core, errors
from penstock.data import _structure


def reduce(dataset, state, state_spec, function):
    """The last state."""
    components = _structure.components_of(state)
    components = _core.reduce_dataset(dataset._core, components, function.core)
    return _structure.element_of(state_spec, components)


def single_element(dataset):
    """The only element."""
    iterator = _core.DatasetIterator(dataset._core)
    components = iterator.next()
    if components is None:
        raise errors.InvalidArgumentError(None, None, "Dataset was empty.")
    if iterator.next() is not None:
        raise errors.InvalidArgumentError(None, None, "Dataset had more than one element.")
    return _structure.element_of(dataset.element_spec, components)
