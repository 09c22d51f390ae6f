"""tf.strings: mostly ops under their public names (see _ops/ops.txt)."""

from penstock._ops import api as _api
from penstock._ops.printing import format
from penstock._ops.strings import ngrams

__all__ = ["format", "ngrams"]

__getattr__, __dir__ = _api.surface("strings")
