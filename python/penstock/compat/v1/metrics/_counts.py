"""Metrics of binary predictions: counts of right and wrong ones of each kind."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
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

# For each kind: whether the label is true, and whether the prediction is.
_KINDS = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}


def _count(kind, labels, predictions, weights, name):
    """(the count so far, the count after this batch) of one kind."""
    wanted, predicted = _KINDS[kind]
    is_kind = raw_ops.LogicalAnd(
        x=raw_ops.Equal(x=labels, y=_core.to_tensor(wanted)),
        y=raw_ops.Equal(x=predictions, y=_core.to_tensor(predicted)),
    )
    counted = cast(is_kind, dtypes.float32)
    if weights is not None:
        counted = counted * spread(weights, counted)
    count = metric_variable([], dtypes.float32, f"{name}/count")
    return count.value(), added(count, raw_ops.Sum(input=counted))


def _booleans(labels, predictions, weights):
    predictions, labels, weights = matched(predictions, labels, weights)
    return cast(labels, dtypes.bool), cast(predictions, dtypes.bool), weights


def _kind_metric(kind):
    def metric(
        labels,
        predictions,
        weights=None,
        metrics_collections=None,
        updates_collections=None,
        name=None,
    ):
        refuse_eager(kind)
        booleans = _booleans(labels, predictions, weights)
        counted = _count(kind, *booleans, name or kind)
        return published(*counted, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f"The number of {kind.replace('_', ' ')}."
    return metric


true_positives = public("v1.metrics.true_positives")(_kind_metric("true_positives"))
false_positives = public("v1.metrics.false_positives")(_kind_metric("false_positives"))
true_negatives = public("v1.metrics.true_negatives")(_kind_metric("true_negatives"))
false_negatives = public("v1.metrics.false_negatives")(_kind_metric("false_negatives"))


def _share_metric(public, wrong, doc):
    """The share of right predictions among these and one kind of wrong ones."""

    def metric(
        labels,
        predictions,
        weights=None,
        metrics_collections=None,
        updates_collections=None,
        name=None,
    ):
        refuse_eager(public)
        booleans = _booleans(labels, predictions, weights)
        scope = name or public
        right, right_update = _count("true_positives", *booleans, f"{scope}/true_positives")
        other, other_update = _count(wrong, *booleans, f"{scope}/{wrong}")
        value = ratio(right, right + other)
        update = ratio(right_update, right_update + other_update)
        return published(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = public
    metric.__doc__ = doc
    return metric


precision = public("v1.metrics.precision")(
    _share_metric("precision", "false_positives", "The share of yeses that are right.")
)
recall = public("v1.metrics.recall")(
    _share_metric("recall", "false_negatives", "The share of true labels that are found.")
)


def at_thresholds(labels, predictions, thresholds, weights, name, kinds=tuple(_KINDS)):
    """{kind: (counts so far, counts after this batch)}, with a count for every threshold."""
    predictions, labels, weights = matched(predictions, labels, weights)
    if weights is not None:
        weights = raw_ops.Reshape(tensor=spread(weights, predictions), shape=[1, -1])
    predictions = raw_ops.Reshape(tensor=cast(predictions, dtypes.float32), shape=[1, -1])
    labels = raw_ops.Reshape(tensor=cast(labels, dtypes.bool), shape=[1, -1])
    limits = _core.to_tensor([[float(threshold)] for threshold in thresholds], dtypes.float32)
    is_yes = predictions > limits
    counts = {}
    for kind in kinds:
        wanted, predicted = _KINDS[kind]
        counted = raw_ops.LogicalAnd(
            x=raw_ops.Equal(x=labels, y=_core.to_tensor(wanted)),
            y=raw_ops.Equal(x=is_yes, y=_core.to_tensor(predicted)),
        )
        counted = cast(counted, dtypes.float32)
        counted = counted if weights is None else counted * weights
        kept = metric_variable([len(thresholds)], dtypes.float32, f"{name}/{kind}")
        counts[kind] = kept.value(), added(kept, raw_ops.Sum(input=counted, axis=[1]))
    return counts


def _kind_at_thresholds(kind):
    def metric(
        labels,
        predictions,
        thresholds,
        weights=None,
        metrics_collections=None,
        updates_collections=None,
        name=None,
    ):
        refuse_eager(f"{kind}_at_thresholds")
        counts = at_thresholds(labels, predictions, thresholds, weights, name or kind, (kind,))
        return published(*counts[kind], metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = f"{kind}_at_thresholds"
    metric.__doc__ = f"The number of {kind.replace('_', ' ')} at every threshold."
    return metric


true_positives_at_thresholds = public("v1.metrics.true_positives_at_thresholds")(
    _kind_at_thresholds("true_positives")
)
false_positives_at_thresholds = public("v1.metrics.false_positives_at_thresholds")(
    _kind_at_thresholds("false_positives")
)
true_negatives_at_thresholds = public("v1.metrics.true_negatives_at_thresholds")(
    _kind_at_thresholds("true_negatives")
)
false_negatives_at_thresholds = public("v1.metrics.false_negatives_at_thresholds")(
    _kind_at_thresholds("false_negatives")
)


def _share_at_thresholds(public, wrong, doc):
    def metric(
        labels,
        predictions,
        thresholds,
        weights=None,
        metrics_collections=None,
        updates_collections=None,
        name=None,
    ):
        refuse_eager(public)
        kinds = ("true_positives", wrong)
        counts = at_thresholds(labels, predictions, thresholds, weights, name or public, kinds)
        value, update = (
            raw_ops.RealDiv(x=right, y=1e-7 + right + other)
            for right, other in zip(*(counts[kind] for kind in kinds), strict=True)
        )
        return published(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = public
    metric.__doc__ = doc
    return metric


precision_at_thresholds = public("v1.metrics.precision_at_thresholds")(
    _share_at_thresholds(
        "precision_at_thresholds", "false_positives", "precision at every threshold."
    )
)
recall_at_thresholds = public("v1.metrics.recall_at_thresholds")(
    _share_at_thresholds("recall_at_thresholds", "false_negatives", "recall at every threshold.")
)
