"""The fetches of a run: any structure of tensors, operations, variables and names."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping

from penstock import _core
from penstock._autodiff.tape import IndexedSlices
from penstock._memory.host import booked
from penstock.compat.v1._operation import Operation

# The fetched value of IndexedSlices: their parts as arrays.
IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])


class Fetches:
    """The distinct tensors and operations of a structure, and the way back from results to it."""

    def __init__(self, graph, structure):
        self._graph = graph
        self.tensors, self.targets = [], []  # targets are nodes
        self._places = {}
        self.pack = self._packer(structure)

    def _packer(self, fetch):
        """A function from the fetched arrays to the structure with them."""
        if fetch is None:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "NoneType". Cannot be None'
            )
        if isinstance(fetch, (list, tuple)):
            return self._sequence(fetch)
        if isinstance(fetch, Mapping):
            kind = type(fetch)
            parts = {key: self._packer(value) for key, value in fetch.items()}
            return lambda values: kind((key, part(values)) for key, part in parts.items())
        if isinstance(fetch, IndexedSlices):
            return self._rows(fetch)
        return self._leaf(fetch)

    def _rows(self, fetch):
        parts = [self._packer(fetch.values), self._packer(fetch.indices)]
        if fetch.dense_shape is None:
            return lambda values: IndexedSlicesValue(*(part(values) for part in parts), None)
        parts.append(self._packer(fetch.dense_shape))
        return lambda values: IndexedSlicesValue(*(part(values) for part in parts))

    def _sequence(self, fetch):
        parts = [self._packer(part_of_fetch) for part_of_fetch in fetch]
        kind = type(fetch)
        if hasattr(fetch, "_fields"):
            return lambda values: kind(*(part(values) for part in parts))
        if kind is list:
            return lambda values: [part(values) for part in parts]
        return lambda values: kind(part(values) for part in parts)

    def _leaf(self, fetch):
        if isinstance(fetch, _core.EagerTensor):  # has a value: needs no run
            return lambda values: fetch.numpy()
        try:
            element = self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
                f"string or Tensor. ({error})"
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from None
        if isinstance(element, Operation):
            self.targets.append(element._node)
            return lambda values: None
        place = self._places.setdefault(element._value, len(self.tensors))
        if place == len(self.tensors):
            self.tensors.append(element)
        return lambda values: values[place]

    def key(self):
        """What is fetched, as a key."""
        return (*(tensor._value for tensor in self.tensors), None, *self.targets)


def fed_tensors(graph, feed_dict) -> list:
    """The tensors that the keys of a feed refer to."""
    if not isinstance(feed_dict, Mapping):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, "
            f"instead of '{type(feed_dict).__name__}'."
        )
    tensors = []
    for key in feed_dict:
        try:
            tensors.append(graph.as_graph_element(key, allow_operation=False))
        except Exception as error:
            text = error.args[0] if isinstance(error, KeyError) else error
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
    return tensors


def refuse_tensor(value, tensor):
    """Raises TypeError for a feed value that is a graph tensor."""
    raise TypeError(
        "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
        "scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor "
        f"object was {value} which was passed to the feed with key {tensor}."
    )


def fed_value(value, tensor):
    """A feed value as an eager tensor, checked as in TensorFlow."""
    import numpy as np

    if isinstance(value, _core.SymbolicTensor) or hasattr(value, "_as_graph_element"):
        refuse_tensor(value, tensor)
    dtype = tensor.dtype
    if isinstance(value, int) and dtype.is_integer:
        limits = np.iinfo(dtype.as_numpy_dtype)
        if not limits.min <= value <= limits.max:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
                f"type {dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor "
                "to a larger type (e.g. int64)."
            )
    if not isinstance(value, (_core.Tensor, np.ndarray)):
        with booked(_core.bytes_as_array(value), "feed"):
            value = np.asarray(value, dtype=dtype.as_numpy_dtype)
    elif isinstance(value, _core.Tensor) and value.dtype is not dtype:
        value = value._read_only_array()
    converted = _core.to_tensor(value, dtype)
    if not tensor.shape.is_compatible_with(converted.shape):
        raise ValueError(
            f"Cannot feed value of shape {tuple(converted.shape)} for Tensor {tensor.name}, which "
            f"has shape {tensor.shape}"
        )
    return converted
