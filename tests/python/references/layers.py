"""Normalisations, losses, embeddings, recurrent cells and other layers."""

import numpy as np

from references import ref


def wide(x):
    """Half types as float32."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def sigmoid(x):
    return 1 / (1 + np.exp(-wide(x)))


# --- Normalisations ---------------------------------------------------------------------------


def is_channels_first(data_format):
    return data_format.startswith("NC")


def others(x, data_format):
    """All axes but the channels'."""
    channel = 1 if is_channels_first(data_format) else x.ndim - 1
    return tuple(i for i in range(x.ndim) if i != channel)


def as_column(v, x, data_format):
    return np.expand_dims(v, others(x, data_format))


def bias_add_grad(dy, data_format):
    return wide(dy).sum(others(dy, data_format))


ref("BiasAddGrad", bias_add_grad)


def fused_batch_norm(
    x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
):
    none = np.zeros(0)
    if x.size == 0:
        nan, zero = np.full(scale.shape, np.nan), np.zeros(scale.shape)
        return x, nan, nan, zero, zero, none
    x = wide(x).astype(np.float64)
    axes, factor = others(x, data_format), exponential_avg_factor
    now = (x.mean(axes), x.var(axes)) if is_training else (mean, variance)
    column = [as_column(v, x, data_format) for v in (*now, scale, offset)]
    y = (x - column[0]) / np.sqrt(column[1] + epsilon) * column[2] + column[3]
    running = now
    if is_training:
        n = x.size // scale.size
        running = now[0], now[1] * n / max(n - 1, 1)
        if factor != 1:
            pairs = zip((mean, variance), running, strict=True)
            running = tuple(old * (1 - factor) + new * factor for old, new in pairs)
    return y, *running, *now, none


def fused_batch_norm_grad(dy, x, scale, mean, variance, _, epsilon, data_format, is_training):
    zero = np.zeros(())
    if x.size == 0:
        return x, np.zeros(scale.shape), np.zeros(scale.shape), zero, zero
    dy, x = (wide(t).astype(np.float64) for t in (dy, x))
    axes = others(x, data_format)
    m, v, s = (as_column(t, x, data_format) for t in (mean, variance, scale))
    rstd = 1 / np.sqrt(v + epsilon)
    h = (x - m) * rstd
    dx = dy
    if is_training:
        dx = dy - dy.mean(axes, keepdims=True) - h * (dy * h).mean(axes, keepdims=True)
    return s * rstd * dx, (dy * h).sum(axes), dy.sum(axes), zero, zero


ref("FusedBatchNormV3", fused_batch_norm)
ref("FusedBatchNormGradV3", fused_batch_norm_grad)
ref(
    "BatchNormalization",
    lambda x, mean, variance, offset, scale, variance_epsilon: (wide(x) - wide(mean))
    / np.sqrt(wide(variance) + variance_epsilon)
    * wide(scale)
    + wide(offset),
)


def group_norm(x, gamma, beta, groups, epsilon, data_format):
    if x.size == 0:
        return x
    first = is_channels_first(data_format)
    y = wide(x) if first else np.moveaxis(wide(x), -1, 1)
    parts = y.reshape(y.shape[0], groups, -1)
    spread = np.sqrt(parts.var(2, keepdims=True) + epsilon)
    y = ((parts - parts.mean(2, keepdims=True)) / spread).reshape(y.shape)
    y = y if first else np.moveaxis(y, 1, -1)
    return y * as_column(wide(gamma), y, data_format) + as_column(wide(beta), y, data_format)


ref("GroupNorm", group_norm)
ref(
    "InstanceNorm",
    lambda x, gamma, beta, epsilon, data_format: group_norm(
        x, gamma, beta, len(gamma), epsilon, data_format
    ),
)


# --- Softmax and losses -----------------------------------------------------------------------


def softmax(x, axis):
    x = wide(x)
    e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis, keepdims=True)


ref("SoftmaxV2", softmax)
ref("LogSoftmaxV2", lambda x, axis: np.log(softmax(x, axis)))


def softplus(x):
    return np.logaddexp(0, x)


def sigmoid_cross_entropy(labels, logits):
    labels, logits = wide(labels), wide(logits)
    return labels * softplus(-logits) + (1 - labels) * softplus(logits)


def weighted_cross_entropy(labels, logits, pos_weight):
    labels, logits = wide(labels), wide(logits)
    return wide(pos_weight) * labels * softplus(-logits) + (1 - labels) * softplus(logits)


def log_poisson_loss(targets, log_input, compute_full_loss):
    t, x = wide(targets), wide(log_input)
    loss = np.exp(x) - x * t
    if compute_full_loss:
        stirling = t * np.log(t) - t + 0.5 * np.log(2 * np.pi * t)
        loss = loss + np.where((t >= 0) & (t <= 1), 0, stirling)
    return loss


ref("SigmoidCrossEntropyWithLogits", sigmoid_cross_entropy)
ref("WeightedCrossEntropyWithLogits", weighted_cross_entropy)
ref("LogPoissonLoss", log_poisson_loss)


# --- Layers -----------------------------------------------------------------------------------


def check_dropout(inputs, outputs, rate, noise_shape, seed, seed2, skip):
    (x,), (y,) = inputs, outputs
    x, y = wide(x), wide(y)
    assert x.shape == y.shape
    kept = y != 0
    assert np.allclose(y, np.where(kept, x / (1 - rate), 0), rtol=1e-2)
    if rate == 0:
        assert kept.all()
    for axis, dim in enumerate(noise_shape or ()):
        if dim == 1 and x.shape[axis] > 0:
            assert (kept == np.take(kept, [0], axis)).all()


