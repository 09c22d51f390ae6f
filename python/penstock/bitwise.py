"""tf.bitwise: ops under their public names (see _ops.txt)."""

from penstock import _api

__getattr__, __dir__ = _api.surface("bitwise")
