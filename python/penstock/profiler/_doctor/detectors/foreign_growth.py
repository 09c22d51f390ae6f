"""Memory that grows outside of penstock: Python objects, arrays, other libraries."""

from __future__ import annotations

import tracemalloc

from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor._growth import WARM_UP, Series
from penstock.profiler._doctor._source import Site
from penstock.profiler._doctor.detectors._base import Detector

_SUSPICIOUS = 1 << 20  # bytes of growth from which on Python's objects are traced,
_FAST = 16 << 10  # when it is that much per iteration,
_SLOW = 32 << 20  # and when it is less
_TRACED = 24  # iterations, unless the loop ends before
_MOST_ITERATIONS = 1000  # of all loops meanwhile
_CERTAIN = 256 << 10  # bytes that Python's objects grew by in these
_NATIVE = 32 << 20  # growth that no line explains

_FIX = """\
# keep a bounded number of them, or what you need of each:
kept = collections.deque(maxlen=100)
total += float(array.mean())"""


class ForeignGrowth(Detector):
    cause = "foreign_growth"

    def __init__(self, watch):
        super().__init__(watch)
        self._run = None  # whose iterations are traced
        self._done = {}  # LoopRun: {Site: bytes per iteration}

    def install(self, probes):
        self.watch.on_check.append(self._check)

    def _check(self, run, unused):
        if self._run is not None and self._is_done(self._run):
            self._end()
        if self._run is None and run not in self._done and self._is_suspicious(run):
            if tracemalloc.is_tracing():
                return  # the program does so itself
            self._run = run
            run.python, run.traced = Series(), Series()
            self._before = {site: line.python for site, line in self.watch.lines.items()}
            self.watch.trace_python(True)
            self._began = self.watch.num_iterations

    def _is_done(self, run):
        """Enough was seen, or the loop has ended."""
        iterations = self.watch.num_iterations - self._began
        return len(run.python.iterations) > _TRACED or iterations > _MOST_ITERATIONS

    @staticmethod
    def _is_suspicious(run):
        grown = max(curve.values[-1] - curve.values[0] for curve in (run.elsewhere, run.reserved))
        iterations = run.count - run.elsewhere.iterations[0]
        return grown >= (_SUSPICIOUS if grown >= _FAST * iterations else _SLOW)

    def _end(self):
        """Which lines the objects are from that a loop has left."""
        run, self._run = self._run, None
        self.watch.trace_python(False)
        sites = self._done[run] = {}
        traced = len(run.python.iterations)
        series = run.python, run.traced
        for curve in series:
            curve.forget(WARM_UP)  # what is freed then was not traced when it was made
        # Lines are booked at events, and what is freed between these can be missed: only what is
        # really there in the end counts.
        grown = min(curve.growth()[0] for curve in series)
        if grown < _CERTAIN or not all(curve.is_growing() for curve in series):
            return
        for site, held in run.python_lines.items():
            more = held - self._before.get(site, 0)
            if site is not None and more * 4 >= grown:
                sites[Site(*site)] = min(more / traced, run.traced.growth()[1])

    def findings(self):
        if self._run is not None:
            self._end()
        findings = {}
        for run, sites in sorted(self._done.items(), key=lambda item: -item[0].loop.line):
            for site, per_step in sites.items():
                findings.setdefault(site, self._of_line(run, site, per_step))
            grown = run.elsewhere.values[-1] - run.elsewhere.values[0]
            if not sites and run.elsewhere.is_growing() and grown >= _NATIVE:
                site = Site(run.loop.file, run.loop.line)
                findings.setdefault(site, self._of_loop(run, site, grown))
        return list(findings.values())

    def _of_line(self, run, site, per_step):
        return Finding(
            self.cause,
            "Memory grows outside of penstock",
            site.file,
            site.line,
            f"Python objects or arrays that are made here stay: {size(per_step)} per iteration of "
            f"the loop of line {run.loop.line}. No tensor is part of it.",
            int(per_step * run.count),
            per_step,
            run.count,
            _FIX,
        )

    def _of_loop(self, run, site, grown):
        return Finding(
            self.cause,
            "Memory grows outside of penstock",
            site.file,
            site.line,
            f"The process grew by {size(grown)} in this loop, and neither tensors nor Python "
            "objects nor arrays explain it: a library that the loop calls holds the memory.",
            grown,
            grown / run.count,
            run.count,
        )
