"""tf.autodiff: the tape, and forward mode."""

from penstock import _api
from penstock._autodiff.forward import ForwardAccumulator
from penstock._autodiff.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
__getattr__, __dir__ = _api.surface("autodiff")
