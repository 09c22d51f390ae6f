"""Host memory that Python uses on penstock's behalf: it is booked first, like a tensor's."""

from __future__ import annotations

import contextlib
import math

from penstock import _core

_HANDLE_BYTES = 256  # the minimum cost of a tensor in a list, besides its elements
_SMALL = 256 << 10  # not worth booking


def booked(count: int, who: str):
    """Books so many bytes while a `with` lasts. Raises ResourceExhaustedError, before anything is
    taken, where the budget does not allow them."""
    if count < _SMALL:
        return contextlib.nullcontext()
    return _core.HostMemory(min(count, 2**62), who)


def handles(count: int, who: str):
    """Books a list of that many tensors during `with`: small tensors cost mostly that."""
    return booked(_HANDLE_BYTES * count, who)


def filled(array, shape, dtype, who: str):
    """A tensor of that shape: its first elements are those of an array, the last of which stands
    for all that follow. Of an empty array, zeros."""
    import numpy as np

    flat, count = array.reshape(-1), math.prod(shape)
    if not flat.size:
        flat = np.zeros(1, flat.dtype) if flat.dtype != object else np.array([b""], object)
    if flat.size == 1 or flat.size >= count:
        # A repeated value takes no memory.
        values = np.broadcast_to(flat[0], shape) if flat.size == 1 else flat[:count].reshape(shape)
        return _core.to_tensor(values, dtype)
    with booked(count * flat.itemsize, who):
        values = np.empty(count, flat.dtype)
        values[: flat.size], values[flat.size :] = flat, flat[-1]
        return _core.to_tensor(values.reshape(shape), dtype)
