"""The wire format of protocol buffers, as far as the few messages here need it.

A message is a list of fields: a key (number << 3 | kind) and a value: a varint, 4 or 8 bytes, or
length-prefixed bytes.
"""

from __future__ import annotations

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_START_GROUP, _END_GROUP = 3, 4


class DecodeError(ValueError):
    """The bytes are not a valid message."""


def varint(value: int) -> bytes:
    """An integer as a varint; a negative one as a 64-bit word."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number_field(number: int, value: int) -> bytes:
    """A field that is an integer."""
    return varint(number << 3 | VARINT) + varint(value)


def bytes_field(number: int, value) -> bytes:
    """A field that is bytes, or a message."""
    return b"".join((varint(number << 3 | BYTES), varint(len(value)), value))


def signed(value: int) -> int:
    """The word of a varint as a signed integer."""
    return value - (1 << 64) if value >> 63 else value


def read_varint(data, at: int) -> tuple[int, int]:
    """(the value, the next position)."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise DecodeError("the message ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & ((1 << 64) - 1), at
    raise DecodeError("a number of more than ten bytes")


def varints(data) -> list[int]:
    """The signed integers of a packed field."""
    values, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        values.append(signed(value))
    return values


def fields(data):
    """(number, kind, value) of every field; values other than varints are views of the bytes.
    Groups, which nobody writes any more, are passed over."""
    data = memoryview(data)
    at, groups = 0, []
    while at < len(data):
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise DecodeError("a field without a number")
        if kind == _START_GROUP:
            groups.append(number)
            continue
        if kind == _END_GROUP:
            if not groups or groups.pop() != number:
                raise DecodeError("a group ends that did not begin")
            continue
        value, at = _value(data, at, kind)
        if not groups:
            yield number, kind, value
    if groups:
        raise DecodeError("the message ends inside a group")


def _value(data, at, kind):
    """(a field's value, the next position)."""
    if kind == VARINT:
        return read_varint(data, at)
    if kind == BYTES:
        length, at = read_varint(data, at)
    elif kind in (FIXED64, FIXED32):
        length = 8 if kind == FIXED64 else 4
    else:
        raise DecodeError(f"a field of kind {kind}")
    if length > len(data) - at:
        raise DecodeError("the message ends inside a field")
    return data[at : at + length], at + length
