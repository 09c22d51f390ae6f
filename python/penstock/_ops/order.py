"""Elements in another order along a dimension."""

from __future__ import annotations

from penstock import raw_ops
from penstock._api import public
from penstock._core import Tensor


@public("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None) -> Tensor:
    """The values in order along an axis, NaN being the largest."""
    return raw_ops.Sort(values=values, axis=axis, direction=_checked(direction), name=name)


@public("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None) -> Tensor:
    """The positions that put the values in order along an axis; equal ones keep their order."""
    return raw_ops.ArgSort(
        values=values, axis=axis, direction=_checked(direction), stable=stable, name=name
    )


def _checked(direction):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    return direction


@public("reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None) -> Tensor:
    """The first seq_lengths[i] elements of every row in opposite order."""
    if seq_axis is None:
        raise TypeError("reverse_sequence() missing argument 'seq_axis'")
    return raw_ops.ReverseSequence(
        input=input,
        seq_lengths=seq_lengths,
        seq_dim=seq_axis,
        batch_dim=batch_axis or 0,
        name=name,
    )
