"""Accuracies as functions: one value per example."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._core import Tensor
from penstock._ops.convert import cast, shape_of, size_of
from penstock.losses._functions import matched


def accuracy(y_true, y_pred) -> Tensor:
    """1 where the two are equal."""
    y_true, y_pred = matched(y_true, y_pred)
    return cast(y_true == y_pred, dtypes.float32)


@public("metrics.binary_accuracy")
def binary_accuracy(y_true, y_pred, threshold=0.5) -> Tensor:
    """How many labels the predictions beyond a threshold agree with."""
    y_true, y_pred = matched(y_true, y_pred)
    hits = cast(y_true == cast(y_pred > threshold, y_true.dtype), dtypes.float32)
    return raw_ops.Mean(input=hits, axis=-1) if hits.ndim else hits


def _classes(y_true, y_pred):
    """The labels as numbers of classes, one per row of predictions."""
    y_true = _core.to_tensor(y_true)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = raw_ops.Squeeze(input=y_true, axis=[-1])
    return cast(y_true, dtypes.int64)


@public("metrics.categorical_accuracy")
def categorical_accuracy(y_true, y_pred) -> Tensor:
    """1 where the largest prediction is at the largest label."""
    return sparse_categorical_accuracy(
        raw_ops.ArgMax(input=_core.to_tensor(y_true), axis=-1), y_pred
    )


@public("metrics.sparse_categorical_accuracy")
def sparse_categorical_accuracy(y_true, y_pred) -> Tensor:
    """1 where the largest prediction is that of the label's class."""
    y_pred = _core.to_tensor(y_pred)
    classes = raw_ops.ArgMax(input=y_pred, axis=-1)
    return cast(_classes(y_true, y_pred) == classes, dtypes.float32)


@public("metrics.top_k_categorical_accuracy")
def top_k_categorical_accuracy(y_true, y_pred, k=5) -> Tensor:
    """1 where the largest label is among the k largest predictions."""
    classes = raw_ops.ArgMax(input=_core.to_tensor(y_true), axis=-1)
    return sparse_top_k_categorical_accuracy(classes, y_pred, k)


@public("metrics.sparse_top_k_categorical_accuracy")
def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5) -> Tensor:
    """1 where the label's class is among the k largest predictions."""
    y_pred = _core.to_tensor(y_pred, dtypes.float32)
    classes = raw_ops.Reshape(tensor=_classes(y_true, y_pred), shape=[-1])
    rows = raw_ops.Reshape(tensor=y_pred, shape=[-1, size_of(y_pred, -1)])
    is_in_top = raw_ops.InTopKV2(predictions=rows, targets=classes, k=cast(k, classes.dtype))
    return raw_ops.Reshape(tensor=cast(is_in_top, dtypes.float32), shape=shape_of(y_pred)[:-1])
