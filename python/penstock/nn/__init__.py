"""tf.nn: mostly ops under their public names (see _api/ops.txt)."""

from penstock import _api
from penstock.nn import experimental

__getattr__, __dir__ = _api.surface("nn")
