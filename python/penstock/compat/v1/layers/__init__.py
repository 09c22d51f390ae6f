"""tf.compat.v1.layers: layers as functions, with variables in variable scopes."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("layers")
