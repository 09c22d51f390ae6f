"""tf.autodiff: the tape. There is no forward mode."""

from penstock import _api
from penstock._tape import GradientTape

__all__ = ["GradientTape"]
__getattr__, __dir__ = _api.surface("autodiff")
