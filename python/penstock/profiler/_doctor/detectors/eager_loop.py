"""Loops of single ops whose intermediate results are all there at once."""

from __future__ import annotations

from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor.detectors._base import Detector

_ITERATIONS = 20
_RESULTS = 4  # at once
_LARGE = 1 << 20  # bytes that count as a result
_MUCH = 8 << 20  # bytes of an iteration

_FIX = """\
@tf.function                       # planned as a whole: results share memory when they can
def body(x):
    …                              # the lines of the loop
    return x

for step in range(steps):          # or tf.while_loop(condition, body, [x])
    x = body(x)"""


class EagerLoop(Detector):
    cause = "eager_loop"

    def findings(self):
        findings = []
        for run in self.watch.runs:
            if run.count < _ITERATIONS or run.highest < _MUCH or run.has_tape or run.is_growing():
                continue
            results = {s: n for s, n in self.watch.allocated_in(run).items() if n >= _LARGE}
            if len(results) < _RESULTS or run.highest < _RESULTS * min(results.values()):
                continue
            lines = sorted(site.line for site in results)
            findings.append(
                Finding(
                    self.cause,
                    "An eager loop holds all of its intermediate results",
                    run.loop.file,
                    run.loop.line,
                    f"An iteration makes {len(results)} large results (lines "
                    f"{', '.join(map(str, lines))}), whose names keep them until the next one: "
                    f"{size(run.highest)} at once. A function frees each after its last use.",
                    steps=run.count,
                    fix=_FIX,
                )
            )
        return findings
