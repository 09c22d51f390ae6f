"""tf.io.gfile: files and folders, with TensorFlow's errors."""

from penstock import _api

__getattr__, __dir__ = _api.surface("io.gfile")
