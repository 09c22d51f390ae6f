"""tf.compat.v1.train: optimizers, learning rates and the global step of TensorFlow 1."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("train", "train")
