"""Messages with named fields: classes that behave like TensorFlow's protocol buffers.

    class GPUOptions(Message):
        FIELDS = {"allow_growth": (4, "bool"), "experimental": (9, Experimental)}

A field is its number and its kind: the name of a scalar kind, a message class, a list of one kind
for a repeated field, or {key kind: value kind}. An unset field reads as its kind's zero and is not
written. `ONE_OF` names fields of which at most one is set.
"""

from __future__ import annotations

import copy
import math
import numbers
import struct
from typing import ClassVar

from penstock._proto import protobuf as wire

_PACKED = {"double": "<d", "float": "<f"}
_RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "enum": (-(2**31), 2**31 - 1),
    "bool": (-(2**63), 2**63 - 1),
}
_ZEROS = {"string": "", "bytes": b"", "bool": False, "double": 0.0, "float": 0.0}


def _checked(kind, value, owner):
    """The value as a scalar of that kind; raises TypeError or ValueError."""
    if kind in ("string", "bytes"):
        accepted = (str, bytes) if kind == "string" else bytes
        if not isinstance(value, accepted):
            raise TypeError(f"bad argument type for built-in operation: {value!r} in {owner}")
        return value.decode() if kind == "string" and isinstance(value, bytes) else value
    if kind in _PACKED:
        if not isinstance(value, numbers.Real) and not hasattr(value, "__float__"):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        # A float too large for four bytes becomes an infinity, as in C.
        value = float(value)
        if kind == "float" and math.isfinite(value) and abs(value) > 3.4028235677973366e38:
            return math.copysign(math.inf, value)
        return struct.unpack("<f", struct.pack("<f", value))[0] if kind == "float" else value
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: (int,)")
    value = value.__index__()
    low, high = _RANGES[kind]
    if not low <= value <= high:
        raise ValueError(f"Value out of range: {value}")
    return bool(value) if kind == "bool" else value


class Repeated(list):
    """The values of a repeated field; every value is checked."""

    def __init__(self, kind, owner):
        super().__init__()
        self._kind, self._owner = kind, owner

    def _made(self, value):
        if isinstance(self._kind, str):
            return _checked(self._kind, value, self._owner)
        if not isinstance(value, self._kind):
            raise TypeError(f"Parameter to {self._owner} must be a {self._kind.__name__}")
        return copy.deepcopy(value)

    def append(self, value):
        super().append(self._made(value))

    def extend(self, values):
        super().extend([self._made(value) for value in values])

    def add(self, **fields):
        """One more message, which is returned."""
        message = self._kind(**fields)
        super().append(message)
        return message

    def __reduce__(self):
        return _repeated, (self._kind, self._owner, list(self))


def _repeated(kind, owner, values):
    repeated = Repeated(kind, owner)
    list.extend(repeated, values)
    return repeated


class Message:
    """The base: fields as attributes, and their bytes."""

    FIELDS: ClassVar[dict] = {}
    ONE_OF: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **fields):
        object.__setattr__(self, "_values", {})
        for name, value in fields.items():
            if name not in self.FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self._fill(name, value)

    def _fill(self, name, value):
        kind = self.FIELDS[name][1]
        if isinstance(kind, list):
            getattr(self, name).extend(value)
        elif isinstance(kind, dict):
            getattr(self, name).update(value)
        elif isinstance(kind, str):
            setattr(self, name, value)
        elif isinstance(value, dict):
            self._values[name] = kind(**value)
        else:
            getattr(self, name).CopyFrom(value)

    def __getattr__(self, name):
        if name not in self.FIELDS:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        kind = self.FIELDS[name][1]
        if name in self._values:
            return self._values[name]
        if isinstance(kind, str):
            return _ZEROS.get(kind, 0)
        container = Repeated(kind[0], name) if isinstance(kind, list) else {}
        container = kind() if isinstance(kind, type) else container
        self._values[name] = container
        return container

    def __setattr__(self, name, value):
        if name not in self.FIELDS:
            raise AttributeError(
                f'Assignment not allowed (no field "{name}" in protocol message object).'
            )
        kind = self.FIELDS[name][1]
        if not isinstance(kind, str):
            raise AttributeError(
                f'Assignment not allowed to message, map, or repeated field "{name}" in protocol '
                "message object."
            )
        for other in self.ONE_OF if name in self.ONE_OF else ():
            self._values.pop(other, None)
        self._values[name] = _checked(kind, value, name)

    def _is_set(self, name) -> bool:
        if name not in self._values:
            return False
        kind, value = self.FIELDS[name][1], self._values[name]
        if isinstance(kind, (list, dict)):
            return bool(value)
        if isinstance(kind, str):
            return name in self.ONE_OF or value != _ZEROS.get(kind, 0)
        return bool(value.ListFields())

    def ListFields(self) -> list:
        """(name, value) of the fields that are set, by their numbers."""
        names = sorted(self.FIELDS, key=lambda name: self.FIELDS[name][0])
        return [(name, self._values[name]) for name in names if self._is_set(name)]

    def HasField(self, name) -> bool:
        if name not in self.FIELDS:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        return self._is_set(name)

    def WhichOneof(self, group) -> str | None:
        return next((name for name in self.ONE_OF if self._is_set(name)), None)

    def Clear(self) -> None:
        self._values.clear()

    def ClearField(self, name) -> None:
        self._values.pop(name, None)

    def CopyFrom(self, other) -> None:
        if not isinstance(other, type(self)):
            raise TypeError(
                f"Parameter to CopyFrom() must be instance of same class: expected "
                f"{type(self).__name__} got {type(other).__name__}."
            )
        object.__setattr__(self, "_values", copy.deepcopy(other._values))

    def MergeFrom(self, other) -> None:
        for name, value in other.ListFields():
            kind = self.FIELDS[name][1]
            if isinstance(kind, type):
                getattr(self, name).MergeFrom(value)
            else:
                self._fill(name, value)

    def SerializeToString(self, deterministic=None) -> bytes:
        """The message as bytes."""
        return b"".join(_encoded(*self.FIELDS[name], value) for name, value in self.ListFields())

    def ByteSize(self) -> int:
        return len(self.SerializeToString())

    def ParseFromString(self, serialized) -> int:
        """Replaces the message by the one in the bytes; unknown fields are skipped."""
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized) -> int:
        """Merges the message in the bytes. Raises DecodeError."""
        by_number = {number: (name, kind) for name, (number, kind) in self.FIELDS.items()}
        for number, form, value in wire.fields(serialized):
            if number in by_number:
                self._take(*by_number[number], form, value)
        return len(serialized)

    @classmethod
    def FromString(cls, serialized):
        message = cls()
        message.MergeFromString(serialized)
        return message

    def _take(self, name, kind, form, value):
        """Sets a field's value; a value in another wire form is ignored."""
        is_list = isinstance(kind, list)
        inner = kind[0] if is_list else kind
        if isinstance(inner, str):
            is_packed = form == wire.BYTES and inner not in ("string", "bytes")
            values = [] if is_packed and not is_list else _decoded(inner, form, value)
            if is_list:
                list.extend(getattr(self, name), values)
            elif values:
                setattr(self, name, values[-1])
        elif form == wire.BYTES and isinstance(inner, dict):
            key, item = _pair(inner, value)
            getattr(self, name)[key] = item
        elif form == wire.BYTES:
            container = getattr(self, name)
            (container.add() if is_list else container).MergeFromString(value)

    def __eq__(self, other):
        return type(other) is type(self) and self.ListFields() == other.ListFields()

    __hash__ = None

    def __repr__(self):
        return "".join(_lines(self, ""))

    def __deepcopy__(self, memo):
        copy = type(self)()
        copy.CopyFrom(self)
        return copy

    def __reduce__(self):
        return type(self).FromString, (self.SerializeToString(),)


