"""tf.experimental."""

from penstock import _api
from penstock.experimental import dlpack

__getattr__, __dir__ = _api.surface("experimental")
