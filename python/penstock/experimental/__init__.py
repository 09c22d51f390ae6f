"""tf.experimental."""

from penstock._ops.basic import from_numpy
from penstock.experimental import dlpack

__all__ = ["dlpack", "from_numpy"]
