"""Convolutions and pooling over one to three axes, as explicit loops."""

import numpy as np

from references import ref


def wide(x):
    """Half types as float32, so that sums are not rounded after each step."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def channels_last(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format.startswith("NC") else x


def channels_first(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format.startswith("NC") else x


def spatial(values, data_format):
    """Those of a list with one for every dimension that belong to the spatial axes."""
    return tuple(values[2:] if data_format.startswith("NC") else values[1:-1])


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
        rank = len(shape)
        pads = np.reshape(pads, (-1, 2)) if len(pads) else np.zeros((rank, 2), int)
        self.shape, self.sizes = shape, sizes
        self.strides = spatial(strides, data_format)
        self.dilations = spatial(dilations or (1,) * rank, data_format)
        each = zip(
            shape[1:-1],
            sizes,
            self.strides,
            self.dilations,
            spatial(pads, data_format),
            strict=True,
        )
        axes = [axis_window(a, k, s, d, padding, p) for a, k, s, d, p in each]
        self.out, self.before = zip(*axes, strict=True)

    def pairs(self):
        for position in np.ndindex(*self.out):
            for element in np.ndindex(*self.sizes):
                at = tuple(
                    p * s - b + e * d
                    for p, s, b, e, d in zip(
                        position, self.strides, self.before, element, self.dilations, strict=True
                    )
                )
                if all(0 <= a < size for a, size in zip(at, self.shape[1:-1], strict=True)):
                    yield (slice(None), *position), (slice(None), *at), element


def groups(channels, filter_shape):
    """Slices of input and output channels that belong together."""
    per_in = filter_shape[-2]
    count = channels // per_in
    per_out = filter_shape[-1] // count
    for g in range(count):
        yield slice(g * per_in, (g + 1) * per_in), slice(g * per_out, (g + 1) * per_out)


def conv(x, w, strides, padding, data_format, explicit_paddings=(), dilations=()):
    x, w = wide(channels_last(x, data_format)), wide(w)
    window = Window(
        x.shape, w.shape[:-2], strides, padding, explicit_paddings, data_format, dilations
    )
    y = np.zeros((x.shape[0], *window.out, w.shape[-1]), x.dtype)
    for to, at, element in window.pairs():
        for ci, co in groups(x.shape[-1], w.shape):
            y[to][:, co] += x[at][:, ci] @ w[element][:, co]
    return channels_first(y, data_format)


def conv_input_grad(
    sizes, w, dy, strides, padding, data_format, explicit_paddings=(), dilations=()
):
    dy, w = wide(channels_last(dy, data_format)), wide(w)
    dx = channels_last(np.zeros(sizes, dy.dtype), data_format)
    window = Window(
        dx.shape, w.shape[:-2], strides, padding, explicit_paddings, data_format, dilations
    )
    for to, at, element in window.pairs():
        for ci, co in groups(dx.shape[-1], w.shape):
            dx[at][:, ci] += dy[to][:, co] @ w[element][:, co].T
    return channels_first(dx, data_format)


def conv_filter_grad(
    x, sizes, dy, strides, padding, data_format, explicit_paddings=(), dilations=()
):
    x, dy = wide(channels_last(x, data_format)), wide(channels_last(dy, data_format))
    dw = np.zeros(sizes, dy.dtype)
    window = Window(
        x.shape, dw.shape[:-2], strides, padding, explicit_paddings, data_format, dilations
    )
    for to, at, element in window.pairs():
        for ci, co in groups(x.shape[-1], dw.shape):
            dw[element][:, co] += x[at][:, ci].T @ dy[to][:, co]
    return dw


ref("Conv2D", conv)
ref("Conv2DBackpropInput", conv_input_grad)
ref("Conv2DBackpropFilter", conv_filter_grad)
ref("Conv3D", conv)
ref("Conv3DBackpropInputV2", conv_input_grad)
ref("Conv3DBackpropFilterV2", conv_filter_grad)


# A depthwise convolution is one in as many groups as there are channels; its filter has its last
# two axes the other way: [..., channels, multiplier].
def grouped(w):
    return w.reshape(*w.shape[:-2], 1, -1)


def depthwise(x, w, **attrs):
    return conv(x, grouped(w), **attrs)


def depthwise_input_grad(sizes, w, dy, **attrs):
    return conv_input_grad(sizes, grouped(w), dy, **attrs)


def depthwise_filter_grad(x, sizes, dy, **attrs):
    shape = (*sizes[:-2], 1, sizes[-2] * sizes[-1])
    return conv_filter_grad(x, shape, dy, **attrs).reshape(sizes)


def full(values, spatial_axes, first):
    """A number for every dimension from a list of one, of those of the spatial axes, or of all."""
    values = list(values or [1])
    if len(values) == spatial_axes + 2:
        return values
    values = values * spatial_axes if len(values) == 1 else values
    return [1, 1, *values] if first else [1, *values, 1]


def any_conv(x, w, padding, data_format, strides=(), dilations=(), stride=()):
    axes, first = x.ndim - 2, data_format.startswith("NC")
    return conv(
        x,
        w,
        full(stride or strides, axes, first),
        padding,
        data_format or "N*C",
        dilations=full(dilations, axes, first),
    )


def conv_transpose(x, w, output_shape, strides, padding, data_format, dilations):
    axes, first = x.ndim - 2, data_format.startswith("NC")
    strides, dilations = full(strides, axes, first), full(dilations, axes, first)
    return conv_input_grad(output_shape, w, x, strides, padding, data_format, dilations=dilations)


def separable(x, w, pointwise, strides, padding, data_format, dilations):
    dilations = full(dilations, 2, data_format == "NCHW")
    y = depthwise(
        x, w, strides=strides, padding=padding, data_format=data_format, dilations=dilations
    )
    return conv(y, pointwise, (1, 1, 1, 1), "VALID", data_format)


ref("Conv1D", any_conv)
ref("Convolution", any_conv)
ref("Conv1DTranspose", conv_transpose)
ref("Conv2DTranspose", conv_transpose)
ref("Conv3DTranspose", conv_transpose)
ref("AtrousConv2D", lambda x, w, rate, padding: any_conv(x, w, padding, "NHWC", (), (rate,)))
ref(
    "AtrousConv2DTranspose",
    lambda x, w, shape, rate, padding: conv_transpose(x, w, shape, (1,), padding, "NHWC", (rate,)),
)
ref("SeparableConv2D", separable)
ref("DepthwiseConv2dNative", depthwise)
ref("DepthwiseConv2dNativeBackpropInput", depthwise_input_grad)
ref("DepthwiseConv2dNativeBackpropFilter", depthwise_filter_grad)


def windows(shape, ksize, strides, padding, data_format, explicit_paddings=()):
    sizes = spatial(ksize, data_format)
    return Window(shape, sizes, strides, padding, explicit_paddings, data_format)


def pool(x, fold, data_format, **attrs):
    x = channels_last(x, data_format)
    window = windows(x.shape, data_format=data_format, **attrs)
    parts = {}
    for to, at, _ in window.pairs():
        parts.setdefault(to[1:], []).append(x[at])  # a slice is no key before Python 3.12
    y = np.zeros((x.shape[0], *window.out, x.shape[-1]), x.dtype)
    for position, values in parts.items():
        y[(slice(None), *position)] = fold(np.stack(values))
    return channels_first(y, data_format)


def first_largest(x, y, window):
    """(output position, input position, mask) for the first elements that equal y."""
    done = np.zeros(y.shape, bool)
    for to, at, _ in window.pairs():
        hit = (x[at] == y[to]) & ~done[to]
        done[to] |= hit
        yield to, at, hit


def max_pool_grad(x, y, dy, data_format, **attrs):
    x, y, dy = (channels_last(t, data_format) for t in (x, y, dy))
    dx = np.zeros_like(x)
    for to, at, hit in first_largest(x, y, windows(x.shape, data_format=data_format, **attrs)):
        dx[at] += np.where(hit, dy[to], np.zeros_like(dy[to]))
    return channels_first(dx, data_format)


def max_pool_grad_grad(x, y, ddx, data_format, **attrs):
    x, y, ddx = (channels_last(t, data_format) for t in (x, y, ddx))
    ddy = np.zeros_like(y)
    for to, at, hit in first_largest(x, y, windows(x.shape, data_format=data_format, **attrs)):
        ddy[to] = np.where(hit, ddx[at], ddy[to])
    return channels_first(ddy, data_format)


def avg_pool_grad(shape, dy, data_format, **attrs):
    dy = wide(channels_last(dy, data_format))
    dx = channels_last(np.zeros(shape, dy.dtype), data_format)
    window = windows(dx.shape, data_format=data_format, **attrs)
    counts = {}
    for to, _, _ in window.pairs():
        counts[to[1:]] = counts.get(to[1:], 0) + 1
    for to, at, _ in window.pairs():
        dx[at] += dy[to] / counts[to[1:]]
    return channels_first(dx, data_format)


for axes in ("", "3D"):
    ref(f"MaxPool{axes}", lambda x, **attrs: pool(x, lambda v: v.max(0), **attrs))
    ref(f"MaxPool{axes}Grad", max_pool_grad)
    ref(f"MaxPool{axes}GradGrad", max_pool_grad_grad)
    ref(f"AvgPool{axes}", lambda x, **attrs: pool(wide(x), lambda v: v.mean(0), **attrs))
    ref(f"AvgPool{axes}Grad", avg_pool_grad)


def pool_1d(x, fold, ksize, strides, padding, data_format):
    first = data_format == "NCW"
    ksize, strides = full(ksize, 1, first), full(strides, 1, first)
    return pool(x, fold, data_format, ksize=ksize, strides=strides, padding=padding)


ref("MaxPool1D", lambda x, **attrs: pool_1d(x, lambda v: v.max(0), **attrs))
ref("AvgPool1D", lambda x, **attrs: pool_1d(wide(x), lambda v: v.mean(0), **attrs))


def max_pool_with_argmax(x, ksize, strides, padding, Targmax, include_batch_in_index):
    window = windows(x.shape, ksize, strides, padding, "NHWC")
    y = pool(x, lambda v: v.max(0), "NHWC", ksize=ksize, strides=strides, padding=padding)
    places = np.zeros(y.shape, Targmax)
    numbers = np.arange(x.size).reshape(x.shape)
    if not include_batch_in_index:
        numbers = numbers - numbers[:, :1, :1, :1].min(-1, keepdims=True)
    for to, at, hit in first_largest(x, y, window):
        places[to] = np.where(hit, numbers[at], places[to])
    return y, places


ref("MaxPoolWithArgmax", max_pool_with_argmax)


def max_pool_grad_with_argmax(x, dy, argmax, include_batch_in_index, **_):
    dx = np.zeros((x.shape[0], int(np.prod(x.shape[1:]))), dy.dtype)
    for n in range(x.shape[0]):
        first = n * dx.shape[1] if include_batch_in_index else 0
        np.add.at(dx[n], argmax[n].ravel() - first, dy[n].ravel())
    return dx.reshape(x.shape)


ref("MaxPoolGradWithArgmax", max_pool_grad_with_argmax)
