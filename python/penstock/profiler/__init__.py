"""tf.profiler: the uses of a program's memory, the lines that allocate it, and how to save it."""

from penstock import _api
from penstock.profiler import experimental, memory

__getattr__, __dir__ = _api.surface("profiler")
