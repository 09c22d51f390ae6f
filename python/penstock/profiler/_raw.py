"""Reads the file that a recording writes while the program runs (src/memory/recording_file.h).

It can be read at any moment: while it is written (`Live`, for `penstock top`), after the recording,
and when the process was killed.
"""

import datetime
import json
import mmap
import os
import struct

import numpy as np

from penstock.profiler._profile import COLUMNS, Site

MAGIC = b"PENREC1\0"
_HEADER_BYTES = 4096
_CHUNK_HEADER_BYTES = 64
_IN_NEXT_CHUNK = 0xFFFFFFFF
_KINDS = ("", "blocks", "names", "sites", "samples", "plans", "before", "notes")
_NUM_TAGS = 11
_VARIABLE = 1  # the tag
_HEADER = struct.Struct(f"<8sIi3q{len(_KINDS)}q2q2i5q{_NUM_TAGS}q{_NUM_TAGS}q")
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

    def __init__(self, page):
        values = iter(_HEADER.unpack_from(page))
        self.magic, self.version, self.pid = (next(values) for _ in range(3))
        self.began, self.monotonic, self.duration = (next(values) for _ in range(3))
        self.counts = {kind: next(values) for kind in _KINDS}
        self.dropped, self.events = next(values), next(values)
        self.num_dtypes, self.num_tags = next(values), next(values)
        self.rss, self.current, self.peak, self.limit = (next(values) for _ in range(4))
        self.is_finished = bool(next(values))
        self.tag_current = [next(values) for _ in range(_NUM_TAGS)]
        self.tag_peak = [next(values) for _ in range(_NUM_TAGS)]


class Raw:
    """A recording's file, mapped. What is asked for is copied out of it."""

    def __init__(self, file):
        size = file.seek(0, 2)
        file.seek(0)
        if file.read(len(MAGIC)) != MAGIC or size < _HEADER_BYTES:
            raise ValueError(f"{file.name} is neither a profile nor a recording of memory")
        self._map = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        self.header = Header(self._map)
        self._chunks = {kind: [] for kind in _KINDS}
        at = _HEADER_BYTES
        while at + _CHUNK_HEADER_BYTES <= len(self._map):
            kind, size = struct.unpack_from("<2I", self._map, at)
            if not 0 < kind < len(_KINDS) or size == 0 or at + size > len(self._map):
                break
            self._chunks[_KINDS[kind]].append((at + _CHUNK_HEADER_BYTES, size))
            at += size

    def records(self, kind):
        """All records of a kind as one structured array."""
        dtype, left = _RECORDS[kind], self.header.counts[kind]
        parts = [np.empty(0, dtype)]
        for start, size in self._chunks[kind]:
            count = min(left, (size - _CHUNK_HEADER_BYTES) // dtype.itemsize)
            parts.append(np.frombuffer(self._map, dtype, count, start).copy())
            left -= count
        return np.concatenate(parts)

    def names(self):
        """The table of names; what a kill cut off is empty."""
        found, wanted = [], self.header.counts["names"]
        for start, size in self._chunks["names"]:
            at, end = start, start + size - _CHUNK_HEADER_BYTES
            while len(found) < wanted and at + 4 <= end:
                (length,) = struct.unpack_from("<I", self._map, at)
                if length == _IN_NEXT_CHUNK or at + 4 + length > end:
                    break
                found.append(self._map[at + 4 : at + 4 + length].decode("utf-8", "replace"))
                at += 4 + (length + 3) // 4 * 4
        return found + [""] * (wanted - len(found))


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
            "name": names[row["name"]],
            "file": _path(_name(names, row["file"]), folder),
            "line": int(row["line"]),
            "planned_peak": int(row["planned_peak"]),
            "measured_peak": int(row["measured_peak"]),
            "calls": int(row["calls"]),
        }
        for row in raw.records("plans")
    ]


def _still_before(raw, known):
    """Blocks for what was held before the recording and is still held: one for each owner or tag,
    since nobody knows more of them. `known` are those that were seen meanwhile."""
    before = raw.records("before")
    tags = known["is_before"] - 1  # what they were booked under then
    rows = []
    for row in before:
        same = tags == row["tag"]
        if row["tag"] == _VARIABLE:  # these have a row for each owner
            has_row = np.isin(known["owner"], before["owner"][before["owner"] >= 0])
            same &= known["owner"] == row["owner"] if row["owner"] >= 0 else ~has_row
        left = int(row["bytes"]) - int(known["bytes"][same].sum())
        if left > 0:
            rows.append((0, -1, left, -1, -1, row["owner"], -1, row["tag"], 0, 0, 1, 0))
    return np.array(rows, _RECORDS["blocks"])


def _packed(indices, table):
    """Indices into `table` as indices into what of it is used, and that."""
    used, packed = np.unique(indices, return_inverse=True)
    has_none = len(used) > 0 and used[0] < 0
    texts = [table[i] for i in used if i >= 0]
    return packed.astype(np.int32) - int(has_none), texts


def notes(raw, names):
    """The texts that were noted, by key; the last one of a key counts."""
    return {names[row["key"]]: names[row["text"]] for row in raw.records("notes")}


def read(path, make):
    """The profile (made by `make`) of a recording's file."""
    with open(path, "rb") as file:
        raw = Raw(file)
    header, names = raw.header, raw.names()
    blocks = raw.records("blocks")
    is_before = blocks["is_before"] > 0
    seen = blocks[is_before]
    seen["start"] = 0
    left = _still_before(raw, seen)
    blocks = np.concatenate([left, seen, blocks[~is_before]])
    columns = {name: blocks[name] for name in COLUMNS}
    columns["shape"], shapes = _packed(blocks["shape"], names)
    dtypes = blocks["dtype"].astype(np.int32)
    columns["dtype"] = np.where(dtypes > 0, dtypes, -1)
    first_tag = header.num_dtypes
    tags = names[first_tag : first_tag + header.num_tags]
    samples = raw.records("samples")
    noted = notes(raw, names)
    meta = _meta(header, noted)
    profile = make(
        columns,
        tags=tags,
        sites=_sites(raw, names, meta.get("folder", "")),
        names=names,
        shapes=shapes,
        num_before=len(left) + len(seen),
        samples=np.stack([samples[name] for name in SAMPLE_NAMES], axis=1),
        sample_names=SAMPLE_NAMES,
        plans=_plans(raw, names, meta.get("folder", "")),
        findings=json.loads(noted.get("findings", "[]")),
        meta=meta,
    )
    # A killed program's last moments are newer than the last look at its clock.
    last = max(int(profile.start.max(initial=0)), int(profile.end.max(initial=0)))
    profile.meta["duration_ns"] = max(header.duration, last)
    profile.meta["peak_bytes"] = profile.peak()[1]
    return profile


def _meta(header, noted):
    began = datetime.datetime.fromtimestamp(header.began / 1e9, datetime.timezone.utc)
    error = noted.get("error")
    if error is None and not header.is_finished:
        error = "the program ended before its recording did (it was killed, or is still running)"
    return json.loads(noted.get("meta", "{}")) | {
        "account": json.loads(noted.get("account", "{}")),
        "began": began.isoformat(timespec="milliseconds"),
        "duration_ns": header.duration,
        "budget": header.limit,
        "error": error,
        "events": header.events,
        "dropped": header.dropped,
        "pid": header.pid,
    }
