"""tf.types: names for annotations."""

from penstock._ops import api as _api
from penstock.types import experimental

__getattr__, __dir__ = _api.surface("types")
