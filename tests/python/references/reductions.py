"""NumPy references of reductions and of ops along rows."""

import numpy as np

from references import ref


def wide(x):
    """Half types as float64: NumPy would round every step."""
    return x.astype(np.float64) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def axes(axis):
    return tuple(axis) or None


def mean(x, axis, keepdims):
    with np.errstate(all="ignore"):
        total = np.sum(wide(x), axis=axes(axis), keepdims=keepdims)
        count = x.size // total.size if total.size else 1
        if x.dtype.kind in "iu":
            return np.trunc(total / count) if count else np.zeros_like(total)
        return total / count


def sum_to(x, shape):
    lead = x.ndim - len(shape)
    summed = tuple(i for i in range(x.ndim) if i < lead or shape[i - lead] != x.shape[i])
    return np.sum(wide(x), axis=summed, keepdims=True).reshape(shape)


ref("Sum", lambda x, axis, keepdims: np.sum(wide(x), axis=axes(axis), keepdims=keepdims))
ref("Mean", mean)
ref("SumTo", sum_to)
ref("BroadcastTo", lambda x, shape: np.broadcast_to(x, tuple(shape)))
