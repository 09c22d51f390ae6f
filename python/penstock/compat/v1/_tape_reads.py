"""The reads of graph variables that tapes have seen."""

from __future__ import annotations

from penstock import raw_ops
from penstock.compat.v1._gradients import _summed


def gradients(find, sources, reads, zeros) -> list:
    """The gradients at the sources, where `find(tensors)` gives those at tensors: source k, if it
    is a variable, stands for the tensors `reads[k]`."""
    parts = [
        _parts(source, reads[k]) if k in reads else ([source], [])
        for k, source in enumerate(sources)
    ]
    flat = [read for whole, rows in parts for read in (*whole, *(row for row, _ in rows))]
    gradients_left = iter(find(flat))
    results = []
    for k, (whole, rows) in enumerate(parts):
        if k not in reads:
            results.append(next(gradients_left))
            continue
        dense = [part for part in (next(gradients_left) for _ in whole) if part is not None]
        slices = [(next(gradients_left), indices) for _, indices in rows]
        slices = [(part, indices) for part, indices in slices if part is not None]
        gradient = _summed(sources[k], dense, slices)
        results.append(raw_ops.ZerosLike(x=sources[k]) if gradient is None and zeros else gradient)
    return results


def _parts(variable, reads):
    """(the full reads, rows with their indices) of a variable."""
    seen = {read._value for read in reads}
    by_rows = {read._value for read, _, _ in variable._sparse_reads}
    rows = [(rows, ids) for read, rows, ids in variable._sparse_reads if read._value in seen]
    return [read for read in reads if read._value not in by_rows], rows
