"""tf.compat.v1.gfile: tf.io.gfile under TensorFlow 1's names."""

from penstock.io.gfile import GFile
from penstock.io.gfile import copy as Copy
from penstock.io.gfile import exists as Exists
from penstock.io.gfile import glob as Glob
from penstock.io.gfile import isdir as IsDirectory
from penstock.io.gfile import listdir as ListDirectory
from penstock.io.gfile import makedirs as MakeDirs
from penstock.io.gfile import mkdir as MkDir
from penstock.io.gfile import remove as Remove
from penstock.io.gfile import rename as Rename
from penstock.io.gfile import rmtree as DeleteRecursively
from penstock.io.gfile import stat as Stat
from penstock.io.gfile import walk as _walk

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]

FastGFile = Open = GFile


def Walk(top, in_order=True):
    """(folder, its folders, its files) of a folder and all folders below it."""
    return _walk(top, in_order)
