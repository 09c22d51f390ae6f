"""Warns when a program's graph grows at every run, or when sessions stay open.

Only the first new node of a run is examined, so this costs next to nothing.
"""

from __future__ import annotations

import threading
import weakref

from penstock._base import environment as _environment

_MANY_RUNS = 50  # with new nodes of one line
_MANY_SESSIONS = 20
_MOST_LINES = 1000  # that are counted

_SILENT = not _environment.flag("PENSTOCK_GROWTH_WARNINGS", True)
_warned = set()  # lines
_open_sessions = weakref.WeakSet()
_lock = threading.Lock()  # held while they are iterated over


class Growth:
    """How often the runs of one graph found new nodes, by the line that made them."""

    def __init__(self):
        self.seen = 0
        self._runs = {}

    def look(self, builder):
        """Called at a run: counts the line of the first new node."""
        count = builder.num_nodes()
        if count == self.seen:
            return
        first, self.seen = self.seen, count
        if _SILENT or first == 0:
            return
        at = builder.line(first)
        if len(self._runs) > _MOST_LINES:
            self._runs.clear()
        runs = self._runs[at] = self._runs.get(at, 0) + 1
        if runs == _MANY_RUNS and at not in _warned:
            _warned.add(at)
            _warn(
                f"{at[0]}:{at[1]} added nodes to the graph before each of {runs} runs: it has "
                f"{count:,} nodes of {builder.bytes():,} bytes now, and what a graph has stays. "
                "Build the graph once, before the loop, and feed what changes through "
                "tf.placeholder; graph.finalize() after building finds such lines."
            )


def opened(session):
    """Counts the open sessions."""
    with _lock:
        _open_sessions.add(session)
    if _SILENT or len(_open_sessions) <= _MANY_SESSIONS:
        return
    from penstock._tracing.retracing import users_line

    at = users_line()
    if at in _warned:
        return
    _warned.add(at)
    sessions = open_sessions()
    count, held = len(sessions), sum(session._bytes() for session in sessions)
    _warn(
        f"{at} opens sessions that stay open: there are {count} now, with "
        f"{held:,} bytes of variables and programs. Use `with tf.Session() as sess:`, or call "
        "sess.close()."
    )


def closed(session):
    """Removes a session from the open ones."""
    with _lock:
        _open_sessions.discard(session)


def open_sessions() -> list:
    """The open sessions."""
    with _lock:
        return list(_open_sessions)


def _warn(text):
    from penstock._ops.logger import get_logger

    get_logger().warning(text)
