"""TensorFlow's TensorProto: a tensor as a message.

Values are either the bytes of all elements (field 4) or a list of numbers in the field of their
kind, whose last number repeats.
"""

from __future__ import annotations

import math

import numpy as np

from penstock import _core, dtypes, errors
from penstock._memory.host import booked, filled
from penstock._proto.protobuf import (
    BYTES,
    VARINT,
    DecodeError,
    bytes_field,
    fields,
    number_field,
    signed,
    varints,
)

_DTYPE, _SHAPE, _CONTENT, _STRINGS = 1, 2, 4, 8
_MOST_BYTES = 2**31  # the limit of TensorFlow's messages
_MOST_DIMENSIONS = 8
_DECODED = 64  # bytes that a one-byte number takes while it is decoded

# Field: (packed elements as NumPy reads them or None for varints, dtypes).
_LISTS = {
    5: ("<f4", "float32"),
    6: ("<f8", "float64"),
    7: (None, "int32 int16 int8 uint16 uint8"),
    9: ("<c8", "complex64"),
    10: (None, "int64"),
    11: (None, "bool"),
    12: ("<c16", "complex128"),
    13: (None, "float16 bfloat16"),
    16: (None, "uint32"),
    17: (None, "uint64"),
}


def _invalid(message):
    return errors.InvalidArgumentError(None, None, message)


def _shape_message(shape) -> bytes:
    dims = (bytes_field(2, number_field(1, size) if size else b"") for size in shape)
    return b"".join(dims)


def encode(tensor) -> bytes:
    """The tensor as a message."""
    head = number_field(_DTYPE, tensor.dtype.as_datatype_enum)
    head += bytes_field(_SHAPE, _shape_message(tensor.shape))
    array = tensor._read_only_array()
    if tensor.dtype is dtypes.string:
        return head + b"".join(bytes_field(_STRINGS, text) for text in array.reshape(-1))
    if not array.size:
        return head
    with booked(2 * array.nbytes, "serialize_tensor"):
        return head + bytes_field(_CONTENT, array.reshape(-1).view(np.uint8))


def decode(data: bytes):
    """The tensor in a message. Raises InvalidArgumentError."""
    try:
        return _decode(data)
    except (DecodeError, OverflowError, ValueError) as error:
        raise _invalid(f"Could not parse `serialized` as TensorProto: {error}") from error


def _decode(data):
    number, shape, content, strings = 0, [], None, []
    lists = {field: [] for field in _LISTS}
    for field, kind, value in fields(data):
        if field == _DTYPE and kind == VARINT:
            number = value
        elif field == _SHAPE and kind == BYTES:
            shape = _shape(value)
        elif field == _CONTENT and kind == BYTES:
            content = value
        elif field == _STRINGS and kind == BYTES:
            strings.append(bytes(value))
        elif field in lists:
            lists[field].append((kind, value))
    dtype = dtypes._BY_ENUM.get(number)
    if dtype is None:
        raise DecodeError(f"dtype {number} is not known")
    count = math.prod(shape)
    if count * max(dtype.size, 1) > _MOST_BYTES:
        raise DecodeError(f"shape {shape} is too large")
    if dtype is dtypes.string:
        return filled(np.array(strings, dtype=object), shape, dtype, "parse_tensor")
    numpy = dtype._as_dtype()
    if content:
        if len(content) != count * dtype.size:
            raise DecodeError(f"{len(content)} bytes for shape {shape} of {dtype.name}")
        return _core.to_tensor(np.frombuffer(content, numpy).reshape(shape), dtype)
    with booked(_DECODED * len(data), "parse_tensor"):
        return filled(_listed(lists, dtype), shape, dtype, "parse_tensor")


def _shape(message):
    shape = []
    for field, kind, value in fields(message):
        if field == 3 and kind == VARINT and value:
            raise DecodeError("the shape has no rank")
        if field != 2 or kind != BYTES:
            continue
        size = 0
        for inner, inner_kind, number in fields(value):
            if inner == 1 and inner_kind == VARINT:
                size = signed(number)
        if size < 0:
            raise DecodeError("the shape has an unknown dimension")
        shape.append(size)
    if len(shape) > _MOST_DIMENSIONS:
        raise DecodeError(f"{len(shape)} dimensions")
    return shape


def _listed(lists, dtype):
    """The numbers of a message without a field of bytes."""
    for field, (packed, names) in _LISTS.items():
        if dtype.name not in names.split():
            continue
        if packed is not None:
            data = b"".join(value for kind, value in lists[field] if kind != VARINT)
            size = np.dtype(packed).itemsize
            if len(data) % size:
                raise DecodeError("the message ends inside a number")
            return np.frombuffer(data, packed)
        numbers = []
        for kind, value in lists[field]:
            numbers += [signed(value)] if kind == VARINT else varints(value)
        words = np.array([number & (1 << 64) - 1 for number in numbers], np.uint64)
        # Half types are listed as their bits; integers as themselves.
        if dtype.is_floating:
            return words.astype(np.uint16).view(dtype._as_dtype())
        return words.astype(dtype._as_dtype())
    raise DecodeError(f"no values of {dtype.name}")
