"""tf.autodiff.ForwardAccumulator: forward-mode derivatives."""

from __future__ import annotations

import logging

from penstock import _core, nest
from penstock._api import public
from penstock._autodiff import tape as _tape
from penstock._autodiff.tape import UnconnectedGradients
from penstock._base.nest import flatten, pack_like
from penstock._tensors.tensor import Tensor


@public("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """Jacobian-vector products of the ops inside `with`, in forward mode.

    The vector is given beforehand, as the tangents of the primals; `jvp` then finds what it became.
    A tangent is kept as long as the tensor that it belongs to.
    """

    def __init__(self, primals, tangents):
        self._accumulator = _core.ForwardAccumulator()
        self._recording = False
        seen = set()
        for primal in flatten(primals):
            if id(primal) in seen:
                raise ValueError(
                    f"Tensor {primal} was specified as a primal multiple times. This may indicate "
                    "an error. If it was intended, please sum the corresponding tangents."
                )
            seen.add(id(primal))
        self._watch(primals, tangents)

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._accumulator.start()
        self._recording = True
        _tape.count_open(1)
        return self

    def __exit__(self, *unused):
        if self._recording:
            self._accumulator.stop()
            self._recording = False
            _tape.count_open(-1)

    def _watch(self, primals, tangents):
        """Gives primals their tangents, or adds to existing ones."""
        nest.assert_same_structure(primals, tangents)
        for primal, tangent in zip(flatten(primals), flatten(tangents), strict=True):
            if not primal.dtype.is_floating:
                logging.getLogger("tensorflow").warning(
                    "The dtype of the watched primal must be floating (e.g. tf.float32), got %r",
                    primal.dtype,
                )
            self._accumulator.watch(primal, _fitting(primal, tangent))

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """The tangents of tensors and variables; None, or zeros, where they have none."""
        zeros = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return pack_like(primals, [self._find(primal, zeros) for primal in flatten(primals)])

    def _find(self, primal, zeros) -> Tensor | None:
        primal._id  # noqa: B018 - what is no tensor has none, and the error says so
        tangent = self._accumulator.jvp(primal)
        if tangent is None and zeros:
            from penstock._ops.create import zeros_like

            return zeros_like(primal)
        return tangent


def _fitting(primal, tangent) -> Tensor:
    """The tangent, broadcast to the primal's shape."""
    tangent = _core.to_tensor(tangent, primal.dtype)
    if tangent.shape.is_compatible_with(primal.shape):
        return tangent
    from penstock import errors, raw_ops
    from penstock._ops.convert import shape_of

    try:
        return raw_ops.BroadcastTo(input=tangent, shape=shape_of(primal))
    except errors.InvalidArgumentError:
        raise ValueError(
            f"Dimensions must be equal: a tangent of shape {tangent.shape} does not fit a primal "
            f"of shape {primal.shape}"
        ) from None
