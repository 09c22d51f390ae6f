"""Bytes over time, by tag, in as few moments as a chart or an export wants.

Of every stretch of time the moment counts at which the most was held, so that no peak is lost,
however short it was, and the tags of a moment always add up to what was held then.
"""

from typing import NamedTuple

import numpy as np


class Series(NamedTuple):
    """What was held at a few moments."""

    times: np.ndarray  # [moments], ns
    held: np.ndarray  # [tags, moments], bytes
    total: np.ndarray  # [moments], bytes, without borrowed memory


def duration(profile) -> int:
    """The length of the recording in ns, independent of its blocks; at least 1."""
    last = max(int(profile.start.max(initial=0)), int(profile.end.max(initial=0)))
    return max(int(profile.meta.get("duration_ns") or 0), last, 1)


def is_ours(profile) -> np.ndarray:
    """For every tag whether it is the program's own memory: foreign memory is only borrowed."""
    return np.array([tag != "foreign" for tag in profile.tags], bool)


def by_tag(profile, moments: int) -> Series:
    """The bytes of every tag at so many moments, and before pauses."""
    whole = duration(profile)
    ends = np.flatnonzero(profile.end >= 0)
    times = np.concatenate([profile.start, profile.end[ends]])
    deltas = np.concatenate([profile.bytes, -profile.bytes[ends]])
    tags = np.concatenate([profile.tag, profile.tag[ends]])
    # What ends at a moment goes before what begins then: memory is handed on.
    order = np.lexsort((deltas, times))
    times, deltas, tags = times[order], deltas[order], tags[order]
    counted = is_ours(profile)[tags] if len(tags) else np.zeros(0, bool)
    total = np.cumsum(np.where(counted, deltas, 0))
    chosen = _highest(times, total, whole, moments)
    held = np.zeros([len(profile.tags), len(chosen)], np.int64)
    for tag in range(len(profile.tags)):
        if (mine := tags == tag).any():
            held[tag] = np.cumsum(np.where(mine, deltas, 0))[chosen]
    return Series(times[chosen], held, total[chosen])


def _highest(times, total, whole, moments):
    """The indices of the events after which the most was held, one of each stretch of time, and
    of those before a pause."""
    if not len(times):
        return np.zeros(0, np.int64)
    # Events of one moment count together: only what stands after the last of them was ever held.
    last = np.flatnonzero(np.append(times[1:] != times[:-1], True))
    stretch = times[last] * moments // (whole + 1)
    order = np.lexsort((total[last], stretch))
    is_top = np.append(np.diff(stretch[order]) > 0, True)
    # Before a pause the last event counts too: what stands then holds for the whole pause.
    is_before_pause = np.append(np.diff(stretch) > 1, True)
    return np.union1d(last[order[is_top]], last[is_before_pause])
