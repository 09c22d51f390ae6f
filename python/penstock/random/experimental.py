"""tf.random.experimental: former names of generators and stateless functions."""

from penstock import _api

__getattr__, __dir__ = _api.surface("random.experimental")
