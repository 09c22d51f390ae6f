"""tf.compat.v1.data: input pipelines as TensorFlow 1 has them, with iterators in graphs."""

from penstock.compat.v1 import _names
from penstock.compat.v1.data import experimental

__getattr__, __dir__ = _names.surface("data", "data", without=("Iterator", "MemoryPlan"))
