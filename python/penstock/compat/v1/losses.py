"""tf.compat.v1.losses: weighted losses, collected by the graph."""

from __future__ import annotations as _annotations

from penstock import _core
from penstock import nn as _nn
from penstock import raw_ops as _raw_ops
from penstock._context.scope import scoped as _scoped
from penstock._ops.convert import cast as _cast
from penstock.compat.v1 import _collections
from penstock.compat.v1._collections import GraphKeys as _GraphKeys
from penstock.compat.v1._weights import check_weights as _check_weights
from penstock.compat.v1._weights import num_present as _num_present
from penstock.compat.v1._weights import squeeze_last as _squeeze_last
from penstock.dtypes import float32 as _float32


class Reduction:
    """How the losses of many examples are reduced."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key):
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS


def add_loss(loss, loss_collection=_GraphKeys.LOSSES) -> None:
    """Adds to the losses of the graph; eager programs keep none."""
    if loss_collection:
        _collections.keep(loss_collection, loss)


def get_losses(scope=None, loss_collection=_GraphKeys.LOSSES) -> list:
    """The losses of the graph."""
    return _collections.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None) -> list:
    """The losses that regularizers added."""
    return _collections.get_collection(_GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name="total_regularization_loss") -> _core.Tensor:
    """The sum of the losses that regularizers added."""
    losses = get_regularization_losses(scope)
    return _raw_ops.AddN(inputs=losses, name=name) if losses else _core.to_tensor(0.0)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None) -> _core.Tensor:
    """The sum of all losses of the graph."""
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    if not losses:
        raise ValueError("inputs must be an iterable of at least one Tensor with the same dtype")
    return _raw_ops.AddN(inputs=losses, name=name)


@_scoped("weighted_loss", parameter="scope")
def compute_weighted_loss(
    losses,
    weights=1.0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The losses times their weights, reduced as requested."""
    Reduction.validate(reduction)
    losses = _core.to_tensor(losses)
    own_dtype = losses.dtype
    losses, weights = _cast(losses, _float32), _cast(weights, _float32)
    _check_weights(weights, losses)
    loss = _raw_ops.Mul(x=losses, y=weights)
    if reduction != Reduction.NONE:
        total = _raw_ops.Sum(input=loss)
        if reduction == Reduction.MEAN:
            count = _raw_ops.Sum(input=_raw_ops.OnesLike(x=losses) * weights)
            loss = _raw_ops.DivNoNan(x=total, y=count, name="value")
        elif reduction == _BY_WEIGHTS:
            loss = _raw_ops.DivNoNan(x=total, y=_num_present(losses, weights), name="value")
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
            count = _cast(_raw_ops.Size(input=losses), _float32)
            loss = _raw_ops.DivNoNan(x=total, y=count, name="value")
        else:
            loss = total
    loss = _cast(loss, own_dtype)
    add_loss(loss, loss_collection)
    return loss


