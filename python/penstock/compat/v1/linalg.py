"""tf.compat.v1.linalg: tf.linalg with TensorFlow 1's names and arguments (see _names.txt)."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("linalg", "linalg", without=("eig", "eigvals"))
