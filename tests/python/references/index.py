"""More shape and index ops in NumPy: segments, sorting, counting, blocks of space."""

import ml_dtypes
import numpy as np

from references import ref


def _repeat(x, repeats, axis):
    return np.repeat(x, repeats, axis[0]) if axis else np.repeat(x.reshape(-1), repeats)


def _roll(x, shift, axis):
    for by, along in zip(np.atleast_1d(shift), np.atleast_1d(axis), strict=True):
        x = np.roll(x, int(by), int(along))
    return x


def _reverse_sequence(x, lengths, seq_dim, batch_dim):
    out = np.moveaxis(x.copy(), (batch_dim, seq_dim), (0, 1))
    for row, length in zip(out, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    return np.moveaxis(out, (0, 1), (batch_dim, seq_dim))


def _linspace(start, stop, num, axis):
    return np.linspace(start.astype(np.float64), stop.astype(np.float64), int(num), axis=axis)


def _boolean_mask(x, mask, axis):
    axis %= x.ndim
    return x[(slice(None),) * axis + (mask,)]


def _partition(x, partitions, num_partitions):
    return tuple(x[partitions == i] for i in range(num_partitions))


def _stitch(*pairs):
    indices, data = pairs[::2], pairs[1::2]
    rows = max((int(i.max()) + 1 for i in indices if i.size), default=0)
    rest = data[0].shape[indices[0].ndim :]
    out = np.full((rows, *rest), b"", object) if data[0].dtype == object else None
    out = np.zeros((rows, *rest), data[0].dtype) if out is None else out
    for index, values in zip(indices, data, strict=True):
        flat = values.reshape((index.size, *rest))
        for place, value in zip(index.reshape(-1), flat, strict=True):
            out[place] = value
    return out


def _sequence_mask(lengths, maxlen, dtype):
    limit = maxlen[0] if maxlen else max(int(lengths.max(initial=0)), 0)
    return (np.arange(limit) < lengths[..., None]).astype(dtype)


def _meshgrid(*values, indexing):
    return tuple(np.meshgrid(*values, indexing=indexing))


def _space_to_depth(x, block_size, data_format):
    b = block_size
    if data_format == "NCHW":
        n, c, h, w = x.shape
        parts = x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
        return parts.reshape(n, c * b * b, h // b, w // b)
    n, h, w, c = x.shape
    parts = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(n, h // b, w // b, c * b * b)


def _depth_to_space(x, block_size, data_format):
    b = block_size
    if data_format == "NCHW":
        n, c, h, w = x.shape
        parts = x.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
        return parts.reshape(n, c // (b * b), h * b, w * b)
    n, h, w, c = x.shape
    parts = x.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(n, h * b, w * b, c // (b * b))


def _space_to_batch(x, block_shape, paddings):
    margins = [(0, 0), *map(tuple, paddings), *[(0, 0)] * (x.ndim - 1 - len(block_shape))]
    x = np.pad(x, margins)
    parts = []
    for at in np.ndindex(*block_shape):
        steps = zip(at, block_shape, strict=True)
        parts.append(x[(slice(None), *(slice(a, None, s) for a, s in steps))])
    return np.concatenate(parts)


def _batch_to_space(x, block_shape, crops):
    batch = x.shape[0] // int(np.prod(block_shape))
    count = len(block_shape)
    space = [d * s for d, s in zip(x.shape[1 : 1 + count], block_shape, strict=True)]
    out = np.empty((batch, *space, *x.shape[1 + count :]), x.dtype)
    for k, at in enumerate(np.ndindex(*block_shape)):
        steps = zip(at, block_shape, strict=True)
        place = (slice(None), *(slice(a, None, s) for a, s in steps))
        out[place] = x[k * batch : (k + 1) * batch]
    kept = (slice(a, d - b) for (a, b), d in zip(crops, space, strict=True))
    return out[(slice(None), *kept)]


ref("Repeat", _repeat)
ref("Roll", _roll)
ref("ReverseSequence", _reverse_sequence)
ref("ZerosLike", lambda x: np.full(x.shape, b"", object) if x.dtype == object else np.zeros_like(x))
ref("OnesLike", np.ones_like)
ref("LinSpace", _linspace)
ref("BroadcastArgs", lambda a, b: np.array(np.broadcast_shapes(tuple(a), tuple(b)), a.dtype))
ref("BooleanMask", _boolean_mask)
ref("DynamicPartition", _partition)
ref("DynamicStitch", _stitch)
ref("ParallelDynamicStitch", _stitch)
ref("SequenceMask", _sequence_mask)
ref("Meshgrid", _meshgrid)
ref("SpaceToDepth", _space_to_depth)
ref("DepthToSpace", _depth_to_space)
ref("SpaceToBatchND", _space_to_batch)
ref("BatchToSpaceND", _batch_to_space)
ref("Rank", lambda x: np.int32(x.ndim))
ref("ShapeN", lambda *xs, out_type: tuple(np.array(x.shape, out_type) for x in xs))
ref("EnsureShape", lambda x, shape: x)
ref("IdentityN", lambda *xs: xs)
ref("Snapshot", lambda x: x)
ref("InvertPermutation", np.argsort)
ref("UnravelIndex", lambda i, dims: np.array(np.unravel_index(i, tuple(dims)), i.dtype))


def _sorted(x, axis, direction):
    out = np.sort(x.astype(np.float64) if x.dtype.kind not in "iu" else x, axis)
    return np.flip(out, axis) if direction == "DESCENDING" else out


def _argsort(x, axis, direction, stable=True):
    wide = x.astype(np.float64) if x.dtype.kind not in "iu" else x
    if direction == "ASCENDING":
        return np.argsort(wide, axis, kind="stable")
    back = np.argsort(np.flip(wide, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - back, axis)


def _direction(descending):
    return "DESCENDING" if descending else "ASCENDING"


ref("Sort", _sorted)
ref("ArgSort", _argsort)
ref("SortRows", lambda x, descending: _sorted(x, -1, _direction(descending)))
ref("ArgSortRows", lambda x, descending: _argsort(x, -1, _direction(descending)))


def _segments(x, ids, count, start, combine, gap=None):
    rest = x.shape[ids.ndim :]
    out = np.full((count, *rest), start, x.dtype)
    seen = np.zeros(count, bool)
    for row, part in zip(ids.reshape(-1), x.reshape((ids.size, *rest)), strict=True):
        if row >= 0:
            out[row] = combine(out[row], part)
            seen[row] = True
    if gap is not None:
        out[~seen] = gap
    return out


def _limits(dtype):
    return np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)


def _count_of(ids):
    return int(ids[-1]) + 1 if len(ids) else 0


def _add(a, b):
    return a + b


def _times(a, b):
    return a * b


def _row_counts(ids, count):
    return np.bincount(ids.reshape(-1)[ids.reshape(-1) >= 0], minlength=count)


def _mean(x, ids, count, root=False):
    wide = x.astype(np.float64)
    sums = _segments(wide, ids, count, 0, _add)
    counts = np.maximum(_row_counts(ids, count), 1)
    counts = np.sqrt(counts) if root else counts
    return sums / counts.reshape((-1,) + (1,) * (sums.ndim - 1))


ref("SegmentSum", lambda x, ids: _segments(x, ids, _count_of(ids), 0, _add))
ref("SegmentProd", lambda x, ids: _segments(x, ids, _count_of(ids), 1, _times))
ref(
    "SegmentMax",
    lambda x, ids: _segments(x, ids, _count_of(ids), _limits(x.dtype).min, np.maximum, 0),
)
ref(
    "SegmentMin",
    lambda x, ids: _segments(x, ids, _count_of(ids), _limits(x.dtype).max, np.minimum, 0),
)
ref("SegmentMean", lambda x, ids: _mean(x, ids, _count_of(ids)))
ref(
    "SparseSegmentSum",
    lambda x, picks, ids: _segments(x.astype(np.float64)[picks], ids, _count_of(ids), 0, _add),
)
ref("SparseSegmentMean", lambda x, picks, ids: _mean(x[picks], ids, _count_of(ids)))
ref("SparseSegmentSqrtN", lambda x, picks, ids: _mean(x[picks], ids, _count_of(ids), root=True))
ref(
    "SparseSegmentSumWithNumSegments",
    lambda x, picks, ids, n: _segments(x.astype(np.float64)[picks], ids, int(n), 0, _add),
)
ref("SparseSegmentMeanWithNumSegments", lambda x, picks, ids, n: _mean(x[picks], ids, int(n)))
ref(
    "SparseSegmentSqrtNWithNumSegments",
    lambda x, picks, ids, n: _mean(x[picks], ids, int(n), root=True),
)
ref("UnsortedSegmentProd", lambda x, ids, n: _segments(x, ids, int(n), 1, _times))
ref(
    "UnsortedSegmentMax",
    lambda x, ids, n: _segments(x, ids, int(n), _limits(x.dtype).min, np.maximum),
)
ref(
    "UnsortedSegmentMin",
    lambda x, ids, n: _segments(x, ids, int(n), _limits(x.dtype).max, np.minimum),
)
ref("UnsortedSegmentMean", lambda x, ids, n: _mean(x, ids, int(n)))
ref("UnsortedSegmentSqrtN", lambda x, ids, n: _mean(x, ids, int(n), root=True))


def _unique(rows):
    """First positions, the place of each row, and counts."""
    places, first, idx = {}, [], []
    for i, row in enumerate(rows):
        key = tuple(np.asarray(row).reshape(-1).tolist())
        if key not in places:
            places[key] = len(first)
            first.append(i)
        idx.append(places[key])
    return np.array(first, int), np.array(idx, int), np.bincount(np.array(idx, int))


def _unique_along(x, axis):
    along = int(axis[0]) if len(axis) else 0
    first, idx, counts = _unique(np.moveaxis(x, along, 0))
    return np.take(x, first, along), idx, counts


def _list_diff(x, y, out_idx):
    other = set(y.tolist())
    kept = [i for i, v in enumerate(x.tolist()) if v not in other]
    return x[kept], np.array(kept, out_idx)


ref("UniqueWithCounts", lambda x, out_idx: _unique_along(x, [0]))
ref("UniqueRows", lambda x, out_idx: _unique(x))
ref("UniqueV2", lambda x, axis, out_idx: _unique_along(x, axis)[:2])
ref("UniqueWithCountsV2", lambda x, axis, out_idx: _unique_along(x, axis))
ref("ListDiff", _list_diff)


def _bincount(values, size, weights, binary_output=False):
    if values.ndim == 2:
        each = zip(values, weights if weights.size else [weights] * len(values), strict=True)
        rows = [_bincount(v, size, w, binary_output) for v, w in each]
        return np.array(rows, weights.dtype).reshape(len(values), int(size))
    kept = values < int(size)
    w = weights[kept].astype(np.float64) if weights.size else np.ones(int(kept.sum()))
    out = np.zeros(int(size))
    np.add.at(out, values[kept], w)
    return (out != 0) * 1 if binary_output else out


def _histogram_bins(values, value_range, nbins, dtype):
    low, high = value_range.astype(np.float64)
    step = (high - low) / int(nbins)
    bins = np.minimum((np.maximum(values.astype(np.float64), low) - low) / step, int(nbins) - 1)
    return bins.astype(dtype)


def _histogram(values, value_range, nbins, dtype):
    bins = _histogram_bins(values, value_range, nbins, dtype).reshape(-1)
    return np.bincount(bins, minlength=int(nbins))


def _bounds(side):
    def run(rows, values, out_type):
        found = [np.searchsorted(r, v, side) for r, v in zip(rows, values, strict=True)]
        return np.array(found).reshape(values.shape)

    return run


def _search(rows, values, side, out_type):
    if rows.ndim == 1:
        return np.searchsorted(rows, values, side)
    found = [_search(r, v, side, out_type) for r, v in zip(rows, values, strict=True)]
    return np.array(found).reshape(values.shape)


def _in_top_k(predictions, targets, k):
    out = []
    for row, target in zip(predictions, targets, strict=True):
        known = 0 <= target < len(row) and np.isfinite(row).all()
        out.append(bool(known and (row > row[target]).sum() < k))
    return np.array(out, bool)


ref("Bincount", lambda arr, size, w: _bincount(arr.reshape(-1), size, w.reshape(-1)))
ref("DenseBincount", _bincount)
ref("HistogramFixedWidth", _histogram)
ref("HistogramFixedWidthBins", _histogram_bins)
ref("LowerBound", _bounds("left"))
ref("UpperBound", _bounds("right"))
ref("SearchSorted", _search)
ref("InTopKV2", _in_top_k)
