"""tf.compat.v1.gfile: tf.io.gfile under TensorFlow 1's names."""

from penstock.compat.v1 import _names
from penstock.io._gfile import walk as _walk


def Walk(top, in_order=True):
    """(folder, its folders, its files) of a folder and all folders below it."""
    return _walk(top, in_order)


__getattr__, __dir__ = _names.surface("gfile")
