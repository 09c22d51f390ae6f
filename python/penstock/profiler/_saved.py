"""Profiles as files: a zip of the columns and meta.json. Nothing in them is believed unchecked."""

import io
import json
import math
import re
import zipfile
import zlib

import numpy as np

from penstock._base.files import whole
from penstock._memory.host import booked

VERSION = 1
_TABLES = {
    "tags": list,
    "sites": list,
    "names": list,
    "shapes": list,
    "num_before": int,
    "sample_names": list,
    "plans": list,
    "findings": list,
    "meta": dict,
}
_ELEMENTS = {"tags": str, "names": str, "shapes": str, "sample_names": str}
_ELEMENTS |= {"sites": list, "plans": dict, "findings": dict}
_PLAN = {
    "name": str,
    "file": str,
    "line": int,
    "planned_peak": int,
    "measured_peak": int,
    "calls": int,
}
_NPY_START = 10
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][iu][1248])', 'fortran_order': False, "
    rb"'shape': \((\d{1,15},(?: \d{1,15})?)\), \} *\n",
    re.DOTALL,
)
_MOST_META = 1 << 28
_DECODED = 16  # times its length is what JSON takes at the most while it is read
_LATEST = 2**60  # ns
MOST_TAGS = 128


def check_version(path, what, version, known):
    """ValueError unless a file has the version that is known."""
    if version == known:
        return
    newer = isinstance(version, int) and version > known
    raise ValueError(
        f"{path} is a {what} of version {version}, and this penstock reads version {known}: it was "
        f"written by {'a newer' if newer else 'another'} one"
    )


def check(profile, path) -> None:
    """ValueError where a column points at nothing, or a block has no size or time."""
    if len(profile.tags) > MOST_TAGS:
        raise ValueError(f"{path} is damaged: {len(profile.tags)} tags")
    tables = {"tag": profile.tags, "site": profile.sites, "shape": profile.shapes}
    tables |= dict.fromkeys(("op", "owner", "dtype"), profile.names)
    limits = {name: (-1, len(table)) for name, table in tables.items()}
    limits |= {"start": (0, _LATEST), "end": (-1, _LATEST), "bytes": (0, _LATEST)}
    for name, (least, end) in limits.items():
        column = getattr(profile, name)
        if len(column) and (column.min() < least or column.max() >= end):
            raise ValueError(f"{path} is damaged: a block's {name} is none")
    if profile.bytes.sum(dtype=np.float64) >= _LATEST:
        raise ValueError(f"{path} is damaged: the blocks have more bytes than there can be")
    meta = profile.meta
    has_texts = all(type(meta.get(name)) is str for name in ("program", "began"))
    if not has_texts or type(meta.get("duration_ns")) is not int:
        raise ValueError(f"{path} is damaged: it does not say what was recorded, or for how long")
    if not 0 <= meta["duration_ns"] < _LATEST:
        raise ValueError(f"{path} is damaged: it took {meta['duration_ns']} ns")
    if not 0 <= profile.num_before <= len(profile):
        raise ValueError(f"{path} is damaged: {profile.num_before} blocks before the first")


def save(profile, path, columns) -> None:
    """Writes the file."""
    tables = {"version": VERSION} | {name: getattr(profile, name) for name in _TABLES}
    tables["sites"] = [list(site) for site in profile.sites]
    with whole(path) as raw:
        file = io.BufferedWriter(raw)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as parts:
            parts.writestr("meta.json", json.dumps(tables))
            for name in (*columns, "samples"):
                with parts.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, getattr(profile, name), allow_pickle=False)
        file.flush()


def load(path, columns, make):
    """The profile (made by `make`) in a file."""
    try:
        with zipfile.ZipFile(path) as file:
            tables = _tables(file, path)
            names = [f"{name}.npy" for name in (*columns, "samples")]
            # The directory says how long the parts are, and no more than that is unpacked.
            size = sum(file.getinfo(name).file_size for name in names)
            with booked(2 * size, "Profile.load"):
                arrays = {name[:-4]: _array(file.read(name)) for name in names}
                samples = arrays.pop("samples")
                profile = make(arrays, samples=samples, **tables)
    except _DAMAGES as error:
        raise ValueError(f"{path} is not a whole profile: {error}") from error
    check(profile, path)
    return profile


_DAMAGES = (
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def _tables(file, path):
    size = file.getinfo("meta.json").file_size
    if size > _MOST_META:
        raise KeyError(f"meta.json of {size} bytes")
    with booked(_DECODED * size, "Profile.load"):
        try:
            tables = json.loads(file.read("meta.json"))
        except ValueError as error:
            raise KeyError(f"meta.json: {error}") from error
    check_version(path, "profile", tables.pop("version", None), VERSION)
    for name, kind in _TABLES.items():
        value = tables.get(name)
        if type(value) is not kind:
            raise KeyError(f"meta.json has no {name}")
        if name in _ELEMENTS and not all(type(element) is _ELEMENTS[name] for element in value):
            raise KeyError(f"the {name} of meta.json are none")
    for site in tables["sites"]:
        if [type(part) for part in site] != [str, int, str]:
            raise KeyError("a line of meta.json is none")
    for plan in tables["plans"]:
        if any(type(plan.get(name)) is not kind for name, kind in _PLAN.items()):
            raise KeyError("a plan of meta.json is none")
    return {name: tables[name] for name in _TABLES}


def _array(data):
    """An array of NumPy's format, of which `save` writes this form only."""
    match = _NPY.match(data)
    if match is None or int.from_bytes(match[1], "little") != match.end() - _NPY_START:
        raise KeyError("an array has no header")
    shape = tuple(int(size) for size in match[3].split(b",") if size.strip())
    dtype = np.dtype(match[2].decode())
    if dtype.itemsize * math.prod(shape) != len(data) - match.end():
        raise KeyError("an array has another size")
    return np.frombuffer(data, dtype, offset=match.end()).reshape(shape)
