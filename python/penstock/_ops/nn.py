"""tf.nn: normalization, dropout, embeddings and losses that need more than one op."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._context.scope import graph_scope, results_named, scoped
from penstock._core import Tensor
from penstock._ops.convert import cast, node_of, shape_of, size_of, sizes_of
from penstock._ops.index import gather
from penstock._ops.random import stateless_uniform
from penstock._ops.seeds import op_seeds


@public("nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None) -> Tensor:
    """`x` normalised with the given mean and variance, times scale, plus offset."""
    x = _core.to_tensor(x)
    return raw_ops.BatchNormalization(
        x=x,
        mean=mean,
        variance=variance,
        offset=_core.to_tensor(0, x.dtype) if offset is None else offset,
        scale=_core.to_tensor(1, x.dtype) if scale is None else scale,
        variance_epsilon=variance_epsilon,
        name=name,
    )


@public("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
) -> Tensor:
    """Batch normalization under its old names."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


@public("nn.moments")
@scoped("moments")
def moments(x, axes, shift=None, keepdims=False, name=None) -> tuple[Tensor, Tensor]:
    """(mean, variance) over the axes."""
    x = _core.to_tensor(x)
    if axes is None:
        axes = range(_known_rank(x, "moments over all axes"))
    result = raw_ops.Moments(x=x, axes=list(axes), keepdims=keepdims)
    names = ("mean", "variance") if keepdims else ("Squeeze", "Squeeze_1")
    return results_named((result.mean, result.variance), names)


def _known_rank(x, what) -> int:
    if x.shape.rank is None:
        raise ValueError(f"{what} needs a tensor whose rank is known. Received: {x}")
    return x.shape.rank


@public("nn.weighted_moments")
@scoped("weighted_moments")
def weighted_moments(
    x, axes, frequency_weights, keepdims=False, name=None
) -> tuple[Tensor, Tensor]:
    """(mean, variance) over the axes, with weighted elements."""
    x = _core.to_tensor(x)
    weights = cast(frequency_weights, x.dtype)
    result = raw_ops.WeightedMoments(x=x, frequency_weights=weights, axes=axes, keepdims=keepdims)
    last = "div_no_nan" if keepdims else "Squeeze"
    return results_named((result.mean, result.variance), (last, f"{last}_1"))


@public("nn.normalize_moments")
@scoped("normalize", "mean", "variance")
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """(mean, variance) from the results of sufficient_statistics."""
    if shift is None:
        shift = raw_ops.ZerosLike(x=mean_ss)
    result = raw_ops.NormalizeMoments(
        counts=counts, mean_ss=mean_ss, variance_ss=variance_ss, shift=shift
    )
    return result.mean, result.variance