def _encoded(number, kind, value) -> bytes:
    """A field as bytes."""
    if isinstance(kind, dict):
        ((key_kind, value_kind),) = kind.items()
        pairs = (
            _encoded(1, key_kind, key) + _encoded(2, value_kind, item)
            for key, item in value.items()
        )
        return b"".join(wire.bytes_field(number, pair) for pair in pairs)
    if isinstance(kind, list):
        kind = kind[0]
        if not isinstance(kind, str) or kind in ("string", "bytes"):
            return b"".join(_encoded(number, kind, element) for element in value)
        return wire.bytes_field(number, b"".join(_scalar(kind, element) for element in value))
    if not isinstance(kind, str):
        return wire.bytes_field(number, value.SerializeToString())
    if kind in ("string", "bytes"):
        return wire.bytes_field(number, value.encode() if kind == "string" else value)
    form = {"double": wire.FIXED64, "float": wire.FIXED32}.get(kind, wire.VARINT)
    return wire.varint(number << 3 | form) + _scalar(kind, value)


def _scalar(kind, value) -> bytes:
    return struct.pack(_PACKED[kind], value) if kind in _PACKED else wire.varint(int(value))


def _pair(kind, value):
    """A key and its value, for a dictionary field."""
    ((key_kind, value_kind),) = kind.items()
    key, item = _ZEROS.get(key_kind, 0), _ZEROS.get(value_kind, 0)
    for number, form, part in wire.fields(value):
        if number == 1:
            key = [key, *_decoded(key_kind, form, part)][-1]
        elif number == 2:
            item = [item, *_decoded(value_kind, form, part)][-1]
    return key, item


def _decoded(kind, form, value) -> list:
    """The values of a field: several if packed, none if the wire form differs."""
    if kind in ("string", "bytes"):
        if form != wire.BYTES:
            return []
        try:
            return [str(value, "utf-8") if kind == "string" else bytes(value)]
        except UnicodeDecodeError as error:
            raise wire.DecodeError(f"Error parsing message: a text is none: {error}") from error
    if kind in _PACKED:
        size = struct.calcsize(_PACKED[kind])
        if form not in (wire.BYTES, wire.FIXED32 if size == 4 else wire.FIXED64):
            return []
        if len(value) % size:
            raise wire.DecodeError("Error parsing message: it ends inside a number")
        return [element for (element,) in struct.iter_unpack(_PACKED[kind], value)]
    if form not in (wire.VARINT, wire.BYTES):
        return []
    numbers = [wire.signed(value)] if form == wire.VARINT else wire.varints(value)
    return [_cut(kind, number) for number in numbers]


def _cut(kind, value: int):
    """A varint as the kind stores it: the lowest bits count."""
    if kind == "bool":
        return bool(value)
    if kind == "int64":
        return value
    value &= 0xFFFFFFFF
    return value - (1 << 32) if kind != "uint32" and value >> 31 else value


def _lines(message, indent):
    """The text form."""
    for name, value in message.ListFields():
        kind = message.FIELDS[name][1]
        for element in value if isinstance(kind, list) else [value]:
            if isinstance(element, Message):
                yield f"{indent}{name} {{\n"
                yield from _lines(element, indent + "  ")
                yield f"{indent}}}\n"
            elif isinstance(element, dict):
                for key, item in element.items():
                    texts = f"{indent}  key: {_text(key)}\n{indent}  value: {_text(item)}\n"
                    yield f"{indent}{name} {{\n{texts}{indent}}}\n"
            else:
                yield f"{indent}{name}: {_text(element)}\n"


def _text(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, bytes)):
        text = value if isinstance(value, str) else value.decode("latin-1")
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return f"{value:.9g}" if isinstance(value, float) else str(value)
