"""Variables that a loop creates in every iteration."""

from __future__ import annotations

import sys
import weakref

from penstock._variables import creators, variable
from penstock.profiler._doctor import _probes
from penstock.profiler._doctor._findings import Finding
from penstock.profiler._doctor._source import is_user_file, text_of
from penstock.profiler._doctor.detectors._base import Detector, site_of

_MANY = 10
_USED = 8  # iterations in which the new variable was used
_TRIAL = 20  # iterations of inner loops per variable: then it is a model that is trained
_OWN = {  # functions between Variable.__init__ and the line that creates a variable
    __file__,
    *(_probes.__file__, creators.__file__, variable.__file__),
}

_FIX = """\
{name} = tf.Variable(…)            # once, before the loop
for step in range(steps):
    {name}.assign(new_value)       # a new value in the same memory"""


class _Made:
    """The variables that one line made."""

    def __init__(self, run):
        self.run = run
        self.count = self.used = 0
        self.alive = 0
        self.most_alive = 0
        self.first_iteration = self.last_iteration = 0
        self.pending = None  # (loop, iteration, line of the loop) of one that was not used yet

    def end(self):
        """One of them is gone."""
        self.alive -= 1


class VariablesInLoop(Detector):
    cause = "variables_in_loop"

    def __init__(self, watch):
        super().__init__(watch)
        self._sites = {}

    def install(self, probes):
        from penstock._variables.variable import Variable

        probes.after(Variable, "__init__", self._create)
        self.watch.on_allocation.append(self._allocated)

    def _create(self, variable, *unused):
        # The slots of optimizers, say, are made by penstock: only the user's own count.
        frame = sys._getframe(2)
        while frame.f_code.co_filename in _OWN:
            frame = frame.f_back
        if not is_user_file(frame.f_code.co_filename):
            return
        loops = self.watch.loops_at(frame)
        if not loops:
            return
        run, line = loops[0]
        record = self._sites.get(site_of(frame))
        if record is None:
            record = self._sites[site_of(frame)] = _Made(run)
            record.first_iteration = self.watch.num_iterations
        record.count += 1
        record.last_iteration = self.watch.num_iterations
        record.alive += 1
        record.most_alive = max(record.most_alive, record.alive)
        weakref.finalize(variable, record.end).atexit = False
        record.pending = run, run.count, line
        self.explained.update(run for run, _ in loops)

    def _allocated(self, site, unused, frame):
        """Something was computed: by a loop's own line, after that loop made a variable?"""
        for record in self._sites.values():
            if record.pending is None:
                continue
            run, iteration, line = record.pending
            if run.count != iteration:
                record.pending = None
            elif site.file == run.loop.file and site.line in run.loop:
                makes = any(loop.pending and loop.pending[2] == site.line for loop in self._all())
                if site.line != line and site.line != run.loop.line and not makes:
                    record.used += 1
                    record.pending = None

    def _all(self):
        return self._sites.values()

    def findings(self):
        return [
            self._finding(site, record)
            for site, record in self._sites.items()
            if record.count >= _MANY and (self._churns(record) or self._piles_up(record))
        ]

    def _churns(self, record):
        """They go as fast as they come, and none is trained for long."""
        iterations = record.last_iteration - record.first_iteration
        rounds = record.count / max(1, record.most_alive)
        return (
            record.count >= 4 * record.most_alive
            and iterations <= _TRIAL * rounds * record.most_alive
        )

    def _piles_up(self, record):
        """They stay, and every one is used by the iteration that made it: layers of a model are
        made first and used later."""
        return record.most_alive >= _MANY and record.used >= min(_USED, record.count // 2)

    def _finding(self, site, record):
        is_growing = record.run.is_growing() and self._piles_up(record)
        grew, per_step, steps = record.run.growth() if is_growing else (0, 0.0, record.count)
        fate = (
            f"{record.most_alive:,} of them are there at once, and every one stays with what it "
            "holds"
            if is_growing
            else "every one is allocated, initialised and dropped again, and knows nothing of what "
            "the one before had learned"
        )
        name = text_of(site).partition("=")[0].strip()
        return Finding(
            self.cause,
            "Variables are created in a loop",
            site.file,
            site.line,
            f"{record.count:,} variables were made here, at least one per iteration: {fate}.",
            grew,
            per_step,
            steps,
            _FIX.format(name=name if name.isidentifier() else "w"),
        )
