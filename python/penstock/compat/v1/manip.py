"""tf.compat.v1.manip: functions under TensorFlow 1's names (see _names.txt)."""

from penstock.compat.v1 import _names

__getattr__, __dir__ = _names.surface("manip")
