"""tf.train.Example and its parts: the messages in TFRecord files.

example = tf.train.Example(features=tf.train.Features(feature={
    "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[7])),
}))
tf.train.Example.FromString(example.SerializeToString())
"""

from __future__ import annotations

import operator
import struct
from typing import ClassVar

from penstock._api import public
from penstock._proto.protobuf import (
    BYTES,
    FIXED32,
    VARINT,
    DecodeError,
    bytes_field,
    fields,
    signed,
    varint,
    varints,
)


class _Message:
    """The base: `_FIELDS` names the attributes and their kinds, which create empty ones."""

    _FIELDS: ClassVar[dict] = {}

    def __init__(self, **fields):
        for name in fields:
            if name not in self._FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        self.Clear()
        for name, value in fields.items():
            if value is not None:
                self._set(name, value)

    def Clear(self) -> None:
        """Makes it empty."""
        for name, kind in self._FIELDS.items():
            setattr(self, name, kind())

    def _set(self, name, value):
        kind = self._FIELDS[name]
        if not isinstance(value, kind):
            raise TypeError(
                f"Parameter to initialize message field must be {kind.__name__}, not "
                f"{type(value).__name__}"
            )
        setattr(self, name, value)

    def SerializeToString(self, deterministic=None) -> bytes:
        """The message as bytes."""
        return self._encode()

    @classmethod
    def FromString(cls, serialized):
        """The message that the bytes hold.

        Args:
          serialized: Bytes.

        >>> empty = tf.train.Example()
        >>> tf.train.Example.FromString(empty.SerializeToString()) == empty
        True
        """
        message = cls()
        message.MergeFromString(serialized)
        return message

    def ParseFromString(self, serialized) -> int:
        """Replaces the message by the one in the bytes; returns their number."""
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized) -> int:
        """Merges the message in the bytes into this one."""
        for number, kind, value in fields(serialized):
            self._merge(number, kind, value)
        return len(serialized)

    def CopyFrom(self, other) -> None:
        """Becomes a copy of another message."""
        self.ParseFromString(other.SerializeToString())

    def ByteSize(self) -> int:
        """The length of the message as bytes."""
        return len(self._encode())

    def __eq__(self, other):
        return type(self) is type(other) and self._encode() == other._encode()

    __hash__ = None

    def __str__(self):
        return "".join(line + "\n" for line in self._lines())

    __repr__ = __str__

    def __reduce__(self):
        return type(self).FromString, (self._encode(),)


def _inside(name, message):
    return [f"{name} {{", *("  " + line for line in message._lines()), "}"]


class _Values(list):
    """The values of a list message: each is checked on insertion."""

    def __init__(self, check):
        super().__init__()
        self._check = check

    def append(self, value) -> None:
        super().append(self._check(value))

    def extend(self, values) -> None:
        super().extend([self._check(value) for value in values])

    def insert(self, place, value) -> None:
        super().insert(place, self._check(value))

    def __setitem__(self, place, value):
        if isinstance(place, slice):
            value = [self._check(element) for element in value]
        else:
            value = self._check(value)
        super().__setitem__(place, value)

    def __iadd__(self, values):
        self.extend(values)
        return self


class _List(_Message):
    """A message with one field: `value`, a list."""

    _FIELDS: ClassVar[dict] = {"value": list}

    def Clear(self) -> None:
        """Makes it empty."""
        self._values = _Values(self._checked)

    @property
    def value(self) -> list:
        """The values."""
        return self._values

    def _set(self, name, value):
        self._values.extend(value)

    def _merge(self, number, kind, value):
        if number == 1:
            self._values.extend(self._decoded(kind, value))

    def _lines(self):
        return [f"value: {self._text(value)}" for value in self._values]


@public("train.BytesList")
class BytesList(_List):
    """A list of bytes.

    Args:
      **given: value, a list of bytes.

    >>> tf.train.BytesList(value=[b"a", b"b"]).value
    [b'a', b'b']
    """

    @staticmethod
    def _checked(value):
        if not isinstance(value, bytes):
            raise TypeError(f"expected bytes, {type(value).__name__} found")
        return value

    def _encode(self):
        return b"".join(bytes_field(1, value) for value in self._values)

    @staticmethod
    def _decoded(kind, value):
        return [bytes(value)] if kind == BYTES else []

    @staticmethod
    def _text(value):
        signs = {34: '\\"', 92: "\\\\", 39: "\\'", 10: "\\n", 13: "\\r", 9: "\\t"}
        parts = (signs.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in value)
        return '"' + "".join(parts) + '"'


@public("train.FloatList")
class FloatList(_List):
    """A list of float32 numbers.

    Args:
      **given: value, a list of numbers.

    >>> tf.train.FloatList(value=[1.5, 2.0]).value
    [1.5, 2.0]
    """

    @staticmethod
    def _checked(value):
        value = float(value) if not isinstance(value, (str, bytes)) else None
        if value is None:
            raise TypeError("must be real number, not str")
        try:
            return struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")

    def _encode(self):
        if not self._values:
            return b""
        return bytes_field(1, struct.pack(f"<{len(self._values)}f", *self._values))

    @staticmethod
    def _decoded(kind, value):
        if kind not in (BYTES, FIXED32) or len(value) % 4:
            raise DecodeError("a list of floats is damaged")
        return struct.unpack(f"<{len(value) // 4}f", value)

    @staticmethod
    def _text(value):
        # The shortest text that restores the float32.
        for digits in range(6, 10):
            text = f"{value:.{digits}g}"
            if struct.pack("<f", float(text)) == struct.pack("<f", value):
                break
        return text


