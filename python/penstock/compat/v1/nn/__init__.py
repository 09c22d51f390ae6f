"""tf.compat.v1.nn: tf.nn with TensorFlow 1's names and arguments (see _names.txt)."""

from penstock.compat.v1 import _names
from penstock.compat.v1.nn import rnn_cell

__getattr__, __dir__ = _names.surface("nn", "nn", without=("gelu",))
