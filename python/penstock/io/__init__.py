"""tf.io: files, serialized tensors, records."""

from penstock import _api
from penstock.io import gfile, safetensors

__getattr__, __dir__ = _api.surface("io")
