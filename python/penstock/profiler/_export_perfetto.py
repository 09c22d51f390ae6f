"""A profile as a trace that ui.perfetto.dev and chrome://tracing open.

Tracks: what every tag held and the process's size as counters, the functions while they held
memory, and the blocks that weigh most (bytes times lifetime), each a slice with what is known of
it. A trace of every block of a long run would be too large for either viewer to open.
"""

import heapq
import json

import numpy as np

from penstock._base.files import write_whole
from penstock.profiler import _plain, _series

MOMENTS = 5000
BLOCKS = 10_000
_MEMORY, _FUNCTIONS, _HELD = 1, 2, 3  # the "processes" into which the viewers sort the tracks


def _named(pid, name, order, tid=None):
    """The events that name a process, or one of its threads."""
    kind = "process" if tid is None else "thread"
    where = {"ph": "M", "pid": pid, "tid": tid or 0}
    yield where | {"name": f"{kind}_name", "args": {"name": name}}
    yield where | {"name": f"{kind}_sort_index", "args": {"sort_index": order}}


def _counters(profile):
    series = _series.by_tag(profile, MOMENTS)
    shown = [(tag, series.held[i]) for i, tag in enumerate(profile.tags) if series.held[i].any()]
    for name, values in [("total", series.total), *shown]:
        before = None
        for time, value in zip(series.times.tolist(), values.tolist(), strict=True):
            if value != before:
                yield _counter(f"held: {name}", time, value)
            before = value
    for i, name in enumerate(profile.sample_names):
        if name != "time" and "time" in profile.sample_names:
            at = profile.sample_names.index("time")
            for row in profile.samples:
                yield _counter(f"process: {name}", int(row[at]), int(row[i]))


def _counter(name, time, value):
    return {"ph": "C", "pid": _MEMORY, "name": name, "ts": time / 1e3, "args": {"bytes": value}}


def _slice(pid, tid, name, start, end, args):
    length = max(end - start, 0) / 1e3
    event = {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": start / 1e3, "dur": length}
    return event | {"args": args}


def _functions(profile):
    """Functions while blocks of theirs were held that a call gives back: their calls."""
    passing = np.isin(profile.tags, ("activation", "workspace", "gradient"))[profile.tag]
    places = {name: i for i, name in reversed([*enumerate(profile.names)])}  # the first of each
    for tid, plan in enumerate(profile.plans, start=1):
        name = str(plan.get("name"))
        yield from _named(_FUNCTIONS, name, tid, tid)
        owner = places.get(name, -2)
        mine = np.flatnonzero((profile.owner == owner) & (profile.end >= 0) & passing)
        mine = mine[np.argsort(profile.start[mine], kind="stable")]
        if not len(mine):
            continue
        until = np.maximum.accumulate(profile.end[mine])
        first = np.flatnonzero(np.append(True, profile.start[mine][1:] > until[:-1]))
        last = np.append(first[1:] - 1, len(mine) - 1)
        for a, b in zip(first[:MOMENTS], last[:MOMENTS], strict=True):
            start, end = int(profile.start[mine[a]]), int(until[b])
            yield _slice(_FUNCTIONS, tid, name, start, end, _plain.plain(plan))


def _heaviest(profile):
    """The blocks that weigh most, in the order in which they begin."""
    lives = (profile.ends() - profile.start).astype(np.float64)
    weight = lives * profile.bytes
    if len(weight) <= BLOCKS:
        chosen = np.arange(len(weight))
    else:
        chosen = np.argpartition(-weight, BLOCKS)[:BLOCKS]
    return chosen[np.lexsort((chosen, profile.start[chosen]))].tolist()


def _blocks(profile):
    """Slices in lanes: a lane is a thread of its tag, and holds one block at a time."""
    ends = np.minimum(profile.ends(), _series.duration(profile))
    free, lanes = {}, {}
    for block in _heaviest(profile):
        start, end, tag = int(profile.start[block]), int(ends[block]), int(profile.tag[block])
        waiting = free.setdefault(tag, [])
        if waiting and waiting[0][0] <= start:
            _, tid = heapq.heappop(waiting)
        else:
            tid = len(lanes) + 1
            lanes[tid] = tag
            yield from _named(_HELD, profile.tags[tag], tag * 1_000_000 + tid, tid)
        heapq.heappush(waiting, (end, tid))
        yield _slice(_HELD, tid, _title(profile, block), start, end, _details(profile, block))


def _title(profile, block):
    return (
        profile.name(profile.op[block])
        or profile.name(profile.owner[block])
        or profile.tags[profile.tag[block]]
    )


def _details(profile, block):
    site = profile.sites[profile.site[block]] if profile.site[block] >= 0 else None
    details = {
        "bytes": int(profile.bytes[block]),
        "tag": profile.tags[profile.tag[block]],
        "dtype": profile.name(profile.dtype[block]),
        "shape": profile.shapes[profile.shape[block]] if profile.shape[block] >= 0 else "",
        "owner": profile.name(profile.owner[block]),
        "line": str(site) if site else "",
        "function": site.function if site else "",
    }
    if profile.end[block] < 0:
        details["held"] = "at the end"
    return {key: value for key, value in details.items() if value != ""}


def _events(profile):
    for order, (pid, name) in enumerate(
        [(_MEMORY, "memory"), (_FUNCTIONS, "functions"), (_HELD, "blocks")]
    ):
        yield from _named(pid, name, order)
    yield from _counters(profile)
    yield from _functions(profile)
    yield from _blocks(profile)


def document(profile) -> dict:
    """The trace."""
    return {
        "displayTimeUnit": "ms",
        "otherData": {"writer": "penstock", "program": str(profile.meta.get("program") or "")},
        "traceEvents": list(_events(profile)),
    }


def write(profile, path) -> None:
    """Writes the file."""
    write_whole(path, json.dumps(document(profile), separators=(",", ":"), allow_nan=False))
