"""tf.compat.v1.layers: layers as functions, whose variables are in variable scopes."""

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
    """The matrix product of the inputs and a kernel, plus a bias: the arguments of Dense."""
    return Dense(units, *args, name=name, _reuse=reuse, **kwargs)(inputs)


def conv2d(inputs, filters, kernel_size, *args, name=None, reuse=None, **kwargs):
    """A convolution over two dimensions: the arguments of Conv2D."""
    return Conv2D(filters, kernel_size, *args, name=name, _reuse=reuse, **kwargs)(inputs)


def conv2d_transpose(inputs, filters, kernel_size, *args, name=None, reuse=None, **kwargs):
    """The transpose of a convolution: the arguments of Conv2DTranspose."""
    return Conv2DTranspose(filters, kernel_size, *args, name=name, _reuse=reuse, **kwargs)(inputs)


def max_pooling2d(
    inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None
):
    """The largest value of every window."""
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling2d(
    inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None
):
    """The mean of every window."""
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)


def flatten(inputs, name=None, data_format="channels_last"):
    """All dimensions but the first as one."""
    return Flatten(data_format, name=name)(inputs)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """Some elements at random as zeros while training."""
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
    """The inputs with mean 0 and variance 1: the arguments of BatchNormalization."""
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, *args, name=name, _reuse=reuse, **kwargs
    )
    return layer(inputs, training=training)
