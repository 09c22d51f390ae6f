"""NumPy references of reductions and of ops along rows."""

import numpy as np

from references import ref


def wide(x):
    """Half types as float64: NumPy would round every step."""
    return x.astype(np.float64) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def axes(axis):
    return None if axis is None else tuple(axis)


def mean(x, axis, keepdims):
    with np.errstate(all="ignore"):
        total = np.sum(wide(x), axis=axes(axis), keepdims=keepdims)
        count = x.size // total.size if total.size else 1
        if x.dtype.kind in "iu":
            return np.trunc(total / count) if count else np.zeros_like(total)
        return total / count


def sum_to(x, shape):
    lead = x.ndim - len(shape)
    summed = tuple(i for i in range(x.ndim) if i < lead or shape[i - lead] != x.shape[i])
    return np.sum(wide(x), axis=summed, keepdims=True).reshape(shape)


ref("Sum", lambda x, axis, keepdims: np.sum(wide(x), axis=axes(axis), keepdims=keepdims))
ref("Mean", mean)
ref("SumTo", sum_to)
ref("BroadcastTo", lambda x, shape: np.broadcast_to(x, tuple(shape)))


def extremum(reduce, identity):
    def reference(x, axis, keepdims):
        if x.dtype.kind in "iu":
            info = np.iinfo(x.dtype)
            start = info.min if identity < 0 else info.max
        else:
            start = identity
        return reduce(wide(x), axis=axes(axis), keepdims=keepdims, initial=start)

    return reference


def arg_extremum(find, worst):
    def reference(x, axis, output_type):
        if x.dtype.kind in "iub":
            return find(x, axis=axis).astype(output_type)
        x = wide(x)
        return find(np.where(np.isnan(x), worst, x), axis=axis).astype(output_type)

    return reference


def cumulative(accumulate, identity):
    def reference(x, axis, exclusive, reverse):
        x = np.moveaxis(wide(x), axis, -1)
        x = x[..., ::-1] if reverse else x
        if exclusive:
            first = np.full((*x.shape[:-1], 1), identity, x.dtype)
            x = np.concatenate([first, x[..., :-1]], axis=-1)
        result = accumulate(x, axis=-1)
        return np.moveaxis(result[..., ::-1] if reverse else result, -1, axis)

    return reference


ref("Prod", lambda x, axis, keepdims: np.prod(wide(x), axis=axes(axis), keepdims=keepdims))
ref("Max", extremum(np.max, -np.inf))
ref("Min", extremum(np.min, np.inf))
ref("Any", lambda x, axis, keepdims: np.any(x, axis=axes(axis), keepdims=keepdims))
ref("All", lambda x, axis, keepdims: np.all(x, axis=axes(axis), keepdims=keepdims))
ref("ArgMax", arg_extremum(np.argmax, -np.inf))
ref("ArgMin", arg_extremum(np.argmin, np.inf))
ref("Cumsum", cumulative(np.cumsum, 0))
ref("Cumprod", cumulative(np.cumprod, 1))


def log_softmax(x):
    x = wide(x)
    if x.shape[-1] == 0:
        return x
    with np.errstate(all="ignore"):
        x = x - np.max(x, axis=-1, keepdims=True)
        return x - np.log(np.sum(np.exp(x), axis=-1, keepdims=True))


def softmax(x):
    return np.exp(log_softmax(x))


def cross_entropy(features, labels):
    features, labels = np.broadcast_arrays(wide(features), wide(labels))
    return -np.sum(labels * log_softmax(features), axis=-1), softmax(features) - labels


def sparse_cross_entropy(features, labels):
    return cross_entropy(features, np.eye(features.shape[-1])[labels])


def layer_norm(x, gamma, beta, epsilon):
    x = wide(x)
    mean = np.mean(x, axis=-1, keepdims=True)
    rstd = 1 / np.sqrt(np.var(x, axis=-1, keepdims=True) + epsilon)
    return (x - mean) * rstd * wide(gamma) + wide(beta), mean, rstd


def layer_norm_grad(dy, x, gamma, mean, rstd):
    dy, x, gamma = wide(dy), wide(x), wide(gamma)
    h = (x - mean) * rstd
    v = dy * gamma
    means = [np.mean(a, axis=-1, keepdims=True) for a in (v, v * h)]
    outer = tuple(range(x.ndim - 1))
    return rstd * (v - means[0] - h * means[1]), np.sum(dy * h, outer), np.sum(dy, outer)


ref("Softmax", softmax)
ref("LogSoftmax", log_softmax)
ref("SoftmaxCrossEntropyWithLogits", cross_entropy)
ref("SparseSoftmaxCrossEntropyWithLogits", sparse_cross_entropy)
ref("LayerNorm", layer_norm)
ref("LayerNormGrad", layer_norm_grad)
ref("L2Loss", lambda x: np.sum(wide(x) ** 2) / 2)


