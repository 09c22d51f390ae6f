"""tf.experimental.dlpack: memory shared with other libraries."""

from penstock import _api

__getattr__, __dir__ = _api.surface("experimental.dlpack")
