"""tf.compat.v1.metrics: figures that gather over many batches, as (value, update_op) pairs."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("metrics")
