"""Matrix products, convolutions, pooling and biases, convolutions and pooling as explicit loops."""

import numpy as np

from references import ref


def wide(x):
    """Half types as float32, so that sums are not rounded after each step."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def form(x, transpose, adjoint):
    x = wide(x)
    x = x.conj() if adjoint else x
    return np.swapaxes(x, -1, -2) if transpose != adjoint else x


ref(
    "MatMul",
    lambda a, b, transpose_a, transpose_b, adjoint_a, adjoint_b: np.matmul(
        form(a, transpose_a, adjoint_a), form(b, transpose_b, adjoint_b)
    ),
)


def channels_last(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format == "NCHW" else x


def channels_first(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format == "NCHW" else x


def axis_window(size, window, stride, dilation, padding, pads):
    """(positions of the output, padding before) along one axis."""
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        out = -(-size // stride)
        return out, max(0, (out - 1) * stride + reach - size) // 2
    before, after = pads if padding == "EXPLICIT" else (0, 0)
    return (size + before + after - reach + stride) // stride, before


class Window:
    """All pairs of output positions and what they look at, for images with channels last."""

    def __init__(self, shape, sizes, strides, padding, pads=(), data_format="NHWC", dilations=()):
        axes = (2, 3) if data_format == "NCHW" else (1, 2)
        pads = np.reshape(pads, (-1, 2)) if len(pads) else np.zeros((4, 2), int)
        dilations = dilations if len(dilations) else (1, 1, 1, 1)
        self.shape, self.sizes = shape, sizes
        self.strides = [strides[a] for a in axes]
        self.dilations = [dilations[a] for a in axes]
        self.out, self.before = zip(
            *(
                axis_window(shape[1 + i], sizes[i], strides[a], dilations[a], padding, pads[a])
                for i, a in enumerate(axes)
            ),
            strict=True,
        )

    def pairs(self):
        for position in np.ndindex(*self.out):
            for element in np.ndindex(*self.sizes):
                at = tuple(
                    position[i] * self.strides[i] - self.before[i] + element[i] * self.dilations[i]
                    for i in range(2)
                )
                if all(0 <= at[i] < self.shape[1 + i] for i in range(2)):
                    yield (slice(None), *position), (slice(None), *at), element


def groups(channels, filter_shape):
    """Slices of input and output channels that belong together."""
    count = channels // filter_shape[2]
    per_in, per_out = filter_shape[2], filter_shape[3] // count
    for g in range(count):
        yield (
            slice(g * per_in, (g + 1) * per_in),
            slice(g * per_out, (g + 1) * per_out),
        )


def conv2d(x, w, strides, padding, explicit_paddings, data_format, dilations):
    x, w = wide(channels_last(x, data_format)), wide(w)
    window = Window(
        x.shape, w.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    y = np.zeros((x.shape[0], *window.out, w.shape[3]), x.dtype)
    for to, at, element in window.pairs():
        for ci, co in groups(x.shape[3], w.shape):
            y[to][:, co] += x[at][:, ci] @ w[element][:, co]
    return channels_first(y, data_format)


def conv2d_input_grad(sizes, w, dy, strides, padding, explicit_paddings, data_format, dilations):
    dy, w = wide(channels_last(dy, data_format)), wide(w)
    dx = channels_last(np.zeros(sizes, dy.dtype), data_format)
    window = Window(
        dx.shape, w.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    for to, at, element in window.pairs():
        for ci, co in groups(dx.shape[3], w.shape):
            dx[at][:, ci] += dy[to][:, co] @ w[element][:, co].T
    return channels_first(dx, data_format)


def conv2d_filter_grad(x, sizes, dy, strides, padding, explicit_paddings, data_format, dilations):
    x, dy = wide(channels_last(x, data_format)), wide(channels_last(dy, data_format))
    dw = np.zeros(sizes, dy.dtype)
    window = Window(
        x.shape, dw.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    for to, at, element in window.pairs():
        for ci, co in groups(x.shape[3], dw.shape):
            dw[element][:, co] += x[at][:, ci].T @ dy[to][:, co]
    return dw


ref("Conv2D", conv2d)
ref("Conv2DBackpropInput", conv2d_input_grad)
ref("Conv2DBackpropFilter", conv2d_filter_grad)


def windows(shape, ksize, strides, padding, data_format):
    sizes = ksize[2:] if data_format == "NCHW" else ksize[1:3]
    return Window(shape, tuple(sizes), strides, padding, (), data_format)


def pool(x, fold, ksize, strides, padding, data_format):
    x = channels_last(x, data_format)
    window = windows(x.shape, ksize, strides, padding, data_format)
    parts = {}
    for to, at, _ in window.pairs():
        parts.setdefault(to[1:], []).append(x[at])  # a slice is no key before Python 3.12
    y = np.zeros((x.shape[0], *window.out, x.shape[3]), x.dtype)
    for position, values in parts.items():
        y[(slice(None), *position)] = fold(np.stack(values))
    return channels_first(y, data_format)


def max_pool_grad(x, y, dy, ksize, strides, padding, data_format):
    x, y, dy = (channels_last(t, data_format) for t in (x, y, dy))
    dx, done = np.zeros_like(x), np.zeros(y.shape, bool)
    for to, at, _ in windows(x.shape, ksize, strides, padding, data_format).pairs():
        hit = (x[at] == y[to]) & ~done[to]
        dx[at] += np.where(hit, dy[to], np.zeros_like(dy[to]))
        done[to] |= hit
    return channels_first(dx, data_format)


def avg_pool_grad(shape, dy, ksize, strides, padding, data_format):
    dy = wide(channels_last(dy, data_format))
    dx = channels_last(np.zeros(shape, dy.dtype), data_format)
    window = windows(dx.shape, ksize, strides, padding, data_format)
    counts = {}
    for to, _, _ in window.pairs():
        counts[to[1:]] = counts.get(to[1:], 0) + 1
    for to, at, _ in window.pairs():
        dx[at] += dy[to] / counts[to[1:]]
    return channels_first(dx, data_format)


ref("MaxPool", lambda x, **attrs: pool(x, lambda v: v.max(0), **attrs))
ref("MaxPoolGrad", max_pool_grad)
ref("AvgPool", lambda x, **attrs: pool(wide(x), lambda v: v.mean(0), **attrs))
ref("AvgPoolGrad", avg_pool_grad)


def bias_add(value, bias, data_format):
    shape = [1] * value.ndim
    shape[1 if data_format == "NCHW" else -1] = -1
    return value + bias.reshape(shape)


ref("BiasAdd", bias_add)
