"""Checkpoint files: safetensors, with the object graph and checksums in the metadata.

The prefix "dir/ckpt-1" is the file dir/ckpt-1.safetensors. Tensors have TensorFlow's names for
them, as in "model/w/.ATTRIBUTES/VARIABLE_VALUE". Checksums are CRC-32C, eight hexadecimal digits:

    {"__metadata__": {"penstock.crc32c": of the length and the header, with 00000000 in its place,
                      "penstock.version": "2",
                      "penstock.data": of the tensors, one after the other in the file's order,
                      "penstock.graph": [{"children": {name: number}, "key": name}, …]},
     …}

Version 1 had neither checksums nor "penstock.version", and "penstock.checkpoint" for the graph.
"""

from __future__ import annotations

import json
import os

import numpy as np

from penstock import _core, dtypes, errors
from penstock._base.files import replacing, system_errors, write_all
from penstock._variables.track import StateHolder
from penstock.io import _header, gfile, safetensors
from penstock.io._header import lost

SUFFIX = ".safetensors"
_VERSION = "2"
_SUM, _DATA, _GRAPH = "penstock.crc32c", "penstock.data", "penstock.graph"
_VERSION_KEY, _GRAPH_1 = "penstock.version", "penstock.checkpoint"
_DIGITS = 8
_NO_SUM = "0" * _DIGITS
# The start of a header with a checksum; the digits follow.
_START = b'{"__metadata__":{"' + _SUM.encode() + b'":"'
_SUM_AT = _header.LENGTH_BYTES + len(_START)


def file_of(prefix: str) -> str:
    """The file of a checkpoint."""
    return prefix if prefix.endswith(SUFFIX) and os.path.isfile(prefix) else prefix + SUFFIX


def exists(prefix: str) -> bool:
    """Whether there is such a checkpoint."""
    return os.path.isfile(file_of(prefix))


class _Pairs:
    """A complex128 as pairs of float64, which the format supports."""

    dtype = dtypes.float64

    def __init__(self, variable):
        self.shape, self._read_only_array = (*variable.shape, 2), variable._read_only_array


class _State:
    """The state of an object: bytes."""

    dtype = dtypes.uint8

    def __init__(self, state):
        self._bytes, self.shape = state, (len(state),)

    def _read_only_array(self):
        return np.frombuffer(self._bytes, np.uint8)


def write(prefix: str, nodes) -> None:
    """Writes the variables among the nodes, and the graph."""
    tensors, described = {}, []
    for node in nodes:
        entry = {"children": node.children} if node.children else {}
        if node.key is not None:
            entry["key"], tensors[node.key] = node.key, node.value
            if isinstance(node.value, StateHolder):
                tensors[node.key] = _State(node.value._save_state())
            elif node.value.dtype is dtypes.complex128:
                entry["dtype"], tensors[node.key] = "complex128", _Pairs(node.value)
        described.append(entry)
    folder = os.path.dirname(prefix)
    if folder:
        gfile.makedirs(folder)
    entries = _header.layout(tensors)
    graph = json.dumps(described)
    with replacing(prefix + SUFFIX) as file:
        # The header's space is reserved before the data; its checksums are filled in afterwards.
        write_all(file, _head(entries, graph, _NO_SUM * len(entries)))
        sums = []
        for entry in entries:
            data = _header.bytes_of(tensors[entry.name])
            sums.append(_digits(_core.crc32c(data)))
            write_all(file, data)
            del data
        head = _head(entries, graph, "".join(sums))
        digits = _digits(_core.crc32c(head)).encode()
        file.seek(0)
        write_all(file, head[:_SUM_AT] + digits + head[_SUM_AT + _DIGITS :])


def _digits(checksum: int) -> str:
    return f"{checksum:0{_DIGITS}x}"


def _head(entries, graph, sums) -> bytes:
    """The length and the header, without its own checksum."""
    metadata = {_SUM: _NO_SUM, _VERSION_KEY: _VERSION, _DATA: sums, _GRAPH: graph}
    return _header.encode(entries, metadata)


class _Checked(safetensors.safe_open):
    """A file whose header is verified before it is parsed."""

    is_checked = False

    def _check_header(self, head):
        if not head.startswith(_START, _header.LENGTH_BYTES):
            return  # an old file, or not ours: CheckpointFile finds out
        digits = head[_SUM_AT : _SUM_AT + _DIGITS]
        plain = head[:_SUM_AT] + _NO_SUM.encode() + head[_SUM_AT + _DIGITS :]
        if _digits(_core.crc32c(plain)).encode() != digits:
            raise lost(f"{self.path}: the header is damaged: its checksum differs")
        self.is_checked = True


