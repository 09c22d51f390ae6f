"""tf.nn convolutions and pools: TensorFlow's many forms of strides and paddings.

The ops take a number for every dimension. Users pass one number, one per spatial dimension or all
of them, a padding by name or by sizes, and any number of batch dimensions.
"""

from __future__ import annotations

from penstock import _core, raw_ops
from penstock._api import public
from penstock._context.scope import scoped
from penstock._core import Tensor
from penstock._ops.convert import sizes_of
from penstock._ops.shape import required_space_to_batch_paddings

_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def _is_first(data_format):
    return bool(data_format) and data_format.startswith("NC")


def _every(value, count, data_format, name):
    """A number for every dimension, from one, one per spatial dimension, or all of them."""
    if value is None:
        return [1] * (count + 2)
    value = list(value) if hasattr(value, "__len__") else [value]
    if len(value) == count + 2:
        return [int(size) for size in value]
    if len(value) not in (1, count):
        raise ValueError(
            f"{name} should be of length 1, {count} or {count + 2}. Received: {name}={value} of "
            f"length {len(value)}"
        )
    value = [int(size) for size in value] * (count if len(value) == 1 else 1)
    return [1, 1, *value] if _is_first(data_format) else [1, *value, 1]


def _padding(padding, dims=4):
    """(name, sizes) of a padding that is a name or a list of pairs."""
    if isinstance(padding, str):
        if padding == "EXPLICIT":
            raise ValueError(
                "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, "
                "`padding` must be a list."
            )
        return padding, []
    if len(padding) != dims:
        raise ValueError(f"`padding` must be a list of length {dims}. Received: {padding}")
    for pair in padding:
        if not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"`padding` must be a list of pairs. Received: {padding}")
    return "EXPLICIT", [int(size) for pair in padding for size in pair]


def _with_batch(run, input, rank):
    """run(input) with all batch dimensions merged into one."""
    input = _core.to_tensor(input)
    if input.shape.rank is None or input.shape.rank <= rank:
        return run(input)
    sizes = sizes_of(input)
    batch = sizes[: input.ndim - rank + 1]
    result = run(raw_ops.Reshape(tensor=input, shape=[-1, *sizes[len(batch) :]]))
    return raw_ops.Reshape(tensor=result, shape=[*batch, *sizes_of(result)[1:]])


@public("nn.conv1d")
def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None) -> Tensor:
    """A convolution over one dimension."""
    return _with_batch(
        lambda flat: raw_ops.Conv1D(
            input=flat,
            filters=filters,
            stride=stride,
            padding=padding,
            data_format=data_format or "NWC",
            dilations=dilations,
            name=name,
        ),
        input,
        3,
    )


@public("nn.conv2d")
def conv2d(
    input, filters, strides, padding, data_format="NHWC", dilations=None, name=None
) -> Tensor:
    """A convolution over two dimensions.

    Args:
      input: Images: batch, height, width, channels.
      filters: The weights: height, width, channels in, channels out.
      strides: The step of the window in each dimension.
      padding: "VALID" for windows that fit, "SAME" for windows around every element.
      data_format: Where the channels are.
      dilations: The distance between the elements of the filter.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), strides=1, padding="VALID")
    <tf.Tensor: shape=(1, 2, 2, 1), dtype=float32, numpy=
    array([[[[4.],
             [4.]],
    <BLANKLINE>
            [[4.],
             [4.]]]], dtype=float32)>
    """
    data_format = data_format or "NHWC"
    padding, sizes = _padding(padding)
    strides = _every(strides, 2, data_format, "strides")
    dilations = _every(dilations, 2, data_format, "dilations")
    return _with_batch(
        lambda flat: raw_ops.Conv2D(
            input=flat,
            filter=filters,
            strides=strides,
            padding=padding,
            explicit_paddings=sizes,
            data_format=data_format,
            dilations=dilations,
            name=name,
        ),
        input,
        4,
    )


@public("nn.conv3d")
def conv3d(
    input, filters, strides, padding, data_format="NDHWC", dilations=None, name=None
) -> Tensor:
    """A convolution over three dimensions."""
    data_format = data_format or "NDHWC"
    strides = _every(strides, 3, data_format, "strides")
    dilations = _every(dilations, 3, data_format, "dilations")
    return _with_batch(
        lambda flat: raw_ops.Conv3D(
            input=flat,
            filter=filters,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilations=dilations,
            name=name,
        ),
        input,
        5,
    )


@public("nn.convolution")
def convolution(
    input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None
) -> Tensor:
    """A convolution over as many dimensions as the filter has."""
    return raw_ops.Convolution(
        input=input,
        filters=filters,
        strides=strides,
        padding=padding,
        data_format=data_format or "",
        dilations=dilations,
        name=name,
    )


