"""Arrays that become tensors again and again though they do not change."""

from __future__ import annotations

import re
import weakref
import zlib

from penstock import _core
from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor._operands import arrays_at
from penstock.profiler._doctor.detectors._base import Detector

_LARGE = 1 << 20  # bytes
_SMALL = 64 << 10  # bytes of other constants since the last large one
_MANY = 8
_SAMPLE = 256 << 10  # elements of an array that are compared

_FIX = """\
{tensor} = tf.constant({name})                     # copied once, before the loop
# or not at all, where the array does not change:
{tensor} = tf.experimental.from_numpy({name})"""


class _Copied:
    """The copies of one array at one line, as long as it does not change."""

    def __init__(self):
        self.array = self.mark = None
        self.count = 0  # since it changed
        self.most = 0
        self.bytes = 0

    def add(self, array, copied):
        mark = _fingerprint(array)
        is_same = self.array is not None and self.array() is array
        if not is_same or self.mark != mark:
            self.array, self.mark, self.count = weakref.ref(array), mark, 0
        self.count += 1
        self.most, self.bytes = max(self.most, self.count), copied


def _fingerprint(array):
    """A hash of the array's elements. For a large array it covers only elements at even distances
    and both ends."""
    flat = array.flat
    every = max(1, array.size // _SAMPLE)
    parts = flat[::every], flat[:256], flat[-256:]
    return array.shape, array.dtype, *(zlib.crc32(part.tobytes()) for part in parts)


class NumpyCopies(Detector):
    cause = "numpy_copies"

    def __init__(self, watch):
        super().__init__(watch)
        self._constants = 0  # bytes of all constants so far
        self._copies = {}  # (Site, name): _Copied

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
        for name, value in arrays_at(site, frame).items():
            if 0 <= copied - value.nbytes < _SMALL and not value.dtype.hasobject:
                entry = self._copies.get((site, name))
                if entry is None:
                    entry = self._copies[site, name] = _Copied()
                entry.add(value, copied)

    def findings(self):
        return [
            Finding(
                self.cause,
                "An array is copied into a tensor again and again",
                site.file,
                site.line,
                f"The array `{name}` became a tensor here {entry.most:,} times, each time by a "
                f"copy of {size(entry.bytes)}, and it was the same array every time.",
                steps=entry.most,
                fix=_FIX.format(name=name, tensor=_tensor_name(name)),
            )
            for (site, name), entry in self._copies.items()
            if entry.most >= _MANY
        ]


def _tensor_name(name) -> str:
    """A name for the tensor of an array: "data_tensor", "self.data_tensor", "x_tensor"."""
    item = re.search(r"\[['\"](\w+)['\"]\]$", name)
    return f"{item[1] if item else name.partition('[')[0]}_tensor"
