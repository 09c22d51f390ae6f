"""tf.compat.v1.data.experimental: tf.data.experimental, whose datasets are TensorFlow 1's."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("data.experimental", "data.experimental")
