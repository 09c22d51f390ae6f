"""Memory that grows outside of penstock: Python objects, arrays, other libraries."""

from __future__ import annotations

import operator
import tracemalloc

from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor._source import Site, is_user_file
from penstock.profiler._doctor.detectors._base import Detector

_SUSPICIOUS = 2 << 20  # bytes of growth from which on allocations are traced,
_FAST = 32 << 10  # when it is that much per iteration,
_SLOW = 32 << 20  # and when it is less
_CERTAIN = 4 << 20
_NATIVE = 32 << 20  # growth that no line explains
_FRAMES = 16
_MOST_SNAPSHOTS = 5

_FIX = """\
# keep a bounded number of them, or what you need of each:
kept = collections.deque(maxlen=100)
total += float(array.mean())"""


class _Traced:
    """What the lines of a loop held, at several iterations."""

    def __init__(self):
        self.snapshots = []  # (iteration, {Site: bytes})


class ForeignGrowth(Detector):
    cause = "foreign_growth"

    def __init__(self, watch):
        super().__init__(watch)
        self._traced = {}  # LoopRun: _Traced
        self._started = False

    def install(self, probes):
        self.watch.on_check.append(self._check)

    def _check(self, run, unused):
        if not self._is_suspicious(run):
            return
        traced = self._traced.setdefault(run, _Traced())
        if len(traced.snapshots) < _MOST_SNAPSHOTS:
            if not tracemalloc.is_tracing():
                tracemalloc.start(_FRAMES)
                self._started = True
            traced.snapshots.append((run.count, _by_users_line()))
        if self._started and all(
            len(each.snapshots) >= _MOST_SNAPSHOTS for each in self._traced.values()
        ):
            tracemalloc.stop()
            self._started = False

    @staticmethod
    def _is_suspicious(run):
        values = run.elsewhere.values
        grown = values[-1] - values[0]
        iterations = run.count - run.elsewhere.iterations[0]
        return grown >= (_SUSPICIOUS if grown >= _FAST * iterations else _SLOW)

    def findings(self):
        if self._started:
            tracemalloc.stop()
            self._started = False
        found = {}
        for run, traced in sorted(self._traced.items(), key=lambda item: -item[0].loop.line):
            values = run.elsewhere.values
            if values[-1] - values[0] < _CERTAIN:
                continue
            sites = _growing(traced.snapshots)
            for site, grew, steps in sites:
                if grew >= _SUSPICIOUS // 2:
                    found.setdefault(site, self._of_line(run, site, grew, steps))
            if not sites and run.elsewhere.is_growing(3) and values[-1] - values[0] >= _NATIVE:
                site = Site(run.loop.file, run.loop.line)
                found.setdefault(site, self._of_loop(run, site))
        return list(found.values())

    def _of_line(self, run, site, grew, steps):
        per_step = grew / max(1, steps)
        whole = int(per_step * run.count)
        return Finding(
            self.cause,
            "Memory grows outside of penstock",
            site.file,
            site.line,
            f"Python objects or arrays that are made here stay: {size(per_step)} per iteration of "
            f"the loop of line {run.loop.line}. No tensor is part of it.",
            whole,
            per_step,
            run.count,
            _FIX,
        )

    def _of_loop(self, run, site):
        first, last = run.elsewhere.values[0], run.elsewhere.values[-1]
        return Finding(
            self.cause,
            "Memory grows outside of penstock",
            site.file,
            site.line,
            f"The process grew by {size(last - first)} in this loop, and neither tensors nor "
            "Python objects nor arrays explain it: a library that the loop calls holds the memory.",
            last - first,
            (last - first) / run.count,
            run.count,
        )


def _by_users_line() -> dict[Site, int]:
    held = {}
    for trace in tracemalloc.take_snapshot().traces:
        for frame in reversed(trace.traceback):
            if is_user_file(frame.filename):
                site = Site(frame.filename, frame.lineno)
                held[site] = held.get(site, 0) + trace.size
                break
    return held


def _growing(snapshots) -> list[tuple[Site, int, int]]:
    """The lines whose bytes rose from each snapshot to the next, those with most first."""
    if len(snapshots) < 3:
        return []
    (first, _), (last, after) = snapshots[0], snapshots[-1]
    found = []
    for site in after:
        held = [lines.get(site, 0) for _, lines in snapshots]
        if all(map(operator.lt, held, held[1:])):
            found.append((site, held[-1] - held[0], last - first))
    return sorted(found, key=lambda item: -item[1])
