"""The report: one HTML page about a profile, with everything in it and nothing from elsewhere.

The page is page.html with the style sheet, the modules and the data put in. The modules are the
files *.js, in the order in which they build on each other; they are joined to one script, for
which their import lines and the word `export` are dropped.
"""

import json
import re
from pathlib import Path

import numpy as np

from penstock._base.files import write_whole
from penstock.profiler import _kinds, _plain, _series
from penstock.profiler._report import _pack, _process

MODULES = (
    "units",
    "elements",
    "columns",
    "sweep",
    "state",
    "colours",
    "charts",
    "blocks",
    "tooltip",
    "range",
    "timeline",
    "groups",
    "memory_map",
    "squarify",
    "peak",
    "tables",
    "overview",
    "process",
    "main",
)
MOMENTS = 1600  # of the timeline, more than most screens are wide


def script() -> str:
    """The modules as one script."""
    folder = Path(__file__).parent
    parts = []
    for name in MODULES:
        text = (folder / f"{name}.js").read_text(encoding="utf-8")
        text = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
        parts.append(re.sub(r"^export ", "", text, flags=re.MULTILINE))
    return "\n".join(parts)


def _columns(profile):
    """The columns of the page, with the blocks in the order of their starts."""
    order = np.argsort(profile.start, kind="stable")
    kind, first = _kinds.kinds(profile)
    # Of the kinds' columns the indices are shifted by one: 0 is "unknown".
    table = {f"kind.{name}": getattr(profile, name)[first] + 1 for name in _kinds.WITHOUT_SIZE}
    table |= {"kind.bytes": profile.bytes[first], "kind.tag": profile.tag[first]}
    start = np.maximum(profile.start[order], 0)
    end = profile.end[order]
    # 0 is "still held at the end"; a block may also end in the moment in which it began.
    length = np.where(end < 0, 0, np.maximum(end - start, 0) + 1)
    return {
        "start": np.diff(start, prepend=0),
        "length": length,
        "kind": kind[order],
        **table,
    }


def _timeline(profile):
    series = _series.by_tag(profile, MOMENTS)
    used = [tag for tag in range(len(profile.tags)) if series.held[tag].any()]
    return {
        "times": series.times.tolist(),
        "held": {str(tag): series.held[tag].tolist() for tag in used},
    }


def facts(profile) -> dict:
    """What the page says besides the columns."""
    peak_time, peak_bytes = profile.peak()
    ours = _series.is_ours(profile)[profile.tag]
    return {
        "meta": profile.meta,
        "duration": _series.duration(profile),
        "blocks": len(profile),
        "before": profile.num_before,
        "peak": {"time": peak_time, "bytes": peak_bytes},
        "heldAtEnd": int(profile.bytes[ours & (profile.end < 0)].sum()),
        "allocated": int(profile.bytes[ours].sum()),
        "tags": profile.tags,
        "sites": [list(site) for site in profile.sites],
        "names": profile.names,
        "shapes": profile.shapes,
        "plans": profile.plans,
        "findings": profile.findings,
        "process": _process.parts(profile, MOMENTS),
        "timeline": _timeline(profile),
    }


def _json(value) -> str:
    """JSON that cannot end the script element in which it stands."""
    text = json.dumps(_plain.plain(value), separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def html(profile) -> str:
    """The page."""
    folder = Path(__file__).parent
    contents, packed = _pack.pack(_columns(profile))
    program = profile.meta.get("program") or "a program"
    parts = {
        "TITLE": f"Memory of {_escaped(Path(program).name)}",
        "STYLE": (folder / "style.css").read_text(encoding="utf-8"),
        "FACTS": _json(facts(profile) | {"columns": contents}),
        "COLUMNS": packed,
        "SCRIPT": script(),
    }
    page = (folder / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda match: parts[match[1]], page)


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def write(profile, path) -> None:
    """Writes the page to a file."""
    write_whole(path, html(profile))
