"""tf.profiler.experimental: TensorFlow's names. What is profiled here is memory: the profile is a
file of `tf.profiler.memory` in the folder that TensorFlow calls logdir."""

import collections as _collections
import os as _os
import time as _time

from penstock import _api
from penstock import errors as _errors
from penstock.profiler import _profile, _recording

ProfilerOptions = _collections.namedtuple(
    "ProfilerOptions",
    ("host_tracer_level", "python_tracer_level", "device_tracer_level", "delay_ms"),
    defaults=(2, 0, 1, None),
)


def start(logdir, options=None):
    """Records memory until `stop`. The options are about times and are not used.

    Args:
      logdir: The folder.
      options: Taken as in TensorFlow, and not used.
    """
    if _recording.is_recording():
        raise _errors.AlreadyExistsError(None, None, "Another profiler is running.")
    _os.makedirs(logdir, exist_ok=True)
    stamp = _time.strftime("%Y_%m_%d_%H_%M_%S")
    _recording.start(_os.path.join(logdir, f"{stamp}-{_os.getpid()}{_profile.SUFFIX}"))


def stop(save=True):
    """Ends the recording; without `save` nothing is kept of it."""
    if not _recording.is_recording():
        raise _errors.UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    path = _recording.current_file()
    _recording.stop()
    if not save:
        _os.unlink(path)


class Profile:
    """Records memory while its block runs."""

    def __init__(self, logdir, options=None):
        self._logdir, self._options = logdir, options

    def __enter__(self):
        start(self._logdir, self._options)

    def __exit__(self, kind, error, trace):
        stop()


class Trace:
    """Names a part of the program. A profile of memory knows it by its lines, so that this does
    nothing but run its block."""

    def __init__(self, name, **kwargs):
        self._name, self._metadata = name, kwargs

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        pass

    def set_metadata(self, **kwargs):
        self._metadata.update(kwargs)


__getattr__, __dir__ = _api.surface("profiler.experimental")
