"""tf.nn.experimental: dropout by a seed."""

from penstock import _api

__getattr__, __dir__ = _api.surface("nn.experimental")
