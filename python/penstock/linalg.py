"""tf.linalg: mostly ops under their public names (see _ops.txt)."""

from penstock import _api
from penstock._functions.basic import eye

__all__ = ["eye"]
__getattr__, __dir__ = _api.surface("linalg")
