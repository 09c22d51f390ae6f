"""tf.dtypes: the DType objects, and conversion of other dtype names to them."""

from __future__ import annotations as _annotations

import builtins as _builtins

import numpy as _np

from penstock import _api

# By code, as in penstock/core/dtype.h.
_NAMES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "string",
]
_ENUM = {  # TensorFlow's numbers
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7,
    "complex64": 8, "int64": 9, "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18,
    "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip


class DType:
    """The type of a tensor's elements. There is one object for each."""

    __slots__ = ("_code", "_name", "_numpy")

    def __init__(self, code: int, name: str):
        self._code = code
        self._name = name
        self._numpy = (
            None if name == "bfloat16" else _np.dtype(object if name == "string" else name)
        )

    @property
    def name(self) -> str:
        """The dtype's name, such as "float32".

        >>> tf.float32.name
        'float32'
        """
        return self._name

    @property
    def as_numpy_dtype(self):
        return self._as_dtype().type if self._name != "string" else object

    def _as_dtype(self) -> _np.dtype:
        if self._numpy is None:
            import ml_dtypes

            self._numpy = _np.dtype(ml_dtypes.bfloat16)
        return self._numpy

    @property
    def as_datatype_enum(self) -> int:
        return _ENUM[self._name]

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def real_dtype(self) -> DType:
        return {"complex64": float32, "complex128": float64}.get(self._name, self)

    @property
    def size(self) -> int:
        return 0 if self._name == "string" else self._as_dtype().itemsize

    @property
    def is_bool(self) -> bool:
        """True for tf.bool.

        >>> tf.bool.is_bool
        True
        """
        return self._name == "bool"

    @property
    def is_integer(self) -> bool:
        return "int" in self._name

    @property
    def is_floating(self) -> bool:
        return "float" in self._name

    @property
    def is_complex(self) -> bool:
        return "complex" in self._name

    @property
    def is_unsigned(self) -> bool:
        return self._name.startswith("uint")

    @property
    def is_numeric(self) -> bool:
        return self._name not in ("bool", "string")

    @property
    def is_numpy_compatible(self) -> bool:
        return True

    def _limit(self, which: str):
        if self.is_integer:
            return getattr(_np.iinfo(self._as_dtype()), which)
        if self._name == "bfloat16":
            import ml_dtypes

            return getattr(ml_dtypes.finfo(self._as_dtype()), which)
        if self.is_floating:
            return getattr(_np.finfo(self._as_dtype()), which)
        raise TypeError(f"Cannot find {which}imum value of {self}.")

    @property
    def min(self):
        return self._limit("min")

    @property
    def max(self):
        return self._limit("max")

    @property
    def limits(self):
        return (0, 1) if self.is_floating else (0, self.max)

    def is_compatible_with(self, other) -> bool:
        return self is as_dtype(other)

    def __eq__(self, other):
        if other is self:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self._code

    def __int__(self):
        return self.as_datatype_enum

    def __repr__(self):
        return f"tf.{self._name}"

    def __str__(self):
        return f"<dtype: '{self._name}'>"

    def __reduce__(self):
        return as_dtype, (self._name,)


_ALL = [DType(code, name) for code, name in enumerate(_NAMES, start=1)]
_BY_NAME = {dtype._name: dtype for dtype in _ALL}
globals().update(_BY_NAME)
half, double = _BY_NAME["float16"], _BY_NAME["float64"]
_BY_NAME |= {
    "half": half,
    "float": _BY_NAME["float32"],
    "double": double,
    "str": _BY_NAME["string"],
}
_BY_ENUM = {number: _BY_NAME[name] for name, number in _ENUM.items()}
float32, float64 = _BY_NAME["float32"], _BY_NAME["float64"]
_BY_TYPE = {float: float32, _builtins.bool: _BY_NAME["bool"], object: _BY_NAME["string"]}


def _from_numpy(value) -> DType | None:
    if isinstance(value, DType):
        return value
    # By identity: np.dtype("float64") == None, and np.dtype("int64") == int.
    if any(value is kind for kind in (None, int, str, complex)):
        return None
    # NumPy accepts bytes as a name, and maps an unknown class to object.
    if isinstance(value, bytes) or (isinstance(value, type) and not issubclass(value, _np.generic)):
        return _BY_NAME["string"] if value is object else None
    try:
        numpy = _np.dtype(value)
    except (TypeError, ValueError):
        return None
    return _BY_NAME["string"] if numpy.kind in "SUO" else _BY_NAME.get(numpy.name)


def as_dtype(type_value) -> DType:
    """The DType that `type_value` names: a DType, a string, a NumPy dtype or a Python type."""
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, str):
        dtype = _BY_NAME.get(type_value)
    elif isinstance(type_value, type):
        dtype = _BY_TYPE.get(type_value) or _from_numpy(type_value)
    elif isinstance(type_value, int):
        dtype = _BY_ENUM.get(type_value)
    else:
        named = getattr(type_value, "dtype", type_value)
        dtype = None if isinstance(named, DType) else _from_numpy(named)  # a tensor names none
    if dtype is not None:
        return dtype
    raise TypeError(
        f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
    )


__all__ = [name for name in globals() if not name.startswith("_")]  # the top level has them too
__getattr__, __dir__ = _api.surface("dtypes")
