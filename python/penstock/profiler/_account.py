"""tf.profiler.memory.account(): what the memory of the whole process is for.

The kernel says what is resident (/proc/self/smaps), the ledger and its allocator what is theirs
(pages that nobody wrote to are not counted), Python and the C library what they have from the
system. What then is left is unexplained.
"""

import re

from penstock import _core
from penstock._api import public
from penstock.profiler import _tables

_AREA = re.compile(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+\s*(.*)")
_ARENAS = re.compile(r"(\d+) arenas \* (\d+) bytes/arena")
UNEXPLAINED = "unexplained"


@public("profiler.memory.Account")
class Account(dict):
    """Bytes by purpose; their sum is the resident memory, `rss`. The difference of two accounts is
    the growth between them."""

    @property
    def rss(self):
        return sum(self.values())

    @property
    def unexplained(self):
        return self[UNEXPLAINED]

    def __sub__(self, before):
        names = dict.fromkeys([*self, *before])
        return Account({name: self.get(name, 0) - before.get(name, 0) for name in names})

    def __str__(self):
        rows = [("resident memory", "bytes", "", "")]
        for name, size in [*self.items(), ("all", self.rss)]:
            share = f"{100 * size / self.rss:.1f} %" if self.rss else ""
            if size or name in (UNEXPLAINED, "all"):
                rows.append((name, f"{size:,}", _tables.human(size), share))
        lines = _tables.aligned(rows)
        lines.insert(1, "-" * max(map(len, lines)))
        return "\n".join(lines)

    __repr__ = __str__


def _areas():
    """(range, name, resident bytes, anonymous bytes) of each area of the process's memory."""
    areas = []
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            if area := _AREA.match(line):
                low, high, name = area.groups()
                areas.append([(int(low, 16), int(high, 16)), name, 0, 0])
            elif line.startswith("Rss:"):
                areas[-1][2] = 1024 * int(line.split()[1])
            elif line.startswith("Anonymous:"):
                areas[-1][3] = 1024 * int(line.split()[1])
    return areas


def _by_area(recorded):
    """Resident bytes by where they lie: what an area's name tells."""
    sums = dict.fromkeys(("files", "library data", "shared", "stack", "heap", "nameless"), 0)
    sums["profiler"] = sums["heap size"] = 0
    for (low, high), name, resident, anonymous in _areas():
        if name and recorded == name:
            sums["profiler"] += resident
        elif name.startswith(("/dev/shm/", "/memfd:", "/SYSV", "/dev/zero")):
            sums["shared"] += resident
        elif name.startswith("/") or name in ("[vdso]", "[vvar]", "[vsyscall]"):
            sums["files"] += resident - anonymous
            sums["library data"] += anonymous
        elif name == "[heap]":
            sums["heap"] += resident
            sums["heap size"] += high - low
        elif name.startswith("[stack"):
            sums["stack"] += resident
        else:
            sums["nameless"] += resident
    zeroed = _core.zeroed_library_data()
    sums["library data"] += zeroed
    sums["nameless"] -= zeroed
    return sums


def _python_arenas():
    match = _ARENAS.search(_core.small_object_text())
    return int(match[1]) * int(match[2]) if match else 0


def _of_tensors(parts, resident):
    """Puts what the allocator has into `parts`: the tags, and what is held beyond their bytes."""
    tags = {
        tag: counters["current"]
        for tag, counters in _core.memory_by_tag(0).items()
        if tag != "foreign"
    }
    held = sum(tags.values())
    # Pages that were never written are held, but not resident.
    share = min(1.0, resident / held) if held else 0.0
    for tag, size in tags.items():
        parts[tag] = round(size * share)
    beyond = max(0, resident - held)
    slack = _core.mapped_bytes() - held - _core.cached_bytes()
    parts["allocator slack"] = max(0, min(beyond, slack))
    parts["allocator caches"] = beyond - parts["allocator slack"]


def measure(recorded=None) -> Account:
    """The account of this moment; `recorded` is the file that a recording is writing."""
    areas = _by_area(recorded)
    usage = _core.recording_usage()
    ours = _core.resident_bytes()
    tables = min(usage["tables"], ours)
    parts = Account()
    _of_tensors(parts, ours - tables)
    parts["profiler"] = areas["profiler"] + tables
    nameless = areas["nameless"] - ours
    arenas = max(0, min(_python_arenas(), nameless))
    parts["Python objects"] = arenas
    nameless -= arenas
    malloc = _core.malloc_info()
    # Besides its heap, the C library has areas of its own for large blocks and for threads.
    elsewhere = malloc["mapped"] + max(0, malloc["heap"] - areas["heap size"])
    in_areas = max(0, min(nameless, elsewhere))
    native = areas["heap"] + in_areas
    parts["native heap, free"] = min(malloc["free"], native)
    native -= parts["native heap, free"]
    foreign = _core.memory_by_tag(0)["foreign"]["current"]
    parts["foreign"] = min(foreign, native)  # arrays that tensors borrow
    parts["native heap"] = native - parts["foreign"]
    parts["stack"] = areas["stack"]
    parts["library data"] = areas["library data"]
    parts["files mapped"] = areas["files"]
    parts["shared memory"] = areas["shared"]
    parts[UNEXPLAINED] = nameless - in_areas
    return parts
