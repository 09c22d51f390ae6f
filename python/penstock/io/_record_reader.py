"""Reading TFRecord files: every record's length and checksums are checked."""

from __future__ import annotations

import io
import os
import stat
import zlib

from penstock import errors
from penstock._api import public
from penstock._base.files import path_text, system_errors
from penstock._memory.host import booked
from penstock.io._records import TFRecordOptions, masked_crc

_CHUNK = 1 << 20
# Of a compressed file. The rest of a piece is copied for every part that ends in it.
_PIECE = 1 << 16
_EITHER, _GZIP = 32 + 15, 16 + 15  # zlib's numbers: gzip or zlib, as the file says
_GZIP_START = b"\x1f\x8b"


@public("v1.io.TFRecordCompressionType", "v1.python_io.TFRecordCompressionType")
class TFRecordCompressionType:
    """How a file of records is compressed, as numbers."""

    NONE, ZLIB, GZIP = 0, 1, 2


@public("v1.io.tf_record_iterator", "v1.python_io.tf_record_iterator")
def tf_record_iterator(path, options=None):
    """The records of a file, one after the other."""
    if not isinstance(options, TFRecordOptions):
        names = {0: None, 1: "ZLIB", 2: "GZIP"}
        options = TFRecordOptions(names.get(options, options))
    return _records(path_text(path), options.compression_type)


def _records(path, compression):
    with system_errors(path), open(path, "rb") as file:
        is_plain = compression in (None, "", "NONE")
        source = file if is_plain else _Inflated(file)
        at = 0
        while head := source.read(12):
            length = int.from_bytes(head[:8], "little")
            if len(head) < 12 or masked_crc(head[:8]) != head[8:]:
                raise _lost(path, at, "the length")
            if is_plain and length > _left(file):
                raise _lost(path, at, f"{length} bytes are more than the file has")
            # The length may be anything: its bytes are booked before they are read.
            with booked(length, "TFRecord"):
                record = source.read(length)
                if len(record) < length or masked_crc(record) != source.read(4):
                    raise _lost(path, at, "the record")
            yield record
            at += 16 + length


def _left(file) -> int:
    """The unread bytes of a file; unknown for a pipe."""
    status = os.fstat(file.fileno())
    return status.st_size - file.tell() if stat.S_ISREG(status.st_mode) else 2**62


def _lost(path, at, what):
    return errors.DataLossError(None, None, f"{path}: corrupted record at {at}: {what}")


class _Inflated:
    """A compressed file, decompressed no further than requested."""

    def __init__(self, file):
        self._file = file
        self._inflate = zlib.decompressobj(_EITHER)
        self._input = b""
        self._is_gzip = None  # until something was read

    def read(self, count: int) -> bytes:
        buffer = io.BytesIO()  # avoids another copy of the bytes
        while buffer.tell() < count:
            if not self._input:
                self._input = self._file.read(_PIECE)
            if self._is_gzip is None:
                self._is_gzip = self._input.startswith(_GZIP_START)
            if self._inflate.eof and not self._begins_again():
                break
            is_end = not self._input
            try:
                part = self._inflate.decompress(self._input, min(_CHUNK, count - buffer.tell()))
            except zlib.error as error:
                raise errors.DataLossError(None, None, str(error)) from error
            self._input = self._inflate.unused_data or self._inflate.unconsumed_tail
            if is_end and not part:
                break
            buffer.write(part)
        return buffer.getvalue()

    def _begins_again(self) -> bool:
        """Whether another part follows: concatenated gzip files are one file."""
        if not self._is_gzip or not self._input:
            return False
        self._inflate = zlib.decompressobj(_GZIP)
        return True
