"""tf.io.gfile.GFile: a file that is opened on first use."""

from __future__ import annotations

import os
from stat import S_ISDIR

from penstock import errors
from penstock._api import public
from penstock._base.files import path_text, system_errors

_MODES = {"r", "w", "a", "r+", "w+", "a+"}


def _invalid(message):
    return errors.InvalidArgumentError(None, None, message)


class FileStatistics:
    """The result of `stat`: the length in bytes, the modification time, and whether it is a
    folder."""

    def __init__(self, status):
        self.length = status.st_size
        self.mtime_nsec = status.st_mtime_ns
        self.is_directory = S_ISDIR(status.st_mode)


class Closing:
    """Closes its `_file` at the end of a `with` block, or when it is dropped."""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __del__(self):
        # A file with a rejected mode has none.
        if getattr(self, "_file", None) is not None:
            self.close()


@public("io.gfile.GFile", "v1.gfile.GFile", "v1.gfile.FastGFile", "v1.gfile.Open")
class GFile(Closing):
    """A file: text, or bytes when the mode ends in "b". Positions are in bytes."""

    def __init__(self, name, mode="r"):
        self._name = name
        self._mode = mode
        self._is_binary = "b" in mode
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise _invalid("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._plain = plain
        self._path = path_text(name)
        self._file = None

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _opened(self, to_write):
        if to_write and self._plain == "r":
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if not to_write and self._plain in ("w", "a"):
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        return self._any()

    def _any(self):
        if self._file is None:
            with system_errors(self._path):
                self._file = open(self._path, self._plain + "b")  # noqa: SIM115
        return self._file

    def _given(self, data: bytes):
        return data if self._is_binary else data.decode()

    def size(self) -> int:
        """The length in bytes."""
        if self._file is not None:
            self.flush()
        with system_errors(self._path):
            return os.stat(self._path).st_size

    def write(self, file_content) -> None:
        """Writes text (as UTF-8) or bytes."""
        file = self._opened(to_write=True)
        if isinstance(file_content, str):
            file_content = file_content.encode()
        with system_errors(self._path):
            file.write(file_content)

    def read(self, n=-1):
        """The next `n` characters (bytes in a binary file), or the rest."""
        file = self._opened(to_write=False)
        with system_errors(self._path):
            if n < 0 or self._is_binary:
                return self._given(file.read(n))
            return "".join(_characters(file, n))

    def readline(self):
        """The next line with its end, or nothing at the end of the file."""
        file = self._opened(to_write=False)
        with system_errors(self._path):
            return self._given(file.readline())

    def readlines(self) -> list:
        """The rest, as lines."""
        return list(self)

    def __iter__(self):
        return iter(self.readline, self._given(b""))

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def seek(self, offset=None, whence=0, position=None) -> None:
        """Moves to a byte: from the start (0), from here (1) or from the end (2)."""
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise _invalid(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        file = self._any()
        target = offset + (0, file.tell(), self.size())[whence]
        if target < 0:
            raise _invalid(f"Seeking to a negative position: {target}")
        if target > self.size():
            raise errors.OutOfRangeError(None, None, "reached end of file")
        with system_errors(self._path):
            file.seek(target)

    def tell(self) -> int:
        """The position in bytes."""
        return self._any().tell()

    def seekable(self) -> bool:
        """True."""
        return True

    def flush(self) -> None:
        """Flushes written data to the system."""
        if self._file is not None:
            with system_errors(self._path):
                self._file.flush()

    def close(self) -> None:
        """Closes the file; the next use reopens it."""
        if self._file is not None:
            file, self._file = self._file, None
            with system_errors(self._path):
                file.close()


def _characters(file, count):
    """That many characters of UTF-8, or fewer at the end."""
    for _ in range(count):
        first = file.read(1)
        if not first:
            return
        # The number of leading ones is the number of bytes.
        length = 8 - (first[0] ^ 0xFF).bit_length()
        yield (first + file.read(max(length - 1, 0))).decode()