@public("train.Int64List")
class Int64List(_List):
    """A list of integers of 64 bits.

    Args:
      **given: value, a list of integers.

    >>> tf.train.Int64List(value=[1, 2]).value
    [1, 2]
    """

    @staticmethod
    def _checked(value):
        if isinstance(value, bool):
            raise TypeError("Field tensorflow.Int64List.value: Expected an int, got a boolean.")
        value = operator.index(value)
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"Value out of range: {value}")
        return value

    def _encode(self):
        return bytes_field(1, b"".join(map(varint, self._values))) if self._values else b""

    @staticmethod
    def _decoded(kind, value):
        if kind not in (BYTES, VARINT):
            raise DecodeError("a list of integers is damaged")
        return varints(value) if kind == BYTES else [signed(value)]

    _text = staticmethod(str)


@public("train.Feature")
class Feature(_Message):
    """One of a bytes_list, a float_list and an int64_list.

    Args:
      **given: bytes_list, float_list or int64_list.

    >>> tf.train.Feature(float_list=tf.train.FloatList(value=[1.5])).float_list.value
    [1.5]
    """

    _FIELDS: ClassVar[dict] = {
        "bytes_list": BytesList,
        "float_list": FloatList,
        "int64_list": Int64List,
    }

    def Clear(self) -> None:
        """Makes it empty."""
        super().Clear()
        self._kind = None

    def _set(self, name, value):
        super()._set(name, value)
        self._kind = name

    def WhichOneof(self, group) -> str | None:
        """The name of the list that is set, or None."""
        if group != "kind":
            raise ValueError(f'Protocol message Feature has no oneof "{group}" field.')
        filled = [name for name in self._FIELDS if getattr(self, name).value]
        return filled[-1] if filled else self._kind

    def HasField(self, name) -> bool:
        """Whether that list is set."""
        if name not in self._FIELDS:
            raise ValueError(f'Protocol message Feature has no field "{name}".')
        return self.WhichOneof("kind") == name

    def _encode(self):
        kind = self.WhichOneof("kind")
        if kind is None:
            return b""
        return bytes_field(1 + list(self._FIELDS).index(kind), getattr(self, kind)._encode())

    def _merge(self, number, kind, value):
        if kind == BYTES and 1 <= number <= len(self._FIELDS):
            name = list(self._FIELDS)[number - 1]
            if self.WhichOneof("kind") not in (name, None):
                self.Clear()
            self._kind = name
            getattr(self, name).MergeFromString(value)

    def _lines(self):
        kind = self.WhichOneof("kind")
        return [] if kind is None else _inside(kind, getattr(self, kind))


class _FeatureMap(dict):
    """Features by name; a missing one is created when accessed."""

    def __missing__(self, name):
        self[name] = Feature()
        return self[name]

    def __setitem__(self, name, value):
        if not isinstance(name, str):
            raise TypeError(f"bad argument type for built-in operation: {name!r} is no text")
        if not isinstance(value, Feature):
            raise TypeError(f"expected Feature, {type(value).__name__} found")
        super().__setitem__(name, value)


@public("train.Features")
class Features(_Message):
    """`feature`: a dictionary of features.

    Args:
      **given: feature, a dictionary of tf.train.Feature.

    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
    >>> list(tf.train.Features(feature={"id": feature}).feature)
    ['id']
    """

    _FIELDS: ClassVar[dict] = {"feature": _FeatureMap}

    def _set(self, name, value):
        for key, feature in dict(value).items():
            self.feature[key] = feature

    def _encode(self):
        return b"".join(
            bytes_field(1, bytes_field(1, name.encode()) + bytes_field(2, feature._encode()))
            for name, feature in sorted(self.feature.items())
        )

    def _merge(self, number, kind, value):
        if number != 1 or kind != BYTES:
            return
        name, feature = "", Feature()
        for inner, inner_kind, part in fields(value):
            if inner == 1 and inner_kind == BYTES:
                try:
                    name = bytes(part).decode()
                except UnicodeDecodeError as error:
                    raise DecodeError(f"the name of a feature is no text: {error}") from error
            elif inner == 2 and inner_kind == BYTES:
                feature.MergeFromString(part)
        self.feature[name] = feature

    def _lines(self):
        lines = []
        for name, feature in sorted(self.feature.items()):
            text = [f'key: "{name}"', *_inside("value", feature)]
            lines += ["feature {", *("  " + line for line in text), "}"]
        return lines


@public("train.Example")
class Example(_Message):
    """One record of a dataset: `features`.

    Args:
      **given: features, a tf.train.Features.

    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"ids": feature}))
    >>> tf.train.Example.FromString(example.SerializeToString()) == example
    True
    """

    _FIELDS: ClassVar[dict] = {"features": Features}

    def _encode(self):
        # Empty features that were not given are not written.
        inner = self.features._encode()
        return bytes_field(1, inner) if inner else b""

    def _merge(self, number, kind, value):
        if number == 1 and kind == BYTES:
            self.features.MergeFromString(value)

    def _lines(self):
        lines = self.features._lines()
        return _inside("features", self.features) if lines else []
