"""Sessions of TensorFlow 1 that are opened again and again and never closed."""

from __future__ import annotations

from penstock._base.version_1 import version_1
from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor.detectors._base import Detector

_MANY = 6

_FIX = """\
with tf.compat.v1.Session() as sess:   # closed at the end of the block, whatever happens
    sess.run(fetches)"""


class _Opened:
    def __init__(self):
        self.count = self.closed = 0
        self.run = None


class OpenSessions(Detector):
    cause = "open_sessions"

    def __init__(self, watch):
        super().__init__(watch)
        self._sites = {}
        self._site_of = {}  # by the id of a session that is open

    def install(self, probes):
        session = version_1.sessions.BaseSession
        probes.after(session, "__init__", self._open)
        probes.after(session, "close", self._close)

    def _open(self, session, unused, *args):
        site, frame = self.here()
        if site is None:
            return
        opened = self._sites.setdefault(site, _Opened())
        opened.count += 1
        self._site_of[id(session)] = site
        runs = self.runs_at(frame)
        if runs:
            opened.run = runs[0]
            if opened.count - opened.closed >= _MANY:
                self.explained.update(runs)

    def _close(self, session, unused):
        site = self._site_of.pop(id(session), None)
        if site is not None:
            self._sites[site].closed += 1

    def findings(self):
        findings = []
        for site, opened in self._sites.items():
            left = opened.count - opened.closed
            if left < _MANY or opened.run is None:
                continue
            is_growing = opened.run.is_growing()
            grew, per_step, steps = opened.run.growth() if is_growing else (0, 0.0, left)
            kept = (
                f"They hold their variables and programs, {size(grew)} by now."
                if is_growing
                else "They are dropped, which frees them here; in TensorFlow they stay."
            )
            findings.append(
                Finding(
                    self.cause,
                    "Sessions are not closed",
                    site.file,
                    site.line,
                    f"{left:,} of the {opened.count:,} sessions that were opened here were never "
                    f"closed. {kept}",
                    grew,
                    per_step,
                    steps,
                    _FIX,
                )
            )
        return findings
