"""tf.math functions that need more than one op, or other arguments."""

from __future__ import annotations

import collections

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._context.scope import graph_scope, result_named, scoped, take_name
from penstock._core import Tensor
from penstock._ops.convert import cast
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.slices import values_of, with_values

_TopK = collections.namedtuple("TopKV2", ["values", "indices"])


@public("divide", "truediv", "math.divide", "math.truediv")
def divide(x, y, name=None) -> Tensor:
    """x / y, as the operator computes it.

    Args:
      x: The tensor.
      y: The other tensor.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.divide([3, 1], 2)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5, 0.5])>
    """
    if not is_tensor_like(x):
        x = _core.to_tensor(x, y.dtype if is_tensor_like(y) else None)
    if name is None or not _core.is_building():
        return x / y
    if getattr(x, "dtype", dtypes.int32).is_floating:
        return raw_ops.RealDiv(x=x, y=y, name=name)
    return result_named(x / y, name)


@public("math.accumulate_n", "v1.accumulate_n")
def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None) -> Tensor:
    """The sum of a list of tensors."""
    return raw_ops.AccumulateN(inputs=[_core.to_tensor(value) for value in inputs], name=name)


@public("add_n", "math.add_n")
def add_n(inputs, name=None) -> Tensor:
    """The sum of a list of tensors; for IndexedSlices, of their rows.

    Args:
      inputs: A list of tensors of one shape and dtype.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.add_n([[1, 2], [3, 4], [5, 6]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 9, 12], dtype=int32)>
    """
    inputs = list(inputs)
    if not inputs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    # Each keeps its own dtype: none follows the others.
    inputs = [_core.to_tensor(value) for value in inputs]
    return raw_ops.AddN(inputs=inputs, name=name)


@public("round", "math.round")
def round(x, name=None) -> Tensor:
    """The nearest integer; halves round to even."""
    x = _core.to_tensor(x)
    return x if x.dtype.is_integer else raw_ops.Round(x=x, name=name)


@public("math.real", "v1.real")
def real(input, name=None) -> Tensor:
    """The real part."""
    if _is_complex(input, "real"):
        return raw_ops.Real(input=input, name=name)
    take_name(name or "Real")
    return _core.to_tensor(input)


@public("math.imag", "v1.imag")
def imag(input, name=None) -> Tensor:
    """The imaginary part."""
    input = _core.to_tensor(input)
    return (
        raw_ops.Imag(input=input, name=name)
        if input.dtype.is_complex
        else raw_ops.ZerosLike(x=input, name=name)
    )


@public("math.conj", "v1.conj")
def conj(x, name=None) -> Tensor:
    """The complex conjugate."""
    if _is_complex(x, "conj"):
        return raw_ops.Conj(input=x, name=name)
    take_name(name or "Conj")
    return _core.to_tensor(x)


@public("math.angle", "v1.angle")
def angle(input, name=None) -> Tensor:
    """The argument of complex numbers; of real ones, 0 or pi."""
    input = _core.to_tensor(input)
    if input.dtype.is_complex:
        return raw_ops.Angle(input=input, name=name)
    if not input.dtype.is_floating:
        raise TypeError(f"angle needs floating or complex numbers, not {input.dtype.name}")
    with graph_scope(name or "Angle"):
        return raw_ops.SelectV2(
            condition=input < 0,
            t=_core.to_tensor(3.141592653589793, input.dtype),
            e=0,
            name="Select",
        )


def _is_complex(x, what):
    dtype = _core.to_tensor(x).dtype
    if not (dtype.is_complex or dtype.is_floating or dtype.is_integer):
        raise TypeError(f"{what} needs numbers, not {dtype.name}")
    return dtype.is_complex


@public("math.reduce_variance")
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """The variance over the axes, or over all of them."""
    x = _without_integers(input_tensor)
    return raw_ops.ReduceVariance(input_tensor=x, axis=axis, keepdims=keepdims, name=name)


@public("math.reduce_std")
def reduce_std(input_tensor, axis=None, keepdims=False, name=None) -> Tensor:
    """The standard deviation over the axes, or over all of them.

    Args:
      input_tensor: The tensor.
      axis: The dimensions to reduce, one or several; None is all of them.
      keepdims: True to keep the reduced dimensions with size 1.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.math.reduce_std([1.0, 3.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
    """
    x = _without_integers(input_tensor)
    return raw_ops.ReduceStd(input_tensor=x, axis=axis, keepdims=keepdims, name=name)


def _without_integers(x):
    x = _core.to_tensor(x)
    if x.dtype.is_integer:
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    return x


@public("math.divide_no_nan", "v1.div_no_nan")
def divide_no_nan(x, y, name=None) -> Tensor:
    """x / y, and 0 where y is 0; integers become floats."""
    x = _core.to_tensor(x, y.dtype if is_tensor_like(y) and not is_tensor_like(x) else None)
    y = _core.to_tensor(y, None if is_tensor_like(y) else x.dtype)
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype.is_bool or x.dtype is dtypes.string:
        raise TypeError(f"Invalid dtype {x.dtype!r} in divide_no_nan.")
    if x.dtype.is_integer:
        wide = dtypes.float32 if x.dtype.size <= 2 else dtypes.float64
        x, y = cast(x, wide), cast(y, wide)
    return raw_ops.DivNoNan(x=x, y=y, name=name)


