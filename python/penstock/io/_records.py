"""tf.io.TFRecordWriter: files of records, each with its length and checksums."""

from __future__ import annotations

import zlib

from penstock import _core, errors
from penstock._api import public
from penstock._base.files import path_text, system_errors
from penstock.io._file import Closing

_ONES = 0xFFFFFFFF
_KINDS = {None: None, "": None, "NONE": None, "GZIP": 16 + 15, "ZLIB": 15}


def masked_crc(data) -> bytes:
    """The checksum in a record, masked because a record may itself contain checksums."""
    crc = _core.crc32c(data)
    turned = (crc >> 15 | crc << 17) & _ONES
    return (turned + 0xA282EAD8 & _ONES).to_bytes(4, "little")


@public("io.TFRecordOptions", "v1.python_io.TFRecordOptions")
class TFRecordOptions:
    """How records are compressed: "", "GZIP" or "ZLIB", and zlib's parameters."""

    def __init__(
        self,
        compression_type=None,
        flush_mode=None,
        input_buffer_size=None,
        output_buffer_size=None,
        window_bits=None,
        compression_level=None,
        compression_method=None,
        mem_level=None,
        compression_strategy=None,
    ):
        if compression_type not in _KINDS:
            raise ValueError(f'Not a valid compression_type: "{compression_type}"')
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    def _compressor(self):
        bits = _KINDS[self.compression_type]
        if bits is None:
            return None
        if self.window_bits is not None:
            bits = bits // 16 * 16 + self.window_bits

        def given(value, default):
            return default if value is None else value

        try:
            return zlib.compressobj(
                given(self.compression_level, -1),
                zlib.DEFLATED,
                bits,
                given(self.mem_level, 8),
                given(self.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
            )
        except (ValueError, zlib.error, OverflowError) as error:
            raise errors.InvalidArgumentError(
                None, None, f"zlib does not take these TFRecordOptions: {error}"
            ) from error


@public("io.TFRecordWriter", "v1.python_io.TFRecordWriter")
class TFRecordWriter(Closing):
    """Writes records to a file: `with tf.io.TFRecordWriter(path) as writer: writer.write(b"…")`.

    Args:
      path: The file's name.
      options: "GZIP", "ZLIB", a TFRecordOptions or None.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> list(tf.compat.v1.io.tf_record_iterator(path))
    [b'first', b'second']
    """

    def __init__(self, path, options=None):
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._path = path_text(path)
        self._compressor = options._compressor()
        with system_errors(self._path):
            self._file = open(self._path, "wb")  # noqa: SIM115

    def _opened(self):
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def write(self, record) -> None:
        """Adds one record."""
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise TypeError(f"write(): a record is bytes, not {type(record).__name__}")
        record = bytes(record)
        length = len(record).to_bytes(8, "little")
        data = b"".join((length, masked_crc(length), record, masked_crc(record)))
        if self._compressor is not None:
            data = self._compressor.compress(data)
        with system_errors(self._path):
            self._opened().write(data)

    def flush(self) -> None:
        """Flushes written data to the system."""
        file = self._opened()
        with system_errors(self._path):
            if self._compressor is not None:
                file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
            file.flush()

    def close(self) -> None:
        """Ends the file."""
        if self._file is None:
            return
        file, self._file = self._file, None
        with system_errors(self._path), file:
            if self._compressor is not None:
                file.write(self._compressor.flush())
