"""Reading TFRecord files: every record's length and checksums are checked."""

from __future__ import annotations

import zlib

from penstock import errors
from penstock._files import path_text, system_errors
from penstock.io._crc32c import masked_crc
from penstock.io._records import TFRecordOptions

_CHUNK = 1 << 20


class TFRecordCompressionType:
    """How a file of records is compressed, as numbers."""

    NONE, ZLIB, GZIP = 0, 1, 2


def tf_record_iterator(path, options=None):
    """The records of a file, one after the other."""
    if not isinstance(options, TFRecordOptions):
        names = {0: None, 1: "ZLIB", 2: "GZIP"}
        options = TFRecordOptions(names.get(options, options))
    return _records(path_text(path), options.compression_type)


def _records(path, compression):
    with system_errors(path), open(path, "rb") as file:
        read = file.read if compression in (None, "", "NONE") else _Inflated(file).read
        at = 0
        while head := read(12):
            length = int.from_bytes(head[:8], "little")
            if len(head) < 12 or masked_crc(head[:8]) != head[8:]:
                raise _lost(path, at, "the length")
            record, check = read(length), read(4)
            if len(record) < length or masked_crc(record) != check:
                raise _lost(path, at, "the record")
            yield record
            at += 16 + length


def _lost(path, at, what):
    return errors.DataLossError(None, None, f"{path}: corrupted record at {at}: {what}")


class _Inflated:
    """A compressed file, read as what it was."""

    def __init__(self, file):
        self._file = file
        self._inflate = zlib.decompressobj(32 + 15)  # gzip or zlib: the file says which
        self._left = b""

    def read(self, count: int) -> bytes:
        while len(self._left) < count:
            chunk = self._file.read(_CHUNK)
            if not chunk:
                break
            try:
                self._left += self._inflate.decompress(chunk)
            except zlib.error as error:
                raise errors.DataLossError(None, None, str(error)) from error
        taken, self._left = self._left[:count], self._left[count:]
        return taken
