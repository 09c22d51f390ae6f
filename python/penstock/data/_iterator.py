"""Iterators of datasets: tf.data.Iterator, and elements as NumPy arrays."""

from __future__ import annotations

import abc
import atexit

from penstock import _core, errors
from penstock._api import public
from penstock._context.trace import current, keep_calls
from penstock._tensors.composite import Composite, LoopSource
from penstock._variables.track import StateHolder
from penstock.data import _structure
from penstock.data._optional import Optional
from penstock.data._structure import HandleSpec

# Elements that one trace takes by `next`: a loop that unrolls so many is one without end.
_MOST_ITERATED = 10_000

# Before the interpreter goes away: threads of iterators may need it.
atexit.register(_core.close_all_iterators)


@public("data.IteratorSpec")
class IteratorSpec(HandleSpec):
    """The spec of an iterator.

    Args:
      element_spec: The spec of its elements.

    >>> tf.type_spec_from_value(iter(tf.data.Dataset.range(3)))
    IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)
    """

    __slots__ = ()

    value_type = property(lambda self: OwnedIterator)

    @staticmethod
    def from_value(value):
        """The spec of an iterator."""
        return IteratorSpec(value.element_spec)

    def _of_handle(self, handle):
        return TracedIterator(handle, self._element_spec)


@public("data.Iterator")
class Iterator(abc.ABC):
    """The base of iterators: `iter(dataset)` is one."""

    def __iter__(self):
        return self

    @property
    @abc.abstractmethod
    def element_spec(self):
        """The spec of an element."""

    @abc.abstractmethod
    def __next__(self): ...

    @abc.abstractmethod
    def get_next(self):
        """The next element; OutOfRangeError at the end."""

    @abc.abstractmethod
    def get_next_as_optional(self):
        """The next element as a tf.experimental.Optional, which is empty at the end."""


class _IteratorBase(Iterator, Composite, LoopSource):
    """What iterators have in common: in a function that is traced, their handle is an input."""

    element_spec = property(lambda self: self._element_spec)
    _type_spec = property(lambda self: IteratorSpec(self._element_spec))

    def _with_parts(self, parts):
        return self._type_spec._with_parts(parts)

    def _parts_key(self):
        return self._type_spec._parts_key()


class TracedIterator(_IteratorBase):
    """An iterator in a function that is traced, or in a graph: a tensor stands for it."""

    def __init__(self, handle, element_spec):
        self._handle, self._element_spec = handle, element_spec

    def _parts(self):
        return [self._handle]

    def _loop(self):
        return self

    def get_next(self, name=None):
        """The next element; OutOfRangeError at the end."""
        parts = _structure.core_spec(self._element_spec)
        components = _core.add_iterator_next(self._handle, parts)
        return _structure.element_of(self._element_spec, components)

    def __next__(self):
        _count_next()
        return self.get_next()

    next = __next__

    def get_next_as_optional(self):
        """The next element as a tf.experimental.Optional, which is empty at the end."""
        return Optional._of(_core.add_next_optional(self._handle), self._element_spec)

    def advance(self):
        """Goes on to the next element; false at the end, as a tensor."""
        return _core.add_iterator_advance(self._handle)

    def current(self):
        """The element that `advance` went to."""
        parts = _structure.core_spec(self._element_spec)
        components = _core.add_iterator_current(self._handle, parts)
        return _structure.element_of(self._element_spec, components)


def _count_next():
    """Raises RuntimeError where a loop in Python over an iterator does not end."""
    tracing = current()
    if tracing is None:
        return
    tracing.num_iterated += 1
    if tracing.num_iterated > _MOST_ITERATED:
        raise RuntimeError(
            f"A function that is traced took {_MOST_ITERATED} elements of a dataset one by one: a "
            "loop in Python, such as a list comprehension or list(dataset), does not end there. "
            "Use a `for` statement, which AutoGraph converts, or Dataset.reduce."
        )


def iterate(dataset):
    """A new iterator, each time that the function that is traced runs."""
    if _core.is_building():
        raise RuntimeError(
            "`tf.data.Dataset` only supports Python-style iteration in eager mode or within "
            "tf.function."
        )
    if not _core.is_tracing():
        return OwnedIterator(dataset)
    keep_calls([dataset])
    return TracedIterator(_core.add_iterator(dataset._core), dataset.element_spec)


class OwnedIterator(_IteratorBase, StateHolder):
    """An iterator over a dataset. It may be saved in a checkpoint."""

    _STATE = "ITERATOR_STATE"

    def __init__(self, dataset):
        self._dataset = dataset
        self._element_spec = dataset.element_spec
        self._core = _core.DatasetIterator(dataset._core)

    def _save_state(self):
        return self._core.save()

    def _restore_state(self, state):
        self._core.restore(state)

    def _parts(self):
        return [self._core.handle()]

    def _loop(self):
        return TracedIterator(self._core.handle(), self._element_spec)

    def __next__(self):
        if _core.is_tracing():
            return next(self._loop())
        components = self._core.next()
        if components is None:
            raise StopIteration
        return _structure.element_of(self._element_spec, components)

    next = __next__

    def get_next(self):
        """The next element; OutOfRangeError at the end."""
        if _core.is_tracing():
            return self._loop().get_next()
        components = self._core.next()
        if components is None:
            raise errors.OutOfRangeError(None, None, "End of sequence")
        return _structure.element_of(self._element_spec, components)

    def get_next_as_optional(self):
        """The next element as a tf.experimental.Optional, which is empty at the end."""
        return self._loop().get_next_as_optional()

    def __repr__(self):
        return f"<{type(self).__module__}.OwnedIterator object at {id(self):#x}>"


@public("data.NumpyIterator")
class NumpyIterator:
    """The elements of a dataset as NumPy arrays, scalars and bytes.

    Args:
      dataset: The dataset.
    """

    def __init__(self, dataset):
        if _core.is_tracing():
            raise RuntimeError(
                "`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode."
            )
        for leaf in _structure.flatten(dataset.element_spec):
            if isinstance(leaf, (_structure.NoneTensorSpec, _structure.DatasetSpec)):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that "
                    f"produce values of type {getattr(leaf, 'value_type', type(None))}"
                )
        self._iterator = iter(dataset)

    def __iter__(self):
        return self

    def __next__(self):
        return _structure.map_leaves(lambda leaf: leaf.numpy(), next(self._iterator))

    def next(self):
        """The next element."""
        return self.__next__()

    def save(self):
        """The position, as bytes."""
        return self._iterator._core.save()

    def restore(self, state):
        """Goes to the position that `save` returned."""
        self._iterator._core.restore(state)


@public("data.experimental.get_next_as_optional", "v1.data.experimental.get_next_as_optional")
def get_next_as_optional(iterator):
    """The next element as an optional."""
    return iterator.get_next_as_optional()
