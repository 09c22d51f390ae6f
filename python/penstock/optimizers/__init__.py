"""tf.optimizers: SGD, Adam and other optimizers, with the formulas of Keras."""

from penstock import _api
from penstock.optimizers import schedules

__getattr__, __dir__ = _api.surface("optimizers")
