"""tf.io: bytes and what they stand for (see _ops.txt)."""

from penstock import _api

__getattr__, __dir__ = _api.surface("io")
