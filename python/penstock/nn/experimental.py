"""tf.nn.experimental: stateless dropout."""

from penstock import _api

__getattr__, __dir__ = _api.surface("nn.experimental")
