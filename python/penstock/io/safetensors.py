"""tf.io.safetensors: named tensors in a file, in the format of the safetensors library.

    tf.io.safetensors.save_file({"w": w, "b": b}, "model.safetensors", metadata={"epoch": "3"})
    tensors = tf.io.safetensors.load_file("model.safetensors")

Saving writes straight from the tensors' memory, and replaces a file in one step or not at all.
"""

from __future__ import annotations

import math
import mmap
import os

import numpy as np

from penstock import _core, errors, raw_ops
from penstock._core import Tensor
from penstock._files import path_text, replacing, system_errors, write_all
from penstock._functions.basic import fill_with, from_numpy
from penstock.io import _header

__all__ = ["load", "load_file", "safe_open", "save", "save_file"]


def _as_tensors(tensors):
    if not hasattr(tensors, "items"):
        raise TypeError(f"a dictionary of tensors is needed, not {type(tensors).__name__}")
    # A variable stays what it is: its value is read when its turn comes.
    return {
        name: value
        if isinstance(value, _core.VariableHandle)
        else _core.to_tensor(value, None, False)
        for name, value in tensors.items()
    }


def _bytes_of(tensor):
    """The tensor's memory, as an array of bytes."""
    return tensor._read_only_array().reshape(-1).view(np.uint8)


def save_file(tensors, filename, metadata=None) -> None:
    """Writes a dictionary of tensors and variables, with texts about them, to a file."""
    tensors = _as_tensors(tensors)
    entries = _header.layout(tensors)
    head = _header.encode(entries, metadata)
    with replacing(path_text(filename)) as file:
        write_all(file, head)
        for entry in entries:
            write_all(file, _bytes_of(tensors[entry.name]))


def save(tensors, metadata=None) -> bytes:
    """The same as `save_file`, as bytes."""
    tensors = _as_tensors(tensors)
    entries = _header.layout(tensors)
    parts = (_bytes_of(tensors[entry.name]) for entry in entries)
    return b"".join([_header.encode(entries, metadata), *parts])


def load_file(filename, device="cpu", copy=True) -> dict[str, Tensor]:
    """The tensors of a file, by name. Without `copy` they are views of the file's pages.

    Such views are read-only memory, and the file must stay as it is while they live.
    """
    with safe_open(filename, copy=copy) as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def load(data) -> dict[str, Tensor]:
    """The tensors that `save` made bytes of."""
    data = memoryview(data).cast("B")
    start = _header.LENGTH_BYTES
    start += _header.length(bytes(data[:start]), len(data))
    entries, _ = _header.decode(bytes(data[_header.LENGTH_BYTES : start]), len(data) - start)
    data = data[start:]
    return {
        name: _core.to_tensor(_array(data[each.begin : each.end], each), None, False)
        for name, each in entries.items()
    }


def _array(data, entry):
    """The bytes of a tensor as an array of its dtype and shape."""
    if entry.dtype.is_bool:
        # A bool is 0 or 1 wherever it is used; a file may say something else.
        data = np.frombuffer(data, np.uint8)
        data = data if (data < 2).all() else data != 0
    return np.frombuffer(data, entry.dtype._as_dtype()).reshape(entry.shape)


class safe_open:
    """An open safetensors file, whose tensors are read one by one.

    with tf.io.safetensors.safe_open("model.safetensors") as file:
        w = file.get_tensor("w")
    """

    def __init__(self, filename, framework="tf", device="cpu", copy=True):
        if framework not in ("tf", "tensorflow"):
            raise ValueError(f"framework {framework!r} is not supported: tensors are penstock's")
        self.path = path_text(filename)
        self._copy = copy
        self._map = None
        with system_errors(self.path):
            self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115
            try:
                size = os.fstat(self._file.fileno()).st_size
                first = self._read(0, min(_header.LENGTH_BYTES, size))
                length = _header.length(first, size)
                self._start = _header.LENGTH_BYTES + length
                text = self._read(_header.LENGTH_BYTES, length)
                self._entries, self._metadata = _header.decode(text, size - self._start)
            except BaseException:
                self._file.close()
                raise

    def _read(self, begin, count) -> bytes:
        data = bytearray(count)
        self._read_into(begin, data)
        return bytes(data)

    def _read_into(self, begin, buffer):
        left = memoryview(buffer).cast("B")
        self._file.seek(begin)
        while len(left):
            count = self._file.readinto(left)
            if not count:
                raise _header.lost(f"{self.path} has become shorter while it was read")
            left = left[count:]

    def keys(self) -> list[str]:
        """The names of the tensors."""
        return list(self._entries)

    def __contains__(self, name):
        return name in self._entries

    def metadata(self) -> dict[str, str]:
        """The texts that were saved with them."""
        return dict(self._metadata)

    def entry(self, name):
        """The (name, dtype, shape, begin, end) of a tensor."""
        if name not in self._entries:
            raise errors.NotFoundError(None, None, f"{self.path} has no tensor '{name}'")
        return self._entries[name]

    def get_tensor(self, name) -> Tensor:
        """The tensor of that name."""
        entry = self.entry(name)
        with system_errors(self.path):
            return self._loaded(entry) if self._copy else self.view(name)

    def _loaded(self, entry):
        """The tensor in memory of its own, which the file is read into."""
        tensor = fill_with([math.prod(entry.shape)], False, entry.dtype)
        array = tensor._own_array().view(np.uint8)
        self._read_into(self._start + entry.begin, array)
        if entry.dtype.is_bool:
            np.minimum(array, 1, out=array)
        del array
        return raw_ops.Reshape(tensor=tensor, shape=list(entry.shape))

    def view(self, name) -> Tensor:
        """The tensor over the file's pages; in memory of its own where they are not aligned."""
        entry = self.entry(name)
        if entry.begin == entry.end:
            return self._loaded(entry)
        with system_errors(self.path):
            if self._map is None:
                self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        data = memoryview(self._map)[self._start + entry.begin : self._start + entry.end]
        array = _array(data, entry)
        return from_numpy(array) if array.flags.aligned else _core.to_tensor(array, None, False)

    def close(self) -> None:
        """Closes the file; tensors that were read stay."""
        self._file.close()
        self._map = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
