"""tf.compat.v1.data.experimental.make_saveable_from_iterator: positions of iterators in a Saver."""

from __future__ import annotations

import numpy as np

from penstock import _core, dtypes
from penstock._api import public
from penstock._context.trace import call_when_run
from penstock._tensors.shape import TensorShape
from penstock.compat.v1.train._saver import Saveable


class IteratorSaveable(Saveable):
    """The position of an iterator of a graph, which a Saver saves as it does a variable."""

    shape = TensorShape([None])
    dtype = dtypes.uint8

    def __init__(self, iterator):
        self._handle = iterator._handle
        self.name = iterator._handle.name.partition(":")[0] + "/ITERATOR_STATE"
        (self._state,) = call_when_run(
            "SerializeIterator",
            lambda handle: [_core.to_tensor(np.frombuffer(_core.save_iterator(handle), np.uint8))],
            iterator._handle,
            [(dtypes.uint8, (None,))],
            node="SerializeIterator",
        )

    def _as_graph_element(self):
        return self._state

    def load(self, value, session):
        """Goes to a saved position in a session, where the iterator must have been started."""
        handle = session._run_tensor(self._handle)
        _core.restore_iterator(handle, np.asarray(value).tobytes())


@public(
    "data.experimental.make_saveable_from_iterator",
    "v1.data.experimental.make_saveable_from_iterator",
)
def make_saveable_from_iterator(iterator, external_state_policy=None):
    """The position of an iterator of a graph, for tf.compat.v1.train.Saver: added to the collection
    SAVEABLE_OBJECTS or passed as part of `var_list`.

    Args:
      iterator: The iterator.
      external_state_policy: Taken as in TensorFlow, and not used.
    """
    return IteratorSaveable(iterator)
