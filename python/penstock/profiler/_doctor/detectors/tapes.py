"""Tapes: kept with all that they recorded, or recording a loop that is too long."""

from __future__ import annotations

import weakref

from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor.detectors._base import Detector

_MANY_TAPES = 6
_LONG = 20  # iterations under one tape

_FIX_KEPT = """\
with tf.GradientTape(persistent=True) as tape:
    loss = compute(x)
first = tape.gradient(loss, w)
second = tape.gradient(loss, b)
del tape                          # or without persistent=True: gradient() lets go of all it kept"""
_FIX_LONG = """\
for batch in batches:
    with tf.GradientTape() as tape:       # one tape per iteration
        loss = compute(batch)
    gradients = tape.gradient(loss, variables)
    total = [t + g for t, g in zip(total, gradients)]
# where the gradient must go through the whole loop: tf.recompute_grad(body), or cut the loop
# into pieces of, say, 20 iterations with tf.stop_gradient between them"""


class _Entered:
    """What is known of a tape's recording."""

    def __init__(self, site, counts):
        self.site = site
        self.counts = counts  # iterations of the loops when it began
        self.variables = {}  # iteration: number of watched variables


class Tapes(Detector):
    """Common to both: which tapes there are, where they were entered, which of them record."""

    def __init__(self, watch):
        super().__init__(watch)
        self._tapes = weakref.WeakKeyDictionary()

    def install(self, probes):
        from penstock._autodiff import tape as _tape

        probes.after(_tape.GradientTape, "__enter__", self._enter)
        self.watch.on_check.append(self.check)

    def _enter(self, tape, *unused):
        site, frame = self.here()
        if site is None:
            return
        for run in self.runs_at(frame):
            run.has_tape = True
        counts = {id(run): run.count for run in self.watch.runs}
        self._tapes[tape] = _Entered(site, counts)

    def check(self, run, frame):
        raise NotImplementedError


class KeptTapes(Tapes):
    cause = "kept_tapes"

    def __init__(self, watch):
        super().__init__(watch)
        self._found = {}  # Site: (number of tapes, whether persistent, the loop)

    def check(self, run, frame):
        alive = {}
        for tape, entered in list(self._tapes.items()):
            if tape._tape is not None and not tape._recording:
                alive.setdefault(entered.site, []).append(tape._persistent)
        for site, kinds in alive.items():
            if len(kinds) >= _MANY_TAPES and run in self.runs_at(frame) and run.is_growing():
                self._found[site] = len(kinds), any(kinds), run
                self.explained.add(run)

    def findings(self):
        findings = []
        for site, (count, is_persistent, run) in self._found.items():
            if not run.is_growing():
                continue
            kind = "persistent tapes" if is_persistent else "tapes"
            findings.append(
                Finding(
                    self.cause,
                    "Tapes are kept",
                    site.file,
                    site.line,
                    f"{count:,} {kind} that recorded here are still there. Each holds "
                    "every value that a gradient still needs.",
                    *run.growth(),
                    fix=_FIX_KEPT,
                )
            )
        return findings


class LongTape(Tapes):
    cause = "long_tape"

    def __init__(self, watch):
        super().__init__(watch)
        self._found = {}

    def check(self, run, frame):
        from penstock._autodiff.tape import variables_of

        for tape, entered in list(self._tapes.items()):
            iterations = run.count - entered.counts.get(id(run), 0)
            if not tape._recording or run not in self.runs_at(frame) or iterations < 3:
                continue
            self.explained.add(run)
            entered.variables[run.count] = len(variables_of(tape._tape))
            if iterations >= _LONG and run.is_growing():
                first, last = min(entered.variables), max(entered.variables)
                watched = entered.variables[last] - entered.variables[first]
                # A loop over layers reads other variables in every iteration: it is the model.
                if watched * 2 < last - first:
                    self._found[entered.site] = run, iterations, tape._tape.num_records

    def findings(self):
        findings = []
        for site, (run, iterations, records) in self._found.items():
            grew, per_step, steps = run.growth()
            findings.append(
                Finding(
                    self.cause,
                    "A tape records a long loop",
                    site.file,
                    site.line,
                    f"This tape was still recording after {iterations:,} iterations of the loop of "
                    f"line {run.loop.line}, with {records:,} records. It keeps what the gradient "
                    f"of every iteration needs, {size(per_step)} each.",
                    grew,
                    per_step,
                    steps,
                    _FIX_LONG,
                )
            )
        return findings
