"""Losses as functions: one value per example, the last axis reduced."""

from __future__ import annotations

import math

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._core import Tensor
from penstock._ops.convert import cast, shape_of, size_of
from penstock._ops.nn import (
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)

_TINY = 1e-7


def matched(y_true, y_pred) -> tuple[Tensor, Tensor]:
    """Both as tensors of the prediction's dtype, and of one rank where one has an extra 1."""
    y_pred = _core.to_tensor(y_pred)
    if not y_pred.dtype.is_floating:
        y_pred = cast(y_pred, dtypes.float32)
    y_true = cast(_core.to_tensor(y_true), y_pred.dtype)
    if y_true.ndim == y_pred.ndim + 1 and y_true.shape[-1] == 1:
        if y_pred.ndim == 1:
            y_pred = raw_ops.ExpandDims(input=y_pred, axis=-1)
        else:
            y_true = raw_ops.Squeeze(input=y_true, axis=[-1])
    elif y_pred.ndim == y_true.ndim + 1 and y_pred.shape[-1] == 1:
        if y_true.ndim == 1:
            y_true = raw_ops.ExpandDims(input=y_true, axis=-1)
        else:
            y_pred = raw_ops.Squeeze(input=y_pred, axis=[-1])
    return y_true, y_pred


def weighted(values, sample_weight):
    """The values times their weights, which may lack the last axes; and the weights."""
    weight = cast(_core.to_tensor(sample_weight), values.dtype)
    if weight.ndim == values.ndim + 1 and weight.shape[-1] == 1:
        weight = raw_ops.Squeeze(input=weight, axis=[-1])
    while weight.ndim < values.ndim:
        weight = raw_ops.ExpandDims(input=weight, axis=-1)
    return values * weight, raw_ops.BroadcastTo(input=weight, shape=shape_of(values))


def _mean(values, axis=-1):
    return raw_ops.Mean(input=values, axis=axis) if values.ndim else values


def _clip(x, high=1 - _TINY):
    return raw_ops.ClipByValue(t=x, clip_value_min=_TINY, clip_value_max=high)


@public("losses.MSE", "losses.mean_squared_error", "losses.mse")
def mean_squared_error(y_true, y_pred) -> Tensor:
    """The mean of the squared differences."""
    y_true, y_pred = matched(y_true, y_pred)
    return _mean(raw_ops.Square(x=y_true - y_pred))


@public("losses.MAE", "losses.mae", "losses.mean_absolute_error")
def mean_absolute_error(y_true, y_pred) -> Tensor:
    """The mean of the absolute differences."""
    y_true, y_pred = matched(y_true, y_pred)
    return _mean(raw_ops.Abs(x=y_true - y_pred))


@public("losses.MAPE", "losses.mape", "losses.mean_absolute_percentage_error")
def mean_absolute_percentage_error(y_true, y_pred) -> Tensor:
    """The mean of the differences in percent of the true value."""
    y_true, y_pred = matched(y_true, y_pred)
    size = raw_ops.Maximum(x=raw_ops.Abs(x=y_true), y=_TINY)
    return 100.0 * _mean(raw_ops.Abs(x=(y_true - y_pred) / size))


@public("losses.MSLE", "losses.mean_squared_logarithmic_error", "losses.msle")
def mean_squared_logarithmic_error(y_true, y_pred) -> Tensor:
    """The mean of the squared differences of the logarithms."""
    logs = [
        raw_ops.Log(x=raw_ops.Maximum(x=side, y=_TINY) + 1.0) for side in matched(y_true, y_pred)
    ]
    return _mean(raw_ops.Square(x=logs[0] - logs[1]))


@public("losses.huber")
def huber(y_true, y_pred, delta=1.0) -> Tensor:
    """Squared up to `delta`, linear beyond."""
    y_true, y_pred = matched(y_true, y_pred)
    error = raw_ops.Abs(x=y_pred - y_true)
    inner, outer = 0.5 * raw_ops.Square(x=error), delta * error - 0.5 * delta * delta
    return _mean(raw_ops.SelectV2(condition=error <= delta, t=inner, e=outer))


@public("losses.log_cosh", "losses.logcosh")
def log_cosh(y_true, y_pred) -> Tensor:
    """The mean of the logarithm of the hyperbolic cosine of the differences."""
    y_true, y_pred = matched(y_true, y_pred)
    error = y_pred - y_true
    return _mean(error + raw_ops.Softplus(features=-2.0 * error) - math.log(2.0))


def _signs(y_true):
    """Labels 0 and 1 as -1 and 1; other labels unchanged."""
    if isinstance(y_true, _core.SymbolicTensor):
        are_bits = raw_ops.All(
            input=raw_ops.LogicalOr(x=raw_ops.Equal(x=y_true, y=0), y=raw_ops.Equal(x=y_true, y=1))
        )
        return raw_ops.SelectV2(condition=are_bits, t=2.0 * y_true - 1.0, e=y_true)
    values = y_true._read_only_array()
    if ((values == 0) | (values == 1)).all():
        return 2.0 * y_true - 1.0
    return y_true