def linear_scan(a, b, axis, exclusive, reverse):
    a, b = (np.moveaxis(wide(x), axis, -1) for x in (a, b))
    out = np.zeros_like(b)
    state = np.zeros_like(b[..., :1].sum(-1))
    steps = range(b.shape[-1])
    for i in reversed(steps) if reverse else steps:
        before, state = state, a[..., i] * state + b[..., i]
        out[..., i] = before if exclusive else state
    return np.moveaxis(out, -1, axis)


ref("LinearScan", linear_scan)


def l2_normalize(x, axis, epsilon):
    squares = np.sum(np.square(x.astype(np.float64)), axis=axes(axis), keepdims=True)
    return x / np.sqrt(np.maximum(squares, epsilon))


ref("L2Normalize", l2_normalize)


def logsumexp(x, axis, keepdims):
    x = wide(x)
    with np.errstate(all="ignore"):
        return np.logaddexp.reduce(x, axis=axes(axis), keepdims=keepdims, initial=-np.inf)


def cumulative_logsumexp(x, axis, exclusive, reverse):
    return cumulative(np.logaddexp.accumulate, -np.inf)(wide(x), axis, exclusive, reverse)


def mean_of(x, axis, keepdims):
    """np.mean without its warning about empty slices."""
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return total / np.float64(x.size // total.size if total.size else 0)


def variance_of(x, axis, keepdims):
    return mean_of(np.abs(x - mean_of(x, axis, True)) ** 2, axis, keepdims)


def variance(x, axis, keepdims):
    with np.errstate(all="ignore"):
        return variance_of(wide(x), axes(axis), keepdims)


def euclidean_norm(x, axis, keepdims):
    x = x.astype(np.float64) if x.dtype.kind in "iu" else wide(x)
    norm = np.sqrt(np.sum(np.abs(x) ** 2, axis=axes(axis), keepdims=keepdims))
    return np.trunc(norm) if x.dtype.kind in "iu" else norm


def norm(x, ord, axis, keepdims):
    x = wide(x)
    if axis is not None and len(axis) == 2:
        order = {"euclidean": "fro", "1": 1, "inf": np.inf}.get(ord, ord)
        return np.linalg.norm(x, order, axis=tuple(axis), keepdims=keepdims)
    order = {"euclidean": 2, "inf": np.inf}.get(ord) or float(ord)
    if axis:
        return np.linalg.norm(x, order, axis=axis[0], keepdims=keepdims)
    flat = np.linalg.norm(x.ravel(), order)
    return flat.reshape([1] * x.ndim) if keepdims else flat


def is_not_zero(x):
    return x != b"" if x.dtype == object else x != 0


def moments(x, axes, keepdims):
    x = wide(x)
    with np.errstate(all="ignore"):
        return tuple(f(x, axis=tuple(axes), keepdims=keepdims) for f in (mean_of, variance_of))


def weighted_moments(x, weights, axes, keepdims):
    x = wide(x)
    weights = np.broadcast_to(wide(weights), x.shape)
    total = np.sum(weights, axis=tuple(axes), keepdims=True)
    mean = np.sum(weights * x, axis=tuple(axes), keepdims=True) / total
    spread = np.sum(weights * (x - mean) ** 2, axis=tuple(axes), keepdims=True) / total
    if keepdims:
        return mean, spread
    return np.squeeze(mean, tuple(axes)), np.squeeze(spread, tuple(axes))


def confusion_matrix(labels, predictions, num_classes, dtype):
    if num_classes < 0:
        num_classes = max(labels.max(initial=-1), predictions.max(initial=-1)) + 1
    matrix = np.zeros((num_classes, num_classes), dtype)
    np.add.at(matrix, (labels, predictions), 1)
    return matrix


ref("ReduceLogsumexp", logsumexp)
ref("CumulativeLogsumexp", cumulative_logsumexp)
ref("ReduceVariance", variance)
ref("ReduceStd", lambda x, axis, keepdims: np.sqrt(variance(x, axis, keepdims)))
ref("EuclideanNorm", euclidean_norm)
ref("Norm", norm)
ref(
    "CountNonzero",
    lambda x, axis, keepdims, dtype: np.sum(
        is_not_zero(x), axis=axes(axis), keepdims=keepdims
    ).astype(dtype),
)
ref("ZeroFraction", lambda x: 1 - np.mean(is_not_zero(x)) if x.size else np.float32(np.nan))
ref("Moments", moments)
ref("WeightedMoments", weighted_moments)
ref(
    "NormalizeMoments",
    lambda n, mean, square, shift: (mean / n + shift, square / n - (mean / n) ** 2),
)
ref("IsNonDecreasing", lambda x: np.all(x.ravel()[:-1] <= x.ravel()[1:]))
ref("IsStrictlyIncreasing", lambda x: np.all(x.ravel()[:-1] < x.ravel()[1:]))
ref("ConfusionMatrix", confusion_matrix)