ref("Dropout", check=check_dropout)


def check_stateless_dropout(inputs, outputs, rate, noise_shape):
    x, _ = inputs
    check_dropout([x], outputs, rate, noise_shape, 0, 0, 0)
    if x.shape == (8,):  # what TensorFlow keeps for the seed [1, 2]
        assert list(outputs[0][:6]) == [2, 0, 2, 0, 0, 2]


ref("StatelessDropout", check=check_stateless_dropout)


def product(x, w, b):
    return wide(x) @ wide(w) + wide(b)


ref("XwPlusB", product)
ref("ReluLayer", lambda x, w, b: np.maximum(product(x, w, b), 0))


def clip_rows(rows, row_rank, max_norm):
    if max_norm < 0:
        return rows
    axes = tuple(range(rows.ndim - row_rank, rows.ndim))
    length = np.sqrt(np.sum(rows**2, axes, keepdims=True))
    return rows * max_norm / np.maximum(length, max_norm)


def embedding_lookup(params, ids, max_norm):
    return clip_rows(wide(params)[ids], params.ndim - 1, max_norm)


def embedding_lookup_sparse(params, segments, ids, weights, combiner, max_norm):
    rows = embedding_lookup(params, ids, max_norm)
    weights = wide(weights).reshape([-1] + [1] * (params.ndim - 1))
    count = segments[-1] + 1 if len(segments) else 0
    sums = np.zeros((count, *params.shape[1:]), rows.dtype)
    total = np.zeros((count, *weights.shape[1:]), rows.dtype)
    np.add.at(sums, segments, rows * weights)
    np.add.at(total, segments, weights if combiner == "mean" else weights**2)
    scale = {"sum": np.ones_like(total), "mean": total, "sqrtn": np.sqrt(total)}[combiner]
    return np.where(scale == 0, 0, sums / np.where(scale == 0, 1, scale))


ref("EmbeddingLookup", embedding_lookup)
ref("EmbeddingLookupSparse", embedding_lookup_sparse)


# --- Recurrent cells --------------------------------------------------------------------------


def lstm_step(gates, c_prev):
    i, f, g, o = np.split(wide(gates), 4, 1)
    c = sigmoid(f) * wide(c_prev) + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def lstm_step_grad(gates, c_prev, c, dh, dc):
    i, f, g, o = np.split(gates, 4, 1)
    i, f, g, o, t = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o), np.tanh(c)
    state = dc + dh * o * (1 - t**2)
    parts = (
        state * g * i * (1 - i),
        state * c_prev * f * (1 - f),
        state * i * (1 - g**2),
        dh * t * o * (1 - o),
    )
    return np.concatenate(parts, 1), state * f


def gru_parts(x_gates, h_gates):
    x, h = np.split(wide(x_gates), 3, 1), np.split(wide(h_gates), 3, 1)
    z, r = sigmoid(x[0] + h[0]), sigmoid(x[1] + h[1])
    return z, r, h[2], np.tanh(x[2] + r * h[2])


def gru_step(x_gates, h_gates, h):
    z, _, _, n = gru_parts(x_gates, h_gates)
    return z * wide(h) + (1 - z) * n


def gru_step_grad(x_gates, h_gates, h, dy):
    z, r, q, n = gru_parts(x_gates, h_gates)
    dz, dn = dy * (h - n) * z * (1 - z), dy * (1 - z) * (1 - n**2)
    dr = dn * q * r * (1 - r)
    return np.concatenate((dz, dr, dn), 1), np.concatenate((dz, dr, dn * r), 1), dy * z


ref("LstmStep", lstm_step)
ref("LstmStepGrad", lstm_step_grad)
ref("GruStep", gru_step)
ref("GruStepGrad", gru_step_grad)
ref(
    "LstmCell",
    lambda x, h, c, kernel, recurrent, bias: lstm_step(
        product(x, kernel, bias) + wide(h) @ wide(recurrent), c
    ),
)
ref(
    "GruCell",
    lambda x, h, kernel, recurrent, bias: gru_step(
        product(x, kernel, bias[0]), product(h, recurrent, bias[1]), h
    ),
)


# --- Quantisation -----------------------------------------------------------------------------


def quantised_range(low, high, num_bits, narrow_range):
    """(low, high, step) of the grid, with 0 on it."""
    first, last = (1 if narrow_range else 0), 2**num_bits - 1
    step = (high - low) / (last - first)
    zero = np.clip(np.floor(first - low / step + 0.5), first, last)
    return (first - zero) * step, (last - zero) * step, step


def fake_quant(x, low, high, num_bits, narrow_range):
    low, high, step = quantised_range(float(low), float(high), num_bits, narrow_range)
    return np.floor((np.clip(x.astype(np.float64), low, high) - low) / step + 0.5) * step + low


def fake_quant_grad(dy, x, low, high, num_bits, narrow_range):
    low, high, _ = quantised_range(float(low), float(high), num_bits, narrow_range)
    inside = (x >= low) & (x <= high)
    return np.where(inside, dy, 0), dy[x < low].sum(), dy[x > high].sum()


ref(
    "FakeQuantWithMinMaxArgs",
    lambda x, min, max, **attrs: fake_quant(x, min, max, **attrs),
)
ref(
    "FakeQuantWithMinMaxArgsGradient",
    lambda dy, x, min, max, **attrs: fake_quant_grad(dy, x, min, max, **attrs)[0],
)
ref("FakeQuantWithMinMaxVars", fake_quant)
ref("FakeQuantWithMinMaxVarsGradient", fake_quant_grad)