@public("nn.sufficient_statistics")
@scoped("sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """(count, sum, sum of squares, shift): the statistics from which moments are computed."""
    x = _core.to_tensor(x)
    rank = _known_rank(x, "sufficient_statistics")
    axes = sorted({axis % rank for axis in axes})
    count = 1
    for axis in axes:
        count *= size_of(x, axis)
    shift = None if shift is None else _core.to_tensor(shift, x.dtype)
    centred = x if shift is None else x - shift
    sums = raw_ops.Sum(input=centred, axis=axes, keepdims=keepdims, name="mean_ss")
    squares = raw_ops.Square(x=centred)
    squares = raw_ops.Sum(input=squares, axis=axes, keepdims=keepdims, name="var_ss")
    if isinstance(count, int):
        return node_of(_core.to_tensor(count, x.dtype), x.dtype, "Const"), sums, squares, shift
    return raw_ops.Cast(x=count, dtype=x.dtype, name="count"), sums, squares, shift


@public("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None) -> Tensor:
    """Adds a number to every channel.

    Args:
      value: The value.
      bias: A vector with a number for each channel.
      data_format: Where the channels are.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[11., 22.],
           [13., 24.]], dtype=float32)>
    """
    if data_format is None:
        return raw_ops.BiasAdd(value=value, bias=bias, name=name)
    if not data_format.startswith("N"):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`: {data_format}")
    layout = "NCHW" if data_format.startswith("NC") else "NHWC"
    return raw_ops.BiasAdd(value=value, bias=bias, data_format=layout, name=name)


@public("nn.dropout")
def dropout(x, rate, noise_shape=None, seed=None, name=None) -> Tensor:
    """Sets random elements to zero and scales up the others.

    Args:
      x: The tensor.
      rate: The probability that an element is dropped.
      noise_shape: The shape of the choice, which broadcasts to `x`; None is the shape of
        `x`.
      seed: A number that the random numbers follow from.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.random.set_seed(1)
    >>> tf.nn.dropout(tf.ones([4]), rate=0.5).shape
    TensorShape([4])
    """
    with graph_scope(name or "dropout"):
        x, rate, shape = _dropout_arguments(x, rate, noise_shape)
        if isinstance(rate, float) and rate == 0:
            return x
        seeds = op_seeds(seed)
        if isinstance(shape, _core.Tensor):
            noise = raw_ops.RandomUniform(shape=shape, dtype=x.dtype, **seeds)
            return _kept(x, rate, noise)
        return raw_ops.Dropout(x=x, rate=rate, noise_shape=shape, **seeds, name="SelectV2")


@public("nn.experimental.stateless_dropout")
def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None) -> Tensor:
    """Dropout that depends only on the seed."""
    x, rate, shape = _dropout_arguments(x, rate, noise_shape)
    if isinstance(rate, float) and rate == 0:
        return x
    if isinstance(shape, _core.Tensor):
        return _kept(x, rate, stateless_uniform(shape, seed, dtype=x.dtype))
    return raw_ops.StatelessDropout(x=x, seed=seed, rate=rate, noise_shape=shape, name=name)


def _dropout_arguments(x, rate, noise_shape):
    x = _core.to_tensor(x)
    is_open = isinstance(rate, _core.SymbolicTensor)  # decided where it has a value
    rate = cast(rate, x.dtype) if is_open else float(rate)
    if not is_open and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x_dtype={x.dtype!r}"
        )
    if noise_shape is None:
        return x, rate, raw_ops.Shape(input=x) if is_open else None
    if isinstance(noise_shape, _core.SymbolicTensor):
        return x, rate, noise_shape
    shape = list(noise_shape)
    if is_open or any(isinstance(dim, _core.SymbolicTensor) for dim in shape):
        pairs = zip(shape, sizes_of(x), strict=True)
        return x, rate, _core.to_tensor([own if dim is None else dim for dim, own in pairs])
    return x, rate, [-1 if dim is None else int(dim) for dim in shape]  # -1: as in x


def _kept(x, rate, noise):
    """Dropout with a shape that is known only at run time."""
    keeps = noise >= _core.to_tensor(rate, x.dtype)
    kept = raw_ops.SelectV2(condition=keeps, t=x * (1 / (1 - rate)), e=_core.to_tensor(0, x.dtype))
    kept.set_shape(x.shape)  # the rate is a number, even if its shape is unknown
    return kept


@public("nn.embedding_lookup")
@scoped("embedding_lookup")
def embedding_lookup(params, ids, max_norm=None, name=None) -> Tensor:
    """The rows of `params` that `ids` names; several tables are taken one after the other.

    Args:
      params: The table, or a list of tables.
      ids: The numbers of the rows: int32 or int64.
      max_norm: The largest norm of a row; None is no limit.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1, 0, 1])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 1., 2.], dtype=float32)>
    """
    last = "Identity"
    if isinstance(params, (list, tuple)):
        if not params:
            raise ValueError("params must be specified")
        if len(params) > 1:
            last = "Reshape_1" if max_norm is None else "clip_by_norm"
        params = params[0] if len(params) == 1 else raw_ops.ConcatV2(values=list(params), axis=0)
    if max_norm is None:
        rows = gather(params, ids, axis=0, name=name)
    else:
        # The op treats a negative norm as none.
        rows = raw_ops.EmbeddingLookup(
            params=params, ids=ids, max_norm=max(0.0, max_norm), name=name
        )
    return raw_ops.Identity(input=rows, name=last) if _core.is_building() else rows


@public("nn.softmax_cross_entropy_with_logits")
@scoped("softmax_cross_entropy_with_logits", "Reshape_2")
def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None) -> Tensor:
    """The cross entropy between the labels' distributions and those of the logits.

    Args:
      labels: Distributions over the classes.
      logits: Unscaled scores, one for each class.
      axis: The dimension; a negative one counts from the end.
      name: The name of the operation in a graph.

    Returns:
      A loss for each row.

    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[2.0, 0.0]])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.12692802], dtype=float32)>
    """
    logits = _core.to_tensor(logits)
    if logits.dtype in (dtypes.float16, dtypes.bfloat16):
        full = softmax_cross_entropy_with_logits(
            cast(labels, dtypes.float32), cast(logits, dtypes.float32), axis
        )
        return cast(full, logits.dtype)
    labels = cast(labels, logits.dtype)
    if axis != -1 and axis + 1 != logits.shape.rank:
        rank = _known_rank(logits, "an axis that is not the last one")
        order = [dim for dim in range(rank) if dim != axis % rank]
        order.append(axis % rank)
        labels, logits = (raw_ops.Transpose(x=tensor, perm=order) for tensor in (labels, logits))
    if logits.ndim == 2:
        return raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels).loss
    shape, classes = shape_of(logits), size_of(logits, -1)
    labels, logits = (
        raw_ops.Reshape(tensor=tensor, shape=[-1, classes]) for tensor in (labels, logits)
    )
    loss = raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels).loss
    return raw_ops.Reshape(tensor=loss, shape=shape[:-1])


@public("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None) -> Tensor:
    """The cross entropy of labels given as class numbers.

    Args:
      labels: The number of the right class for each row: int32 or int64.
      logits: Unscaled scores, one for each class.
      name: The name of the operation in a graph.

    Returns:
      A loss for each row.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0], [[2.0, 0.0]])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.12692802], dtype=float32)>
    """
    labels, logits = _core.to_tensor(labels), _core.to_tensor(logits)
    if logits.ndim == 0:
        raise ValueError("Logits cannot be scalars - received shape ().")
    if not labels.shape.is_compatible_with(logits.shape[:-1]):
        raise ValueError(
            f"Shape mismatch: The shape of labels (received {labels.shape}) should equal the shape "
            f"of logits except for the last dimension (received {logits.shape})."
        )
    if logits.ndim != 2:
        return _sparse_softmax_of_rows(labels, logits, name)
    return raw_ops.SparseSoftmaxCrossEntropyWithLogits(
        features=logits, labels=labels, name=name
    ).loss


@scoped("SparseSoftmaxCrossEntropyWithLogits", "Reshape_2")
def _sparse_softmax_of_rows(labels, logits, name):
    """The op takes a matrix; all other axes are treated as rows."""
    rows = raw_ops.Reshape(tensor=logits, shape=[-1, size_of(logits, -1)])
    numbers = raw_ops.Reshape(tensor=labels, shape=[-1])
    loss = raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=rows, labels=numbers).loss
    shape = shape_of(labels) if labels.shape.is_fully_defined() else shape_of(logits)[:-1]
    return raw_ops.Reshape(tensor=loss, shape=shape)


@public("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None) -> Tensor:
    """The cross entropy of independent yes-or-no labels.

    Args:
      labels: Probabilities between 0 and 1.
      logits: Unscaled scores.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[2.0, -1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.126928 , 0.3132617], dtype=float32)>
    """
    if labels is None or logits is None:
        raise ValueError(
            f"Both labels and logits must be provided. Received: labels={labels} and "
            f"logits={logits}"
        )
    labels, logits = (
        _core.to_tensor(labels, getattr(logits, "dtype", None)),
        _core.to_tensor(logits),
    )
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            "`logits` and `labels` must have the same shape, received "
            f"({logits.shape} vs {labels.shape})."
        )
    return raw_ops.SigmoidCrossEntropyWithLogits(labels=labels, logits=logits, name=name)


@public("nn.ctc_loss", "v1.nn.ctc_loss_v2")
def ctc_loss(
    labels,
    logits,
    label_length,
    logit_length,
    logits_time_major=True,
    unique=None,
    blank_index=None,
    name=None,
) -> Tensor:
    """The loss of sequences whose labels have no timing: connectionist temporal classification."""
    logits = _core.to_tensor(logits)
    blank = 0 if blank_index is None else int(blank_index)
    if blank < 0 and logits.shape[-1] is None:
        raise ValueError("a blank_index from the end needs a number of classes that is known")
    return raw_ops.CTCLossDense(
        logits=logits,
        labels=labels,
        label_length=label_length,
        logit_length=logit_length,
        blank_index=blank if blank >= 0 else blank + logits.shape[-1],
        logits_time_major=logits_time_major,
        name=name,
    )


@public("nn.compute_average_loss")
def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None) -> Tensor:
    """The sum of the losses of examples, divided by their number.

    Args:
      per_example_loss: A loss for each example.
      sample_weight: How much each example counts.
      global_batch_size: The number to divide by; None is the number of losses.

    Returns:
      A tensor.

    >>> tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=4)
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
    """
    losses = _core.to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = losses * cast(sample_weight, losses.dtype)
    if global_batch_size is None:
        if losses.ndim == 0:
            raise ValueError("`per_example_loss` must have a batch dimension")
        global_batch_size = size_of(losses, 0)
    return raw_ops.DivNoNan(x=raw_ops.Sum(input=losses), y=cast(global_batch_size, losses.dtype))


@public("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss) -> Tensor:
    """The sum of the losses: there is one replica.

    Args:
      regularization_loss: The losses.

    Returns:
      A tensor.

    >>> tf.nn.scale_regularization_loss([1.0, 3.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=4.0>
    """
    losses = _core.to_tensor(regularization_loss)
    return raw_ops.Sum(input=losses) / cast(1, losses.dtype)
