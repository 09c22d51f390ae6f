"""tf.compat.v1.layers: layers as functions, with variables in variable scopes."""

from penstock.compat.v1.layers._base import Layer
from penstock.compat.v1.layers._convolutional import (
    AveragePooling2D,
    Conv2D,
    Conv2DTranspose,
    MaxPooling2D,
)
from penstock.compat.v1.layers._core import BatchNormalization, Dense, Dropout, Flatten

__all__ = [
    "AveragePooling2D",
    "BatchNormalization",
    "Conv2D",
    "Conv2DTranspose",
    "Dense",
    "Dropout",
    "Flatten",
    "Layer",
    "MaxPooling2D",
    "average_pooling2d",
    "batch_normalization",
    "conv2d",
    "conv2d_transpose",
    "dense",
    "dropout",
    "flatten",
    "max_pooling2d",
]


def dense(inputs, units, *args, name=None, reuse=None, **kwargs):
    """The matrix product of the inputs and a kernel, plus a bias: the arguments of Dense.

    Args:
      inputs: The input.
      units: The size of the output.
      *args: As Dense takes them.
      name: The name of the operation in a graph.
      reuse: True to find variables that exist; tf.compat.v1.AUTO_REUSE to make those that
        do not.
      **kwargs: As Dense takes them.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.dense(tf.ones([2, 3]), 4).shape)
    (2, 4)
    """
    return Dense(units, *args, name=name, _reuse=reuse, **kwargs)(inputs)


def conv2d(inputs, filters, kernel_size, *args, name=None, reuse=None, **kwargs):
    """A convolution over two dimensions: the arguments of Conv2D.

    Args:
      inputs: The input.
      filters: How many channels the output has.
      kernel_size: Height and width of the window.
      *args: As Conv2D takes them.
      name: The name of the operation in a graph.
      reuse: True to find variables that exist; tf.compat.v1.AUTO_REUSE to make those that
        do not.
      **kwargs: As Conv2D takes them.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.conv2d(tf.ones([1, 5, 5, 1]), 2, 3).shape)
    (1, 3, 3, 2)
    """
    return Conv2D(filters, kernel_size, *args, name=name, _reuse=reuse, **kwargs)(inputs)


def conv2d_transpose(inputs, filters, kernel_size, *args, name=None, reuse=None, **kwargs):
    """The transpose of a convolution: the arguments of Conv2DTranspose.

    Args:
      inputs: The input.
      filters: How many channels the output has.
      kernel_size: Height and width of the window.
      *args: As Conv2DTranspose takes them.
      name: The name of the operation in a graph.
      reuse: True to find variables that exist; tf.compat.v1.AUTO_REUSE to make those that
        do not.
      **kwargs: As Conv2DTranspose takes them.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.conv2d_transpose(tf.ones([1, 3, 3, 1]), 2, 3).shape)
    (1, 5, 5, 2)
    """
    return Conv2DTranspose(filters, kernel_size, *args, name=name, _reuse=reuse, **kwargs)(inputs)


def max_pooling2d(
    inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None
):
    """The largest value of every window.

    Args:
      inputs: Images: batch, height, width, channels.
      pool_size: Height and width of the window.
      strides: The step of the window in each dimension.
      padding: "VALID" for windows that fit, "SAME" for windows around every element.
      data_format: Where the channels are.
      name: The name of the operation in a graph.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.max_pooling2d(tf.ones([1, 4, 4, 2]), 2, 2).shape)
    (1, 2, 2, 2)
    """
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling2d(
    inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None
):
    """The mean of every window.

    Args:
      inputs: Images: batch, height, width, channels.
      pool_size: Height and width of the window.
      strides: The step of the window in each dimension.
      padding: "VALID" for windows that fit, "SAME" for windows around every element.
      data_format: Where the channels are.
      name: The name of the operation in a graph.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.average_pooling2d(tf.ones([1, 4, 4, 2]), 2, 2).shape)
    (1, 2, 2, 2)
    """
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)


def flatten(inputs, name=None, data_format="channels_last"):
    """Flattens all dimensions except the first.

    Args:
      inputs: The input.
      name: The name of the operation in a graph.
      data_format: Where the channels are.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.flatten(tf.ones([2, 3, 4])).shape)
    (2, 12)
    """
    return Flatten(data_format, name=name)(inputs)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """Sets random elements to zero during training.

    Args:
      inputs: The input.
      rate: The probability that an element is dropped.
      noise_shape: The shape of the choice, which broadcasts to `x`; None is the shape of
        `x`.
      seed: A number that the random numbers follow from.
      training: True while training.
      name: The name of the operation in a graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     print(sess.run(tf.compat.v1.layers.dropout(tf.ones([3]), 0.5)))
    [1. 1. 1.]
    """
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


def batch_normalization(
    inputs,
    axis=-1,
    momentum=0.99,
    epsilon=1e-3,
    center=True,
    scale=True,
    *args,
    training=False,
    name=None,
    reuse=None,
    **kwargs,
):
    """Normalises the inputs to mean 0 and variance 1: the arguments of BatchNormalization.

    Args:
      inputs: The input.
      axis: The dimension; a negative one counts from the end.
      momentum: The decay of the running mean and variance.
      epsilon: A small number that keeps the divisor from 0.
      center: True to add an offset that is learned.
      scale: True to multiply by a factor that is learned.
      *args: As BatchNormalization takes them.
      training: True while training.
      name: The name of the operation in a graph.
      reuse: True to find variables that exist; tf.compat.v1.AUTO_REUSE to make those that
        do not.
      **kwargs: As BatchNormalization takes them.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.batch_normalization(tf.ones([2, 3])).shape)
    (2, 3)
    """
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, *args, name=name, _reuse=reuse, **kwargs
    )
    return layer(inputs, training=training)
