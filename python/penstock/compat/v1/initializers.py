"""tf.compat.v1.initializers: first values of variables, of a shape given later."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("initializers")
