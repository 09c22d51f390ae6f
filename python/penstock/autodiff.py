"""tf.autodiff: the tape, and forward mode."""

from penstock._autodiff.forward import ForwardAccumulator
from penstock._autodiff.tape import GradientTape
from penstock._ops import api as _api

__all__ = ["ForwardAccumulator", "GradientTape"]
__getattr__, __dir__ = _api.surface("autodiff")
