"""tf.math: mostly ops under their public names (see _ops.txt)."""

from penstock import _api
from penstock._functions.basic import divide

__all__ = ["divide"]
__getattr__, __dir__ = _api.surface("math")