@public("losses.hinge")
def hinge(y_true, y_pred) -> Tensor:
    """The mean of max(0, 1 - y_true · y_pred), for labels -1 and 1 (or 0 and 1)."""
    y_true, y_pred = matched(y_true, y_pred)
    return _mean(raw_ops.Relu(features=1.0 - _signs(y_true) * y_pred))


@public("losses.squared_hinge")
def squared_hinge(y_true, y_pred) -> Tensor:
    """The mean of the squares of the hinge."""
    y_true, y_pred = matched(y_true, y_pred)
    return _mean(raw_ops.Square(x=raw_ops.Relu(features=1.0 - _signs(y_true) * y_pred)))


@public("losses.categorical_hinge")
def categorical_hinge(y_true, y_pred) -> Tensor:
    """max(0, 1 + the best wrong score - the right score)."""
    y_true, y_pred = matched(y_true, y_pred)
    right = raw_ops.Sum(input=y_true * y_pred, axis=-1)
    wrong = raw_ops.Max(input=(1.0 - y_true) * y_pred, axis=-1)
    return raw_ops.Relu(features=wrong - right + 1.0)


@public("losses.KLD", "losses.kl_divergence", "losses.kld", "losses.kullback_leibler_divergence")
def kl_divergence(y_true, y_pred) -> Tensor:
    """The divergence of the prediction's distribution from the true one."""
    y_true, y_pred = (_clip(side, 1.0) for side in matched(y_true, y_pred))
    return raw_ops.Sum(input=y_true * raw_ops.Log(x=y_true / y_pred), axis=-1)


@public("losses.poisson")
def poisson(y_true, y_pred) -> Tensor:
    """The mean of y_pred - y_true · log(y_pred)."""
    y_true, y_pred = matched(y_true, y_pred)
    return _mean(y_pred - y_true * raw_ops.Log(x=y_pred + _TINY))


@public("losses.cosine_similarity")
def cosine_similarity(y_true, y_pred, axis=-1) -> Tensor:
    """Minus the cosine of the angle between the two: lowest if they point the same way."""
    return -cosine(y_true, y_pred, axis)


def cosine(y_true, y_pred, axis=-1) -> Tensor:
    """The cosine of the angle between the two."""
    units = [
        raw_ops.L2Normalize(x=side, axis=[axis], epsilon=1e-12) for side in matched(y_true, y_pred)
    ]
    return raw_ops.Sum(input=units[0] * units[1], axis=axis)


@public("losses.binary_crossentropy")
def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1) -> Tensor:
    """The mean cross entropy of independent yes-or-no labels."""
    y_true, y_pred = matched(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        return _mean(raw_ops.SigmoidCrossEntropyWithLogits(labels=y_true, logits=y_pred), axis)
    y_pred = _clip(y_pred)
    log_likelihood = y_true * raw_ops.Log(x=y_pred) + (1.0 - y_true) * raw_ops.Log(x=1.0 - y_pred)
    return _mean(-log_likelihood, axis)


@public("losses.categorical_crossentropy")
def categorical_crossentropy(
    y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1
) -> Tensor:
    """The cross entropy of labels that are distributions over classes (one-hot, say)."""
    if axis not in (-1, len(_core.to_tensor(y_pred).shape) - 1):
        raise ValueError(f"classes are along the last axis here, not along axis={axis}")
    y_true, y_pred = matched(y_true, y_pred)
    if not y_true.shape.is_compatible_with(y_pred.shape):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={y_true.shape}, output.shape={y_pred.shape}"
        )
    if label_smoothing:
        classes = size_of(y_true, -1)
        if not isinstance(classes, int):
            classes = cast(classes, y_true.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    if from_logits:
        return softmax_cross_entropy_with_logits(y_true, y_pred)
    y_pred = _clip(y_pred / raw_ops.Sum(input=y_pred, axis=-1, keepdims=True))
    return -raw_ops.Sum(input=y_true * raw_ops.Log(x=y_pred), axis=-1)


@public("losses.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(
    y_true, y_pred, from_logits=False, ignore_class=None, axis=-1
) -> Tensor:
    """The cross entropy of labels given as class numbers."""
    y_pred = _core.to_tensor(y_pred)
    y_true = cast(_core.to_tensor(y_true), dtypes.int64)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = raw_ops.Squeeze(input=y_true, axis=[-1])
    if not y_true.shape.is_compatible_with(y_pred.shape[:-1]):
        raise ValueError(
            "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
            f"target.shape={y_true.shape}, output.shape={y_pred.shape}"
        )
    logits = y_pred if from_logits else raw_ops.Log(x=_clip(y_pred))
    if ignore_class is None:
        return sparse_softmax_cross_entropy_with_logits(y_true, logits)
    valid = y_true != ignore_class
    safe = y_true * cast(valid, dtypes.int64)
    losses = sparse_softmax_cross_entropy_with_logits(safe, logits)
    return losses * cast(valid, losses.dtype)


MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
