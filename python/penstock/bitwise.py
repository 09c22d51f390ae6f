"""tf.bitwise: ops under their public names (see _ops/ops.txt)."""

from penstock._ops import api as _api

__getattr__, __dir__ = _api.surface("bitwise")
