"""The header of a safetensors file: the position of each tensor. Everything in it is checked.

A file is the length of the header (8 bytes, little-endian), the header (JSON) and the data:

    {"__metadata__": {"format": "tf"},
     "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}

Offsets count from the end of the header. The tensors fill the data without holes or overlaps.
"""

from __future__ import annotations

import collections
import json
import math

import numpy as np

from penstock import dtypes, errors

LENGTH_BYTES = 8
_ALIGNMENT = 64  # of the data in the file: the header is padded with spaces
_MOST_HEADER = 100_000_000
DECODED = 16  # the most memory that decoding a header takes, in lengths
_MOST_DIMENSIONS = 8
_METADATA = "__metadata__"

CODES = {
    "BOOL": dtypes.bool,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "U16": dtypes.uint16,
    "I16": dtypes.int16,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "U32": dtypes.uint32,
    "I32": dtypes.int32,
    "F32": dtypes.float32,
    "U64": dtypes.uint64,
    "I64": dtypes.int64,
    "F64": dtypes.float64,
    "C64": dtypes.complex64,
}
_NAMES = {dtype: code for code, dtype in CODES.items()}

# The position of a tensor: `begin` and `end` are offsets in the data.
Entry = collections.namedtuple("Entry", "name dtype shape begin end")


def lost(message):
    """The error for a damaged file."""
    return errors.DataLossError(None, None, message)


def _invalid(message):
    return errors.InvalidArgumentError(None, None, message)


def layout(tensors: dict) -> list[Entry]:
    """The positions of tensors: wide elements first, so that all are aligned; then by name."""
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"the names of tensors are texts, and {name!r} is not")
        if name == _METADATA:
            raise _invalid(f"{_METADATA} cannot be the name of a tensor")
        if tensor.dtype not in _NAMES:
            raise _invalid(
                f"tensor '{name}' is {tensor.dtype.name}: the safetensors format does not have that"
            )
    entries, at = [], 0
    for name in sorted(tensors, key=lambda name: (-tensors[name].dtype.size, name)):
        dtype, shape = tensors[name].dtype, tuple(tensors[name].shape)
        end = at + math.prod(shape) * dtype.size
        entries.append(Entry(name, dtype, shape, at, end))
        at = end
    return entries


def encode(entries: list[Entry], metadata: dict | None) -> bytes:
    """The length and the header."""
    table = {}
    if metadata is not None:
        for key, value in metadata.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(f"metadata are texts, and {key!r}: {value!r} is not")
        table[_METADATA] = dict(metadata)
    for entry in entries:
        table[entry.name] = {
            "dtype": _NAMES[entry.dtype],
            "shape": entry.shape,
            "data_offsets": [entry.begin, entry.end],
        }
    try:
        text = json.dumps(table, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _invalid(f"a name is not valid Unicode: {error}") from error
    text += b" " * (-(LENGTH_BYTES + len(text)) % _ALIGNMENT)
    if len(text) > _MOST_HEADER:
        raise _invalid(f"the header would have {len(text)} bytes; {_MOST_HEADER} are allowed")
    return len(text).to_bytes(LENGTH_BYTES, "little") + text


def length(first: bytes, file_bytes: int) -> int:
    """The header's length, from the first bytes of the file."""
    if len(first) < LENGTH_BYTES:
        raise lost(f"no safetensors file: it has {file_bytes} bytes, too few for a header")
    size = int.from_bytes(first[:LENGTH_BYTES], "little")
    if size > _MOST_HEADER:
        raise lost(f"no safetensors file: a header of {size} bytes is too long")
    if size > file_bytes - LENGTH_BYTES:
        raise lost(f"the file ends inside the header: {size} bytes of {file_bytes}")
    return size


def decode(text: bytes, data_bytes: int) -> tuple[dict[str, Entry], dict[str, str]]:
    """(the tensors by name, the metadata) of a header, for that many bytes of data."""
    try:
        # The reference reader also requires the brace first: other JSON may begin with spaces.
        if text[:1] != b"{":
            raise ValueError("it does not begin with {")
        table = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise lost(f"the header is damaged: {error}") from error
    metadata = table.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise lost("the header is damaged: metadata must be texts")
    entries = {name: _entry(name, value) for name, value in table.items()}
    at = 0
    for entry in sorted(entries.values(), key=lambda item: (item.begin, item.end)):
        if entry.begin != at:
            kind = "overlaps another" if entry.begin < at else "leaves a hole before it"
            raise lost(f"the header is damaged: tensor '{entry.name}' {kind}")
        at = entry.end
    if at != data_bytes:
        raise lost(f"the tensors have {at} bytes, and the file has {data_bytes} for them")
    return entries, metadata


def _unique(pairs):
    table = dict(pairs)
    if len(table) < len(pairs):
        repeated = collections.Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"'{repeated}' is there twice")
    return table


def _is_sizes(value) -> bool:
    return isinstance(value, list) and all(
        type(size) is int and 0 <= size < 2**63 for size in value
    )


def _entry(name, value) -> Entry:
    where = f"the header is damaged: tensor '{name}'"
    if not isinstance(value, dict) or set(value) != {"dtype", "shape", "data_offsets"}:
        raise lost(f"{where} needs dtype, shape and data_offsets")
    shape, offsets = value["shape"], value["data_offsets"]
    if not isinstance(value["dtype"], str) or value["dtype"] not in CODES:
        raise _invalid(f"tensor '{name}' has dtype {value['dtype']!r}, which is not supported")
    dtype = CODES[value["dtype"]]
    if not _is_sizes(shape) or not _is_sizes(offsets) or len(offsets) != 2:
        raise lost(f"{where} has sizes or offsets that are none")
    if len(shape) > _MOST_DIMENSIONS:
        raise _invalid(
            f"tensor '{name}' has {len(shape)} dimensions; {_MOST_DIMENSIONS} are supported"
        )
    # A size of 0 does not excuse the others.
    if math.prod(size for size in shape if size) * dtype.size >= 2**63:
        raise _invalid(f"tensor '{name}' has a shape that is too large: {shape}")
    begin, end = offsets
    if end - begin != math.prod(shape) * dtype.size:
        raise lost(f"{where} has {end - begin} bytes for shape {shape} of {dtype.name}")
    return Entry(name, dtype, tuple(shape), begin, end)


def bytes_of(tensor):
    """The tensor's memory, as an array of bytes."""
    return tensor._read_only_array().reshape(-1).view(np.uint8)
