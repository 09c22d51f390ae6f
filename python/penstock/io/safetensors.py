"""tf.io.safetensors: named tensors in a file, in the format of the safetensors library.

    tf.io.safetensors.save_file({"w": w, "b": b}, "model.safetensors", metadata={"epoch": "3"})
    tensors = tf.io.safetensors.load_file("model.safetensors")

Saving writes directly from the tensors' memory, and replaces a file atomically.
"""

from __future__ import annotations as _annotations

import os as _os

import numpy as _np

from penstock import _core
from penstock import errors as _errors
from penstock._base.files import path_text as _path_text
from penstock._base.files import replacing as _replacing
from penstock._base.files import system_errors as _system_errors
from penstock._base.files import write_all as _write_all
from penstock._memory.host import booked as _booked
from penstock.io import _header


def _as_tensors(tensors):
    if not hasattr(tensors, "items"):
        raise TypeError(f"a dictionary of tensors is needed, not {type(tensors).__name__}")
    # A variable stays a variable: its value is read when its turn comes.
    return {
        name: value if isinstance(value, _core.VariableHandle) else _core.to_tensor(value)
        for name, value in tensors.items()
    }


def save_file(tensors, filename, metadata=None) -> None:
    """Writes a dictionary of tensors and variables, with metadata, to a file."""
    tensors = _as_tensors(tensors)
    entries = _header.layout(tensors)
    head = _header.encode(entries, metadata)
    with _replacing(_path_text(filename)) as file:
        _write_all(file, head)
        for entry in entries:
            _write_all(file, _header.bytes_of(tensors[entry.name]))


def save(tensors, metadata=None) -> bytes:
    """The same as `save_file`, as bytes."""
    tensors = _as_tensors(tensors)
    entries = _header.layout(tensors)
    head = _header.encode(entries, metadata)
    with _booked(len(head) + (entries[-1].end if entries else 0), "safetensors.save"):
        return b"".join([head, *(_header.bytes_of(tensors[entry.name]) for entry in entries)])


def load_file(filename, device="cpu", copy=True) -> dict[str, _core.Tensor]:
    """The tensors of a file, by name. Without `copy` they are views of the file's pages.

    Such views are read-only memory, and the file must stay as it is while they live: where it is
    cut short, they read as zeros.
    """
    with safe_open(filename, copy=copy) as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def load(data) -> dict[str, _core.Tensor]:
    """The tensors that `save` made bytes of."""
    data = memoryview(data).cast("B")
    start = _header.LENGTH_BYTES
    start += _header.length(bytes(data[:start]), len(data))
    entries, _ = _header.decode(bytes(data[_header.LENGTH_BYTES : start]), len(data) - start)
    data = data[start:]
    return {
        name: _core.to_tensor(_array(data[entry.begin : entry.end], entry))
        for name, entry in entries.items()
    }


def _array(data, entry):
    """The bytes of a tensor as an array of its dtype and shape."""
    if entry.dtype.is_bool:
        # A bool must be 0 or 1; a file may contain something else.
        data = _np.frombuffer(data, _np.uint8)
        data = data if (data < 2).all() else data != 0
    return _np.frombuffer(data, entry.dtype._as_dtype()).reshape(entry.shape)


class safe_open:
    """An open safetensors file, whose tensors are read one by one.

    with tf.io.safetensors.safe_open("model.safetensors") as file:
        w = file.get_tensor("w")
    """

    def __init__(self, filename, framework="tf", device="cpu", copy=True):
        if framework not in ("tf", "tensorflow"):
            raise ValueError(f"framework {framework!r} is not supported: tensors are penstock's")
        self.path = _path_text(filename)
        self._copy = copy
        with _system_errors(self.path):
            self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115
            try:
                size = _os.fstat(self._file.fileno()).st_size
                first = self._read(0, min(_header.LENGTH_BYTES, size))
                length = _header.length(first, size)
                self._start = _header.LENGTH_BYTES + length
                with _booked(_header.DECODED * length, "safetensors"):
                    text = self._read(_header.LENGTH_BYTES, length)
                    self._check_header(first + text)
                    self._entries, self._metadata = _header.decode(text, size - self._start)
            except BaseException:
                self._file.close()
                raise

    def _check_header(self, head: bytes) -> None:
        """Does nothing: the format has no checksums."""

    def _read(self, begin, count) -> bytes:
        data = _os.pread(self._file.fileno(), count, begin)
        if len(data) < count:
            raise self._shorter()
        return data

    def _shorter(self):
        return _header.lost(f"{self.path} has become shorter while it was read")

    def keys(self) -> list[str]:
        """The names of the tensors."""
        return list(self._entries)

    def __contains__(self, name):
        return name in self._entries

    def metadata(self) -> dict[str, str]:
        """The metadata saved with them."""
        return dict(self._metadata)

    def entry(self, name):
        """The (name, dtype, shape, begin, end) of a tensor."""
        if name not in self._entries:
            raise _errors.NotFoundError(None, None, f"{self.path} has no tensor '{name}'")
        return self._entries[name]

    def get_tensor(self, name) -> _core.Tensor:
        """The tensor of that name."""
        entry = self.entry(name)
        with _system_errors(self.path):
            return self._loaded(entry) if self._copy else self.view(name)

    def _loaded(self, entry):
        """The tensor in new memory, into which the file is read."""
        return self.read(entry, entry.dtype, entry.shape)[0]

    def place(self, entry) -> tuple[int, int]:
        """The file, and where in it a tensor is."""
        return self._file.fileno(), self._start + entry.begin

    def read(self, entry, dtype, shape) -> tuple[_core.Tensor, int]:
        """(the bytes of an entry as a tensor in new memory, their checksum)."""
        with _system_errors(self.path):
            tensor, count, checksum = _core.read_tensor(*self.place(entry), dtype, tuple(shape))
        self.check_count(entry, count)
        return tensor, checksum

    def check_count(self, entry, count) -> None:
        """Raises DataLossError unless the entry has that many bytes."""
        if count != entry.end - entry.begin:
            raise self._shorter()

    def view(self, name) -> _core.Tensor:
        """The tensor over the file's pages; in new memory if they are unaligned."""
        entry = self.entry(name)
        with _system_errors(self.path):
            tensor = _core.map_tensor(*self.place(entry), entry.dtype, entry.shape)
        return self._loaded(entry) if tensor is None else tensor

    def close(self) -> None:
        """Closes the file; tensors already read stay valid."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
