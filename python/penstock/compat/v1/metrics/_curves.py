"""The area under a curve, and metrics of a confusion matrix."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._ops.convert import cast
from penstock.compat.v1.metrics._base import (
    added,
    metric_variable,
    published,
    ratio,
    refuse_eager,
)
from penstock.compat.v1.metrics._counts import at_thresholds

_SMALL = 1e-7


@public("v1.metrics.auc")
def auc(
    labels,
    predictions,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    curve="ROC",
    name=None,
    summation_method="trapezoidal",
    thresholds=None,
):
    """The area under the curve of true against false positives, or of precision against recall."""
    refuse_eager("auc")
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in ("trapezoidal", "minoring", "majoring"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    if thresholds is None:
        thresholds = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    limits = [-_SMALL, *sorted(thresholds), 1 + _SMALL]
    by_kind = at_thresholds(labels, predictions, limits, weights, name or "auc")
    kinds = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    value, update = (
        _area(*counts, curve, summation_method)
        for counts in zip(*(by_kind[kind] for kind in kinds), strict=True)
    )
    return published(value, update, metrics_collections, updates_collections)


def _area(tp, fn, tn, fp, curve, summation_method):
    recall = (tp + _SMALL) / (tp + fn + _SMALL)
    if curve == "ROC":
        x, y = fp / (fp + tn + _SMALL), recall
    else:
        x, y = recall, (tp + _SMALL) / (tp + fp + _SMALL)
    left, right = y[:-1], y[1:]
    height = {
        "trapezoidal": lambda: (left + right) / 2,
        "minoring": lambda: raw_ops.Minimum(x=left, y=right),
        "majoring": lambda: raw_ops.Maximum(x=left, y=right),
    }[summation_method]()
    return raw_ops.Sum(input=(x[:-1] - x[1:]) * height)


def _confusion(labels, predictions, num_classes, weights, name, dtype):
    """(the confusion matrix so far, the matrix after this batch)."""
    from penstock import math

    matrix = metric_variable([num_classes, num_classes], dtype, f"{name}/total_confusion_matrix")
    flat = [
        raw_ops.Reshape(tensor=cast(tensor, dtypes.int64), shape=[-1])
        for tensor in (labels, predictions)
    ]
    if weights is not None:
        weights = raw_ops.Reshape(tensor=_core.to_tensor(weights), shape=[-1])
    counts = math.confusion_matrix(*flat, num_classes, weights, dtype)
    return matrix.value(), added(matrix, counts)


@public("v1.metrics.mean_iou")
def mean_iou(
    labels,
    predictions,
    num_classes,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The mean over classes of intersection over union. The second result updates the confusion
    matrix."""
    refuse_eager("mean_iou")
    matrix, update = _confusion(
        labels, predictions, num_classes, weights, name or "mean_iou", dtypes.float64
    )
    rows, columns = (raw_ops.Sum(input=matrix, axis=[axis]) for axis in (0, 1))
    both = raw_ops.MatrixDiagPartV3(
        input=matrix, k=0, padding_value=_core.to_tensor(0, matrix.dtype)
    )
    either = rows + columns - both
    is_there = cast(raw_ops.NotEqual(x=either, y=_core.to_tensor(0, either.dtype)), dtypes.float32)
    shares = ratio(cast(both, dtypes.float32), cast(either, dtypes.float32))
    value = ratio(raw_ops.Sum(input=shares), raw_ops.Sum(input=is_there))
    return published(value, update, metrics_collections, updates_collections)


@public("v1.metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(
    labels,
    predictions,
    num_classes,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The accuracy for every class, and the mean of these."""
    refuse_eager("mean_per_class_accuracy")
    name = name or "mean_accuracy"
    matrix, update = _confusion(labels, predictions, num_classes, weights, name, dtypes.float32)

    def shares(matrix):
        right = raw_ops.MatrixDiagPartV3(input=matrix, k=0, padding_value=0.0)
        return ratio(right, raw_ops.Sum(input=matrix, axis=[1]))

    value, update = raw_ops.Mean(input=shares(matrix)), shares(update)
    return published(value, update, metrics_collections, updates_collections)