class CheckpointFile:
    """A checkpoint opened for reading: `nodes` is its graph, [(children, key or None), …]."""

    def __init__(self, prefix: str):
        try:
            self._file = _Checked(file_of(prefix))
        except errors.NotFoundError as error:
            other = " (there is one of TensorFlow's own format, which is not supported)"
            raise errors.NotFoundError(
                None,
                None,
                f"Failed to find any matching files for {prefix}: there is no {prefix}{SUFFIX}"
                + (other if os.path.exists(prefix + ".index") else ""),
            ) from error
        self._complex = set()
        try:
            self._sums = self._checksums()
            self.nodes = self._graph()
        except BaseException:
            self.close()
            raise

    def _checksums(self) -> dict:
        """{name: the checksum of its data}, of a file that has them."""
        metadata, path = self._file.metadata(), self._file.path
        if _GRAPH_1 in metadata and not self._file.is_checked:
            return {}
        version = metadata.get(_VERSION_KEY)
        if self._file.is_checked and version != _VERSION:
            raise errors.UnimplementedError(
                None, None, f"{path} is a checkpoint of version {version}; this penstock reads 2"
            )
        names = sorted(self._file.keys(), key=lambda name: self._file.entry(name)[3:])
        digits = metadata.get(_DATA, "")
        if not self._file.is_checked or len(digits) != _DIGITS * len(names):
            raise lost(f"{path} is no whole checkpoint: it has no checksums")
        return {name: digits[_DIGITS * i : _DIGITS * (i + 1)] for i, name in enumerate(names)}

    def _graph(self):
        metadata = self._file.metadata()
        text = metadata.get(_GRAPH, metadata.get(_GRAPH_1))
        if text is None:
            raise lost(f"{self._file.path} is no checkpoint: it has no graph of objects")
        try:
            table = json.loads(text)
            if not isinstance(table, list) or not table:
                raise ValueError("there are no objects")
            return [self._node(entry, len(table)) for entry in table]
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            raise lost(f"{self._file.path}: the graph of objects is damaged: {error}") from error

    def _node(self, entry, count):
        children, key = entry.get("children", {}), entry.get("key")
        for number in children.values():
            if type(number) is not int or not 0 <= number < count:
                raise ValueError(f"there is no object {number}")
        if key is None:
            return children, None
        if key not in self._file:
            raise ValueError(f"there is no tensor {key}")
        if entry.get("dtype") == "complex128":
            stored = self._file.entry(key)
            if stored.dtype is not dtypes.float64 or stored.shape[-1:] != (2,):
                raise ValueError(f"{key} is not complex128")
            self._complex.add(key)
        return children, key

    def keys(self):
        """The names of the tensors."""
        return self._file.keys()

    def describe(self, key):
        """The (dtype, shape) of a tensor."""
        if key not in self._file:
            raise errors.NotFoundError(None, None, f"Key {key} not found in checkpoint")
        entry = self._file.entry(key)
        if key in self._complex:
            return dtypes.complex128, entry.shape[:-1]
        return entry.dtype, entry.shape

    def _compare(self, key, count, checksum):
        """Raises DataLossError unless the bytes match their checksum."""
        self._file.check_count(self._file.entry(key), count)
        if self._sums and self._sums[key] != _digits(checksum):
            raise lost(f"{self._file.path}: the data of {key} are damaged: their checksum differs")

    def check(self, keys) -> None:
        """Reads the data of tensors, and raises DataLossError if they are damaged."""
        for key in keys:
            entry = self._file.entry(key)
            with system_errors(self._file.path):
                is_whole = _core.check_file(*self._file.place(entry), entry.end - entry.begin)
            self._compare(key, *is_whole)

    def read(self, key):
        """A tensor, in new memory."""
        entry = self._file.entry(key)
        tensor, checksum = self._file.read(entry, *self.describe(key))
        self._compare(key, entry.end - entry.begin, checksum)
        return tensor

    def read_into(self, variable, key) -> None:
        """Reads a value into the memory of a variable of that dtype and shape."""
        place = self._file.place(self._file.entry(key))
        with system_errors(self._file.path):
            result = _core.read_variable(variable, *place, self.describe(key)[1])
        self._compare(key, *result)

    def close(self):
        """Closes the file."""
        self._file.close()