def _transposed(op, data_format):
    def run(
        input,
        filters,
        output_shape,
        strides,
        padding="SAME",
        data_format=data_format,
        dilations=None,
        name=None,
    ) -> Tensor:
        return getattr(raw_ops, op)(
            input=input,
            filters=filters,
            output_shape=output_shape,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilations=dilations,
            name=name or run.__name__,
        )

    count = op[4]
    run.__name__ = run.__qualname__ = f"conv{count}d_transpose"
    run.__doc__ = f"The transpose of a convolution over {count} dimensions: the way back."
    return run


conv1d_transpose = public("nn.conv1d_transpose")(_transposed("Conv1DTranspose", "NWC"))
conv2d_transpose = public("nn.conv2d_transpose")(_transposed("Conv2DTranspose", "NHWC"))
conv3d_transpose = public("nn.conv3d_transpose")(_transposed("Conv3DTranspose", "NDHWC"))


@public("nn.conv_transpose")
def conv_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format=None,
    dilations=None,
    name=None,
) -> Tensor:
    """The transpose of a convolution."""
    count = len(output_shape) - 2
    if count not in _LAST:
        raise ValueError(f"`output_shape` must be of length 3, 4 or 5. Received: {output_shape}")
    run = (conv1d_transpose, conv2d_transpose, conv3d_transpose)[count - 1]
    data_format = data_format or _LAST[count]
    name = name or "conv_transpose"
    return run(input, filters, output_shape, strides, padding, data_format, dilations, name)


@public("nn.depthwise_conv2d")
def depthwise_conv2d(
    input, filter, strides, padding, data_format=None, dilations=None, name=None
) -> Tensor:
    """A separate convolution of every channel.

    Args:
      input: Images: batch, height, width, channels.
      filter: The weights: height, width, channels in, results for each channel.
      strides: The step of the window in each dimension.
      padding: "VALID" for windows that fit, "SAME" for windows around every element.
      data_format: Where the channels are.
      dilations: The distance between the elements of the filter.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> images = tf.ones([1, 3, 3, 2])
    >>> tf.nn.depthwise_conv2d(images, tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 2])
    """
    data_format = data_format or "NHWC"
    padding, sizes = _padding(padding)
    return raw_ops.DepthwiseConv2dNative(
        input=input,
        filter=filter,
        strides=_every(strides, 2, data_format, "strides"),
        padding=padding,
        explicit_paddings=sizes,
        data_format=data_format,
        dilations=_every(dilations, 2, data_format, "dilations"),
        name=name,
    )


def _depthwise_gradient(op, window, **inputs):
    strides, padding, data_format, dilations = window
    padding, sizes = _padding(padding)
    return op(
        **inputs,
        strides=strides,
        padding=padding,
        explicit_paddings=sizes,
        data_format=data_format,
        dilations=list(dilations),
    )


@public("nn.depthwise_conv2d_backprop_input", "v1.nn.depthwise_conv2d_native_backprop_input")
def depthwise_conv2d_backprop_input(
    input_sizes,
    filter,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
) -> Tensor:
    """The gradient of depthwise_conv2d for its input."""
    return _depthwise_gradient(
        raw_ops.DepthwiseConv2dNativeBackpropInput,
        (strides, padding, data_format, dilations),
        input_sizes=input_sizes,
        filter=filter,
        out_backprop=out_backprop,
        name=name,
    )


@public("nn.depthwise_conv2d_backprop_filter", "v1.nn.depthwise_conv2d_native_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
) -> Tensor:
    """The gradient of depthwise_conv2d for its filter."""
    return _depthwise_gradient(
        raw_ops.DepthwiseConv2dNativeBackpropFilter,
        (strides, padding, data_format, dilations),
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        name=name,
    )


@public("nn.separable_conv2d")
@scoped("separable_conv2d")
def separable_conv2d(
    input,
    depthwise_filter,
    pointwise_filter,
    strides,
    padding,
    data_format=None,
    dilations=None,
    name=None,
) -> Tensor:
    """A separate convolution of every channel, then one that mixes the channels."""
    data_format = data_format or "NHWC"
    channels = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(channels, pointwise_filter, 1, "VALID", data_format, name=name)


def _pool(op, count, input, ksize, strides, padding, data_format, name=None):
    input = _core.to_tensor(input)
    data_format = data_format or _LAST[count]
    sizes = {}
    if op == "MaxPool" and not isinstance(padding, str):
        padding, explicit = _padding(padding)
        sizes = {"explicit_paddings": explicit}
    run = getattr(raw_ops, op if count == 2 else f"{op}{count}D")
    return run(
        name=name,
        **{"value" if (op, count) == ("AvgPool", 2) else "input": input},
        ksize=_every(ksize, count, data_format, "ksize"),
        strides=_every(strides, count, data_format, "strides"),
        padding=padding,
        data_format=data_format,
        **sizes,
    )


