"""Helpers shared by metrics: local variables, weights, and the resulting pair.

A metric is (value, update_op): the figure so far, and an op that adds one more batch and returns
the new figure. It accumulates in local variables, which a program initialises.
"""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._ops.convert import cast
from penstock._ops.create import fill_with
from penstock.compat.v1 import _collections
from penstock.compat.v1._collections import GraphKeys
from penstock.compat.v1._variables import make_variable
from penstock.compat.v1._weights import check_weights, squeeze_last


def refuse_eager(name):
    """Raises RuntimeError in eager programs: there is nothing to run again."""
    from penstock.compat import v1

    if v1.executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def metric_variable(shape, dtype, name):
    """A local variable of zeros."""
    collections = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    return make_variable(
        lambda: fill_with(shape, False, dtype), name, dtype, collections=collections
    )


def added(variable, amount):
    """The variable after the amount has been added to it, as a tensor."""
    return _core.to_tensor(variable.assign_add(amount))


def matched(predictions, labels, weights=None):
    """(predictions, labels, weights) without last dimensions of 1 that the others lack."""
    predictions = _core.to_tensor(predictions)
    if labels is not None:
        labels = _core.to_tensor(labels)
        predictions, labels = (
            squeeze_last(predictions, labels.shape.rank),
            squeeze_last(labels, predictions.shape.rank),
        )
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is not None:
        weights = _core.to_tensor(weights)
        rank = predictions.shape.rank
        if weights.shape.rank and rank is not None:
            weights = squeeze_last(weights, rank)
            if weights.shape.rank == rank - 1:
                weights = raw_ops.ExpandDims(input=weights, axis=-1)
    return predictions, labels, weights


def spread(weights, values):
    """The weights broadcast to the shape of the values, as floats."""
    weights = cast(weights, dtypes.float32)
    check_weights(weights, values)
    return weights * raw_ops.OnesLike(x=cast(values, dtypes.float32))


def ratio(total, count):
    """total / count, or 0 if the count is 0."""
    return raw_ops.DivNoNan(x=total, y=count)


def published(value, update_op, metrics_collections=None, updates_collections=None):
    """The pair, added to the collections that the caller named."""
    if metrics_collections:
        _collections.keep(metrics_collections, value)
    if updates_collections:
        _collections.keep(updates_collections, update_op)
    return value, update_op
