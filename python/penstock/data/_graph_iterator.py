"""Whole runs over a dataset, now or when a function that is traced runs."""

from __future__ import annotations

from penstock import _core
from penstock._context.trace import keep_calls
from penstock.data import _structure


def reduce(dataset, state, state_spec, function):
    """The last state."""
    keep_calls([dataset, function])
    parts = _structure.core_spec(state_spec)
    components = _structure.components_of(state)
    components = _core.reduce_dataset(dataset._core, components, function.core, parts)
    return _structure.element_of(state_spec, components)


def single_element(dataset):
    """The only element."""
    keep_calls([dataset])
    return _structure.element_of(dataset.element_spec, _core.single_element(dataset._core))
