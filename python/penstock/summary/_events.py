"""Event files: the records that TensorBoard reads."""

from __future__ import annotations

import itertools
import os
import socket
import time

from penstock._base.files import path_text
from penstock.io import gfile
from penstock.io._records import TFRecordWriter
from penstock.summary._messages import Event

_numbers = itertools.count()


class EventFile:
    """A file in a folder of logs. Events are handed on by tens, or when two minutes have passed."""

    def __init__(self, logdir, max_queue=10, flush_secs=120, suffix=""):
        self.logdir = path_text(logdir)
        gfile.makedirs(self.logdir)
        self._max_queue = 10 if max_queue is None else max_queue
        self._flush_secs = 120 if flush_secs is None else flush_secs
        self._suffix = suffix or ""
        self._writer = None
        self.open()

    def open(self) -> None:
        """Begins a new file; TensorBoard takes the files of a folder together."""
        if self._writer is not None:
            return
        name = (
            f"events.out.tfevents.{int(time.time()):010}.{socket.gethostname()}.{os.getpid()}."
            f"{next(_numbers)}{self._suffix}"
        )
        self.path = os.path.join(self.logdir, name)
        self._writer = TFRecordWriter(self.path)
        self._waiting, self._flushed = 0, time.monotonic()
        first = Event(wall_time=time.time(), file_version="brain.Event:2")
        first.source_metadata.writer = "penstock.summary"
        self.write(first)
        self.flush()

    def write(self, event: Event) -> None:
        """Adds an event."""
        self._writer.write(event.SerializeToString())
        self._waiting += 1
        is_late = time.monotonic() - self._flushed > self._flush_secs
        if self._waiting > self._max_queue or is_late:
            self.flush()

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._writer is not None:
            self._writer.flush()
            self._waiting, self._flushed = 0, time.monotonic()

    def close(self) -> None:
        """Ends the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    is_closed = property(lambda self: self._writer is None)
