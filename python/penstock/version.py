"""tf.version: the TensorFlow whose names these are.

Penstock's own is penstock.__version__, unless it stands in TensorFlow's place
(install_as_tensorflow).
"""

from penstock import _api

VERSION = "2.21.0"
GIT_VERSION = "unknown"

__getattr__, __dir__ = _api.surface("version")
