"""tf.profiler.doctor(): a context whose block is looked at."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from penstock._api import public
from penstock._base.version_1 import version_1
from penstock.profiler._doctor import detectors
from penstock.profiler._doctor._findings import Finding, report
from penstock.profiler._doctor._probes import Probes
from penstock.profiler._doctor._source import shown
from penstock.profiler._doctor._watch import Watch


@public("profiler.Doctor")
class Doctor(Sequence):
    """Looks at the block of a `with`, and is the sequence of its findings afterwards."""

    def __init__(self):
        self._findings = []
        self._growth = 0

    def __enter__(self):
        self._start(sys._getframe(1))
        return self

    def _start(self, frame):
        from penstock._tracing import retracing as _retracing

        self._watch = Watch()
        self._probes = Probes(self._watch.guard)
        self._detectors = [kind(self._watch) for kind in detectors.ALL]
        for detector in self._detectors:
            detector.install(self._probes)
        # What these warn of, the doctor says better.
        self._probes.replace(version_1.growth, "_SILENT", True)
        self._probes.replace(_retracing, "_MAX_WARNINGS", 0)
        self._watch.start(frame)

    def __exit__(self, *unused):
        self._watch.stop()
        self._probes.remove()
        self._findings = self._diagnose()
        if self._watch.error is not None:
            warnings.warn(f"the doctor stopped looking: {self._watch.error!r}", stacklevel=2)
        grown = [run.growth()[0] for run in self._watch.runs if run.is_growing()]
        self._growth = max(
            [*grown, *(finding.growth_bytes for finding in self._findings)], default=0
        )
        self._watch = self._detectors = None

    def _diagnose(self):
        by_kind = {type(detector): detector for detector in self._detectors}
        churning = by_kind[detectors.TraceCacheChurn].churning()
        by_kind[detectors.Retracing].churned = churning
        findings = [finding for detector in self._detectors for finding in detector.findings()]
        explained = set().union(*(detector.explained for detector in self._detectors))
        kept = by_kind[detectors.KeptTensors]
        return findings + kept.findings_without_container(explained)

    @property
    def findings(self) -> list[Finding]:
        """What was found."""
        return list(self._findings)

    @property
    def growth_bytes(self) -> int:
        """The most that a loop has grown by, whether or not the cause is known."""
        return self._growth

    def __len__(self):
        return len(self._findings)

    def __getitem__(self, index):
        return self._findings[index]

    def __str__(self):
        files = dict.fromkeys(shown(finding.file) for finding in self._findings)
        return report(self._findings, ", ".join(files) or "this block")


@public("profiler.doctor")
def doctor() -> Doctor:
    """Looks at a block: `with tf.profiler.doctor() as findings: …`. Afterwards `findings` is the
    sequence of what was found, and printing it says so."""
    return Doctor()
