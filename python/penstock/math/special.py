"""tf.math.special: Bessel functions and other integrals (see _ops/ops.txt)."""

from penstock._ops import api as _api

__getattr__, __dir__ = _api.surface("math.special")
