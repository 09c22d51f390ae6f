"""Reads the file that a recording writes while the program runs (src/recording/recording_file.h).

It can be read at any moment: while it is written (`Live`, for `penstock top`), after the recording,
and when the process was killed.
"""

import datetime
import json
import os
import struct

import numpy as np

from penstock import _core
from penstock._memory.host import booked
from penstock.profiler import _saved
from penstock.profiler._columns import COLUMNS, Site

MAGIC = b"PENREC1\0"
_HEADER_BYTES = 4096
_CHUNK_HEADER_BYTES = 64
_IN_NEXT_CHUNK = 0xFFFFFFFF
_KINDS = ("", "blocks", "names", "sites", "samples", "plans", "before", "notes")
_HEADER = struct.Struct(f"<8sIi3q{len(_KINDS)}q2q2i5q")
_RECORDS = {
    "blocks": np.dtype(
        [(name, "<i8") for name in ("start", "end", "bytes")]
        + [(name, "<i4") for name in ("site", "op", "owner", "shape")]
        + [(name, "u1") for name in ("tag", "dtype", "device", "is_before")]
        + [("unused", "<u4")]
    ),
    "sites": np.dtype(
        [(name, "<i4") for name in ("file", "function", "line", "unused")]
        + [
            (name, "<i8")
            for name in ("live_bytes", "live_count", "total_bytes", "total_count", "peak_bytes")
        ]
        + [("more_unused", "<i8")]
    ),
    "samples": np.dtype(
        [
            (name, "<i8")
            for name in ("time", "rss", "held", "foreign", "mapped", "cached", "profiler", "unused")
        ]
    ),
    "plans": np.dtype(
        [(name, "<i4") for name in ("name", "file", "line", "unused")]
        + [(name, "<i8") for name in ("planned_peak", "measured_peak", "calls")]
        + [("more_unused", "<i8", 3)]
    ),
    "before": np.dtype(
        [("owner", "<i4"), ("tag", "<i4")] + [(n, "<i8") for n in ("bytes", "count", "unused")]
    ),
    "notes": np.dtype([("key", "<i4"), ("text", "<i4")]),
}
SAMPLE_NAMES = _RECORDS["samples"].names[:-1]


class Header:
    """The first page of the file: counts, and the figures of the moment."""

    def __init__(self, page, path):
        values = iter(_HEADER.unpack_from(page))
        self.magic, self.version, self.pid = (next(values) for _ in range(3))
        _saved.check_version(path, "recording", self.version, _core.RECORDING_VERSION)
        self.began, self.monotonic, self.duration = (next(values) for _ in range(3))
        self.counts = {kind: max(0, next(values)) for kind in _KINDS}
        self.dropped, self.events = next(values), next(values)
        self.num_dtypes, self.num_tags = next(values), next(values)
        if not 0 <= self.num_tags <= _saved.MOST_TAGS or self.num_dtypes < 0:
            raise ValueError(f"{path} is damaged: {self.num_tags} tags")
        self.rss, self.current, self.peak, self.limit = (next(values) for _ in range(4))
        self.is_finished = bool(next(values))
        # The program may have had more or fewer tags than this one.
        tags = struct.unpack_from(f"<{2 * self.num_tags}q", page, _HEADER.size)
        self.tag_current, self.tag_peak = list(tags[: self.num_tags]), list(tags[self.num_tags :])
        (self.lost,) = struct.unpack_from("<q", page, _HEADER.size + 16 * self.num_tags)


