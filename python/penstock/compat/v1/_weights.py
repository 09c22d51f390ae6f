"""Weights of examples, for losses and metrics."""

from __future__ import annotations

from penstock import raw_ops
from penstock._ops.convert import cast


def check_weights(weights, values) -> None:
    """ValueError where the shapes are known not to fit: weights are one number, or have as many
    dimensions as the values, each of 1 or of the same size."""
    own, wanted = weights.shape, values.shape
    if own.rank is None or wanted.rank is None or own.rank == 0:
        return
    prefix = "weights can not be broadcast to values."
    if own.rank != wanted.rank:
        raise ValueError(
            f"{prefix} values.rank={wanted.rank}. weights.rank={own.rank}. "
            f"values.shape={wanted}. weights.shape={own}."
        )
    for size, full in zip(own.as_list(), wanted.as_list(), strict=True):
        if size not in (1, None) and full is not None and size != full:
            raise ValueError(f"{prefix} Mismatch. values.shape={wanted}. weights.shape={own}.")


def num_present(values, weights, axes=None):
    """The number of values with a non-zero weight, over the given axes."""
    counted = cast(raw_ops.NotEqual(x=weights, y=cast(0, weights.dtype)), values.dtype)
    counted = counted * raw_ops.OnesLike(x=values)
    if axes is None:
        return raw_ops.Sum(input=counted)
    return raw_ops.Sum(input=counted, axis=axes, keepdims=True)


def squeeze_last(values, rank):
    """The values without a last dimension of 1, where there is one more than `rank`."""
    own = values.shape
    if None not in (own.rank, rank) and own.rank == rank + 1 and own[-1] in (1, None):
        return raw_ops.Squeeze(input=values, axis=[-1])
    return values
