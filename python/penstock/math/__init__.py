"""tf.math: mostly ops under their public names (see _api/ops.txt)."""

from penstock import _api
from penstock.math import special

__getattr__, __dir__ = _api.surface("math")
