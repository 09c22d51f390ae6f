"""Losses over a few sampled classes."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._context.scope import graph_scope, scoped
from penstock._core import Tensor
from penstock._ops.convert import cast, size_of
from penstock._ops.seeds import next_seeds, op_seeds


def _drawn(op, seed, **arguments):
    """`op` with the seeds of a call with `seed`."""
    return op(**arguments, **op_seeds(seed))


@public("nn.compute_accidental_hits")
@scoped("compute_accidental_hits")
def compute_accidental_hits(
    true_classes, sampled_candidates, num_true, seed=None, name=None
) -> tuple[Tensor, Tensor, Tensor]:
    """Where a sampled class is a true one: (row, position in the sample, a weight of -max)."""
    key, op_seed = next_seeds(seed)  # TensorFlow consumes them, though nothing is drawn
    return raw_ops.ComputeAccidentalHits(
        true_classes=cast(true_classes, dtypes.int64),
        sampled_candidates=cast(sampled_candidates, dtypes.int64),
        num_true=num_true,
        seed=key,
        seed2=op_seed,
    )


def _loss(op, seed, remove_hits, **arguments):
    """A loss with its own sampling."""
    drawn = _drawn(op, seed, remove_accidental_hits=remove_hits, **arguments)
    if remove_hits:
        next_seeds()  # as compute_accidental_hits does
    return drawn


def _joined(weights):
    if isinstance(weights, (list, tuple)):
        return weights[0] if len(weights) == 1 else raw_ops.ConcatV2(values=list(weights), axis=0)
    return weights


def _logits(weights, biases, labels, inputs, sampled, num_true, remove_hits):
    """(logits, labels) of the true classes and of the sampled ones."""
    ids, true_expected, sampled_expected = sampled
    inputs, labels = _core.to_tensor(inputs), cast(labels, dtypes.int64)
    ids = cast(ids, dtypes.int64)
    flat = raw_ops.Reshape(tensor=labels, shape=[-1])
    rows = raw_ops.GatherV2(params=weights, indices=flat, axis=0)
    rows = raw_ops.Reshape(tensor=rows, shape=[-1, num_true, size_of(inputs, -1)])
    products = rows * raw_ops.ExpandDims(input=inputs, axis=1)
    bias = raw_ops.GatherV2(params=biases, indices=flat, axis=0)
    true_logits = raw_ops.Sum(input=products, axis=[-1])
    true_logits += raw_ops.Reshape(tensor=bias, shape=[-1, num_true])
    others = raw_ops.GatherV2(params=weights, indices=ids, axis=0)
    logits = raw_ops.MatMul(a=inputs, b=others, transpose_b=True)
    logits += raw_ops.GatherV2(params=biases, indices=ids, axis=0)
    if remove_hits:
        row, place, weight = compute_accidental_hits(labels, ids, num_true)
        spots = raw_ops.Pack(values=[cast(row, dtypes.int64), place], axis=1)
        weight = cast(weight, logits.dtype)
        logits = raw_ops.TensorScatterAdd(tensor=logits, indices=spots, updates=weight)
    true_logits -= raw_ops.Log(x=cast(true_expected, logits.dtype))
    logits -= raw_ops.Log(x=cast(sampled_expected, logits.dtype))
    ones = raw_ops.OnesLike(x=true_logits) / num_true
    return (
        raw_ops.ConcatV2(values=[true_logits, logits], axis=1),
        raw_ops.ConcatV2(values=[ones, raw_ops.ZerosLike(x=logits)], axis=1),
    )


@public("nn.nce_loss")
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
    name="nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: the true classes against a few sampled ones.

    Args:
      weights: A row for each class.
      biases: A vector with a number for each class.
      labels: The right classes of each example: int64.
      inputs: A row for each example.
      num_sampled: How many classes are sampled.
      num_classes: How many classes there are.
      num_true: How many right classes an example has.
      sampled_values: What a candidate sampler returned; None samples here.
      remove_accidental_hits: True to leave out sampled classes that are right.
      name: The name of the operation in a graph.

    Returns:
      A loss for each example.

    >>> tf.random.set_seed(1)
    >>> weights, biases, rows = tf.ones([10, 4]), tf.zeros([10]), tf.ones([2, 4])
    >>> tf.nn.nce_loss(weights, biases, [[1], [2]], rows, num_sampled=3, num_classes=10).shape
    TensorShape([2])
    """
    with graph_scope(name):
        weights, labels = _joined(weights), cast(labels, dtypes.int64)
    if sampled_values is not None:
        logits, wanted = _logits(
            weights, biases, labels, inputs, sampled_values, num_true, remove_accidental_hits
        )
        losses = raw_ops.SigmoidCrossEntropyWithLogits(labels=wanted, logits=logits)
        return raw_ops.Sum(input=losses, axis=[1], name=name)
    return _loss(
        raw_ops.NceLoss,
        None,
        remove_accidental_hits,
        weights=weights,
        biases=biases,
        labels=labels,
        inputs=inputs,
        num_sampled=num_sampled,
        num_classes=num_classes,
        num_true=num_true,
    )


@public("nn.sampled_softmax_loss")
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
    seed=None,
    name="sampled_softmax_loss",
) -> Tensor:
    """The softmax loss over the true classes and a few sampled ones."""
    with graph_scope(name):
        weights, labels = _joined(weights), cast(labels, dtypes.int64)
    if sampled_values is not None:
        logits, wanted = _logits(
            weights, biases, labels, inputs, sampled_values, num_true, remove_accidental_hits
        )
        wanted = raw_ops.StopGradient(input=wanted)
        return raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=wanted, name=name).loss
    return _loss(
        raw_ops.SampledSoftmaxLoss,
        seed,
        remove_accidental_hits,
        weights=weights,
        biases=biases,
        labels=labels,
        inputs=inputs,
        num_sampled=num_sampled,
        num_classes=num_classes,
        num_true=num_true,
    )
