"""tf.io.gfile: files and folders, with TensorFlow's errors."""

from __future__ import annotations as _annotations

import errno as _errno
import fnmatch as _fnmatch
import os as _os
import shutil as _shutil
from stat import S_ISDIR as _S_ISDIR
from stat import S_ISREG as _S_ISREG

from penstock import errors as _errors
from penstock._api import public
from penstock._base.files import path_text as _path_text
from penstock._base.files import system_errors as _system_errors
from penstock._base.files import whole as _whole
from penstock._base.files import write_all as _write_all
from penstock.io._file import FileStatistics as _FileStatistics


@public("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """The kinds of file systems: local files."""
    return ["", "file"]


@public("io.gfile.exists", "v1.gfile.Exists")
def exists(path) -> bool:
    """Whether there is a file or folder of that name."""
    return _os.path.exists(_path_text(path))


@public("io.gfile.isdir", "v1.gfile.IsDirectory")
def isdir(path) -> bool:
    """Whether that is a folder."""
    return _os.path.isdir(_path_text(path))


@public("io.gfile.join")
def join(path, *paths) -> str:
    """The parts of a path as one."""
    return _os.path.join(path, *paths)


@public("io.gfile.listdir", "v1.gfile.ListDirectory")
def listdir(path) -> list[str]:
    """The names in a folder, in no particular order."""
    path = _path_text(path)
    if not _os.path.isdir(path):
        raise _errors.NotFoundError(None, None, f"Could not find directory {path}")
    with _system_errors(path):
        return _os.listdir(path)


@public("io.gfile.mkdir", "v1.gfile.MkDir")
def mkdir(path) -> None:
    """Makes a folder; its parent must be there."""
    path = _path_text(path)
    with _system_errors(path):
        if not _os.path.isdir(path):
            _os.mkdir(path)


@public("io.gfile.makedirs", "v1.gfile.MakeDirs")
def makedirs(path) -> None:
    """Makes a folder and what leads to it."""
    path = _path_text(path)
    try:
        with _system_errors(path):
            _os.makedirs(path, exist_ok=True)
    except (_errors.AlreadyExistsError, _errors.FailedPreconditionError) as error:
        raise _errors.FailedPreconditionError(None, None, f"{path} is not a directory") from error


@public("io.gfile.remove", "v1.gfile.Remove")
def remove(path) -> None:
    """Deletes a file."""
    path = _path_text(path)
    with _system_errors(path):
        _os.unlink(path)


@public("io.gfile.rmtree", "v1.gfile.DeleteRecursively")
def rmtree(path) -> None:
    """Deletes a folder with everything in it, or a file."""
    path = _path_text(path)
    if not _os.path.lexists(path):
        raise _errors.NotFoundError(None, None, f"{path} not found")
    with _system_errors(path):
        if _os.path.isdir(path) and not _os.path.islink(path):
            _shutil.rmtree(path)
        else:
            _os.unlink(path)


def _check_free(path, overwrite):
    if not overwrite and _os.path.exists(path):
        raise _errors.AlreadyExistsError(None, None, "file already exists")


@public("io.gfile.rename", "v1.gfile.Rename")
def rename(src, dst, overwrite=False) -> None:
    """Gives a file or folder another name."""
    src, dst = _path_text(src), _path_text(dst)
    _check_free(dst, overwrite)
    with _system_errors(src):
        _os.replace(src, dst)


@public("io.gfile.copy", "v1.gfile.Copy")
def copy(src, dst, overwrite=False) -> None:
    """Copies a file."""
    src, dst = _path_text(src), _path_text(dst)
    _check_free(dst, overwrite)
    with _system_errors(src):
        mode = _os.stat(src).st_mode
        if not _S_ISREG(mode) and not _S_ISDIR(mode):
            raise OSError(_errno.EINVAL, f"{src} is no file")
        if _os.path.exists(dst) and _os.path.samefile(src, dst):
            return
        with open(src, "rb") as source, _whole(dst, is_durable=False) as target:
            while piece := source.read(1 << 20):
                _write_all(target, piece)


@public("io.gfile.stat", "v1.gfile.Stat")
def stat(path) -> _FileStatistics:
    """The length, the time of the last change, and whether it is a folder."""
    path = _path_text(path)
    with _system_errors(path):
        return _FileStatistics(_os.stat(path))


@public("io.gfile.glob", "v1.gfile.Glob")
def glob(pattern) -> list[str]:
    """The paths that fit a pattern, or any of several: *, ? and [abc], hidden files too."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [path for pattern in patterns for path in _shown(_path_text(pattern))]


def _shown(pattern):
    """The matches; "./" comes before those of a pattern whose first folder is not spelled out."""
    signs = [pattern.index(sign) for sign in "*?[" if sign in pattern]
    is_bare = bool(signs) and "/" not in pattern[: min(signs)]
    return [_os.path.join(".", path) if is_bare else path for path in _matches(pattern)]


def _matches(pattern):
    folder, name = _os.path.split(pattern)
    if not name:
        return [pattern] if folder and _os.path.exists(folder) else []
    paths = []
    for parent in _matches(folder) if folder not in ("", "/") else [folder]:
        if not any(sign in name for sign in "*?["):
            paths += [_os.path.join(parent, name)]
        elif _os.path.isdir(parent or "."):
            names = sorted(_fnmatch.filter(_os.listdir(parent or "."), name))
            paths += [_os.path.join(parent, name) for name in names]
    return [path for path in paths if _os.path.exists(path)]


@public("io.gfile.walk")
def walk(top, topdown=True, onerror=None):
    """(folder, its folders, its files) of a folder and all folders below it."""
    top = _path_text(top)
    try:
        names = sorted(listdir(top))
    except _errors.OpError as error:
        if onerror:
            onerror(error)
        return
    folders = [name for name in names if isdir(_os.path.join(top, name))]
    known = set(folders)
    here = (top, folders, [name for name in names if name not in known])
    if topdown:
        yield here
    for name in folders:
        yield from walk(_os.path.join(top, name), topdown, onerror)
    if not topdown:
        yield here
