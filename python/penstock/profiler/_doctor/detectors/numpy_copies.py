"""Arrays that become tensors again and again though they do not change."""

from __future__ import annotations

import numpy as np

from penstock import _core
from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor._source import names_in_line
from penstock.profiler._doctor.detectors._base import Detector

_LARGE = 1 << 20  # bytes
_SMALL = 64 << 10  # bytes of other constants since the last large one
_MANY = 8

_FIX = """\
{name}_tensor = tf.constant({name})                     # copied once, before the loop
# or not at all, where the array does not change:
{name}_tensor = tf.experimental.from_numpy({name})"""


class NumpyCopies(Detector):
    cause = "numpy_copies"

    def __init__(self, watch):
        super().__init__(watch)
        self._constants = 0  # bytes of all constants so far
        self._names = {}  # Site: names on the line
        self._copies = {}  # (Site, name): [id of the array, copies of that array, bytes]

    def install(self, probes):
        self._constants = self._total()
        self.watch.on_allocation.append(self._allocated)

    @staticmethod
    def _total():
        return _core.memory_by_tag(0)["constant"]["total"]

    def _allocated(self, site, allocated, frame):
        if allocated < _LARGE:
            return
        total = self._total()
        copied, self._constants = total - self._constants, total
        if copied < _LARGE or frame.f_code.co_filename != site.file or _core.is_building():
            return
        if site not in self._names:
            self._names[site] = names_in_line(site)
        for name in self._names[site]:
            value = frame.f_locals.get(name, frame.f_globals.get(name))
            if isinstance(value, np.ndarray) and 0 <= copied - value.nbytes < _SMALL:
                entry = self._copies.setdefault((site, name), [id(value), 0, copied])
                if entry[0] != id(value):
                    entry[:] = [id(value), 0, copied]
                entry[1] += 1

    def findings(self):
        return [
            Finding(
                self.cause,
                "An array is copied into a tensor again and again",
                site.file,
                site.line,
                f"The array `{name}` became a tensor here {count:,} times, each time by a copy of "
                f"{size(copied)}, and it was the same array every time.",
                steps=count,
                fix=_FIX.format(name=name),
            )
            for (site, name), (_, count, copied) in self._copies.items()
            if count >= _MANY
        ]
