"""Large shuffle buffers and caches of input pipelines."""

from __future__ import annotations

from penstock import _core
from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor.detectors._base import Detector

_LARGE = 16 << 20  # bytes

_TITLES = {
    "Shuffle": "A shuffle buffer is large",
    "Cache": "A cache of a dataset is large",
}
_FIXES = {
    "Shuffle": """\
ds = tf.data.Dataset.range(n).shuffle(n)   # shuffle what is small: numbers, names of files
ds = ds.map(load)                          # and load the elements after it""",
    "Cache": """\
ds = ds.cache("cache_file")                # in a file
ds = ds.map(decode).cache()                # or before what makes elements larger""",
}


class DatasetBuffers(Detector):
    cause = "dataset_buffers"

    def __init__(self, watch):
        super().__init__(watch)
        self._buffers = {}  # by (stage, file, line): the largest

    def install(self, probes):
        from penstock.data._iterator import OwnedIterator

        probes.after(OwnedIterator, "__init__", self._started)

    def _started(self, iterator, unused, dataset):
        for buffer in dataset.memory_plan().buffers:
            key = buffer.stage, buffer.file, buffer.line
            if buffer.stage not in _TITLES or not buffer.line:
                continue
            before = self._buffers.get(key)
            if before is None or (buffer.bytes or 0) > (before.bytes or 0):
                self._buffers[key] = buffer

    def _held(self, buffer):
        """The bytes, in words; None if they are few."""
        if buffer.bytes is not None:
            if buffer.bytes < _LARGE:
                return None
            return f"{buffer.what[:1].upper()}{buffer.what[1:]}: {size(buffer.bytes)}"
        peak = _core.memory_by_tag(0)["dataset"]["peak"]
        if peak < _LARGE:
            return None
        unknown = buffer.unknown
        return f"The size is known only when it runs ({unknown}); datasets held {size(peak)}"

    def findings(self):
        found = []
        for (stage, file, line), buffer in self._buffers.items():
            held = self._held(buffer)
            if held is None:
                continue
            more = " What is beyond the share of the budget goes to a file." * buffer.is_spilled
            text = f"{held}, under `dataset`, as long as an iterator lives.{more}"
            found.append(Finding(self.cause, _TITLES[stage], file, line, text, fix=_FIXES[stage]))
        return found
