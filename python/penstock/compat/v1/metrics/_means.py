"""Metrics that are a mean over all examples."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._context.scope import scoped
from penstock._ops.convert import cast
from penstock.compat.v1.metrics._base import (
    added,
    matched,
    metric_variable,
    published,
    ratio,
    refuse_eager,
    spread,
)


def _mean(values, weights, name, finish=lambda mean: mean, collections=(None, None)):
    """The pair of a weighted mean, in the scope `name`; `finish` computes the figure from the
    mean."""
    values = cast(values, dtypes.float32)
    total = metric_variable([], dtypes.float32, f"{name}total")
    count = metric_variable([], dtypes.float32, f"{name}count")
    if weights is None:
        amount = cast(raw_ops.Size(input=values), dtypes.float32)
    else:
        weights = spread(weights, values)
        values, amount = values * weights, raw_ops.Sum(input=weights)
    value = finish(ratio(total.value(), count.value()))
    update = ratio(added(total, raw_ops.Sum(input=values)), added(count, amount))
    return published(value, finish(update), *collections)


@public("v1.metrics.mean")
@scoped("mean", "value", "update_op")
def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of the values."""
    refuse_eager("mean")
    values, _, weights = matched(values, None, weights)
    collections = (metrics_collections, updates_collections)
    return _mean(values, weights, name, collections=collections)


@public("v1.metrics.accuracy")
@scoped("accuracy", "value", "update_op")
def accuracy(
    labels,
    predictions,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """How often predictions equal the labels.

    Args:
      labels: The right answers.
      predictions: The answers.
      weights: How much each element counts.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The name of the operation in a graph.

    Returns:
      The value, and the operation that updates it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     value, update = tf.compat.v1.metrics.accuracy([1, 2], [1, 3])
    ...     sess.run(tf.compat.v1.local_variables_initializer())
    ...     sess.run(update)
    ...     print(sess.run(value))
    np.float32(0.5)
    0.5
    """
    refuse_eager("accuracy")
    predictions, labels, weights = matched(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    is_right = raw_ops.Equal(x=predictions, y=labels)
    collections = (metrics_collections, updates_collections)
    return _mean(is_right, weights, name, collections=collections)


def _error_metric(public, error, doc, finish=lambda mean: mean):
    @scoped(public, "value", "update_op")
    def metric(
        labels,
        predictions,
        weights=None,
        metrics_collections=None,
        updates_collections=None,
        name=None,
    ):
        refuse_eager(public)
        predictions, labels, weights = matched(predictions, labels, weights)
        labels = cast(labels, predictions.dtype)
        collections = (metrics_collections, updates_collections)
        return _mean(error(labels, predictions), weights, name, finish, collections)

    metric.__name__ = metric.__qualname__ = public
    metric.__doc__ = doc
    return metric


def _squares(labels, predictions):
    return raw_ops.SquaredDifference(x=predictions, y=labels)


mean_absolute_error = public("v1.metrics.mean_absolute_error")(
    _error_metric(
        "mean_absolute_error",
        lambda labels, predictions: raw_ops.Abs(x=predictions - labels),
        "The mean distance between labels and predictions.",
    )
)
mean_squared_error = public("v1.metrics.mean_squared_error")(
    _error_metric(
        "mean_squared_error", _squares, "The mean squared distance between labels and predictions."
    )
)
root_mean_squared_error = public("v1.metrics.root_mean_squared_error")(
    _error_metric(
        "root_mean_squared_error",
        _squares,
        "The root of the mean squared distance.",
        lambda mean: raw_ops.Sqrt(x=mean),
    )
)


@public("v1.metrics.mean_relative_error")
@scoped("mean_relative_error", "value", "update_op")
def mean_relative_error(
    labels,
    predictions,
    normalizer,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The mean distance over a normalizer; 0 where that is 0."""
    refuse_eager("mean_relative_error")
    predictions, labels, weights = matched(predictions, labels, weights)
    normalizer = cast(normalizer, predictions.dtype)
    distance = raw_ops.Abs(x=cast(labels, predictions.dtype) - predictions)
    collections = (metrics_collections, updates_collections)
    return _mean(ratio(distance, normalizer), weights, name, collections=collections)


@public("v1.metrics.mean_cosine_distance")
@scoped("mean_cosine_distance", "value", "update_op")
def mean_cosine_distance(
    labels,
    predictions,
    dim,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """One minus the mean dot product along a dimension."""
    refuse_eager("mean_cosine_distance")
    predictions, labels, weights = matched(predictions, labels, weights)
    product = predictions * cast(labels, predictions.dtype)
    product = raw_ops.Sum(input=product, axis=[dim], keepdims=True)
    collections = (metrics_collections, updates_collections)
    return _mean(product, weights, name, lambda mean: 1 - mean, collections)


@public("v1.metrics.percentage_below")
@scoped("percentage_below_threshold", "value", "update_op")
def percentage_below(
    values,
    threshold,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The share of the values below a threshold."""
    refuse_eager("percentage_below")
    values, _, weights = matched(values, None, weights)
    is_below = raw_ops.Less(x=values, y=cast(threshold, values.dtype))
    collections = (metrics_collections, updates_collections)
    return _mean(is_below, weights, name, collections=collections)


@public("v1.metrics.mean_tensor")
def mean_tensor(
    values, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of tensors of one shape, element by element."""
    refuse_eager("mean_tensor")
    values = cast(_core.to_tensor(values), dtypes.float32)
    name = name or "mean"
    total = metric_variable(values.shape, dtypes.float32, f"{name}/total_tensor")
    count = metric_variable(values.shape, dtypes.float32, f"{name}/count_tensor")
    amount = raw_ops.OnesLike(x=values)
    if weights is not None:
        amount = spread(weights, values)
        values = values * amount
    value = ratio(total.value(), count.value())
    update = ratio(added(total, values), added(count, amount))
    return published(value, update, metrics_collections, updates_collections)
