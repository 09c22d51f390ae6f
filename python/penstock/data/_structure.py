"""The structure of a dataset's elements: nests of tuples, dictionaries and named tuples, with specs
at the leaves. Lists are no structure here: they become tensors."""

from __future__ import annotations

from collections.abc import Mapping

from penstock import _core, dtypes
from penstock._api import public
from penstock._tensors.composite import Composite
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.shape import TensorShape
from penstock._tensors.spec import TensorSpec, TypeSpec

_classes = []


def register_dataset(cls):
    """Names the class of datasets, which is built on this module."""
    _classes.append(cls)
    return cls


def dataset_class():
    """tf.data.Dataset."""
    return _classes[0]


class NoneTensorSpec(TypeSpec):
    """The spec of None."""

    __slots__ = ()

    def is_compatible_with(self, other):
        return other is None or isinstance(other, NoneTensorSpec)

    def is_subtype_of(self, other):
        return isinstance(other, NoneTensorSpec)

    def most_specific_common_supertype(self, others):
        return self if all(isinstance(each, NoneTensorSpec) for each in others) else None

    def __eq__(self, other):
        return isinstance(other, NoneTensorSpec)

    def __hash__(self):
        return hash(NoneTensorSpec)

    def __repr__(self):
        return "NoneTensorSpec()"


_HANDLE = TensorSpec([], dtypes.int64)


class HandleSpec(TypeSpec, Composite):
    """The spec of what is a handle in a function that is traced. As an argument, it stands for
    anything that fits it."""

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec):
        self._element_spec = element_spec

    def _of_handle(self, handle):
        """What a handle stands for."""
        raise NotImplementedError

    def _spec_of(self, value):
        """The spec of a value of this kind, or the spec itself; None for others."""
        spec = value if isinstance(value, HandleSpec) else getattr(value, "_type_spec", None)
        return spec if type(spec) is type(self) else None

    def is_compatible_with(self, spec_or_value):
        """True if the other's elements fit this spec's."""
        spec = self._spec_of(spec_or_value)
        return spec is not None and are_compatible(self._element_spec, spec._element_spec)

    def most_specific_common_supertype(self, others):
        """The narrowest spec that this one and the others fit; None if there is none."""
        spec = self._element_spec
        for other in others:
            spec = common(spec, other._element_spec) if type(other) is type(self) else None
            if spec is None:
                return None
        return type(self)(spec)

    def is_subtype_of(self, other):
        """True if everything that fits this one fits the other too."""
        return (
            type(other) is type(self)
            and same_structure(self._element_spec, other._element_spec)
            and all(map(_is_subtype, flatten(self._element_spec), flatten(other._element_spec)))
        )

    def _parts(self):
        return [_HANDLE]

    def _with_parts(self, parts):
        if isinstance(parts[0], _core.Tensor):
            return self._of_handle(parts[0])
        # Where a trace is described, the part is a spec.
        return self if isinstance(parts[0], TensorSpec) else _Marked(parts)

    def _parts_key(self):
        return type(self), repr(self._element_spec)

    def _cast(self, value):
        """The value with this spec; None if it does not fit."""
        if not self.is_compatible_with(value):
            return None
        return self if isinstance(value, HandleSpec) else self._of_handle(value._parts()[0])

    def __eq__(self, other):
        return type(other) is type(self) and self._element_spec == other._element_spec

    def __hash__(self):
        return hash(type(self))

    def __repr__(self):
        return f"{type(self).__name__}({self._element_spec!r},)"


class _Marked(Composite):
    """A value with marks in the place of its parts."""

    def __init__(self, parts):
        self._marks = parts

    def _parts(self):
        return self._marks


def _is_subtype(spec, other):
    return spec.is_subtype_of(other)