def _spatial(input):
    shape = _core.to_tensor(input).shape
    if shape.rank not in (3, 4, 5):
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={shape} of rank "
            f"{shape.rank}"
        )
    return shape.rank - 2


@public("nn.max_pool", "v1.nn.max_pool_v2")
def max_pool(input, ksize, strides, padding, data_format=None, name=None) -> Tensor:
    """The largest value of every window.

    Args:
      input: Images: batch, height, width, channels.
      ksize: Height and width of the window.
      strides: The step of the window in each dimension.
      padding: "VALID" for windows that fit, "SAME" for windows around every element.
      data_format: Where the channels are.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.nn.max_pool([[[[1.0], [2.0]], [[3.0], [4.0]]]], ksize=2, strides=2, padding="VALID")
    <tf.Tensor: shape=(1, 1, 1, 1), dtype=float32, numpy=array([[[[4.]]]], dtype=float32)>
    """
    count = _spatial(input)
    if count == 2:
        name = name or "MaxPool2d"
    return _pool("MaxPool", count, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool1d")
def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None) -> Tensor:
    """The largest value of every window of one dimension."""
    return _pool("MaxPool", 1, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool2d")
def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None) -> Tensor:
    """The largest value of every window of two dimensions."""
    name = name or "MaxPool2d"
    return _pool("MaxPool", 2, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool3d")
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None) -> Tensor:
    """The largest value of every window of three dimensions."""
    return _pool("MaxPool", 3, input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool", "v1.nn.avg_pool_v2")
def avg_pool(input, ksize, strides, padding, data_format=None, name=None) -> Tensor:
    """The mean of every window."""
    return _pool("AvgPool", _spatial(input), input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool1d")
def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None) -> Tensor:
    """The mean of every window of one dimension."""
    return _pool("AvgPool", 1, input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool2d")
def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None) -> Tensor:
    """The mean of every window of two dimensions."""
    name = name or "AvgPool2D"
    return _pool("AvgPool", 2, input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool3d")
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None) -> Tensor:
    """The mean of every window of three dimensions."""
    return _pool("AvgPool", 3, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input,
    ksize,
    strides,
    padding,
    data_format="NHWC",
    output_dtype=None,
    include_batch_in_index=False,
    name=None,
) -> tuple[Tensor, Tensor]:
    """The largest value of every window, and its position."""
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}"
        )
    result = raw_ops.MaxPoolWithArgmax(
        input=input,
        ksize=_every(ksize, 2, data_format, "ksize"),
        strides=_every(strides, 2, data_format, "strides"),
        padding=padding,
        Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return result.output, result.argmax


@public("nn.pool")
def pool(
    input,
    window_shape,
    pooling_type,
    strides=None,
    padding="VALID",
    data_format=None,
    dilations=None,
    name=None,
) -> Tensor:
    """The largest value ("MAX") or the mean ("AVG") of every window."""
    input = _core.to_tensor(input)
    count = _spatial(input)
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"`pooling_type` must be 'MAX' or 'AVG'. Received: {pooling_type}")
    op = "MaxPool" if pooling_type == "MAX" else "AvgPool"
    name = name or f"{pooling_type.lower()}_pool"
    rates = _every(dilations, count, None, "dilations")[1:-1]
    if set(rates) == {1}:
        return _pool(op, count, input, window_shape, strides, padding, data_format, name)
    return _dilated_pool(op, count, input, window_shape, strides, padding, data_format, rates, name)


@scoped("pool")
def _dilated_pool(op, count, input, window, strides, padding, data_format, rates, name):
    """Dilated windows: elements of the same window are moved next to each other."""
    if set(_every(strides, count, None, "strides")) != {1}:
        raise ValueError("strides > 1 not supported in conjunction with dilations > 1")
    if _is_first(data_format):
        raise ValueError(f"dilations > 1 are for channels that come last, not {data_format}")
    if padding != "VALID":
        raise ValueError(f"pooling with {padding!r} padding is not implemented for dilations > 1")
    paddings, crops = required_space_to_batch_paddings(sizes_of(input)[1:-1], rates)
    together = raw_ops.SpaceToBatchND(input=input, block_shape=rates, paddings=paddings)
    pooled = _pool(op, count, together, window, None, "VALID", None)
    return raw_ops.BatchToSpaceND(input=pooled, block_shape=rates, crops=crops)
