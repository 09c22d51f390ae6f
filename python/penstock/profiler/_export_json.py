"""A profile as JSON: the figures that matter, the timeline, and every block."""

import json

import numpy as np

from penstock._base.files import write_whole
from penstock.profiler import _plain, _series
from penstock.profiler._columns import COLUMNS

MOMENTS = 2000


def lines(profile) -> list[dict]:
    """The allocations of every line of the program, sorted by bytes at the peak."""
    peak_time, _ = profile.peak()
    ours = _series.is_ours(profile)[profile.tag]
    at_peak = ours & (profile.start <= peak_time) & (peak_time < profile.ends())
    at_end = ours & (profile.end < 0)
    # Lines are counted from 0 on, the unknown one first.
    count = len(profile.sites) + 1

    def summed(chosen, weights=None):
        weights = None if weights is None else weights[chosen].astype(np.float64)
        return np.bincount(profile.site[chosen] + 1, weights, count).astype(np.int64)

    columns = {
        "peak_bytes": summed(at_peak, profile.bytes),
        "peak_blocks": summed(at_peak),
        "end_bytes": summed(at_end, profile.bytes),
        "end_blocks": summed(at_end),
        "total_bytes": summed(ours, profile.bytes),
        "total_blocks": summed(ours),
    }
    rows = []
    for i in np.flatnonzero(columns["total_blocks"]):
        file, line, function = profile.sites[i - 1] if i else ("", 0, "")
        place = {"file": file, "line": line, "function": function}
        rows.append(place | {name: int(column[i]) for name, column in columns.items()})
    return sorted(rows, key=lambda row: (-row["peak_bytes"], -row["total_bytes"]))


def document(profile) -> dict:
    """Everything about a profile, as JSON has it."""
    time, held = profile.peak()
    series = _series.by_tag(profile, MOMENTS)
    return _plain.plain(
        {
            "version": 1,
            "meta": profile.meta,
            "peak": {"time_ns": time, "bytes": held},
            "lines": lines(profile),
            "functions": profile.plans,
            "findings": profile.findings,
            "timeline": {
                "time_ns": series.times.tolist(),
                "total_bytes": series.total.tolist(),
                "bytes_by_tag": {
                    tag: series.held[i].tolist()
                    for i, tag in enumerate(profile.tags)
                    if series.held[i].any()
                },
            },
            "process": {
                name: profile.samples[:, i].tolist() for i, name in enumerate(profile.sample_names)
            },
            "tables": {
                "tags": profile.tags,
                "sites": [list(site) for site in profile.sites],
                "names": profile.names,
                "shapes": profile.shapes,
            },
            "num_before": profile.num_before,
        }
    ) | {"blocks": {name: getattr(profile, name).tolist() for name in COLUMNS}}


def write(profile, path) -> None:
    """Writes the file."""
    write_whole(path, json.dumps(document(profile), separators=(",", ":"), allow_nan=False))
