"""Creation of variables for tf.compat.v1, and a graph's lists of them."""

from __future__ import annotations

from penstock import _core
from penstock._api import public
from penstock._context import frames
from penstock._context.trace import init_scope
from penstock._variables.variable import Variable
from penstock.compat.v1 import _collections
from penstock.compat.v1._collections import GraphKeys


def make_variable(
    value, name, dtype=None, trainable=False, collections=None, constraint=None
) -> Variable:
    """A variable of exactly that name. The value is a function: a graph calls it for the initial
    value, an eager program at once. Without collections it is one of the global variables."""
    from penstock.compat import v1

    if frames.current() is not None:
        with frames.outside():
            return make_variable(value, name, dtype, trainable, collections, constraint)
    if _core.is_building():
        from penstock.compat.v1._graph_variable import GraphVariable

        with v1.name_scope(""):
            return GraphVariable(
                value, trainable, collections, name=name, dtype=dtype, constraint=constraint
            )
    # A tf.function that calls this keeps the variable: it is created once, outside the trace.
    with v1.name_scope(""), init_scope():
        variable = Variable(
            value, trainable=trainable, name=name, dtype=dtype, constraint=constraint
        )
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
        collections.append(GraphKeys.TRAINABLE_VARIABLES)
    _collections.keep(collections, variable)
    return variable


def _listing(name, key, doc):
    def listing(scope=None) -> list:
        return _collections.get_collection(key, scope)

    listing.__name__ = listing.__qualname__ = name
    listing.__doc__ = doc + " With a scope, those whose names begin with that pattern."
    return listing


global_variables = public("v1.global_variables")(
    _listing(
        "global_variables", GraphKeys.GLOBAL_VARIABLES, "The graph's variables, but for local ones."
    )
)
local_variables = public("v1.local_variables")(
    _listing(
        "local_variables", GraphKeys.LOCAL_VARIABLES, "The graph's variables that are not saved."
    )
)
model_variables = public("v1.model_variables")(
    _listing("model_variables", GraphKeys.MODEL_VARIABLES, "The variables that belong to a model.")
)
trainable_variables = public("v1.trainable_variables")(
    _listing(
        "trainable_variables", GraphKeys.TRAINABLE_VARIABLES, "The variables that are optimized."
    )
)
moving_average_variables = public("v1.moving_average_variables")(
    _listing(
        "moving_average_variables",
        GraphKeys.MOVING_AVERAGE_VARIABLES,
        "The variables that have moving averages.",
    )
)


@public("v1.all_variables")
def all_variables() -> list:
    """global_variables, under its first name."""
    return global_variables()
