"""Functions of tf.compat.v1.nn that are more than tf.nn's with other arguments."""

from __future__ import annotations

from penstock import _core, nn, raw_ops
from penstock._api import public
from penstock._context.scope import graph_scope, scoped
from penstock._ops.convert import cast
from penstock._ops.seeds import op_seeds


@public("v1.nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None) -> _core.Tensor:
    """Some elements at random as zeros, and the others larger by as much."""
    if keep_prob is not None and rate is not None:
        raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
    if keep_prob is None and rate is None:
        raise ValueError("You must provide a rate to dropout.")
    kept = 1 - rate if keep_prob is None else keep_prob
    if not isinstance(kept, (_core.Tensor, _core.VariableHandle)):
        return nn.dropout(x, 1 - float(kept), noise_shape, seed, name)
    # The share is a tensor, a placeholder perhaps: what is kept is decided where it has a value.
    with graph_scope(name or "dropout"):
        x = _core.to_tensor(x)
        kept = cast(kept, x.dtype)
        shape = raw_ops.Shape(input=x) if noise_shape is None else noise_shape
        drawn = raw_ops.RandomUniform(shape=shape, dtype=x.dtype, **op_seeds(seed))
        dropped = raw_ops.SelectV2(
            condition=drawn >= 1 - kept, t=x / kept, e=raw_ops.ZerosLike(x=x), name="SelectV2"
        )
    dropped.set_shape(x.shape)  # the share is a number, even if its shape is unknown
    return dropped


@public("v1.nn.softmax_cross_entropy_with_logits")
@scoped("softmax_cross_entropy_with_logits_sg")
def softmax_cross_entropy_with_logits(
    labels=None, logits=None, dim=-1, name=None, axis=None
) -> _core.Tensor:
    """The cross entropy of logits; the labels have no gradient."""
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    labels = _core.to_tensor(labels, getattr(logits, "dtype", None))
    labels = raw_ops.StopGradient(input=labels, name="labels_stop_gradient")
    axis = dim if axis is None else axis
    return nn.softmax_cross_entropy_with_logits(labels, logits, axis, name)


@public("v1.nn.embedding_lookup")
def embedding_lookup(
    params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None
) -> _core.Tensor:
    """The rows of `params` that `ids` names; row i of several tables is by default in table
    i modulo their number."""
    if not isinstance(params, (list, tuple)) or len(params) == 1 or partition_strategy == "div":
        return nn.embedding_lookup(params, ids, max_norm, name)
    if partition_strategy != "mod":
        raise ValueError(
            f"Unrecognized partition strategy: {partition_strategy}.Must be one of either `mod` or "
            "`div`."
        )
    return _lookup_in_turns(params, ids, max_norm, name)


@scoped("embedding_lookup")
def _lookup_in_turns(params, ids, max_norm, name):
    # Rows side by side are in the order of their numbers, once the shorter tables are filled up.
    tables = [_core.to_tensor(param) for param in params]
    counts = [raw_ops.Shape(input=table)[0] for table in tables]
    fill = [[counts[0] - count] for count in counts]
    padded = [
        raw_ops.ConcatV2(
            values=[
                table,
                raw_ops.Fill(
                    dims=raw_ops.ConcatV2(values=[more, raw_ops.Shape(input=table)[1:]], axis=0),
                    value=_core.to_tensor(0, table.dtype),
                ),
            ],
            axis=0,
        )
        for table, more in zip(tables, fill, strict=True)
    ]
    shape = raw_ops.Shape(input=tables[0])[1:]
    rows = raw_ops.Pack(values=padded, axis=1)
    rows = raw_ops.Reshape(tensor=rows, shape=raw_ops.ConcatV2(values=[[-1], shape], axis=0))
    embedded = nn.embedding_lookup(rows, ids, max_norm)
    last = "Reshape_1" if max_norm is None else "clip_by_norm"
    return raw_ops.Identity(input=embedded, name=last) if _core.is_building() else embedded


@public("v1.nn.max_pool")
def max_pool(
    value=None,
    ksize=None,
    strides=None,
    padding=None,
    data_format="NHWC",
    name=None,
    input=None,
) -> _core.Tensor:
    """The largest value of every window."""
    if value is not None and input is not None:
        raise ValueError("Cannot specify both 'value' and 'input'.")
    images = input if value is None else value
    return nn.max_pool(images, ksize, strides, padding, data_format, name or "MaxPool")


@public("v1.nn.nce_loss")
def nce_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=False,
    partition_strategy="mod",
    name="nce_loss",
) -> _core.Tensor:
    """Noise-contrastive estimation: the true classes against a few sampled ones."""
    return nn.nce_loss(
        _one_table(weights, partition_strategy),
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        name=name,
    )


@public("v1.nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=True,
    partition_strategy="mod",
    name="sampled_softmax_loss",
    seed=None,
) -> _core.Tensor:
    """The softmax loss over the true classes and a few sampled ones."""
    return nn.sampled_softmax_loss(
        _one_table(weights, partition_strategy),
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
        name=name,
    )


def _one_table(weights, partition_strategy):
    if isinstance(weights, (list, tuple)) and len(weights) > 1 and partition_strategy == "mod":
        raise ValueError("Weights in several tables are taken with partition_strategy='div' only.")
    return weights


@public("v1.nn.xw_plus_b")
def xw_plus_b(x, weights, biases, name=None) -> _core.Tensor:
    """The matrix product of x and weights, plus biases."""
    return raw_ops.XwPlusB(x=x, weights=weights, biases=biases, name=name)


@public("v1.nn.relu_layer")
def relu_layer(x, weights, biases, name=None) -> _core.Tensor:
    """The matrix product of x and weights, plus biases, where that is positive, and else 0."""
    return raw_ops.ReluLayer(x=x, weights=weights, biases=biases, name=name)


@public("v1.nn.fused_batch_norm")
def fused_batch_norm(
    x,
    scale,
    offset,
    mean=None,
    variance=None,
    epsilon=0.001,
    data_format="NHWC",
    is_training=True,
    name=None,
    exponential_avg_factor=1.0,
) -> tuple[_core.Tensor, _core.Tensor, _core.Tensor]:
    """(x normalized in each channel, the means, the variances)."""
    if is_training and exponential_avg_factor == 1.0 and (mean, variance) != (None, None):
        raise ValueError(
            "Both `mean` and `variance` must be None when `is_training` is True and "
            "`exponential_avg_factor` == 1.0."
        )
    if not is_training and (mean is None or variance is None):
        raise ValueError("Both `mean` and `variance` must be given when `is_training` is False.")
    empty = _core.to_tensor([], _core.to_tensor(scale).dtype)
    result = raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=empty if mean is None else mean,
        variance=empty if variance is None else variance,
        epsilon=max(epsilon, 1.001e-5),
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return result.y, result.batch_mean, result.batch_variance


@public("v1.nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes,
    filter=None,
    out_backprop=None,
    strides=None,
    padding=None,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=None,
    name=None,
    filters=None,
) -> _core.Tensor:
    """The gradient of a convolution with respect to its input."""
    return raw_ops.Conv2DBackpropInput(
        input_sizes=input_sizes,
        filter=filters if filter is None else filter,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=[1, 1, 1, 1] if dilations is None else dilations,
        name=name,
    )


@public("v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=None,
    name=None,
) -> _core.Tensor:
    """The gradient of a convolution with respect to its filter."""
    return raw_ops.Conv2DBackpropFilter(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=[1, 1, 1, 1] if dilations is None else dilations,
        name=name,
    )
