"""tf.profiler.memory.summary() and account(): tables of the memory in use."""

from penstock import _core
from penstock._api import public
from penstock.profiler import _account, _raw, _recording, _tables


def _live_sites(most):
    """None where the recording has ended meanwhile, or somebody took its file away."""
    path = _recording.current_file()
    try:
        with open(path or "", "rb") as file:
            raw = _raw.Raw(file)
            return _raw.live_sites(raw, raw.names(), most)
    except (OSError, ValueError):
        return None


@public("profiler.memory.summary")
def summary(most=10) -> _tables.Table:
    """What is held now by tag and by owner and, while memory is recorded, by line: a table.
    `most` is how many owners and lines it shows."""
    human = _tables.human
    rows = [("memory", "now", "peak", "ever", "allocations")]
    for tag, counters in _core.memory_by_tag(0).items():
        if counters["count"]:
            sizes = (human(counters[key]) for key in ("current", "peak", "total"))
            rows.append((tag, *sizes, f"{counters['count']:,}"))
    total = _core.memory_info(0)
    sizes = (human(total[key]) for key in ("current", "peak", "total"))
    rows.append(("all but foreign", *sizes, f"{total['count']:,}"))
    lines = _tables.aligned(rows)
    lines.insert(1, "-" * max(map(len, lines)))
    lines += [
        "",
        f"budget {human(_core.budget(0))}, held from the system {human(_core.mapped_bytes())}, "
        f"of that free for reuse {human(_core.cached_bytes())}",
    ]
    owners = _core.top_owners(most)
    if owners:
        lines += ["", "who holds the most"]
        texts = [(name, kind, human(size), f"in {count:,}") for name, kind, size, count in owners]
        lines += ["  " + line for line in _tables.aligned(texts, left=2)]
    held = _live_sites(most) if _recording.is_recording() else None
    if held is not None:
        lines += ["", "lines that hold the most"]
        lines += ["  " + line for line in _tables.sites(held)]
    if _recording.is_recording():
        usage = _core.recording_usage()
        if usage["dropped"]:
            lines.append(f"  (no room on the disk for {usage['dropped']:,} blocks)")
        if usage["is_cut"]:
            lines.append("  (the recording's file was cut short: blocks are missing)")
    return _tables.Table("\n".join(lines))


@public("profiler.memory.account")
def account() -> _account.Account:
    """What the resident memory of the whole process is for."""
    return _account.measure(_recording.current_file())
