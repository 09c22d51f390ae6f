"""The file "checkpoint" of a folder: the list of checkpoints, and the latest.

It has TensorFlow's text format, so that its tools can read it. Paths are relative to the folder
where possible.
"""

from __future__ import annotations

import os
import re
import time

from penstock._api import public
from penstock._base.files import path_text, replacing, write_all
from penstock.train import _format

_FIELDS = {
    "model_checkpoint_path": str,
    "all_model_checkpoint_paths": str,
    "all_model_checkpoint_timestamps": float,
    "last_preserved_timestamp": float,
}
_LINE = re.compile(r'\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))\s*')
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|(.))")
_POLL_SECONDS = 1
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class CheckpointState:
    """The contents of the state file."""

    def __init__(
        self,
        model_checkpoint_path="",
        all_model_checkpoint_paths=(),
        all_model_checkpoint_timestamps=(),
        last_preserved_timestamp=0.0,
    ):
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths = list(all_model_checkpoint_paths)
        self.all_model_checkpoint_timestamps = list(all_model_checkpoint_timestamps)
        self.last_preserved_timestamp = last_preserved_timestamp

    def __str__(self):
        lines = []
        for name in _FIELDS:
            value = getattr(self, name)
            for element in value if isinstance(value, list) else [value] if value else []:
                text = _quoted(element) if isinstance(element, str) else repr(element)
                lines.append(f"{name}: {text}\n")
        return "".join(lines)

    __repr__ = __str__


def _quoted(text):
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _unquoted(text):
    """The text with octal escapes of non-ASCII bytes decoded."""

    def plain(match):
        octal, sign = match.groups()
        return bytes([int(octal, 8) & 255]) if octal else _ESCAPES.get(sign, sign).encode()

    parts, at = [], 0
    for match in _ESCAPE.finditer(text):
        parts += [text[at : match.start()].encode(), plain(match)]
        at = match.end()
    return os.fsdecode(b"".join([*parts, text[at:].encode()]))


def _parsed(text: str) -> CheckpointState:
    state = CheckpointState()
    for line in filter(str.strip, text.splitlines()):
        match = _LINE.fullmatch(line)
        kind = _FIELDS.get(match[1]) if match else None
        if kind is None or (kind is str) != (match[2] is not None):
            raise ValueError(f"unexpected line {line!r}")
        value = _unquoted(match[2]) if kind is str else float(match[3])
        held = getattr(state, match[1])
        if isinstance(held, list):
            held.append(value)
        else:
            setattr(state, match[1], value)
    return state


def update(folder: str, latest: str, paths, timestamps=(), preserved=0.0, name=None) -> None:
    """Writes the state file of a folder."""

    def relative(path):
        path = os.path.abspath(path)
        is_inside = os.path.dirname(path) == os.path.abspath(folder)
        return os.path.basename(path) if is_inside else path

    state = CheckpointState(relative(latest), map(relative, paths), timestamps, preserved)
    with replacing(os.path.join(folder, name or "checkpoint")) as file:
        write_all(file, os.fsencode(str(state)))


@public("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The state of a folder, with full paths, or None."""
    folder = path_text(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    try:
        with open(path, "rb") as file:
            state = _parsed(os.fsdecode(file.read()))
    except OSError:
        return None
    except ValueError as error:
        _warn(f"{path}: {error}. Checkpoint ignored")
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}")
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [
        os.path.join(folder, path) for path in state.all_model_checkpoint_paths
    ]
    return state


def _warn(message):
    import warnings

    warnings.warn(message, stacklevel=4)


@public("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir, latest_filename=None) -> str | None:
    """The name of the latest checkpoint of a folder, or None.

    Args:
      checkpoint_dir: The folder.
      latest_filename: The name of the state file; None is "checkpoint".

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.latest_checkpoint(folder) is None
    True
    >>> os.path.basename(tf.train.Checkpoint(w=tf.Variable(1.0)).save(os.path.join(folder, "ckpt")))
    'ckpt-1'
    >>> os.path.basename(tf.train.latest_checkpoint(folder))
    'ckpt-1'
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not _format.exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path


@public("train.checkpoints_iterator")
def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """The latest checkpoints of a folder as they appear; waits for the next one.

    It ends when none appears for `timeout` seconds and `timeout_fn`, if there is one, agrees.
    """
    latest = None
    while True:
        since = time.monotonic()
        path = latest_checkpoint(checkpoint_dir)
        while path in (None, latest) and (timeout is None or time.monotonic() < since + timeout):
            time.sleep(_POLL_SECONDS if timeout is None else min(_POLL_SECONDS, timeout))
            path = latest_checkpoint(checkpoint_dir)
        if path in (None, latest):
            if timeout_fn is None or timeout_fn():
                return
            continue
        latest, since = path, time.monotonic()
        yield path
        time.sleep(max(0, since + min_interval_secs - time.monotonic()))


def found_in(path) -> str:
    """The checkpoint that a folder's state names, or the one of that name."""
    path = path_text(path)
    if not os.path.isdir(path) or _format.exists(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return latest
