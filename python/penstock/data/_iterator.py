"""Iterators of datasets: tf.data.Iterator, Optional, and elements as NumPy arrays."""

from __future__ import annotations

import abc

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._tensors.composite import Composite, LoopSource
from penstock._tensors.spec import TypeSpec
from penstock.data import _structure


@public("data.IteratorSpec")
class IteratorSpec(TypeSpec):
    """The spec of an iterator.

    Args:
      element_spec: The spec of its elements.
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec):
        self._element_spec = element_spec

    value_type = property(lambda self: OwnedIterator)

    @staticmethod
    def from_value(value):
        """The spec of an iterator."""
        return IteratorSpec(value.element_spec)

    def is_compatible_with(self, other):
        own = other._element_spec if isinstance(other, IteratorSpec) else None
        own = other.element_spec if isinstance(other, Iterator) else own
        return own is not None and _structure.are_compatible(self._element_spec, own)

    def __eq__(self, other):
        return isinstance(other, IteratorSpec) and self._element_spec == other._element_spec

    def __hash__(self):
        return hash(IteratorSpec)

    def __repr__(self):
        return f"IteratorSpec({self._element_spec!r},)"


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
        return TracedIterator(parts[0], self._element_spec)

    def _parts_key(self):
        return repr(self._element_spec)


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
        return self.get_next()

    next = __next__

    def get_next_as_optional(self):
        """The next element as a tf.experimental.Optional, which is empty at the end."""
        parts = _structure.core_spec(self._element_spec)
        has_value = _core.add_iterator_advance(self._handle)
        return TracedOptional(self._element_spec, has_value, self._handle, parts)

    def advance(self):
        """Goes on to the next element; false at the end, as a tensor."""
        return _core.add_iterator_advance(self._handle)

    def current(self):
        """The element that `advance` went to."""
        parts = _structure.core_spec(self._element_spec)
        components = _core.add_iterator_current(self._handle, parts)
        return _structure.element_of(self._element_spec, components)


def iterate(dataset):
    """A new iterator, each time that the function that is traced runs."""
    if _core.is_tracing():
        return TracedIterator(_core.add_iterator(dataset._core), dataset.element_spec)
    return OwnedIterator(dataset)


class OwnedIterator(_IteratorBase):
    """An iterator over a dataset. It may be saved in a checkpoint."""

    def __init__(self, dataset):
        self._dataset = dataset
        self._element_spec = dataset.element_spec
        self._core = _core.DatasetIterator(dataset._core)

    def _parts(self):
        return [self._core.handle()]

    def _loop(self):
        return TracedIterator(self._core.handle(), self._element_spec)

    def __next__(self):
        if _core.is_tracing():
            return self._loop().get_next()
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
        if _core.is_tracing():
            return self._loop().get_next_as_optional()
        components = self._core.next()
        if components is None:
            return Optional.empty(self._element_spec)
        return Optional(self._element_spec, components)

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


@public("OptionalSpec")
class OptionalSpec(TypeSpec):
    """The spec of a tf.experimental.Optional.

    Args:
      element_spec: The spec of its value.
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec):
        self._element_spec = element_spec

    value_type = property(lambda self: Optional)

    @staticmethod
    def from_value(value):
        """The spec of an optional."""
        return OptionalSpec(value.element_spec)

    def __eq__(self, other):
        return isinstance(other, OptionalSpec) and self._element_spec == other._element_spec

    def __hash__(self):
        return hash(OptionalSpec)

    def __repr__(self):
        return f"OptionalSpec({self._element_spec!r},)"


@public("experimental.Optional", "data.experimental.Optional")
class Optional:
    """A value that may be missing, such as an iterator's next element.

    >>> optional = tf.experimental.Optional.from_value(7)
    >>> bool(optional.has_value()), int(optional.get_value())
    (True, 7)
    """

    def __init__(self, element_spec, components):
        self._element_spec, self._components = element_spec, components

    element_spec = property(lambda self: self._element_spec)
    _type_spec = property(lambda self: OptionalSpec(self._element_spec))

    @staticmethod
    def empty(element_spec):
        """An optional without a value."""
        return Optional(element_spec, None)

    @staticmethod
    def from_value(value):
        """An optional with a value."""
        element = _structure.as_element(value)
        spec = _structure.map_leaves(_structure.spec_of, element)
        return Optional(spec, _structure.components_of(element))

    def has_value(self, name=None):
        """Whether there is a value, as a tensor."""
        return _core.to_tensor(self._components is not None, dtypes.bool)

    def get_value(self, name=None):
        """The value; InvalidArgumentError if there is none."""
        if self._components is None:
            raise errors.InvalidArgumentError(
                None, None, "The given optional does not have a value."
            )
        return _structure.element_of(self._element_spec, self._components)


class TracedOptional(Optional):
    """The next element of an iterator in a function that is traced."""

    def __init__(self, element_spec, has_value, handle, parts):
        super().__init__(element_spec, None)
        self._has_value, self._handle, self._core_spec = has_value, handle, parts

    def has_value(self, name=None):
        """Whether there is a value, as a tensor."""
        return self._has_value

    def get_value(self, name=None):
        """The value; InvalidArgumentError if there is none."""
        if self._components is None:
            self._components = _core.add_iterator_current(self._handle, self._core_spec)
        return _structure.element_of(self._element_spec, self._components)


@public("data.experimental.get_next_as_optional", "v1.data.experimental.get_next_as_optional")
def get_next_as_optional(iterator):
    """The next element as an optional."""
    return iterator.get_next_as_optional()
