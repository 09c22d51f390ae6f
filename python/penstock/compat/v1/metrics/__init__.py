"""tf.compat.v1.metrics: metrics accumulated over batches, as (value, update_op) pairs."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("metrics")
