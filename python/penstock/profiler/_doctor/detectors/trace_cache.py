"""Traces that the cache of a function had to drop and that are needed again."""

from __future__ import annotations

import weakref

from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor.detectors._base import Detector

_MANY = 4  # traces that were dropped and made again

_FIX = """\
@tf.function(trace_cache_limit="{limit}")   # room for all of them
def {name}(…): …

# or fewer traces: input_signature=[tf.TensorSpec([None, …], …)] serves all sizes with one"""


class _Cache:
    def __init__(self, name):
        self.name = name
        self.dropped = set()
        self.again = 0
        self.num_keys = 0
        self.bytes = 0  # of a trace that stayed
        self.site = None


class TraceCacheChurn(Detector):
    cause = "trace_cache_churn"

    def __init__(self, watch):
        super().__init__(watch)
        self._caches = weakref.WeakKeyDictionary()
        self._all = []

    def install(self, probes):
        from penstock._tracing.function import Function

        probes.around(
            Function,
            "_keep",
            lambda function, key, _: (key, set(function._traces._found)),
            self._kept,
        )

    def _kept(self, function, begun):
        key, before = begun
        cache = self._caches.get(function._traces)
        if cache is None:
            if not before - set(function._traces._found):
                return
            cache = self._caches[function._traces] = _Cache(function.name)
            self._all.append(cache)
        if key in cache.dropped and key not in before:
            cache.again += 1
            cache.site, frame = self.here()
            self.explained.update(self.runs_at(frame))
        cache.dropped |= before - set(function._traces._found)
        cache.num_keys = len(cache.dropped | set(function._traces._found))
        cache.bytes = function._traces.bytes()

    def churning(self) -> set[str]:
        """The functions of which this speaks."""
        return {cache.name for cache in self._all if cache.again >= _MANY}

    def findings(self):
        return [self._finding(cache) for cache in self._all if cache.again >= _MANY and cache.site]

    def _finding(self, cache):
        needed = cache.bytes * cache.num_keys
        return Finding(
            self.cause,
            "Traces are dropped and made again",
            cache.site.file,
            cache.site.line,
            f"`{cache.name}` is called with {cache.num_keys:,} signatures in turn, and its cache "
            f"has no room for all of their traces: {cache.again:,} times one that had been dropped "
            f"was traced again. All of them need about {size(needed)}.",
            steps=cache.again,
            fix=_FIX.format(name=cache.name, limit=f"{max(1, 2 * needed >> 20)}MiB"),
        )
