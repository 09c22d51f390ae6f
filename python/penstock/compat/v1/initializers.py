"""tf.compat.v1.initializers: initial values of variables."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("initializers")
