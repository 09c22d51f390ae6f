"""tf.types: names for annotations."""

from penstock import _api
from penstock.types import experimental

__getattr__, __dir__ = _api.surface("types")
