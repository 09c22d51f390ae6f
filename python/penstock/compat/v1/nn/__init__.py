"""tf.compat.v1.nn: tf.nn with TensorFlow 1's names and arguments (see _names.txt)."""

from __future__ import annotations as _annotations

from penstock import _core
from penstock import nn as _today
from penstock import raw_ops as _raw_ops
from penstock._context.scope import graph_scope as _graph_scope
from penstock._context.scope import scoped as _scoped
from penstock._ops.arrays import tensor as _tensor
from penstock._ops.convert import cast as _cast
from penstock._ops.seeds import op_seeds as _op_seeds
from penstock.compat.v1 import _names
from penstock.compat.v1.nn._dynamic_rnn import bidirectional_dynamic_rnn, dynamic_rnn, raw_rnn
from penstock.compat.v1.nn._rnn import static_bidirectional_rnn, static_rnn


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None) -> _core.Tensor:
    """Sets random elements to zero and scales up the others."""
    if keep_prob is not None and rate is not None:
        raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
    if keep_prob is None and rate is None:
        raise ValueError("You must provide a rate to dropout.")
    kept = 1 - rate if keep_prob is None else keep_prob
    if not isinstance(kept, (_core.Tensor, _core.VariableHandle)):
        return _today.dropout(x, 1 - float(kept), noise_shape, seed, name)
    # The rate is a tensor, possibly a placeholder: the choice is made at run time.
    with _graph_scope(name or "dropout"):
        x = _tensor(x)
        kept = _cast(kept, x.dtype)
        shape = _raw_ops.Shape(input=x) if noise_shape is None else noise_shape
        drawn = _raw_ops.RandomUniform(shape=shape, dtype=x.dtype, **_op_seeds(seed))
        dropped = _raw_ops.SelectV2(
            condition=drawn >= 1 - kept, t=x / kept, e=_raw_ops.ZerosLike(x=x), name="SelectV2"
        )
    dropped.set_shape(x.shape)  # the rate is a number, even if its shape is unknown
    return dropped


@_scoped("softmax_cross_entropy_with_logits_sg")
def softmax_cross_entropy_with_logits(
    labels=None, logits=None, dim=-1, name=None, axis=None
) -> _core.Tensor:
    """The cross entropy of logits; no gradient goes to the labels."""
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    labels = _tensor(labels, getattr(logits, "dtype", None))
    labels = _raw_ops.StopGradient(input=labels, name="labels_stop_gradient")
    axis = dim if axis is None else axis
    return _today.softmax_cross_entropy_with_logits(labels, logits, axis, name)


def embedding_lookup(
    params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None
) -> _core.Tensor:
    """The rows of `params` that `ids` names; row i of several tables is by default in table
    i modulo their number."""
    if not isinstance(params, (list, tuple)) or len(params) == 1 or partition_strategy == "div":
        return _today.embedding_lookup(params, ids, max_norm, name)
    if partition_strategy != "mod":
        raise ValueError(
            f"Unrecognized partition strategy: {partition_strategy}.Must be one of either `mod` or "
            "`div`."
        )
    return _lookup_in_turns(params, ids, max_norm, name)


@_scoped("embedding_lookup")
def _lookup_in_turns(params, ids, max_norm, name):
    # Interleaved rows are in order, once the shorter tables are padded.
    tables = [_tensor(each) for each in params]
    counts = [_raw_ops.Shape(input=each)[0] for each in tables]
    fill = [[counts[0] - count] for count in counts]
    padded = [
        _raw_ops.ConcatV2(
            values=[
                each,
                _raw_ops.Fill(
                    dims=_raw_ops.ConcatV2(values=[more, _raw_ops.Shape(input=each)[1:]], axis=0),
                    value=_tensor(0, each.dtype),
                ),
            ],
            axis=0,
        )
        for each, more in zip(tables, fill, strict=True)
    ]
    shape = _raw_ops.Shape(input=tables[0])[1:]
    rows = _raw_ops.Pack(values=padded, axis=1)
    rows = _raw_ops.Reshape(tensor=rows, shape=_raw_ops.ConcatV2(values=[[-1], shape], axis=0))
    found = _today.embedding_lookup(rows, ids, max_norm)
    last = "Reshape_1" if max_norm is None else "clip_by_norm"
    return _raw_ops.Identity(input=found, name=last) if _core.is_building() else found


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
    return _today.max_pool(images, ksize, strides, padding, data_format, name or "MaxPool")


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
    return _today.nce_loss(
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
    return _today.sampled_softmax_loss(
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


def xw_plus_b(x, weights, biases, name=None) -> _core.Tensor:
    """The matrix product of x and weights, plus biases."""
    return _raw_ops.XwPlusB(x=x, weights=weights, biases=biases, name=name)


def relu_layer(x, weights, biases, name=None) -> _core.Tensor:
    """The matrix product of x and weights, plus biases, with relu."""
    return _raw_ops.ReluLayer(x=x, weights=weights, biases=biases, name=name)


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
    """(x normalised in each channel, the means, the variances)."""
    if is_training and exponential_avg_factor == 1.0 and (mean, variance) != (None, None):
        raise ValueError(
            "Both `mean` and `variance` must be None when `is_training` is True and "
            "`exponential_avg_factor` == 1.0."
        )
    if not is_training and (mean is None or variance is None):
        raise ValueError("Both `mean` and `variance` must be given when `is_training` is False.")
    empty = _tensor([], _tensor(scale).dtype)
    made = _raw_ops.FusedBatchNormV3(
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
    return made.y, made.batch_mean, made.batch_variance


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
    return _raw_ops.Conv2DBackpropInput(
        input_sizes=input_sizes,
        filter=filters if filter is None else filter,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=[1, 1, 1, 1] if dilations is None else dilations,
        name=name,
    )


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
    return _raw_ops.Conv2DBackpropFilter(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=[1, 1, 1, 1] if dilations is None else dilations,
        name=name,
    )


_find, _list = _names.surface("nn", "nn", without=("gelu",))


def __getattr__(name):
    if name == "rnn_cell":  # its layers use this module
        from importlib import import_module

        return import_module("penstock.compat.v1.nn.rnn_cell")
    return _find(name)


def __dir__():
    return sorted({*_list(), "rnn_cell"})
