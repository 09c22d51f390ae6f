"""tf.strings: mostly ops under their public names (see _ops.txt)."""

from penstock import _api
from penstock._functions.printing import format
from penstock._functions.texts import ngrams

__all__ = ["format", "ngrams"]

__getattr__, __dir__ = _api.surface("strings")
