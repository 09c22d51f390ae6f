"""tf.data.experimental: transformations as functions for Dataset.apply, and files."""

from penstock import _api

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2
SHARD_HINT = -1

__getattr__, __dir__ = _api.surface("data.experimental")
