"""Initializers under their names at the top level: without a seed they draw from the global one."""

from __future__ import annotations

from penstock import dtypes
from penstock._api import public
from penstock._ops import convert as _convert
from penstock._ops import create as _create
from penstock.initializers import Initializer


def _numeric(dtype):
    dtype = dtypes.as_dtype(dtype)
    if dtype is dtypes.string:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return dtype


@public("zeros_initializer")
class zeros_initializer(Initializer):
    """All zeros.

    >>> tf.zeros_initializer()(shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return _create.zeros(shape, _numeric(dtype))


@public("ones_initializer")
class ones_initializer(Initializer):
    """All ones.

    >>> tf.ones_initializer()(shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
    """

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return _create.ones(shape, _numeric(dtype))


@public("constant_initializer")
class constant_initializer(Initializer):
    """The value, or as many values as the shape has elements. Its dtype is kept unless one is
    given.

    Args:
      value: The value.
      support_partition: Taken as in TensorFlow, and not used.

    >>> tf.constant_initializer(0.5)(shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """

    def __init__(self, value=0, support_partition=False):
        self.value = value

    def __call__(self, shape, dtype=None, **kwargs):
        return _convert.constant(self.value, dtype, shape)


class _Random(Initializer):
    def _draw(self, kind, shape, dtype, **range_):
        from penstock import random

        if self.seed is None:
            return getattr(random, kind)(shape, dtype=dtype, **range_)
        return getattr(random, "stateless_" + kind)(shape, [self.seed, 0], dtype=dtype, **range_)


@public("random_normal_initializer")
class random_normal_initializer(_Random):
    """Numbers from a normal distribution."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(
                f"Argument `dtype` is expected to be floating point. Received: {dtype}."
            )
        return self._draw("normal", shape, dtype, mean=self.mean, stddev=self.stddev)


@public("random_uniform_initializer")
class random_uniform_initializer(_Random):
    """Numbers from [minval, maxval), all equally likely."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return self._draw("uniform", shape, dtype, minval=self.minval, maxval=self.maxval)
