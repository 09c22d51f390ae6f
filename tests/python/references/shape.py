"""Shape and index ops in NumPy."""

import numpy as np

from references import ref


def _one_hot(indices, depth, on_value, off_value, axis):
    hot = indices[..., None].astype(np.int64) == np.arange(int(depth))
    out = np.where(hot, on_value, off_value)
    return np.moveaxis(out, -1, axis)


def _coordinates(indices):
    return tuple(np.moveaxis(indices, -1, 0)) if indices.shape[-1] else ()


def _gather_nd(params, indices, batch_dims):
    if batch_dims > 0:
        pairs = zip(params, indices, strict=True)
        return np.stack([_gather_nd(p, i, batch_dims - 1) for p, i in pairs])
    if indices.shape[-1] == 0:
        return np.broadcast_to(params, indices.shape[:-1] + params.shape)
    return params[_coordinates(indices)]


def _scatter(ufunc_at):
    def run(tensor, indices, updates):
        out = tensor.copy()
        flat = indices.reshape(int(np.prod(indices.shape[:-1])), indices.shape[-1])
        parts = updates.reshape((len(flat), *out.shape[indices.shape[-1] :]))
        for row, part in zip(flat, parts, strict=True):
            ufunc_at(out, tuple(row), part)
        return out

    return run


def _put(out, at, value):
    out[at] = value


def _add(out, at, value):
    out[at] = out[at] + value


def _min(out, at, value):
    out[at] = np.minimum(out[at], value)


def _max(out, at, value):
    out[at] = np.maximum(out[at], value)


def _sub(out, at, value):
    out[at] = out[at] - value


def _split_v(x, size_splits, axis):
    sizes = list(size_splits)
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[axis] - sum(sizes) - 1
    return tuple(np.split(x, np.cumsum(sizes)[:-1], axis))


def _slice(x, begin, size):
    return x[tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True))]


def _pad(x, paddings, constant_values):
    return np.pad(x, paddings, constant_values=constant_values) if x.ndim else x


def _mirror_pad(x, paddings, mode):
    return np.pad(x, paddings, mode=mode.lower()) if x.ndim else x


ref("ConcatV2", lambda *values, axis: np.concatenate(values, axis))
ref("Pack", lambda *values, axis: np.stack(values, axis))
ref(
    "Unpack",
    lambda x, num, axis: tuple(np.squeeze(p, axis) for p in np.split(x, num, axis)),
)
ref("Split", lambda x, num_split, axis: tuple(np.split(x, num_split, axis)))
ref("SplitV", _split_v)
ref("Slice", _slice)
ref("PadV2", _pad)
ref("MirrorPad", _mirror_pad)
ref("ReverseV2", lambda x, axis: np.flip(x, tuple(axis)) if len(axis) else x)
ref("OneHot", _one_hot)
ref("GatherNd", _gather_nd)


def _zeros(shape, like):
    return np.full(shape, b"" if like.dtype == object else 0, like.dtype)


ref("ScatterNd", lambda i, u, shape: _scatter(_add)(_zeros(shape, u), i, u))
ref("TensorScatterAdd", _scatter(_add))
ref("TensorScatterSub", _scatter(_sub))
ref("TensorScatterUpdate", _scatter(_put))
ref("TensorScatterMin", _scatter(_min))
ref("TensorScatterMax", _scatter(_max))


def _strided_index(begin, end, strides, masks):
    """The masks of StridedSlice as a NumPy index."""
    index = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True)):
        if masks["ellipsis_mask"] >> i & 1:
            index.append(Ellipsis)
        elif masks["new_axis_mask"] >> i & 1:
            index.append(None)
        elif masks["shrink_axis_mask"] >> i & 1:
            index.append(int(b))
        else:
            first = None if masks["begin_mask"] >> i & 1 else b
            last = None if masks["end_mask"] >> i & 1 else e
            index.append(slice(first, last, s))
    return tuple(index)


def _strided_slice(x, begin, end, strides, **masks):
    return x[_strided_index(begin, end, strides, masks)]


def _strided_slice_grad(shape, begin, end, strides, dy, **masks):
    out = np.zeros(shape, dy.dtype)
    out[_strided_index(begin, end, strides, masks)] = dy
    return out


def _strided_slice_update(x, begin, end, strides, value, **masks):
    out = x.copy()
    out[_strided_index(begin, end, strides, masks)] = value
    return out


def _gather(params, indices, axis, batch_dims):
    axis %= params.ndim
    batch_dims += indices.ndim if batch_dims < 0 else 0
    if batch_dims == 0:
        return np.take(params, indices, axis)
    parts = [_gather(p, i, axis - 1, batch_dims - 1) for p, i in zip(params, indices, strict=True)]
    return np.stack(parts)


def _gather_or_zero(params, indices):
    if len(params) == 0:
        return np.zeros(indices.shape + params.shape[1:], params.dtype)
    kept = (indices >= 0).reshape(indices.shape + (1,) * (params.ndim - 1))
    return np.where(kept, params[indices], np.zeros((), params.dtype))


def _segment_sum(data, ids, segments):
    rest = data.shape[ids.ndim :]
    out = np.zeros((int(segments), *rest), data.dtype)
    for row, part in zip(ids.reshape(-1), data.reshape((ids.size, *rest)), strict=True):
        if row >= 0:
            out[row] = out[row] + part
    return out


def _top_k(x, k, sorted):
    wide = x.astype(np.float64) if x.dtype.kind not in "iu" else x.astype(np.int64)
    order = np.argsort(-wide, axis=-1, kind="stable")[..., : int(k)]
    return np.take_along_axis(x, order, -1), order


def _unique(x, out_idx):
    places = {}
    idx = [places.setdefault(value, len(places)) for value in x.tolist()]
    y = np.empty(len(places), x.dtype)
    y[:] = list(places)
    return y, np.array(idx, out_idx)


ref("Identity", lambda x: x)
ref("StopGradient", lambda x: x)
ref("ExpandDims", lambda x, axis: np.expand_dims(x, axis))
ref("Squeeze", lambda x, axis: np.squeeze(x, tuple(axis) if len(axis) else None))
ref("Transpose", lambda x, perm: np.transpose(x, perm))
ref("StridedSlice", _strided_slice)
ref("StridedSliceGrad", _strided_slice_grad)
ref("TensorStridedSliceUpdate", _strided_slice_update)
ref("GatherV2", _gather)
ref("GatherOrZero", _gather_or_zero)
ref("UnsortedSegmentSum", _segment_sum)
ref("Tile", np.tile)
ref("Range", lambda start, limit, delta: np.arange(start, limit, delta))
ref("Shape", lambda x, out_type: np.array(x.shape, out_type))
ref("Size", lambda x, out_type: np.array(x.size, out_type))
ref("TopKV2", _top_k)
ref("Unique", _unique)
ref("Where", np.argwhere)
