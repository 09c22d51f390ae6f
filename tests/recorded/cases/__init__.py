"""Calls to record beside the ops' own samples: the corners, and what TensorFlow refuses.

    call("AddV2", f32([1, 2]), f32([[3], [4]]))
    call("Sum", f32(np.ones((2, 0))), axis=[1], keepdims=True)

Inputs come positionally, attributes by name; those left out have their defaults. Each file beside
this one holds the calls of one family.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import NamedTuple

import ml_dtypes
import numpy as np


class Case(NamedTuple):
    op: str
    inputs: list[np.ndarray]
    attrs: dict
    tol: float


_cases: list[Case] = []


def call(op: str, *inputs: np.ndarray, tol: float = 0, **attrs) -> None:
    """Records a call; `tol` (relative and absolute) takes the place of the dtype's tolerance."""
    _cases.append(Case(op, list(inputs), attrs, tol))


def maker(dtype):
    return lambda values: np.array(values, dtype)


b = maker(bool)
i8, i16, i32, i64 = maker(np.int8), maker(np.int16), maker(np.int32), maker(np.int64)
u8, u16, u32, u64 = maker(np.uint8), maker(np.uint16), maker(np.uint32), maker(np.uint64)
f16, bf16, f32, f64 = maker(np.float16), maker(ml_dtypes.bfloat16), maker(np.float32), maker(float)
c64, c128 = maker(np.complex64), maker(np.complex128)
nan, inf = float("nan"), float("inf")


def s(values) -> np.ndarray:
    """Strings: bytes, or text that becomes UTF-8."""
    array = np.array(values, object)
    encode = np.frompyfunc(lambda text: text.encode() if isinstance(text, str) else text, 1, 1)
    return np.asarray(encode(array), object).reshape(array.shape)


def steps(dtype, *shape, start=0.0, step=0.25) -> np.ndarray:
    """start, start + step, … in this shape."""
    return (start + step * np.arange(int(np.prod(shape)))).reshape(shape).astype(dtype)


def load() -> list[Case]:
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
    return _cases
