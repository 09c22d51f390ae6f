"""Iterators of datasets: tf.data.Iterator, Optional, and elements as NumPy arrays."""

from __future__ import annotations

import abc

from penstock import _core, dtypes, errors
from penstock._api import public
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


class OwnedIterator(Iterator):
    """An iterator over a dataset. It may be saved in a checkpoint."""

    def __init__(self, dataset):
        self._dataset = dataset
        self._element_spec = dataset.element_spec
        self._core = _core.DatasetIterator(dataset._core)

    element_spec = property(lambda self: self._element_spec)
    _type_spec = property(lambda self: IteratorSpec(self._element_spec))

    def __next__(self):
        components = self._core.next()
        if components is None:
            raise StopIteration
        return _structure.element_of(self._element_spec, components)

    next = __next__

    def get_next(self):
        """The next element; OutOfRangeError at the end."""
        components = self._core.next()
        if components is None:
            raise errors.OutOfRangeError(None, None, "End of sequence")
        return _structure.element_of(self._element_spec, components)

    def get_next_as_optional(self):
        """The next element as a tf.experimental.Optional, which is empty at the end."""
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


@public("data.experimental.get_next_as_optional", "v1.data.experimental.get_next_as_optional")
def get_next_as_optional(iterator):
    """The next element as an optional."""
    return iterator.get_next_as_optional()
