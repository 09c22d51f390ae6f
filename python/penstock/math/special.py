"""tf.math.special: Bessel functions and other integrals (see _api/ops.txt)."""

from penstock import _api

__getattr__, __dir__ = _api.surface("math.special")
