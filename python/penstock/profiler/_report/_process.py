"""The resident size of the process over time, split into parts that add up to it."""

import numpy as np

# What the page calls the samples' columns, in the order in which they are taken from the whole.
NAMES = {
    "held": "penstock's blocks",
    "cached": "allocator caches",
    "slack": "allocator slack",
    "profiler": "the profiler",
    "foreign": "borrowed arrays",
}
REST = "Python, libraries and the rest"


def parts(profile, moments) -> dict:
    """{"times", "rss", "parts": [{"name", "values"}]} of at most so many samples.

    Blocks that nobody wrote to are held but not resident: no part is larger than what the others
    leave of the whole, the interpreter and its libraries, which stay, counted first.
    """
    rows = _fewer(profile, moments)
    columns = dict(zip(profile.sample_names, rows.T, strict=True))
    if len(rows) == 0 or not {"time", "rss"} <= set(columns):
        return {"times": [], "rss": [], "parts": []}
    if {"mapped", "held", "cached"} <= set(columns):
        columns["slack"] = columns.pop("mapped") - columns["held"] - columns["cached"]
    times, rest = columns.pop("time"), columns.pop("rss")
    rss, parts = rest, []
    stays = max(0, int(rest[0]) - sum(max(0, int(values[0])) for values in columns.values()))
    stays = np.minimum(stays, rest)
    rest = rest - stays
    for name in sorted(columns, key=lambda name: [*NAMES, name].index(name)):
        values = np.clip(columns[name], 0, rest)
        rest = rest - values
        if values.any():
            parts.append({"name": NAMES.get(name, name), "values": values.tolist()})
    parts.append({"name": REST, "values": (rest + stays).tolist()})
    return {"times": times.tolist(), "rss": rss.tolist(), "parts": parts}


def _fewer(profile, moments):
    """The rows, no more than a chart can show: of neighbours the largest."""
    rows = profile.samples
    if len(rows) <= moments or "rss" not in profile.sample_names:
        return rows[:moments]
    stretch = np.arange(len(rows)) * moments // len(rows)
    order = np.lexsort((rows[:, profile.sample_names.index("rss")], stretch))
    return rows[order[np.append(np.diff(stretch[order]) > 0, True)]]
