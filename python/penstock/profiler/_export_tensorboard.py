"""A profile as scalars for TensorBoard: what every tag held, and the process's memory.

A step is a moment; the wall time of its event is the time at which it was, so that TensorBoard's
relative and wall axes both say something.
"""

from penstock.profiler import _series
from penstock.profiler._export_pprof import began_seconds
from penstock.summary._events import EventFile
from penstock.summary._messages import Event, Summary

MOMENTS = 1000


def write(profile, folder) -> None:
    """Writes an event file into a folder of logs."""
    began = began_seconds(profile)
    file = EventFile(folder, max_queue=1000)
    try:
        series = _series.by_tag(profile, MOMENTS)
        names = [tag for i, tag in enumerate(profile.tags) if series.held[i].any()]
        rows = [series.held[profile.tags.index(tag)] for tag in names]
        for step, time in enumerate(series.times.tolist()):
            values = {f"memory/{tag}": row[step] for tag, row in zip(names, rows, strict=True)}
            _add(file, began + time / 1e9, step, {"memory/total": series.total[step]} | values)
        _add_samples(file, profile, began)
    finally:
        file.close()


def _add_samples(file, profile, began):
    names = profile.sample_names
    if "time" not in names:
        return
    for step, row in enumerate(profile.samples.tolist()):
        sample = dict(zip(names, row, strict=True))
        time = sample.pop("time")
        values = {f"process/{name}": value for name, value in sample.items()}
        _add(file, began + time / 1e9, step, values)


def _add(file, wall_time, step, values):
    named = [Summary.Value(tag=tag, simple_value=float(value)) for tag, value in values.items()]
    file.write(Event(wall_time=wall_time, step=step, summary=Summary(value=named)))
