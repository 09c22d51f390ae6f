"""tf.strings: mostly ops under their public names (see _api/ops.txt)."""

from penstock import _api
from penstock._ops.printing import format
from penstock._ops.strings import ngrams

__all__ = ["format", "ngrams"]

__getattr__, __dir__ = _api.surface("strings")
