"""Memory that Python takes for penstock's sake: it is booked first, as that of a tensor is."""

from __future__ import annotations

import contextlib
import math

from penstock import _core

_HANDLE_BYTES = 256  # what a tensor in a list costs, at least, besides its elements
_SMALL = 256 << 10  # bytes that come and go with every call of Python


def booked(count: int, who: str):
    """Books so many bytes while a `with` lasts. Raises ResourceExhaustedError, before anything is
    taken, where the budget does not allow them."""
    if count < _SMALL:
        return contextlib.nullcontext()
    return _core.HostMemory(min(count, 2**62), who)


def handles(count: int, who: str):
    """Books a list of so many tensors while a `with` lasts: small ones are mostly that."""
    return booked(_HANDLE_BYTES * count, who)


def filled(array, shape, dtype, who: str):
    """A tensor of that shape: its first elements are those of an array, the last of which stands
    for all that follow. Of an empty array, zeros."""
    import numpy as np

    flat, count = array.reshape(-1), math.prod(shape)
    if not flat.size:
        flat = np.zeros(1, flat.dtype) if flat.dtype != object else np.array([b""], object)
    if flat.size == 1 or flat.size >= count:
        # One value takes no memory, however often it is seen.
        values = np.broadcast_to(flat[0], shape) if flat.size == 1 else flat[:count].reshape(shape)
        return _core.to_tensor(values, dtype)
    with booked(count * flat.itemsize, who):
        values = np.empty(count, flat.dtype)
        values[: flat.size], values[flat.size :] = flat, flat[-1]
        return _core.to_tensor(values.reshape(shape), dtype)
