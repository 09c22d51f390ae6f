"""tf.version: the version of TensorFlow whose API this is.

Penstock's own version is penstock.__version__, unless it is installed as tensorflow
(install_as_tensorflow).
"""

from penstock import _api

VERSION = "2.21.0"
GIT_VERSION = "unknown"

__getattr__, __dir__ = _api.surface("version")
