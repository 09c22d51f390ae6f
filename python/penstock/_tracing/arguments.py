"""The arguments of a tf.function: bound to its parameters, and as the key of their trace.

Tensors (and NumPy arrays, which become tensors) are compared by dtype and shape, variables by
identity (a trace also serves similar ones, see _stand_ins), numbers and strings by type and value,
and other objects by equality, for as long as they live.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Mapping

import numpy as np

from penstock import _core
from penstock._autodiff.tape import IndexedSlices
from penstock._base.nest import flatten, pack_like
from penstock._tensors.composite import Composite, flatten_all, pack_all
from penstock._tensors.spec import TensorSpec, TypeSpec

_BY_VALUE = (bool, int, str, bytes, type(None), type(Ellipsis))
_BY_TEXT = (float, complex)  # a nan is equal to itself, -0.0 is not 0.0
_ARRAYS = (np.ndarray, np.generic)
_CONVERTED = (*_ARRAYS, Composite)
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def is_traced(leaf) -> bool:
    """Whether an argument becomes a tensor of the trace; others are part of its signature."""
    return isinstance(leaf, (_core.Tensor, TensorSpec))


def key_of(value):
    """A hashable key: equal for all values that one trace serves."""
    kind = type(value)
    if isinstance(value, _core.Tensor):
        return value.dtype, value.shape._dims
    if kind in _BY_VALUE:
        return kind, value
    if kind in _BY_TEXT:
        return kind, repr(value)
    if isinstance(value, (list, tuple)):
        return kind, tuple([key_of(item) for item in value])
    if isinstance(value, Mapping):
        return kind, tuple([(key, key_of(value[key])) for key in sorted(value)])
    if isinstance(value, TensorSpec):
        shape = value.shape._dims
        return (value.dtype, shape) if value.name is None else (value.dtype, shape, value.name)
    if isinstance(value, _core.VariableHandle):
        return "variable", value._id
    if kind is ObjectValue:
        return value.key
    if isinstance(value, IndexedSlices):
        return kind, tuple(map(key_of, (value.values, value.indices, value.dense_shape)))
    if isinstance(value, Composite):
        return value._parts_key(), tuple(map(key_of, value._parts()))
    return _key_of_object(value)


def _key_of_object(value):
    try:
        hash(value)
        try:
            return type(value), weakref.ref(value)
        except TypeError:
            return type(value), value
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}. Please verify that it is "
            "immutable/hashable."
        ) from None


def type_text(value) -> str:
    """An argument or result in TensorFlow's notation for types."""
    if isinstance(value, _core.Tensor):
        return repr(TensorSpec.from_tensor(value))
    if isinstance(value, TypeSpec):
        return repr(value)
    if isinstance(value, Composite):
        return repr(value._type_spec)
    if isinstance(value, Mapping):
        return f"Dict[{_items_text(value.items())}]"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        items = zip(value._fields, value, strict=True)
        return f"{type(value).__name__}[{_items_text(items)}]"
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(map(type_text, value))}]"
    return f"Literal[{value!r}]"


def _items_text(items) -> str:
    return ", ".join(f"[{key!r}, {type_text(value)}]" for key, value in items)


class ObjectValue:
    """Represents an argument that a trace must not keep alive."""

    def __init__(self, value, on_death):
        self.key = key_of(value)
        self._text = repr(value)
        self.value = weakref.ref(value, on_death)

    def __repr__(self):
        return self._text


def without_owning(value, on_death):
    """The value, or its representative; `on_death` is called when the value dies."""
    if type(value) in (*_BY_VALUE, *_BY_TEXT) or is_traced(value):
        return value
    try:
        return ObjectValue(value, on_death)
    except TypeError:
        return value


