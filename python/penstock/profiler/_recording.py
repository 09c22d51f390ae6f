"""Starts and ends a recording of memory, and saves it however the program ends.

The recording is written to its file while the program runs (see _raw.py). An orderly end turns the
file into a profile; what a kill leaves is read by `Profile.load` all the same.
"""

import atexit
import json
import os
import sys
import tempfile
import warnings

from penstock import _core, errors
from penstock._api import public
from penstock.profiler import _account, _errors, _raw
from penstock.profiler._profile import SUFFIX, Profile

_current = None


@public("profiler.memory.Recording")
class Recording:
    """A recording that runs, or ran: what `start` returns. As a context manager it ends with the
    block, and an exception that leaves the block becomes the profile's `meta["error"]`."""

    def __init__(self, path=None, announces=False):
        self.path = None if path is None else os.path.abspath(path)
        self.profile = None  # once it ended
        self._announces = announces
        if self.path is None:
            handle, self._file = tempfile.mkstemp(SUFFIX, f"penstock-{os.getpid()}-")
            os.close(handle)
        else:
            self._file = self.path

    def _begin(self):
        account = dict(_account.measure())
        try:
            _core.start_recording(self._file)
        except BaseException:
            if self.path is None:
                os.unlink(self._file)
            raise
        meta = {
            "program": sys.argv[0] if sys.argv else "",
            "argv": list(sys.argv),
            "folder": os.getcwd(),
            "account_before": account,
        }
        _core.note_in_recording("meta", json.dumps(meta))
        self._unwatch = _errors.watch()

    def _end(self):
        self._unwatch()
        _core.note_in_recording("account", json.dumps(_account.measure(self._file)))
        is_cut = _core.recording_usage()["is_cut"]
        _core.stop_recording()
        try:
            self.profile = self._loaded(is_cut)
        finally:
            if self.path is None:
                os.unlink(self._file)
        _say_what_is_missing(self.profile.meta, self.path)
        if self.path is None:
            return
        if "PENSTOCK_PROFILE_RAW" in os.environ:
            return  # for `penstock top`, which reads the recording
        self._save()
        if self._announces:
            peak = self.profile.meta["peak_bytes"] / 2**20
            print(
                f"penstock: {self.path}: {len(self.profile):,} blocks, peak {peak:,.1f} MiB",
                file=sys.stderr,
            )

    def _loaded(self, is_cut):
        try:
            profile = _raw.read(self._file, Profile, is_own=True)
        except (OSError, ValueError) as error:
            raise errors.DataLossError(
                None, None, f"the recording of memory is lost: {self._file}: {error}"
            ) from error
        if is_cut:
            profile.meta["error"] = f"{self._file} was cut short while memory was recorded in it"
        profile.meta["is_cut"] = is_cut
        return profile

    def _save(self):
        # Whoever looks at the path finds a whole file: the recording, or the profile made of it.
        try:
            self.profile.save(self._file)
        except OSError as error:  # the recording stays, which can be read as well
            print(f"penstock: {self.path} stays a recording: {error}", file=sys.stderr)

    def stop(self):
        """Ends the recording, and gives its profile; once ended, the same one again."""
        if self is _current:
            stop()
        return self.profile

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None and self is _current:
            _errors.note(error)
        self.stop()


def _say_what_is_missing(meta, path):
    """Warns of a recording that has not got all: a profile that looks whole would mislead."""
    where = path or "the recording of memory"
    if meta["is_cut"]:
        text = f"{where} was cut short meanwhile: blocks are missing from it"
    elif meta["dropped"] or meta["lost"]:
        text = (
            f"{where} has not got everything: the disk had no room for {meta['dropped']:,} blocks "
            f"and {meta['lost']:,} other records"
        )
    else:
        return
    warnings.warn(text, RuntimeWarning, stacklevel=4)


@public("profiler.memory.is_recording")
def is_recording() -> bool:
    """Whether memory is being recorded."""
    return _current is not None


def current_file():
    """The file that is being written, or None."""
    return None if _current is None else _current._file


@public("profiler.memory.start")
def start(path=None) -> Recording:
    """Records every allocation from now on. With a path the profile is written there when the
    recording ends, and what there is of it when the program is killed."""
    return _start(path)


def _start(path, announces=False):
    global _current
    if _current is not None:
        raise errors.FailedPreconditionError(None, None, "memory is being recorded already")
    recording = Recording(path, announces)
    recording._begin()
    _current = recording
    return recording


@public("profiler.memory.stop")
def stop() -> Profile:
    """Ends the recording and returns what it found."""
    global _current
    if _current is None:
        raise errors.FailedPreconditionError(None, None, "memory is not being recorded")
    recording = _current
    try:
        recording._end()
    finally:
        _current = None
    return recording.profile


def _named_after_program():
    stem = os.path.splitext(os.path.basename(sys.argv[0] if sys.argv else ""))[0]
    return (stem if stem not in ("", "-c") else "penstock") + SUFFIX


def start_for_program(path=""):
    """Records until the program ends, into `path` or a file named after the program."""
    announces = "PENSTOCK_PROFILE_RAW" not in os.environ
    return _start(path or _named_after_program(), announces)


def start_from_environment(value):
    """Records the program as PENSTOCK_PROFILE says: 1, or a path."""
    # Processes that this one starts have the same environment: each has a file of its own.
    first = os.environ.setdefault("PENSTOCK_PROFILE_FIRST", str(os.getpid()))
    path = _named_after_program() if value == "1" else value
    if first != str(os.getpid()):
        stem, suffix = os.path.splitext(path)
        path = f"{stem}-{os.getpid()}{suffix}"
    try:
        start_for_program(path)
    except (OSError, errors.OpError) as error:
        print(f"penstock: PENSTOCK_PROFILE is ignored: {error}", file=sys.stderr)


@atexit.register
def _at_exit():
    if _current is not None:
        try:
            stop()
        except (OSError, errors.OpError) as error:
            print(f"penstock: {error}", file=sys.stderr)


def _in_child():
    global _current
    _current = None  # the recording is the parent's


os.register_at_fork(after_in_child=_in_child)
