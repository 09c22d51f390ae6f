"""Shape and index ops in NumPy."""

import numpy as np

from references import ref


def _one_hot(indices, depth, on_value, off_value, axis):
    hot = indices[..., None].astype(np.int64) == np.arange(int(depth))
    out = np.where(hot, on_value, off_value)
    return np.moveaxis(out, -1, axis)


def _coordinates(indices):
    return tuple(np.moveaxis(indices, -1, 0)) if indices.shape[-1] else ()


def _gather_nd(params, indices):
    if indices.shape[-1] == 0:
        return np.broadcast_to(params, indices.shape[:-1] + params.shape)
    return params[_coordinates(indices)]


def _scatter(ufunc_at):
    def run(tensor, indices, updates):
        out = tensor.copy()
        flat = indices.reshape(-1, indices.shape[-1])
        parts = updates.reshape((len(flat),) + out.shape[indices.shape[-1] :])
        for row, part in zip(flat, parts, strict=True):
            ufunc_at(out, tuple(row), part)
        return out

    return run


def _put(out, at, value):
    out[at] = value


def _add(out, at, value):
    out[at] = out[at] + value


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
ref("ScatterNd", lambda i, u, shape: _scatter(_add)(np.zeros(shape, u.dtype), i, u))
ref("TensorScatterAdd", _scatter(_add))
ref("TensorScatterSub", _scatter(_sub))
ref("TensorScatterUpdate", _scatter(_put))
