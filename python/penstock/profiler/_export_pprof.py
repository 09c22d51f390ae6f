"""A profile for `go tool pprof`: gzipped protocol buffers, one sample per line and kind of block.

The samples have six values: what was asked for in all (alloc), what was held at the end (inuse),
and what was held at the peak, each in blocks and in bytes. The op, tensor, tag and owner are
labels of a sample (`pprof -tags`, `-tagfocus=op=MatMul`).
"""

import datetime
import gzip
import os
from typing import ClassVar

import numpy as np

from penstock._base.files import write_whole
from penstock._proto.message import Message
from penstock.profiler import _kinds, _series

# The message of pprof's profile.proto, by its public field numbers.


class ValueType(Message):
    """What a value counts, and in which unit: indices of the string table, as all texts are."""

    FIELDS: ClassVar = {"type": (1, "int64"), "unit": (2, "int64")}


class Label(Message):
    """Something else that is known of a sample."""

    FIELDS: ClassVar = {"key": (1, "int64"), "str": (2, "int64"), "num": (3, "int64")}


class Sample(Message):
    """Values of one place, the innermost location first."""

    FIELDS: ClassVar = {
        "location_id": (1, ["int64"]),
        "value": (2, ["int64"]),
        "label": (3, [Label]),
    }


class Line(Message):
    """A line of a function."""

    FIELDS: ClassVar = {"function_id": (1, "int64"), "line": (2, "int64")}


class Location(Message):
    """A place in the program."""

    FIELDS: ClassVar = {"id": (1, "int64"), "line": (4, [Line])}


class Function(Message):
    """A function of the program."""

    FIELDS: ClassVar = {
        "id": (1, "int64"),
        "name": (2, "int64"),
        "system_name": (3, "int64"),
        "filename": (4, "int64"),
    }


class PprofProfile(Message):
    """The whole file."""

    FIELDS: ClassVar = {
        "sample_type": (1, [ValueType]),
        "sample": (2, [Sample]),
        "location": (4, [Location]),
        "function": (5, [Function]),
        "string_table": (6, ["string"]),
        "time_nanos": (9, "int64"),
        "duration_nanos": (10, "int64"),
        "comment": (13, ["int64"]),
        "default_sample_type": (14, "int64"),
    }


VALUES = (
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
    ("peak_objects", "count"),
    ("peak_space", "bytes"),
)
LABELS = ("op", "tensor", "tag", "owner")


class _Strings(dict):
    """The string table: a text receives its index on first use."""

    def __init__(self):
        super().__init__({"": 0})

    def __missing__(self, text):
        self[text] = len(self)
        return self[text]


def _grouped(profile):
    """(the first block of every group, the six values of every group): blocks of one line that
    differ only in size and time are one sample."""
    time, _ = profile.peak()
    group, first = _kinds.kinds(profile, _kinds.WITHOUT_SIZE)
    at_peak = (profile.start <= time) & (time < profile.ends())
    values = []
    for chosen in (np.ones(len(profile), bool), profile.end < 0, at_peak):
        weights = np.where(chosen, profile.bytes, 0).astype(np.float64)
        values.append(np.bincount(group, chosen.astype(np.float64), len(first)))
        values.append(np.bincount(group, weights, len(first)))
    return first, np.array(values).T.astype(np.int64).reshape(-1, len(VALUES))


def _texts(profile, block):
    """The labels of a block."""
    tensor = [profile.name(profile.dtype[block])]
    if profile.shape[block] >= 0:
        tensor.append(profile.shapes[profile.shape[block]])
    return (
        profile.name(profile.op[block]),
        " ".join(filter(None, tensor)),
        profile.tags[profile.tag[block]],
        profile.name(profile.owner[block]),
    )


def _places(profile, strings):
    """(locations, functions): a location per line, and one for lines that are not known."""
    functions, places = [], {}
    locations = []
    for number, site in enumerate([("", 0, "(unknown line)"), *profile.sites], start=1):
        file, line, name = site
        key = file, name
        if key not in places:
            places[key] = len(places) + 1
            # pprof drops text in <>, as a template's arguments.
            text = strings[name if "<" not in name and name else os.path.basename(file) or name]
            functions.append(
                Function(id=places[key], name=text, system_name=text, filename=strings[file])
            )
        where = Line(function_id=places[key], line=max(0, line))
        locations.append(Location(id=number, line=[where]))
    return locations, functions


def encode(profile) -> bytes:
    """The bytes of the file, before they are compressed."""
    strings = _Strings()
    types = [ValueType(type=strings[name], unit=strings[unit]) for name, unit in VALUES]
    locations, functions = _places(profile, strings)
    samples = []
    ours = _series.is_ours(profile)
    for block, values in zip(*_grouped(profile), strict=True):
        if not ours[profile.tag[block]]:
            continue
        labels = [
            Label(key=strings[key], str=strings[text])
            for key, text in zip(LABELS, _texts(profile, block), strict=True)
            if text
        ]
        place = int(profile.site[block]) + 2
        samples.append(Sample(location_id=[place], value=values.tolist(), label=labels))
    message = PprofProfile(
        sample_type=types,
        sample=samples,
        location=locations,
        function=functions,
        duration_nanos=_series.duration(profile),
        default_sample_type=strings["peak_space"],
        comment=[strings[f"penstock: {profile.meta.get('program') or 'a program'}"]],
    )
    began = began_seconds(profile)
    if began:
        message.time_nanos = int(began * 1e9)
    message.string_table.extend(strings)
    return message.SerializeToString()


def began_seconds(profile) -> float:
    """When the recording began, in seconds of the system's clock; 0 if it does not say."""
    try:
        return datetime.datetime.fromisoformat(profile.meta.get("began") or "").timestamp()
    except ValueError:
        return 0.0


def write(profile, path) -> None:
    """Writes the file."""
    write_whole(path, gzip.compress(encode(profile), mtime=0))
