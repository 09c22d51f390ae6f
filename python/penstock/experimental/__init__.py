"""tf.experimental."""

from penstock._functions.basic import from_numpy
from penstock.experimental import dlpack

__all__ = ["dlpack", "from_numpy"]
