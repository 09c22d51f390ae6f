"""tf.data: input pipelines, computed in C++, their buffers counted and bounded."""

from penstock import _api
from penstock.data import experimental

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

__getattr__, __dir__ = _api.surface("data")