class Parameters:
    """The parameters of a function, with the types of an input_signature."""

    def __init__(self, python_function, input_signature=None):
        self.signature = inspect.signature(python_function)
        self.specs = None if input_signature is None else _checked_specs(input_signature)
        kinds = [parameter.kind for parameter in self.signature.parameters.values()]
        self._is_plain = all(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        self._count = len(kinds)
        # A mutable default must be examined in every call.
        self.has_open_defaults = any(
            _is_open(parameter.default) for parameter in self.signature.parameters.values()
        )
        if self.specs is not None:
            self._check_constraints()

    def _check_constraints(self):
        parameters = list(self.signature.parameters.values())
        named = [item for item in parameters if item.kind in POSITIONAL]
        if named and named[0].name == "self":
            del named[0]  # a method: the signature starts after self
        takes_more = any(item.kind is inspect.Parameter.VAR_POSITIONAL for item in parameters)
        if len(self.specs) > len(named) and not takes_more:
            extra = len(self.specs) - len(named)
            raise TypeError(f"input_signature contains {extra} extra type constraints.")
        for parameter in named[len(self.specs) :]:
            if parameter.default is inspect.Parameter.empty:
                raise TypeError(f"input_signature missing type constraint for {parameter.name}")
        for parameter in parameters:
            if (
                parameter.kind is parameter.KEYWORD_ONLY
                and parameter.default is inspect.Parameter.empty
            ):
                raise TypeError(
                    f"Since input_signature is defined, keyword-only parameter `{parameter.name}` "
                    "must have a default value"
                )

    def __str__(self):
        parts = []
        for i, parameter in enumerate(self.signature.parameters.values()):
            has_default = parameter.default is not inspect.Parameter.empty
            if self.specs is not None and i < len(self.specs):
                parameter = parameter.replace(annotation=_Bare(type_text(self.specs[i])))
            elif self.specs is not None and has_default:
                parameter = parameter.replace(annotation=_Bare(type_text(parameter.default)))
            else:
                parameter = parameter.replace(annotation=inspect.Parameter.empty)
            if has_default:
                parameter = parameter.replace(default=_Bare("<captured_default_value>"))
            parts.append(parameter)
        return str(inspect.Signature(parts))

    def failed(self, reason, args, kwargs) -> TypeError:
        return TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
            f"kwargs: {kwargs} for signature: {self}."
        )

    def bind(self, args, kwargs):
        """(args, kwargs) for the Python function, with arrays converted to tensors."""
        if self._is_plain and not kwargs and len(args) == self._count:
            bound = (args, {})
        else:
            try:
                binding = self.signature.bind(*args, **kwargs)
            except TypeError as error:
                raise self.failed(error, args, kwargs) from None
            binding.apply_defaults()
            # Their order is not part of the signature.
            bound = (binding.args, dict(sorted(binding.kwargs.items())))
        if self.specs is not None:
            try:
                return self._constrained(*bound)
            except (TypeError, ValueError) as error:
                raise self.failed(error, args, kwargs) from None
        return _with_tensors(bound)

    def declared(self, bound):
        """Bound arguments as the input_signature has them: a spec for each of its tensors; None
        without one that leaves anything open."""
        if self.specs is None:
            return None
        if all(spec.shape.is_fully_defined() for spec in flatten_all(self.specs)):
            return None
        args, kwargs = bound
        return (*self.specs, *args[len(self.specs) :]), kwargs

    def _constrained(self, args, kwargs):
        converted = [_cast(value, spec) for value, spec in zip(args, self.specs, strict=False)]
        defaults = list(self.signature.parameters.values())[len(converted) : len(args)]
        for value, parameter in zip(args[len(converted) :], defaults, strict=True):
            if value is not parameter.default and value != parameter.default:
                raise TypeError(f"Can not cast {value!r} to {type_text(parameter.default)}")
            converted.append(value)
        return tuple(converted), kwargs


def _is_open(default) -> bool:
    """Whether the value is a mutable container, or contains one."""
    if isinstance(default, tuple):
        return any(map(_is_open, default))
    return isinstance(default, (list, Mapping))


class _Leaf(int):
    """The number of a leaf, in its place."""


def input_order(parameters, args, kwargs):
    """How many leaves arguments have, as they are written, and the numbers of those that are the
    function's inputs, in the order of its parameters."""
    values = [*args, *kwargs.values()]
    leaves = [flatten_all(value) for value in values]
    numbers = iter(range(sum(map(len, leaves))))
    tagged = [
        pack_all(value, [_Leaf(next(numbers)) for _ in own])
        for value, own in zip(values, leaves, strict=True)
    ]
    bound = parameters.signature.bind(
        *tagged[: len(args)], **dict(zip(kwargs, tagged[len(args) :], strict=True))
    )
    flat = [leaf for own in leaves for leaf in own]
    order = [
        int(leaf)
        for leaf in flatten_all((bound.args, bound.kwargs))
        if isinstance(leaf, _Leaf) and isinstance(flat[leaf], (_core.Tensor, *_ARRAYS))
    ]
    return len(flat), order


class _Bare:
    """A string that is printed without quotes."""

    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return self._text


def _checked_specs(input_signature) -> tuple:
    if not isinstance(input_signature, (list, tuple)):
        raise TypeError(
            f"input_signature must be either a tuple or a list, got {type(input_signature)}."
        )
    leaves = flatten(input_signature)
    if not all(isinstance(leaf, TypeSpec) for leaf in leaves):
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid "
            f"args {leaves} with types {[type(leaf) for leaf in leaves]}."
        )
    return tuple(input_signature)


def _with_tensors(structure):
    leaves = flatten(structure)
    if not any(isinstance(leaf, _CONVERTED) for leaf in leaves):
        return structure
    return pack_like(structure, [_converted(leaf) for leaf in leaves])


def _converted(leaf):
    if isinstance(leaf, Composite):
        return leaf._settled()
    return _core.to_tensor(leaf) if isinstance(leaf, _ARRAYS) else leaf


def _cast(value, spec):
    """The value as a matching tensor or spec; raises TypeError or ValueError."""
    if isinstance(spec, Mapping):
        if not isinstance(value, Mapping) or sorted(value) != sorted(spec):
            raise TypeError(f"{value!r} has different keys with the TraceType {type_text(spec)}.")
        return type(spec)((key, _cast(value[key], spec[key])) for key in spec)
    if isinstance(spec, (list, tuple)):
        if not isinstance(value, (list, tuple)) or len(value) != len(spec):
            raise TypeError(f"Can not cast {value!r} to {type_text(spec)}")
        converted = [_cast(item, part) for item, part in zip(value, spec, strict=True)]
        return converted if isinstance(spec, list) else tuple(converted)
    if not isinstance(spec, TensorSpec):
        converted = spec._cast(value)
        if converted is None:
            raise TypeError(f"Can not cast {type_text(value)} to {spec!r}")
        return converted
    if not is_traced(value):
        is_variable = isinstance(value, _core.VariableHandle)
        value = _core.to_tensor(value, None if is_variable else spec.dtype)
    if not spec.is_compatible_with(value):
        raise TypeError(f"Can not cast {type_text(value)} to {spec!r}")
    return value
