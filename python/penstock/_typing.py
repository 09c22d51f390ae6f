"""The words of the type stubs. Nothing imports this at run time."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from penstock import DType, Tensor, TensorShape

# A tensor, a variable, an array, a number, a text, or nested lists of these: whatever has
# __array__ or __dlpack__ may be given too, so no narrower type would be true.
TensorLike: typing.TypeAlias = typing.Any
DTypeLike: typing.TypeAlias = DType | str | type | np.dtype[typing.Any]
ShapeLike: typing.TypeAlias = (
    TensorShape | Tensor | int | Sequence[typing.Any] | npt.NDArray[typing.Any]
)
