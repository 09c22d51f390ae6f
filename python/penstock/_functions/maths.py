"""tf.math functions that need more than one op, or other arguments than it."""

from __future__ import annotations

import collections

from penstock import dtypes, raw_ops
from penstock._core import Tensor
from penstock._functions.arrays import tensor
from penstock._functions.basic import cast

_TopK = collections.namedtuple("TopKV2", ["values", "indices"])


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None) -> Tensor:
    """The sum of a list of tensors."""
    return raw_ops.AccumulateN(inputs=inputs)


def top_k(input, k=1, sorted=True, index_type=dtypes.int32, name=None):
    """The largest `k` values of every row, and where they are."""
    values, indices = raw_ops.TopKV2(input=input, k=k, sorted=sorted)
    return _TopK(values, cast(indices, index_type))


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None) -> Tensor:
    """`x` with its vectors along `axis` scaled to length 1."""
    x = tensor(x)
    axis = dim if axis is None else axis
    axis = list(range(x.ndim)) if axis is None else axis
    return raw_ops.L2Normalize(x=x, axis=axis, epsilon=epsilon)


def polyval(coeffs, x, name=None) -> Tensor:
    """The polynomial with these coefficients, the highest first, at `x`."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = tensor(x)
    if not coeffs:
        return raw_ops.ZerosLike(x=x)
    coeffs = [tensor(each, x.dtype) for each in coeffs]
    result = coeffs[0]
    for each in coeffs[1:]:
        result = each + result * x
    return result


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
    """How often every number occurs, or the sum of the weights where it does."""
    arr = tensor(arr)
    arr = arr if arr.dtype in (dtypes.int32, dtypes.int64) else cast(arr, dtypes.int32)
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    size = int(raw_ops.Max(input=arr)) + 1 if arr.shape.num_elements() else 0
    size = size if minlength is None else max(size, int(minlength))
    size = size if maxlength is None else min(size, int(maxlength))
    weights = tensor([], dtypes.as_dtype(dtype)) if weights is None else tensor(weights)
    if axis != -1:
        arr = raw_ops.Reshape(tensor=arr, shape=[-1])
        weights = raw_ops.Reshape(tensor=weights, shape=[-1])
    return raw_ops.DenseBincount(
        input=arr, size=cast(size, arr.dtype), weights=weights, binary_output=binary_output
    )


def confusion_matrix(
    labels, predictions, num_classes=None, weights=None, dtype=dtypes.int32, name=None
) -> Tensor:
    """How often a class (row) was taken for another (column)."""
    dtype = dtypes.as_dtype(dtype)
    if weights is None:
        size = -1 if num_classes is None else int(num_classes)
        return raw_ops.ConfusionMatrix(
            labels=labels, predictions=predictions, num_classes=size, dtype=dtype
        )
    labels, predictions = cast(labels, dtypes.int64), cast(predictions, dtypes.int64)
    if num_classes is None:
        largest = raw_ops.Maximum(x=raw_ops.Max(input=labels), y=raw_ops.Max(input=predictions))
        num_classes = int(largest) + 1
    return raw_ops.ScatterNd(
        indices=raw_ops.Pack(values=[labels, predictions], axis=1),
        updates=cast(weights, dtype),
        shape=tensor([num_classes, num_classes], dtypes.int64),
    )
