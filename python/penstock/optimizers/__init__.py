"""tf.optimizers: SGD, Adam and their kin, as Keras reckons them."""

from penstock import _api
from penstock.optimizers import schedules

__getattr__, __dir__ = _api.surface("optimizers")
