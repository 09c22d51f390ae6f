"""Files: system errors as TensorFlow's errors, and atomic writes."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import secrets
import stat

from penstock import _core, errors

_KINDS = {
    errors.NotFoundError: "ENOENT ENXIO ESRCH",
    errors.AlreadyExistsError: "EEXIST",
    errors.PermissionDeniedError: "EPERM EACCES EROFS",
    errors.FailedPreconditionError: "ENOTEMPTY EISDIR ENOTDIR EBUSY EPIPE ETXTBSY EBADF",
    errors.InvalidArgumentError: "EINVAL ENAMETOOLONG ELOOP EDOM EFAULT",
    errors.ResourceExhaustedError: "ENOSPC EDQUOT EMFILE ENFILE EMLINK ENOBUFS ENOMEM",
    errors.OutOfRangeError: "EFBIG EOVERFLOW ERANGE",
    errors.UnimplementedError: "ENOSYS ENOTSUP EXDEV",
}
_BY_NUMBER = {getattr(errno, n): kind for kind, names in _KINDS.items() for n in names.split()}


def path_text(path) -> str:
    """A path as text: str, bytes, os.PathLike or a scalar string tensor."""
    if isinstance(path, (_core.EagerTensor, _core.VariableHandle)):
        path = path.numpy()
    path = os.fsdecode(path)
    if "\0" in path:
        raise errors.InvalidArgumentError(None, None, f"a path with a null byte: {path!r}")
    return path


@contextlib.contextmanager
def system_errors(path: str):
    """Raises system errors inside `with` as the corresponding TensorFlow errors."""
    try:
        yield
    except OSError as error:
        kind = _BY_NUMBER.get(error.errno, errors.UnknownError)
        text = os.strerror(error.errno) if error.errno else str(error)
        raise kind(None, None, f"{path}; {text}") from error


@contextlib.contextmanager
def replacing(path: str):
    """As `whole`, with TensorFlow's errors."""
    with system_errors(path), whole(path) as file:
        yield file


@contextlib.contextmanager
def whole(path: str, is_durable=True):
    """A file to write in place of `path`, which is replaced atomically at the end, or not at all.
    Without `is_durable` it may be lost in a power failure, but not if the process dies."""
    path = os.path.realpath(path)  # a link stays a link
    old = os.stat(path) if os.path.exists(path) else None
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(path, "wb", buffering=0) as file:  # a pipe or a device; an error for a folder
            yield file
        return
    folder = os.path.dirname(path)
    temporary = f"{path}-{secrets.token_hex(6)}.part"
    # An unnamed file disappears if the process is killed.
    unnamed = _can_name_later(folder)
    try:
        with open(_open_unnamed(folder) if unnamed else temporary, "wb", buffering=0) as file:
            if old is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            yield file
            if is_durable:
                os.fsync(file.fileno())
            if unnamed:
                _give_name(file.fileno(), temporary)
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if is_durable:
        _sync_folder(folder)


def write_whole(path, data) -> None:
    """Writes bytes or text to a file atomically. Raises OSError."""
    with whole(os.fspath(path)) as file:
        write_all(file, data.encode() if isinstance(data, str) else data)


def _open_unnamed(folder: str) -> int:
    return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)


def _give_name(number: int, path: str) -> None:
    # The last argument does not matter for a full path, but without it Python follows no links.
    os.link(f"/proc/self/fd/{number}", path, src_dir_fd=number)


@functools.lru_cache(64)
def _can_name_later(folder: str) -> bool:
    """Whether the folder's file system supports unnamed files, tried with an empty one."""
    path = os.path.join(folder, f"{secrets.token_hex(6)}.part")
    try:
        number = _open_unnamed(folder)
        try:
            _give_name(number, path)
            os.unlink(path)
        finally:
            os.close(number)
    except (AttributeError, NotImplementedError, OSError):
        return False
    return True


def write_all(file, data) -> None:
    """Writes all of a buffer to an unbuffered file."""
    left = memoryview(data).cast("B")
    while len(left):
        left = left[file.write(left) :]


def _sync_folder(folder: str) -> None:
    # The new name is on disk only after its folder is synced. Not every file system supports that.
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
