"""tf.profiler: what a program's memory is for, where it is asked for, and what to do about it."""

from penstock import _api
from penstock.profiler import experimental, memory

__getattr__, __dir__ = _api.surface("profiler")
