"""Whether a number that is read at every iteration of a loop grows, and how fast."""

from __future__ import annotations

import operator

WARM_UP = 2  # iterations that may make what stays: slots, traces, caches
_DENSE = 512  # samples that are kept before they are thinned out


class Series:
    """Samples (iteration, value) of a loop. Past a number of them every other one is dropped, so
    that long loops cost little."""

    def __init__(self):
        self.iterations, self.values = [], []
        self._stride = 1

    def add(self, iteration, value):
        if self.iterations and self.iterations[-1] == iteration:  # a loop that begins once more
            self.values[-1] = value
            return
        if iteration % self._stride:
            return
        self.iterations.append(iteration)
        self.values.append(value)
        if len(self.values) > _DENSE:
            self._stride *= 2
            self.iterations = self.iterations[::2]
            self.values = self.values[::2]

    def set_last(self, value):
        """A better reading of the last sample."""
        self.values[-1] = min(self.values[-1], value)

    def forget(self, count):
        """Leaves the first samples out."""
        del self.iterations[:count], self.values[:count]

    def _envelope(self):
        """For every sample past the warm-up, the least value from there on."""
        envelope, least = [], None
        for iteration, value in zip(reversed(self.iterations), reversed(self.values), strict=True):
            if iteration < WARM_UP:
                break
            least = value if least is None else min(least, value)
            envelope.append(least)
        return envelope[::-1]

    def is_growing(self, parts=4) -> bool:
        """Steady growth: it rises for good in every quarter of the samples."""
        envelope = self._envelope()
        last = len(envelope) - 1
        if last < parts:
            return False
        marks = [envelope[last * part // parts] for part in range(parts + 1)]
        return all(map(operator.lt, marks, marks[1:]))

    def growth(self) -> tuple[int, float, int]:
        """(growth, growth per iteration, iterations) past the warm-up. The first quarter may have
        made more that stays, so the rate is that of the rest."""
        envelope = self._envelope()
        if len(envelope) < 2:
            return 0, 0.0, 0
        iterations = self.iterations[len(self.iterations) - len(envelope) :]
        quarter = len(envelope) // 4
        rate = (envelope[-1] - envelope[quarter]) / (iterations[-1] - iterations[quarter])
        whole = iterations[-1] - iterations[0]
        return round(rate * whole), rate, whole
