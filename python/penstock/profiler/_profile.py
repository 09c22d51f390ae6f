"""Profile: what a recording found, as columns of NumPy arrays and a few tables.

One entry of the columns is one allocated block, in the order of allocation; blocks that were held
when the recording began come first (`num_before` of them, start 0). Indices are -1 where nothing
is known. Everything that shows memory (summary, report, doctor, exports) works from this class.
"""

import numpy as np

from penstock import _core
from penstock._api import public
from penstock.profiler._columns import COLUMNS, Site

TAGS = _core.tag_names()  # of this version; a profile has its own
SUFFIX = ".penprof"


@public("profiler.Profile", "profiler.memory.Profile")
class Profile:
    """Allocations over time, with their owners and lines; see the module's text.

    Beyond the columns and the tables: `samples`, an int64 array of rows whose columns are called
    `sample_names` (time and the parts of the whole process), `plans`, `findings` (lists of
    dictionaries), and `meta` (program, argv, began, duration_ns, budget, peak_bytes, error,
    events, and `dropped`: blocks for which the disk had no room).
    """

    def __init__(
        self,
        columns=None,
        *,
        tags=TAGS,
        sites=(),
        names=(),
        shapes=(),
        num_before=0,
        samples=None,
        sample_names=("time", "rss"),
        plans=(),
        findings=(),
        meta=None,
    ):
        columns = dict(columns or {})
        unknown = set(columns) - set(COLUMNS)
        if unknown:
            raise ValueError(f"a profile has no column {', '.join(sorted(unknown))}")
        lengths = {len(column) for column in columns.values()} or {0}
        if len(lengths) > 1:
            raise ValueError(f"a profile's columns have one length, not {sorted(lengths)}")
        (length,) = lengths
        for name, dtype in COLUMNS.items():
            column = columns.get(name)
            if column is None:
                column = np.full(length, 0 if dtype is np.uint8 or name in _COUNTED else -1, dtype)
            setattr(self, name, np.asarray(column, dtype))
        self.tags = list(tags)
        self.sites = [Site(*site) for site in sites]
        self.names = list(names)
        self.shapes = list(shapes)
        self.num_before = int(num_before)
        self.sample_names = list(sample_names)
        width = len(self.sample_names)
        self.samples = np.asarray([] if samples is None else samples, np.int64).reshape(-1, width)
        self.plans = [dict(plan) for plan in plans]
        self.findings = [dict(finding) for finding in findings]
        self.meta = {
            "program": "",
            "argv": [],
            "began": "",
            "duration_ns": 0,
            "budget": 0,
            "peak_bytes": 0,
            "error": None,
            "events": 0,
        } | (meta or {})

    def __len__(self):
        return len(self.bytes)

    def __repr__(self):
        time, peak = self.peak()
        return f"<Profile: {len(self):,} blocks, peak {peak:,} bytes after {time / 1e9:.3f} s>"

    def ends(self):
        """The column `end`, with the end of the recording for blocks still held then."""
        last = max(
            self.meta["duration_ns"],
            int(self.start.max(initial=0)),
            int(self.end.max(initial=0)),
        )
        return np.where(self.end < 0, last + 1, self.end)

    def changes(self):
        """Times and changes of the held bytes, in order of time; a block of the tag foreign is
        borrowed memory and no part of them."""
        foreign = self.tags.index("foreign") if "foreign" in self.tags else -1
        ours = self.tag != foreign
        held = ours & (self.end >= 0)
        times = np.concatenate([self.start[ours], self.end[held]])
        deltas = np.concatenate([self.bytes[ours], -self.bytes[held]])
        # What ends at the same moment as something else begins goes first.
        order = np.lexsort((deltas, times))
        return times[order], deltas[order]

    def peak(self):
        """(time, bytes): when the most was held, and how much."""
        times, deltas = self.changes()
        if not len(times):
            return 0, 0
        held = np.cumsum(deltas)
        at = int(np.argmax(held))
        return int(times[at]), int(held[at])

    def live_at(self, time):
        """The indices of the blocks that were held at `time` (ns), foreign ones included."""
        return np.flatnonzero((self.start <= time) & (time < self.ends()))

    def name(self, index):
        """An entry of `names`, or "" for -1."""
        return self.names[index] if index >= 0 else ""

    def save(self, path):
        """Writes one file, which `Profile.load` reads: a zip of the columns and meta.json."""
        from penstock.profiler import _saved

        _saved.save(self, path, COLUMNS)

    def write_report(self, path, form="html"):
        """Writes the report: a page, or in another form ("perfetto", "pprof", "json",
        "tensorboard")."""
        from penstock.profiler import _exports

        _exports.write(self, path, form)

    @classmethod
    def load(cls, path):
        """The profile in a file: a saved one, or what a killed program left of its recording."""
        from penstock.profiler import _raw, _saved

        with open(path, "rb") as file:
            start = file.read(8)
        if start[:2] != b"PK":
            return _raw.read(path, cls)
        return _saved.load(path, COLUMNS, cls)


_COUNTED = ("start", "bytes")  # columns whose default is 0 rather than "unknown"
