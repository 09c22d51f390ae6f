"""Convolutions and pools over images."""

from __future__ import annotations

import functools

from penstock import nn, raw_ops
from penstock._api import public
from penstock.compat.v1._initializers import zeros_initializer
from penstock.compat.v1.layers._base import Layer


def _pair(value) -> list[int]:
    return [value, value] if isinstance(value, int) else [int(size) for size in value]


def _layout(data_format) -> str:
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            "The `data_format` argument must be one of 'channels_first', 'channels_last'. "
            f"Received: {data_format}"
        )
    return "NHWC" if data_format == "channels_last" else "NCHW"


@public("v1.layers.Conv2D")
class Conv2D(Layer):
    """A convolution over two dimensions.

    Args:
      filters: How many channels the output has.
      kernel_size: Height and width of the window.
      strides: The step of the window in each dimension.
      padding: "VALID" for windows that fit, "SAME" for windows around every element.
      data_format: Where the channels are.
      dilation_rate: The distance between the elements of the kernel.
      activation: A function of the outputs, such as tf.nn.relu; None is the identity.
      use_bias: True to add a bias.
      kernel_initializer: The initializer of the weights; None is the scope's.
      bias_initializer: The initializer of the bias.
      kernel_regularizer: A function of the weights that returns a loss.
      bias_regularizer: A function of the bias that returns a loss.
      activity_regularizer: A function of the output that returns a loss.
      kernel_constraint: A function that is applied to the weights after each step.
      bias_constraint: A function that is applied to the bias after each step.
      trainable: Whether optimizers change it.
      name: The name of the operation in a graph.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.Conv2D(2, 3)(tf.ones([1, 5, 5, 1])).shape)
    (1, 3, 3, 2)
    """

    def __init__(
        self,
        filters,
        kernel_size,
        strides=(1, 1),
        padding="valid",
        data_format="channels_last",
        dilation_rate=(1, 1),
        activation=None,
        use_bias=True,
        kernel_initializer=None,
        bias_initializer=zeros_initializer,
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        trainable=True,
        name=None,
        **kwargs,
    ):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters, self.kernel_size = int(filters), _pair(kernel_size)
        self.strides, self.dilation_rate = _pair(strides), _pair(dilation_rate)
        self.padding, self.data_format = padding.upper(), _layout(data_format)
        self.activation, self.use_bias = activation, use_bias
        self._kernel = (kernel_initializer, kernel_regularizer, kernel_constraint)
        self._bias = (bias_initializer, bias_regularizer, bias_constraint)

    def _channels(self, shape):
        channels = shape[-1 if self.data_format == "NHWC" else 1]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        return channels

    def build(self, input_shape):
        self._make([self._channels(input_shape), self.filters])

    def _make(self, channels):
        self.kernel = self.add_variable("kernel", [*self.kernel_size, *channels], *self._kernel)
        self.bias = (
            self.add_variable("bias", [self.filters], *self._bias) if self.use_bias else None
        )

    def call(self, inputs):
        return self._finished(
            nn.conv2d(
                inputs,
                self.kernel,
                self.strides,
                self.padding,
                self.data_format,
                self.dilation_rate,
            )
        )

    def _finished(self, outputs):
        if self.bias is not None:
            outputs = nn.bias_add(outputs, self.bias, self.data_format)
        return outputs if self.activation is None else self.activation(outputs)


@public("v1.layers.Conv2DTranspose")
class Conv2DTranspose(Conv2D):
    """The transpose of a convolution: an image becomes larger."""

    def __init__(
        self,
        filters,
        kernel_size,
        strides=(1, 1),
        padding="valid",
        data_format="channels_last",
        activation=None,
        use_bias=True,
        **kwargs,
    ):
        options = {"activation": activation, "use_bias": use_bias} | kwargs
        super().__init__(filters, kernel_size, strides, padding, data_format, **options)

    def build(self, input_shape):
        self._make([self.filters, self._channels(input_shape)])

    def call(self, inputs):
        first = 1 if self.data_format == "NHWC" else 2
        sizes = raw_ops.Shape(input=inputs)
        known = inputs.shape
        output = [known[0] if known[0] is not None else sizes[0]]
        for i in range(2):
            size = known[first + i] if known[first + i] is not None else sizes[first + i]
            more = max(self.kernel_size[i] - self.strides[i], 0) if self.padding == "VALID" else 0
            output.append(size * self.strides[i] + more)
        output.insert(first + 2 if first == 1 else 1, self.filters)
        if not all(isinstance(size, int) for size in output):
            output = raw_ops.Pack(values=output, axis=0)
        return self._finished(
            nn.conv2d_transpose(
                inputs, self.kernel, output, self.strides, self.padding, self.data_format
            )
        )


@public("v1.layers.MaxPooling2D")
class MaxPooling2D(Layer):
    """The largest value of every window."""

    _pool = staticmethod(functools.partial(nn.max_pool, name="MaxPool"))

    def __init__(
        self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs
    ):
        super().__init__(name=name, **kwargs)
        self.pool_size = _pair(pool_size)
        self.strides = _pair(pool_size if strides is None else strides)
        self.padding, self.data_format = padding.upper(), _layout(data_format)

    def call(self, inputs):
        return self._pool(inputs, self.pool_size, self.strides, self.padding, self.data_format)


@public("v1.layers.AveragePooling2D")
class AveragePooling2D(MaxPooling2D):
    """The mean of every window."""

    _pool = staticmethod(nn.avg_pool)
