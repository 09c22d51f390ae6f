"""Collections: named lists of objects, such as all losses, that belong to a graph.

`current` gives those of the graph that is the default: eager programs have one graph.
"""

from __future__ import annotations

import re

from penstock import _core
from penstock._api import public
from penstock._context import frames
from penstock._context.scope import default_graph


@public("v1.GraphKeys")
class GraphKeys:
    """The names of the collections that functions fill automatically."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


class Collections:
    """The collections of one graph."""

    def __init__(self):
        self._lists = {}

    def names(self) -> list[str]:
        return [name for name, values in self._lists.items() if values]

    def add(self, name, value) -> None:
        self._lists.setdefault(name, []).append(value)

    def ref(self, name) -> list:
        """The list itself, created if missing."""
        return self._lists.setdefault(name, [])

    def get(self, name, scope=None) -> list:
        """A copy; with a scope, only objects whose names match that pattern at the start."""
        values = list(self._lists.get(name, ()))
        if scope is None:
            return values
        fits = re.compile(scope).match
        return [value for value in values if hasattr(value, "name") and fits(value.name)]

    def clear(self, name) -> None:
        self._lists.pop(name, None)


of_eager_programs = Collections()


def current() -> Collections:
    """The collections of the default graph."""
    if not _core.is_building() and frames.current() is None:
        return of_eager_programs
    return default_graph()._collections


def keep(names, value) -> None:
    """Adds an automatically created object to collections; eager programs keep none."""
    if current() is not of_eager_programs:
        add_to_collections(names, value)


@public("v1.add_to_collection")
def add_to_collection(name, value) -> None:
    """Adds to the collection of that name."""
    current().add(name, value)


@public("v1.add_to_collections")
def add_to_collections(names, value) -> None:
    """Adds to each of the collections."""
    names = (names,) if isinstance(names, str) else names
    for name in dict.fromkeys(names):
        add_to_collection(name, value)


@public("v1.get_collection")
def get_collection(key, scope=None) -> list:
    """The contents of the collection; with a scope, only names that match it at the start.

    Args:
      key: The name of the collection.
      scope: The beginning of the names; None is all.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("mine", "a")
    ...     print(tf.compat.v1.get_collection("mine"))
    ['a']
    """
    return current().get(key, scope)


@public("v1.get_collection_ref")
def get_collection_ref(key) -> list:
    """The collection itself, to be changed."""
    return current().ref(key)
