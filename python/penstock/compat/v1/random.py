"""tf.compat.v1.random: tf.random with TensorFlow 1's names and arguments (see _names.txt)."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("random", "random", without=("set_seed",))
