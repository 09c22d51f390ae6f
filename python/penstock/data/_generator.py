"""Datasets whose elements a Python generator yields."""

from __future__ import annotations

import numpy as np

from penstock import _core, dtypes, errors
from penstock._tensors.shape import TensorShape
from penstock._tensors.spec import TensorSpec, TypeSpec
from penstock.data import _structure
from penstock.data._stage import constant, make


def signature(output_types, output_shapes, output_signature=None):
    """The element spec that types and shapes, or specs, describe."""
    if output_types is not None and output_signature is not None:
        raise TypeError(
            "The `output_types` argument can not be used together with the `output_signature` "
            "argument."
        )
    if output_signature is not None:
        if output_shapes is not None:
            raise TypeError(
                "The `output_shapes` argument can not be used together with the "
                "`output_signature` argument."
            )
        for leaf in _structure.flatten(output_signature):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` "
                    f"but found {type(leaf)} which is not."
                )
        return output_signature
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    types = _structure.map_leaves(dtypes.as_dtype, _as_structure(output_types))
    leaves = _structure.flatten(types)
    if output_shapes is None:
        shapes = [TensorShape(None)] * len(leaves)
    else:
        shapes = _shapes_like(types, output_shapes)
    specs = [TensorSpec(shape, dtype) for shape, dtype in zip(shapes, leaves, strict=True)]
    return _structure.pack(types, specs)


def _as_structure(value):
    """Lists of types are tuples."""
    return tuple(map(_as_structure, value)) if isinstance(value, list) else value


def _shapes_like(types, shapes):
    if isinstance(types, tuple):
        if len(shapes) != len(types):
            raise ValueError(f"{len(types)} shapes are expected, but got {shapes!r}")
        pairs = zip(types, shapes, strict=True)
        return [shape for part, value in pairs for shape in _shapes_like(part, value)]
    if isinstance(types, dict):
        return [shape for key in sorted(types) for shape in _shapes_like(types[key], shapes[key])]
    return [TensorShape(shapes)]


class _Elements:
    """The elements of one iterator, as lists of tensors."""

    def __init__(self, generator, args, signature):
        self._signature = signature
        self._leaves = _structure.flatten(signature)
        self._iterator = iter(generator(*args))

    def __iter__(self):
        return self

    def __next__(self):
        try:
            value = next(self._iterator)
        except StopIteration:
            raise
        except Exception as error:
            raise _failed(error) from error
        return self._components(value)

    def _components(self, value):
        form = self._signature
        if not _structure.same_structure(form, value):
            raise errors.InvalidArgumentError(
                None,
                None,
                "TypeError: `generator` yielded an element that did not match the expected "
                f"structure. The expected structure was {_names(form)}, but the yielded element "
                f"was {value}.",
            )
        return [
            self._component(leaf, spec)
            for leaf, spec in zip(_structure.flatten(value), self._leaves, strict=True)
            if not isinstance(spec, _structure.NoneTensorSpec)
        ]

    def _component(self, leaf, spec):
        try:
            tensor = _converted(leaf, spec.dtype)
        except (TypeError, ValueError) as error:
            raise errors.InvalidArgumentError(
                None,
                None,
                "TypeError: `generator` yielded an element that could not be converted to the "
                f"expected type. The expected type was {spec.dtype.name}, but the yielded element "
                f"was {leaf}.",
            ) from error
        if tensor.dtype != spec.dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"TypeError: `generator` yielded an element of type {tensor.dtype.name} where an "
                f"element of type {spec.dtype.name} was expected.",
            )
        if not spec.shape.is_compatible_with(tensor.shape):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"TypeError: `generator` yielded an element of shape {tensor.shape} where an "
                f"element of shape {spec.shape} was expected.",
            )
        return tensor


_KINDS = {int: "is_integer", float: "is_floating"}


def _converted(leaf, dtype):
    kind = _KINDS.get(type(leaf))
    if kind is not None and getattr(dtype, kind):
        return _core.to_tensor(leaf, dtype)
    if isinstance(leaf, np.generic) and leaf.dtype == dtype.as_numpy_dtype:
        return _core.to_tensor(leaf)
    if isinstance(leaf, (_core.Tensor, np.ndarray)):
        array = leaf.numpy() if isinstance(leaf, _core.Tensor) else leaf
        if dtype != dtypes.string and array.dtype.kind in "biufc":
            array = array.astype(dtype.as_numpy_dtype)
        return _core.to_tensor(array)
    if dtype == dtypes.string:
        return _core.to_tensor(leaf, dtype)
    array = np.asarray(leaf)
    if array.dtype.kind not in "biufc":
        raise ValueError(f"{leaf!r} is no {dtype.name}")
    return _core.to_tensor(array.astype(dtype.as_numpy_dtype))


def _names(form):
    return _structure.map_leaves(lambda spec: getattr(spec, "dtype", None), form)


def _failed(error):
    """What TensorFlow makes of a generator's error."""
    text = f"{type(error).__name__}: {error}"
    kinds = {
        TypeError: errors.InvalidArgumentError,
        ValueError: errors.InvalidArgumentError,
        StopIteration: errors.OutOfRangeError,
        MemoryError: errors.ResourceExhaustedError,
        NotImplementedError: errors.UnimplementedError,
    }
    for cls, kind in kinds.items():
        if isinstance(error, cls):
            return kind(None, None, text)
    if isinstance(error, errors.OpError):
        return error
    return errors.UnknownError(None, None, text)


def from_generator(generator, output_types, output_shapes, args, output_signature):
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    spec = signature(output_types, output_shapes, output_signature)
    if args is not None and not isinstance(args, (tuple, list)):
        raise TypeError("values must be a sequence.")
    operands = [constant(each) for each in args or ()]

    def start(tensors):
        values = [tensor.numpy() for tensor in tensors]
        try:
            return _Elements(generator, values, spec)
        except Exception as error:
            raise _failed(error) from error

    dataset = make("Generator", (), operands, spec=spec, source=start)
    dataset._element_spec = spec  # with its names
    return dataset
