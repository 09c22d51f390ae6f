"""Detector: what the detectors have in common."""

from __future__ import annotations

import sys

from penstock.profiler._doctor._source import Site, users_frame


class Detector:
    """Looks for one cause. Probes and the watch notify it of events; it reports its findings when
    the program has ended."""

    cause = ""

    def __init__(self, watch):
        self.watch = watch
        self.explained = set()  # LoopRuns whose growth this cause explains

    def install(self, probes):
        """Asks for the events that it needs."""

    def findings(self) -> list:
        return []

    def here(self):
        """(line of the user, innermost frame of the user); (None, None) where there is none."""
        frame = users_frame(sys._getframe(1))
        return (None, None) if frame is None else (site_of(frame), frame)

    def runs_at(self, frame) -> list:
        """The loops under way, innermost first."""
        return [run for run, _ in self.watch.loops_at(frame)]


def site_of(frame) -> Site:
    return Site(frame.f_code.co_filename, frame.f_lineno)