def _pair(labels, predictions, what="predictions"):
    """Both as floats, of compatible shapes."""
    if labels is None:
        raise ValueError("Argument `labels` must not be None.")
    if predictions is None:
        raise ValueError(f"Argument `{what}` must not be None.")
    predictions, labels = _cast(predictions, _float32), _cast(labels, _float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


@_scoped("absolute_difference", parameter="scope")
def absolute_difference(
    labels,
    predictions,
    weights=1.0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The absolute difference between labels and predictions."""
    labels, predictions = _pair(labels, predictions)
    losses = _raw_ops.Abs(x=predictions - labels)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("mean_squared_error", parameter="scope")
def mean_squared_error(
    labels,
    predictions,
    weights=1.0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The squared difference between labels and predictions.

    Args:
      labels: The right answers.
      predictions: The answers.
      weights: How much each element counts.
      scope: The beginning of the names; None is all.
      loss_collection: The collection that the loss is added to.
      reduction: How the losses of examples become one number.

    Returns:
      A tensor.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     print(sess.run(tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0])))
    2.0
    """
    labels, predictions = _pair(labels, predictions)
    losses = _raw_ops.SquaredDifference(x=predictions, y=labels)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("cosine_distance_loss", parameter="scope")
def cosine_distance(
    labels,
    predictions,
    axis=None,
    weights=1.0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
    dim=None,
) -> _core.Tensor:
    """One minus the dot product along an axis, for unit vectors."""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    labels, predictions = _pair(labels, predictions)
    losses = 1 - _raw_ops.Sum(input=predictions * labels, axis=[axis], keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("hinge_loss", parameter="scope")
def hinge_loss(
    labels,
    logits,
    weights=1.0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The hinge loss of logits, for labels 0 and 1."""
    labels, logits = _pair(labels, logits, "logits")
    losses = _raw_ops.Relu(features=1 - (2 * labels - 1) * logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("huber_loss", parameter="scope")
def huber_loss(
    labels,
    predictions,
    weights=1.0,
    delta=1.0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """Half the squared difference up to `delta`, linear beyond."""
    labels, predictions = _pair(labels, predictions)
    distance = _raw_ops.Abs(x=predictions - labels)
    near = _raw_ops.Minimum(x=distance, y=_core.to_tensor(delta, distance.dtype))
    losses = 0.5 * near * near + delta * (distance - near)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("log_loss", parameter="scope")
def log_loss(
    labels,
    predictions,
    weights=1.0,
    epsilon=1e-7,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The cross entropy of probabilities."""
    labels, predictions = _pair(labels, predictions)
    right = labels * _raw_ops.Log(x=predictions + epsilon)
    wrong = (1 - labels) * _raw_ops.Log(x=1 - predictions + epsilon)
    return compute_weighted_loss(-right - wrong, weights, scope, loss_collection, reduction)


@_scoped("mean_pairwise_squared_error", parameter="scope")
def mean_pairwise_squared_error(
    labels, predictions, weights=1.0, scope=None, loss_collection=_GraphKeys.LOSSES
) -> _core.Tensor:
    """The squared error of the differences between pairs of elements, within every example."""
    labels, predictions = _pair(labels, predictions)
    weights = _cast(weights, _float32)
    differences = predictions - labels
    _check_weights(weights, differences)
    if differences.shape.rank is None:
        raise ValueError("mean_pairwise_squared_error needs predictions whose rank is known")
    axes = list(range(1, differences.shape.rank))
    count = _num_present(differences, weights, axes)
    squares = _raw_ops.Sum(input=_raw_ops.Square(x=differences), axis=axes, keepdims=True)
    first = 2 * _raw_ops.DivNoNan(x=squares, y=_raw_ops.Maximum(x=count - 1, y=0.0))
    sums = _raw_ops.Sum(input=differences, axis=axes, keepdims=True)
    pairs = _raw_ops.Maximum(x=count * (count - 1), y=0.0)
    second = 2 * _raw_ops.DivNoNan(x=_raw_ops.Square(x=sums), y=pairs)
    loss = _raw_ops.Sum(input=(first - second) * weights)
    is_any = _raw_ops.Sum(input=count) > 0
    loss = _raw_ops.SelectV2(condition=is_any, t=loss, e=_raw_ops.ZerosLike(x=loss))
    add_loss(loss, loss_collection)
    return loss


@_scoped("sigmoid_cross_entropy_loss", parameter="scope")
def sigmoid_cross_entropy(
    multi_class_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The cross entropy of independent yes-or-no labels."""
    if multi_class_labels is None or logits is None:
        raise ValueError("Arguments `multi_class_labels` and `logits` must not be None.")
    logits = _core.to_tensor(logits)
    labels = _cast(multi_class_labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = _nn.sigmoid_cross_entropy_with_logits(labels, logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("softmax_cross_entropy_loss", parameter="scope")
def softmax_cross_entropy(
    onehot_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The cross entropy of distributions over classes; the labels have no gradient.

    Args:
      onehot_labels: The right distributions over the classes.
      logits: Unscaled scores, one for each class.
      weights: How much each element counts.
      label_smoothing: How much of every label goes to all classes alike.
      scope: The beginning of the names; None is all.
      loss_collection: The collection that the loss is added to.
      reduction: How the losses of examples become one number.

    Returns:
      A tensor.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     loss = tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[2.0, 0.0]])
    ...     print(sess.run(loss))
    0.12692802
    """
    if onehot_labels is None or logits is None:
        raise ValueError("Arguments `onehot_labels` and `logits` must not be None.")
    logits = _core.to_tensor(logits)
    labels = _cast(onehot_labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if label_smoothing:
        classes = _cast(_raw_ops.Shape(input=labels)[-1], logits.dtype)
        labels = labels * (1 - label_smoothing) + label_smoothing / classes
    labels = _raw_ops.StopGradient(input=labels, name="labels_stop_gradient")
    losses = _nn.softmax_cross_entropy_with_logits(labels, logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("sparse_softmax_cross_entropy_loss", parameter="scope")
def sparse_softmax_cross_entropy(
    labels,
    logits,
    weights=1.0,
    scope=None,
    loss_collection=_GraphKeys.LOSSES,
    reduction=_BY_WEIGHTS,
) -> _core.Tensor:
    """The cross entropy of labels given as class numbers.

    Args:
      labels: The number of the right class for each row.
      logits: Unscaled scores, one for each class.
      weights: How much each element counts.
      scope: The beginning of the names; None is all.
      loss_collection: The collection that the loss is added to.
      reduction: How the losses of examples become one number.

    Returns:
      A tensor.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     loss = tf.compat.v1.losses.sparse_softmax_cross_entropy([0], [[2.0, 0.0]])
    ...     print(sess.run(loss))
    0.12692802
    """
    if labels is None or logits is None:
        raise ValueError("Arguments `labels` and `logits` must not be None.")
    labels, logits, weights = (
        _core.to_tensor(labels),
        _core.to_tensor(logits),
        _core.to_tensor(weights),
    )
    labels = _squeeze_last(labels, logits.shape[:-1].rank)
    if weights.shape.rank:
        weights = _squeeze_last(weights, labels.shape.rank)
    losses = _nn.sparse_softmax_cross_entropy_with_logits(labels, logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