@public("data.DatasetSpec", "v1.data.DatasetSpec")
class DatasetSpec(HandleSpec):
    """The spec of a dataset: of a window among elements, or of a function's argument.

    Args:
      element_spec: The spec of its elements.
      dataset_shape: The shape of a batch of datasets; a scalar for one.

    >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_dataset_shape",)

    def __init__(self, element_spec, dataset_shape=()):
        super().__init__(element_spec)
        self._dataset_shape = TensorShape(dataset_shape)

    element_spec = property(lambda self: self._element_spec, doc="The spec of its elements.")

    @property
    def value_type(self):
        return dataset_class()

    @staticmethod
    def from_value(value):
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    def _of_handle(self, handle):
        Dataset = dataset_class()
        core = _core.dataset_of(handle, core_spec(self._element_spec))
        return Dataset._of(core, self._element_spec)

    def __repr__(self):
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


def is_structure(value) -> bool:
    return isinstance(value, (tuple, Mapping))


def flatten(structure) -> list:
    """The leaves in order; dictionaries by sorted key."""
    if isinstance(structure, tuple):
        return [leaf for item in structure for leaf in flatten(item)]
    if isinstance(structure, Mapping):
        return [leaf for key in _sorted(structure) for leaf in flatten(structure[key])]
    return [structure]


def _sorted(mapping):
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(
            f"nest only supports dicts with sortable keys, not {list(mapping)}"
        ) from None


def pack(structure, leaves):
    """The leaves in the form of `structure`."""
    return _pack(structure, iter(leaves))


def _pack(structure, leaves):
    if isinstance(structure, tuple):
        items = [_pack(item, leaves) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)
    if isinstance(structure, Mapping):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        ordered = ((key, packed[key]) for key in structure)
        return dict(ordered) if type(structure) is dict else type(structure)(ordered)
    return next(leaves)


def map_leaves(function, structure):
    return pack(structure, [function(leaf) for leaf in flatten(structure)])


def is_dataset(value) -> bool:
    Dataset = dataset_class()
    return isinstance(value, Dataset)


def as_element(value):
    """A value as an element: its leaves as tensors, datasets or None."""
    return map_leaves(_as_component, value)


def _as_component(leaf):
    if leaf is None or is_dataset(leaf):
        return leaf
    if isinstance(leaf, list) and any(map(is_structure, leaf)):
        # As TensorFlow: a list of structures is an array, or no tensor at all.
        return _core.to_tensor(leaf)
    return _core.to_tensor(leaf)


def spec_of(component):
    """The spec of a component."""
    if component is None:
        return NoneTensorSpec()
    if is_dataset(component):
        return DatasetSpec(component.element_spec)
    if is_tensor_like(component):
        return TensorSpec(component.shape, component.dtype)
    raise TypeError(
        f"Could not build a `TypeSpec` for {component!r} with type {type(component).__name__}"
    )


def core_spec(element_spec) -> list:
    """The spec as the runtime takes it: a (dtype, shape) or a list of them for each component."""
    parts = []
    for leaf in flatten(element_spec):
        if isinstance(leaf, DatasetSpec):
            parts.append(core_spec(leaf.element_spec))
        elif isinstance(leaf, TensorSpec):
            parts.append((leaf.dtype, leaf.shape._dims))
        elif not isinstance(leaf, NoneTensorSpec):
            raise TypeError(f"a dataset cannot have components of {leaf!r}")
    return parts


def with_core(element_spec, parts):
    """The element spec with dtypes and shapes from the runtime."""
    parts = iter(parts)
    return map_leaves(lambda leaf: _with_part(leaf, parts), element_spec)


def _with_part(leaf, parts):
    if isinstance(leaf, NoneTensorSpec):
        return leaf
    part = next(parts)
    if isinstance(leaf, DatasetSpec):
        return DatasetSpec(with_core(leaf.element_spec, part))
    return TensorSpec(part[1], part[0])


def components_of(element) -> list:
    """The tensors, and the runtime's datasets, of an element."""
    leaves = (leaf for leaf in flatten(element) if leaf is not None)
    return [leaf._core if is_dataset(leaf) else leaf for leaf in leaves]


def element_of(element_spec, components):
    """The element that the runtime's components make up."""
    if type(element_spec) is TensorSpec:
        return components[0]
    Dataset = dataset_class()
    components = iter(components)

    def value(leaf):
        if isinstance(leaf, NoneTensorSpec):
            return None
        component = next(components)
        if isinstance(leaf, DatasetSpec):
            return Dataset._of(component, leaf.element_spec)
        return component

    return map_leaves(value, element_spec)


def same_structure(first, second) -> bool:
    """Whether two structures have the same form."""
    if is_structure(first) != is_structure(second):
        return False
    if isinstance(first, Mapping) or isinstance(second, Mapping):
        return (
            isinstance(first, Mapping)
            and isinstance(second, Mapping)
            and set(first) == set(second)
            and all(same_structure(first[key], second[key]) for key in first)
        )
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same_structure, first, second))
    return True


def are_compatible(spec, other) -> bool:
    return same_structure(spec, other) and all(
        a.is_compatible_with(b) for a, b in zip(flatten(spec), flatten(other), strict=True)
    )


def common(spec, other):
    """The narrowest spec that both fit; None if there is none."""
    if not same_structure(spec, other):
        return None
    leaves = [
        a.most_specific_common_supertype([b]) if type(a) is type(b) else None
        for a, b in zip(flatten(spec), flatten(other), strict=True)
    ]
    return None if any(leaf is None for leaf in leaves) else pack(spec, leaves)
