"""tf.experimental.Optional: a value that may be missing."""

from __future__ import annotations

from penstock import _core
from penstock._api import public
from penstock._tensors.composite import Composite
from penstock.data import _structure
from penstock.data._structure import HandleSpec


@public("OptionalSpec")
class OptionalSpec(HandleSpec):
    """The spec of a tf.experimental.Optional.

    Args:
      element_spec: The spec of its value.

    >>> tf.OptionalSpec(tf.TensorSpec([2], tf.float32))
    OptionalSpec(TensorSpec(shape=(2,), dtype=tf.float32, name=None),)
    """

    __slots__ = ()

    value_type = property(lambda self: Optional)

    @staticmethod
    def from_value(value):
        """The spec of an optional."""
        return OptionalSpec(value.element_spec)

    def _of_handle(self, handle):
        return Optional._of(handle, self._element_spec)


@public("experimental.Optional", "data.experimental.Optional", "v1.data.experimental.Optional")
class Optional(Composite):
    """A value that may be missing, such as an iterator's next element. It may be an argument or a
    result of a tf.function.

    >>> optional = tf.experimental.Optional.from_value(7)
    >>> bool(optional.has_value()), int(optional.get_value())
    (True, 7)
    """

    def __init__(self):
        raise TypeError("an Optional is made by from_value, empty or Iterator.get_next_as_optional")

    @classmethod
    def _of(cls, handle, element_spec):
        """The optional that a handle stands for."""
        optional = object.__new__(cls)
        optional._handle, optional._element_spec = handle, element_spec
        return optional

    element_spec = property(lambda self: self._element_spec, doc="The spec of its value.")
    _type_spec = property(lambda self: OptionalSpec(self._element_spec))

    @staticmethod
    def empty(element_spec):
        """An optional without a value."""
        return Optional._of(_core.add_empty_optional(), element_spec)

    @staticmethod
    def from_value(value):
        """An optional with a value."""
        element = _structure.as_element(value)
        spec = _structure.map_leaves(_structure.spec_of, element)
        components = [
            _core.dataset_handle(each) if isinstance(each, _core.Dataset) else each
            for each in _structure.components_of(element)
        ]
        return Optional._of(_core.add_optional(components), spec)

    def has_value(self, name=None):
        """Whether there is a value, as a tensor."""
        return _core.add_has_value(self._handle)

    def get_value(self, name=None):
        """The value; InvalidArgumentError if there is none."""
        components = _core.add_value(self._handle, _structure.core_spec(self._element_spec))
        return _structure.element_of(self._element_spec, components)

    def _parts(self):
        return [self._handle]

    def _with_parts(self, parts):
        return self._type_spec._with_parts(parts)

    def _parts_key(self):
        return self._type_spec._parts_key()
