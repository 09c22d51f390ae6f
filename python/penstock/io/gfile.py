"""tf.io.gfile: files and folders, with TensorFlow's errors."""

from __future__ import annotations

import errno
import fnmatch
import os
import shutil
from stat import S_ISDIR, S_ISREG

from penstock import errors
from penstock._files import path_text, system_errors, whole, write_all
from penstock.io._file import GFile

__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]


class FileStatistics:
    """What `stat` gives: the length in bytes, the time of the last change, and whether a folder."""

    def __init__(self, found):
        self.length = found.st_size
        self.mtime_nsec = found.st_mtime_ns
        self.is_directory = S_ISDIR(found.st_mode)


def get_registered_schemes() -> list[str]:
    """The kinds of file systems: local files."""
    return ["", "file"]


def exists(path) -> bool:
    """Whether there is a file or folder of that name."""
    return os.path.exists(path_text(path))


def isdir(path) -> bool:
    """Whether that is a folder."""
    return os.path.isdir(path_text(path))


def join(path, *paths) -> str:
    """The parts of a path as one."""
    return os.path.join(path, *paths)


def listdir(path) -> list[str]:
    """The names in a folder, in no particular order."""
    path = path_text(path)
    if not os.path.isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    with system_errors(path):
        return os.listdir(path)


def mkdir(path) -> None:
    """Makes a folder; its parent must be there."""
    path = path_text(path)
    with system_errors(path):
        if not os.path.isdir(path):
            os.mkdir(path)


def makedirs(path) -> None:
    """Makes a folder and what leads to it."""
    path = path_text(path)
    try:
        with system_errors(path):
            os.makedirs(path, exist_ok=True)
    except (errors.AlreadyExistsError, errors.FailedPreconditionError) as error:
        raise errors.FailedPreconditionError(None, None, f"{path} is not a directory") from error


def remove(path) -> None:
    """Deletes a file."""
    path = path_text(path)
    with system_errors(path):
        os.unlink(path)


def rmtree(path) -> None:
    """Deletes a folder with everything in it, or a file."""
    path = path_text(path)
    if not os.path.lexists(path):
        raise errors.NotFoundError(None, None, f"{path} not found")
    with system_errors(path):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def _check_free(path, overwrite):
    if not overwrite and os.path.exists(path):
        raise errors.AlreadyExistsError(None, None, "file already exists")


def rename(src, dst, overwrite=False) -> None:
    """Gives a file or folder another name."""
    src, dst = path_text(src), path_text(dst)
    _check_free(dst, overwrite)
    with system_errors(src):
        os.replace(src, dst)


def copy(src, dst, overwrite=False) -> None:
    """Copies a file."""
    src, dst = path_text(src), path_text(dst)
    _check_free(dst, overwrite)
    with system_errors(src):
        mode = os.stat(src).st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise OSError(errno.EINVAL, f"{src} is no file")
        if os.path.exists(dst) and os.path.samefile(src, dst):
            return
        with open(src, "rb") as source, whole(dst, is_durable=False) as target:
            while piece := source.read(1 << 20):
                write_all(target, piece)


def stat(path) -> FileStatistics:
    """The length, the time of the last change, and whether it is a folder."""
    path = path_text(path)
    with system_errors(path):
        return FileStatistics(os.stat(path))


def glob(pattern) -> list[str]:
    """The paths that fit a pattern, or any of several: *, ? and [abc], hidden files too."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [found for each in patterns for found in _matches(path_text(each))]


def _matches(pattern):
    folder, name = os.path.split(pattern)
    if not name:
        return [pattern] if folder and os.path.exists(folder) else []
    found = []
    for parent in _matches(folder) if folder not in ("", "/") else [folder]:
        if not any(sign in name for sign in "*?["):
            found += [os.path.join(parent, name)]
        elif os.path.isdir(parent or "."):
            names = sorted(fnmatch.filter(os.listdir(parent or "."), name))
            found += [os.path.join(parent, each) for each in names]
    return [path for path in found if os.path.exists(path)]


def walk(top, topdown=True, onerror=None):
    """(folder, its folders, its files) of a folder and all folders below it."""
    top = path_text(top)
    try:
        names = sorted(listdir(top))
    except errors.OpError as error:
        if onerror:
            onerror(error)
        return
    folders = [name for name in names if isdir(os.path.join(top, name))]
    known = set(folders)
    here = (top, folders, [name for name in names if name not in known])
    if topdown:
        yield here
    for name in folders:
        yield from walk(os.path.join(top, name), topdown, onerror)
    if not topdown:
        yield here