class Raw:
    """A recording's file. It may grow while it is read, and may be cut: what is missing is left
    out."""

    def __init__(self, file):
        self._file = file
        size = os.fstat(file.fileno()).st_size
        page = self._read(0, _HEADER_BYTES)
        if page[: len(MAGIC)] != MAGIC or len(page) < _HEADER_BYTES:
            raise ValueError(f"{file.name} is neither a profile nor a recording of memory")
        self.header = Header(page, file.name)
        self._chunks = {kind: [] for kind in _KINDS}
        at = _HEADER_BYTES
        while at + _CHUNK_HEADER_BYTES <= size:
            kind, length = struct.unpack("<2I", self._read(at, 8).ljust(8, b"\0"))
            if not 0 < kind < len(_KINDS) or not _CHUNK_HEADER_BYTES < length <= size - at:
                break
            self._chunks[_KINDS[kind]].append(
                (at + _CHUNK_HEADER_BYTES, length - _CHUNK_HEADER_BYTES)
            )
            at += length

    def _read(self, at, count) -> bytes:
        return os.pread(self._file.fileno(), count, at)

    def size(self) -> int:
        """The bytes of all chunks."""
        return sum(size for chunks in self._chunks.values() for _, size in chunks)

    def records(self, kind):
        """All records of a kind as one structured array."""
        dtype, left = _RECORDS[kind], self.header.counts[kind]
        parts = [np.empty(0, dtype)]
        for start, size in self._chunks[kind]:
            data = self._read(start, min(left, size // dtype.itemsize) * dtype.itemsize)
            parts.append(np.frombuffer(data, dtype, len(data) // dtype.itemsize))
            left -= len(parts[-1])
        return np.concatenate(parts)

    def names(self):
        """The table of names, as far as it is there."""
        names, wanted = [], self.header.counts["names"]
        for start, size in self._chunks["names"]:
            chunk, at = self._read(start, size), 0
            while len(names) < wanted and at + 4 <= len(chunk):
                (length,) = struct.unpack_from("<I", chunk, at)
                if length == _IN_NEXT_CHUNK or at + 4 + length > len(chunk):
                    break
                names.append(chunk[at + 4 : at + 4 + length].decode("utf-8", "replace"))
                at += 4 + (length + 3) // 4 * 4
        return names

    def tags(self, names):
        """The names of the tags."""
        first = self.header.num_dtypes
        tags = names[first : first + self.header.num_tags]
        return tags + ["?"] * (self.header.num_tags - len(tags))


def live_sites(raw, names, most, key="live_bytes"):
    """(site, bytes held, count held) of the lines that hold the most, or held (`peak_bytes`)."""
    rows = raw.records("sites")
    rows = rows[rows[key] > 0]
    rows = rows[rows[key].argsort()[::-1][:most]]
    return [
        (
            Site(_name(names, row["file"]), int(row["line"]), _name(names, row["function"])),
            int(row[key]),
            int(row["live_count" if key == "live_bytes" else "total_count"]),
        )
        for row in rows
    ]


def _name(names, place):
    return names[place] if 0 <= place < len(names) else ""


def _path(file, folder):
    """A file's path from the program's folder on; what was typed at a prompt has none."""
    return os.path.join(folder, file) if file and not file.startswith("<") else file


def _sites(raw, names, folder):
    return [
        Site(
            _path(_name(names, row["file"]), folder),
            int(row["line"]),
            _name(names, row["function"]),
        )
        for row in raw.records("sites")
    ]


def _plans(raw, names, folder):
    return [
        {
            "name": _name(names, row["name"]),
            "file": _path(_name(names, row["file"]), folder),
            "line": int(row["line"]),
            "planned_peak": int(row["planned_peak"]),
            "measured_peak": int(row["measured_peak"]),
            "calls": int(row["calls"]),
        }
        for row in raw.records("plans")
    ]


def _still_before(raw, known, tags_):
    """Blocks for what was held before the recording and is still held: one for each owner or tag,
    since nobody knows more of them. `known` are those that were seen meanwhile."""
    variable = tags_.index("variable") if "variable" in tags_ else -1
    before = raw.records("before")

    def holders(tags, owners, has_row):
        """A number for each: its tag and, of variables that have a row of their own, its owner."""
        owners = np.where((tags == variable) & has_row, owners, -1).astype(np.int64)
        return tags.astype(np.int64) << 32 | owners & 0xFFFFFFFF

    rows = holders(before["tag"], before["owner"], before["owner"] >= 0)
    has_row = np.isin(known["owner"], before["owner"][before["owner"] >= 0])
    seen = holders(known["is_before"].astype(np.int32) - 1, known["owner"], has_row)
    numbers, place = np.unique(np.concatenate([rows, seen]), return_inverse=True)
    sums = np.zeros(len(numbers), np.int64)
    np.add.at(sums, place[len(rows) :], known["bytes"])
    left = before["bytes"] - sums[place[: len(rows)]]
    is_left = (left > 0) & (before["tag"] >= 0) & (before["tag"] < len(tags_))
    blocks = np.zeros(np.count_nonzero(is_left), _RECORDS["blocks"])
    blocks["end"], blocks["bytes"] = -1, left[is_left]
    for name in ("site", "op", "shape"):
        blocks[name] = -1
    blocks["owner"], blocks["tag"] = before["owner"][is_left], before["tag"][is_left]
    blocks["is_before"] = 1
    return blocks


def _packed(indices, table):
    """Indices into `table` as indices into what of it is used, and that."""
    used, packed = np.unique(indices, return_inverse=True)
    has_none = len(used) > 0 and used[0] < 0
    texts = [_name(table, i) for i in used if i >= 0]
    return packed.astype(np.int32) - int(has_none), texts


def notes(raw, names):
    """The texts that were noted, by key; the last one of a key counts."""
    rows = raw.records("notes")
    return {_name(names, row["key"]): _name(names, row["text"]) for row in rows}


def read(path, make, is_own=False):
    """The profile (made by `make`) of a recording's file. ValueError where it is none. A program
    reads its own recording whatever its budget says, and without a trace in its ledger."""
    with open(path, "rb") as file:
        raw = Raw(file)
        with booked(0 if is_own else 4 * raw.size(), "Profile.load"):
            profile = _profile(raw, make)
    _saved.check(profile, path)
    profile.meta["peak_bytes"] = profile.peak()[1]
    return profile


def _profile(raw, make):
    header, names = raw.header, raw.names()
    tags = raw.tags(names)
    blocks = raw.records("blocks")
    is_before = blocks["is_before"] > 0
    seen = blocks[is_before]
    seen["start"] = 0
    left = _still_before(raw, seen, tags)
    blocks = np.concatenate([left, seen, blocks[~is_before]])
    columns = {name: blocks[name] for name in COLUMNS}
    columns["shape"], shapes = _packed(blocks["shape"], names)
    columns["owner"] = np.where(blocks["owner"] < len(names), blocks["owner"], -1)
    # Values from Python become tensors without an op; TensorFlow calls it so.
    constant = tags.index("constant") if "constant" in tags else -1
    is_constant = (blocks["tag"] == constant) & (blocks["op"] < 0) & (blocks["shape"] >= 0)
    ops = np.where(blocks["op"] < len(names), blocks["op"], -1)
    columns["op"] = np.where(is_constant, len(names), ops)
    dtypes = blocks["dtype"].astype(np.int32)
    columns["dtype"] = np.where((dtypes > 0) & (dtypes < len(names)), dtypes, -1)
    samples = raw.records("samples")
    noted = notes(raw, names)
    meta = _meta(header, noted)
    sites = _sites(raw, names, meta["folder"])
    columns["site"] = np.where(blocks["site"] < len(sites), blocks["site"], -1)
    profile = make(
        columns,
        tags=tags,
        sites=sites,
        names=[*names, "Const"],
        shapes=shapes,
        num_before=len(left) + len(seen),
        samples=np.stack([samples[name] for name in SAMPLE_NAMES], axis=1),
        sample_names=SAMPLE_NAMES,
        plans=_plans(raw, names, meta["folder"]),
        findings=[
            finding for finding in _noted(noted, "findings", []) if isinstance(finding, dict)
        ],
        meta=meta,
    )
    # A killed program's last moments are newer than the last look at its clock.
    last = max(int(profile.start.max(initial=0)), int(profile.end.max(initial=0)))
    profile.meta["duration_ns"] = max(header.duration, last)
    return profile


def _noted(noted, key, default):
    """What JSON a note is; the default where it is none of that kind (a kill may have cut it)."""
    try:
        value = json.loads(noted.get(key, "null"))
    except (ValueError, RecursionError):
        return default
    return value if type(value) is type(default) else default


def _began(header) -> str:
    try:
        began = datetime.datetime.fromtimestamp(header.began / 1e9, datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        return ""
    return began.isoformat(timespec="milliseconds")


def _meta(header, noted):
    error = noted.get("error")
    if error is None and not header.is_finished:
        error = "the program ended before its recording did (it was killed, or is still running)"
    meta = _noted(noted, "meta", {})
    if not isinstance(meta.get("folder"), str):
        meta["folder"] = ""
    return meta | {
        "account": _noted(noted, "account", {}),
        "began": _began(header),
        "duration_ns": header.duration,
        "budget": header.limit,
        "error": error,
        "events": header.events,
        "dropped": header.dropped,
        "lost": header.lost,
        "pid": header.pid,
    }
