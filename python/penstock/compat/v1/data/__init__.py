"""tf.compat.v1.data: input pipelines as TensorFlow 1 has them, with iterators in graphs."""

from penstock.compat.v1 import _names
from penstock.compat.v1.data import experimental

_READERS = frozenset(["FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"])
_find, __dir__ = _names.surface(
    "data", "data", without=("IteratorSpec", "MemoryPlan", "NumpyIterator")
)


def __getattr__(name):
    if name not in _READERS:
        return _find(name)
    from penstock.compat.v1.data import _todays

    found = globals()[name] = _todays.as_version_1("data", name)
    return found
