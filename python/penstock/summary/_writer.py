"""tf.summary's writers: the default one, the default step, and the condition for writing."""

from __future__ import annotations

import contextlib
import threading
import time

import numpy as np

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._ops.host_calls import numpy_function
from penstock.summary import _messages
from penstock.summary._events import EventFile


class _State(threading.local):
    writer = None
    step = None
    is_recording = True


state = _State()


@public("summary.SummaryWriter")
class SummaryWriter:
    """Writes summaries to a file; `with writer.as_default():` makes it the one that is used."""

    def __init__(self, file: EventFile | None):
        self._file = file
        self._is_closed = False

    def set_as_default(self, step=None) -> None:
        """Makes it the one that is used from here on."""
        state.writer = self
        if step is not None:
            state.step = step

    @contextlib.contextmanager
    def as_default(self, step=None):
        """The one that is used inside, with that step if one is given."""
        if self._is_closed:
            raise RuntimeError("SummaryWriter is already closed")
        outer = state.writer, state.step
        state.writer = self
        if step is not None:
            state.step = step
        try:
            yield self
            self.flush()
        finally:
            state.writer = outer[0]
            if step is not None:
                state.step = outer[1]

    def init(self) -> None:
        """Nothing to do: the file is there."""

    def write_event(self, event) -> None:
        """Adds an event to the file."""
        if self._is_closed:
            raise RuntimeError("SummaryWriter is already closed")
        if self._file is not None:
            self._file.write(event)

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        if self._file is not None:
            self._file.close()
        self._is_closed = True


@public("summary.create_file_writer")
def create_file_writer(
    logdir,
    max_queue=None,
    flush_millis=None,
    filename_suffix=None,
    name=None,
    experimental_trackable=False,
) -> SummaryWriter:
    """A writer of event files in a folder; None gives one that writes nothing.

    Args:
      logdir: The folder.
      max_queue: How many events wait before they are written.
      flush_millis: Taken as in TensorFlow, and not used.
      filename_suffix: The end of the file's name.
      name: Taken as in TensorFlow, and not used.
      experimental_trackable: Taken as in TensorFlow, and not used.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default():
    ...     done = tf.summary.scalar("loss", 0.5, step=1)
    >>> len(os.listdir(folder))
    1
    """
    if logdir is None:
        return create_noop_writer()
    seconds = None if flush_millis is None else int(flush_millis) / 1000
    suffix = ".v2" if filename_suffix is None else filename_suffix
    return SummaryWriter(EventFile(logdir, max_queue, seconds, suffix))


@public("summary.create_noop_writer")
def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing."""
    return SummaryWriter(None)


@public("summary.flush")
def flush(writer=None, name=None) -> None:
    """Hands what was written to the system: of a writer, or of the default one."""
    writer = state.writer if writer is None else writer
    if writer is not None:
        writer.flush()


@public("summary.should_record_summaries")
def should_record_summaries():
    """Whether summaries are written: what record_if says, and whether there is a writer."""
    if state.writer is None:
        return _core.to_tensor(False)
    asked = state.is_recording() if callable(state.is_recording) else state.is_recording
    return _core.to_tensor(asked, dtypes.bool)


@public("summary.record_if")
@contextlib.contextmanager
def record_if(condition):
    """Inside, summaries are written where the condition holds: a bool, or a function of one."""
    outer, state.is_recording = state.is_recording, condition
    try:
        yield
    finally:
        state.is_recording = outer


@public("summary.experimental.get_step")
def get_step():
    """The step of summaries that are given none."""
    return state.step


@public("summary.experimental.set_step")
def set_step(step) -> None:
    """Sets the step of summaries that are given none: a number, or a variable that changes."""
    state.step = step


def _write(writer, tag, metadata, make, data, step, is_asked):
    """Writes one value, now that there are values."""
    if not is_asked:
        return np.bool_(False)
    value = _messages.Summary.Value(tag=tag, metadata=metadata)
    value.tensor.CopyFrom(_messages.make_tensor_proto(make(data)))
    summary = _messages.Summary(value=[value])
    event = _messages.Event(wall_time=time.time(), step=int(step), summary=summary)
    writer.write_event(event)
    return np.bool_(True)


def write_value(tag, data, step, metadata, make=lambda data: data):
    """A value under a name: True where it was written. `make` turns it into what is stored."""
    writer = state.writer
    if writer is None:
        return _core.to_tensor(False)
    step = state.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    tensors = [
        _core.to_tensor(data() if callable(data) else data),
        _core.to_tensor(step),
        should_record_summaries(),
    ]
    if any(isinstance(tensor, _core.SymbolicTensor) for tensor in tensors):

        def run(data, step, is_asked):
            return _write(writer, tag, metadata, make, data, step, is_asked)

        return numpy_function(run, tensors, dtypes.bool)
    arrays = [tensor.numpy() for tensor in tensors]
    return _core.to_tensor(_write(writer, tag, metadata, make, *arrays))


@public("summary.experimental.write_raw_pb")
def write_raw_pb(tensor, step=None, name=None):
    """Writes a serialized Summary."""
    writer = state.writer
    if writer is None:
        return _core.to_tensor(False)
    step = state.step if step is None else step
    if step is None:
        raise ValueError("No step set via 'step' argument or tf.summary.experimental.set_step()")
    try:
        summary = _messages.Summary.FromString(_core.to_tensor(tensor).numpy())
    except ValueError as error:
        raise errors.DataLossError(None, None, f"Bad tf.Summary binary proto: {error}") from None
    step = int(_core.to_tensor(step).numpy())
    writer.write_event(_messages.Event(wall_time=time.time(), step=step, summary=summary))
    return _core.to_tensor(True)
