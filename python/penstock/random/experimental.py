"""tf.random.experimental: the names that generators and stateless functions had first."""

from penstock import _api

__getattr__, __dir__ = _api.surface("random.experimental")
