"""Conversion to tensors, and static sizes."""

from __future__ import annotations

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._base.version_1 import version_1
from penstock._context.scope import default_graph
from penstock._core import Tensor
from penstock._memory.host import filled
from penstock._tensors.shape import TensorShape
from penstock._tensors.slices import IndexedSlices, values_of, with_values


def _as_dtype(dtype):
    return None if dtype is None else dtypes.as_dtype(dtype)


@public("convert_to_tensor")
def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) -> Tensor:
    """`value` as a tensor: numbers, nested lists, NumPy arrays, variables.

    Args:
      value: A number, a string, a nested list, an array or a variable.
      dtype: The dtype; None is derived from the value.
      dtype_hint: The dtype where the value fits it; another one is no error.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.convert_to_tensor([1.5, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2. ], dtype=float32)>
    """
    is_hint = dtype is None and dtype_hint is not None
    wanted = dtypes.as_dtype(dtype_hint) if is_hint else _as_dtype(dtype)
    if not _core.is_building():
        return _core.to_tensor(value, wanted, is_hint)
    builder = default_graph()._builder
    first = builder.num_nodes()
    tensor = _core.to_tensor(value, wanted, is_hint)
    if name and isinstance(value, (list, tuple)) and isinstance(tensor, _core.SymbolicTensor):
        return builder.named(tensor, first, name)  # tensors that were stacked
    return as_node(tensor, name)


def node_of(value, dtype, name):
    """A value as a constant of that name, if a graph is being built; else unchanged."""
    if not _core.is_building() or isinstance(value, _core.SymbolicTensor):
        return value
    return as_node(_core.to_tensor(value, dtype), name)


def as_node(tensor, name):
    """A value as a node of the current graph."""
    return version_1.nodes.constant(tensor, name)


@public("constant")
def constant(value, dtype=None, shape=None, name="Const") -> Tensor:
    """A tensor with the given value, of the given dtype and shape.

    Args:
      value: A number, a string, a nested list or an array.
      dtype: The dtype; None is derived from the value.
      shape: The shape; a single number fills it.
      name: The name of the operation in a graph.

    >>> tf.constant([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.constant(0.5, shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """
    dtype = _as_dtype(dtype)
    if isinstance(value, _core.Tensor) and dtype not in (None, value.dtype):
        raise TypeError(
            f"Expected tensor {value.numpy()} with dtype {dtype!r}, but got dtype {value.dtype!r}."
        )
    tensor = _core.to_tensor(value, dtype)
    if _core.is_building():
        return as_node(tensor if shape is None else _shaped(tensor, shape), name)
    if shape is None:
        return tensor
    shape = TensorShape(shape)
    if tensor.shape == shape:
        return tensor
    count = tensor.shape.num_elements()
    if count is None:
        return raw_ops.Reshape(tensor=tensor, shape=shape)
    if count == 1:
        return raw_ops.Fill(dims=list(shape), value=raw_ops.Reshape(tensor=tensor, shape=[]))
    if count != shape.num_elements():
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {tensor.numpy()} "
            f"(converted from {value}) has {count} elements, but got `shape` {shape} with "
            f"{shape.num_elements()} elements)."
        )
    return raw_ops.Reshape(tensor=tensor, shape=list(shape))


def _shaped(tensor, shape):
    """A value as a constant of another shape: the last element fills the rest."""
    flat, wanted = tensor._read_only_array().reshape(-1), TensorShape(shape)
    count = wanted.num_elements()
    if count == 0:
        flat = flat[:0]
    if flat.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count:d}, but got {flat.size:d}"
        )
    if not flat.size:
        return _core.to_tensor(flat.reshape(wanted.as_list()), tensor.dtype)
    return filled(flat, wanted.as_list(), tensor.dtype, "constant")


@public("cast", "dtypes.cast")
def cast(x, dtype, name=None) -> Tensor:
    """`x` with its elements converted to `dtype`; IndexedSlices stay IndexedSlices.

    Args:
      x: The tensor.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.cast([1.8, 2.2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    dtype = dtypes.as_dtype(dtype)
    if isinstance(x, IndexedSlices):
        return with_values(x, cast(x.values, dtype))
    x = _core.to_tensor(x)
    if x.dtype is dtype:
        return x
    if dtypes.string in (x.dtype, dtype):
        raise errors.UnimplementedError(
            None, None, f"Cast {x.dtype.name} to {dtype.name} is not supported [Op:Cast]"
        )
    return raw_ops.Cast(x=x, dtype=dtype, name=name)


def shape_of(tensor):
    """The shape; a tensor if it is known only at run time."""
    return tensor.shape if tensor.shape.is_fully_defined() else raw_ops.Shape(input=tensor)


def size_of(tensor, axis):
    """The size of a dimension; a tensor if it is known only at run time."""
    size = tensor.shape[axis]
    return raw_ops.Shape(input=tensor)[axis] if size is None else size


def sizes_of(tensor) -> list:
    """The sizes of all dimensions; the rank is known."""
    if tensor.shape.is_fully_defined():
        return list(tensor.shape)
    sizes = raw_ops.Shape(input=tensor)
    return [sizes[i] if size is None else size for i, size in enumerate(tensor.shape)]


def count_of(tensor):
    """The number of elements; a tensor if it is known only at run time."""
    count = tensor.shape.num_elements()
    return raw_ops.Size(input=tensor) if count is None else count


@public("rank")
def rank(input, name=None) -> Tensor:
    """The number of dimensions, as a tensor.

    Args:
      input: The tensor.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.rank([[1, 2], [3, 4]])
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    input = _core.to_tensor(input)
    if isinstance(input, _core.SymbolicTensor) and input.shape.rank is None:
        return raw_ops.Rank(input=input, name=name)
    tensor = _core.to_tensor(input.ndim)
    return as_node(tensor, name or "Rank") if _core.is_building() else tensor


@public("from_dlpack", "experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule) -> Tensor:
    """A tensor over the memory of another library's, or of its DLPack capsule."""
    if not hasattr(dlcapsule, "__dlpack__"):
        return _core.from_dlpack(dlcapsule)
    try:
        capsule = dlcapsule.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = dlcapsule.__dlpack__()
    return _core.from_dlpack(capsule)


@public("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor):
    """A DLPack capsule of the tensor's memory."""
    return tf_tensor.__dlpack__()


@public("experimental.from_numpy")
def from_numpy(array) -> Tensor:
    """A tensor over the array's own memory. The array must not change while the tensor lives."""
    return _core.from_numpy(array)


@public("identity")
def identity(input, name=None):
    """The same values, as a tensor of their own.

    Args:
      input: The tensor.
      name: The name of the operation in a graph.

    >>> tf.identity([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    if isinstance(input, IndexedSlices):
        return type(input)(identity(input.values), identity(input.indices), input.dense_shape)
    return raw_ops.Identity(input=input, name=name)


def stop_gradient(input, name=None):
    """The same values, through which no gradient goes."""
    return with_values(input, raw_ops.StopGradient(input=values_of(input), name=name))
