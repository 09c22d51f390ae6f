"""tf.bitwise: ops under their public names (see _api/ops.txt)."""

from penstock import _api

__getattr__, __dir__ = _api.surface("bitwise")
