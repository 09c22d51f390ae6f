"""Tensors that stay because a list, a dictionary or a closure that grows holds them."""

from __future__ import annotations

import re

import numpy as np

from penstock import _core
from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor._source import Site, is_used_as_a_whole, text_of
from penstock.profiler._doctor.detectors._base import Detector

_ITERATIONS = 20
_SHARE = 4  # a container explains growth if it holds at least a fourth of it
_ADDS = re.compile(r"^(?P<name>[\w.\[\]]+)\.(?P<how>append|add)\((?P<what>.+)\)$")

_FIX_KEEP_FEW = """\
import collections

{name} = collections.deque(maxlen=100)   # the last ones only"""
_FIX_FEW_KEYS = """\
while len({name}) > 100:                  # the last ones only
    del {name}[next(iter({name}))]"""
_FIX_REPLACE = """\
for step in range(steps):
    value = …            # keep what the next iteration needs,
    total += float(…)    # and of the rest a number"""


class KeptTensors(Detector):
    cause = "kept_tensors"

    def __init__(self, watch):
        super().__init__(watch)
        self._told = set()  # the lines of which findings() speaks

    def findings(self):
        findings = {}
        # The innermost loops first: they know the number of iterations best.
        runs = sorted(self.watch.runs, key=lambda run: -run.loop.line)
        for run in runs:
            if run.count >= _ITERATIONS and run.is_growing():
                for site, finding in self._of_containers(run):
                    findings.setdefault(site, finding)
        self._told = set(findings)
        return list(findings.values())

    def findings_without_container(self, explained):
        """The lines whose tensors stay, for loops whose growth no other detector explains."""
        findings = {}
        for run in sorted(self.watch.runs, key=lambda run: -run.loop.line):
            if run in explained or run.is_building or run.count < _ITERATIONS:
                continue
            if not run.is_growing():
                continue
            grown = self.watch.line_growth(run)
            site = next(iter(grown), Site(run.loop.file, run.loop.line))
            if site not in self._told:
                findings.setdefault(site, self._of_line(run, site))
        return list(findings.values())

    def _of_containers(self, run):
        _, per_step, _ = run.growth()
        for suspect in run.suspects:
            if not suspect.sites or not suspect.confirmed:
                continue
            if suspect.leaf not in (_core.EagerTensor, np.ndarray):
                continue
            is_meant = suspect.is_bounded or is_used_as_a_whole(suspect.name, run.loop)
            if is_meant or suspect.leaf_bytes * _SHARE >= per_step:
                self.explained.add(run)
            if is_meant or suspect.leaf_bytes * _SHARE < per_step:
                continue
            site = Site(*max(suspect.sites, key=suspect.sites.get))
            yield site, self._of_container(run, suspect, site)

    def _of_container(self, run, suspect, site):
        name = f"The {suspect.kind} `{suspect.name}`" if suspect.name else f"A {suspect.kind}"
        what = "tensor" if suspect.leaf is _core.EagerTensor else "array that is a tensor's memory"
        inside = "" if suspect.is_direct else " (in objects or closures that it holds)"
        grew, per_step, steps = run.growth()
        return Finding(
            self.cause,
            f"Tensors are kept in a growing {suspect.kind}",
            site.file,
            site.line,
            f"{name} gets longer at this line in the loop of line "
            f"{run.loop.line}, by a {what} of {size(suspect.leaf_bytes)}{inside}. It had "
            f"{suspect.length:,} items when it was last looked at, and none is freed while it is "
            "there.",
            grew,
            per_step,
            steps,
            _fix(suspect, site),
        )

    def _of_line(self, run, site):
        grew, per_step, steps = run.growth()
        return Finding(
            self.cause,
            "Tensors stay alive",
            site.file,
            site.line,
            f"Tensors that are made here are still there in later iterations of the loop of line "
            f"{run.loop.line}. No container that grows was found: look for closures, objects that "
            "refer to the one before, or caches.",
            grew,
            per_step,
            steps,
            _FIX_REPLACE,
        )


def _fix(suspect, site) -> str:
    match = _ADDS.match(text_of(site))
    if match and suspect.is_direct and suspect.leaf_size == 1:
        return (
            f"{match['name']}.{match['how']}(float({match['what']}))   # the number, not the tensor"
        )
    name = suspect.name or (match and match["name"]) or "kept"
    return (_FIX_FEW_KEYS if suspect.kind == "dictionary" else _FIX_KEEP_FEW).format(name=name)