@public("math.top_k", "nn.top_k")
def top_k(input, k=1, sorted=True, index_type=dtypes.int32, name=None):
    """The largest `k` values of every row, and their positions."""
    values, indices = raw_ops.TopKV2(input=input, k=k, sorted=sorted, name=name)
    return _TopK(values, cast(indices, index_type))


@public("linalg.l2_normalize", "math.l2_normalize", "nn.l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None) -> Tensor:
    """`x` with its vectors along `axis` scaled to length 1."""
    x = _without_integers(x)
    axis = dim if axis is None else axis
    return raw_ops.L2Normalize(x=x, axis=axis, epsilon=epsilon, name=name)


@public("math.polyval")
@scoped("polyval")
def polyval(coeffs, x, name=None) -> Tensor:
    """The polynomial with these coefficients, the highest first, at `x`."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = _core.to_tensor(x)
    if not coeffs:
        return raw_ops.ZerosLike(x=x, name=name)
    coeffs = [_core.to_tensor(coefficient, x.dtype) for coefficient in coeffs]
    result = coeffs[0]
    for coefficient in coeffs[1:]:
        result = coefficient + result * x
    return result


@public("math.bincount")
@scoped("bincount", "DenseBincount")
def bincount(
    arr,
    weights=None,
    minlength=None,
    maxlength=None,
    dtype=dtypes.int32,
    name=None,
    axis=None,
    binary_output=False,
) -> Tensor:
    """The count of every number, or the sum of its weights."""
    arr = _core.to_tensor(arr)
    arr = arr if arr.dtype in (dtypes.int32, dtypes.int64) else cast(arr, dtypes.int32)
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    size = _bins(arr, minlength, maxlength)
    weights = (
        _core.to_tensor([], dtypes.as_dtype(dtype)) if weights is None else _core.to_tensor(weights)
    )
    if axis != -1:
        arr = raw_ops.Reshape(tensor=arr, shape=[-1])
        weights = raw_ops.Reshape(tensor=weights, shape=[-1])
    return raw_ops.DenseBincount(input=arr, size=size, weights=weights, binary_output=binary_output)


def _bins(arr, minlength, maxlength):
    """The number of bins: from 0 to the largest number, within the given limits."""
    # The largest of no numbers is the lowest possible one: then there are no bins.
    largest = raw_ops.Max(input=raw_ops.Reshape(tensor=arr, shape=[-1]))
    if isinstance(largest, _core.SymbolicTensor):  # also for a constant, if a graph is being built
        size = raw_ops.Maximum(x=largest, y=-1) + 1
        if minlength is not None:
            size = raw_ops.Maximum(x=size, y=cast(minlength, size.dtype))
        if maxlength is not None:
            size = raw_ops.Minimum(x=size, y=cast(maxlength, size.dtype))
        return size
    size = max(int(largest), -1) + 1
    limits = [
        length if length is None else int(_core.to_tensor(length))
        for length in (minlength, maxlength)
    ]
    size = size if limits[0] is None else max(size, limits[0])
    size = size if limits[1] is None else min(size, limits[1])
    return _core.to_tensor(size, arr.dtype)


@public("math.confusion_matrix")
def confusion_matrix(
    labels, predictions, num_classes=None, weights=None, dtype=dtypes.int32, name=None
) -> Tensor:
    """How often a class (row) was predicted as another (column)."""
    dtype = dtypes.as_dtype(dtype)
    if weights is None:
        size = -1 if num_classes is None else int(num_classes)
        return raw_ops.ConfusionMatrix(
            labels=labels,
            predictions=predictions,
            num_classes=size,
            dtype=dtype,
            name=name,
        )
    labels, predictions = cast(labels, dtypes.int64), cast(predictions, dtypes.int64)
    if num_classes is None:
        largest = raw_ops.Maximum(x=raw_ops.Max(input=labels), y=raw_ops.Max(input=predictions))
        num_classes = largest + 1
    return raw_ops.ScatterNd(
        indices=raw_ops.Pack(values=[labels, predictions], axis=1),
        updates=cast(weights, dtype),
        shape=raw_ops.Pack(values=[cast(num_classes, dtypes.int64)] * 2),
        name=name,
    )


@public("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar, x, name=None) -> Tensor:
    """`x` times a number."""
    values = values_of(x)
    scalar = _core.to_tensor(scalar, values.dtype)
    if scalar.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return with_values(x, raw_ops.Mul(x=scalar, y=values, name=name or "scalar_mul"))


@public("complex", "dtypes.complex")
def complex(real, imag, name=None) -> Tensor:
    """Complex numbers of the given parts."""
    return raw_ops.Complex(real=real, imag=imag, name=name)
