"""TensorFlow 1's initializers, with a dtype of the initializer and a seed per op."""

from __future__ import annotations

import math

import numpy as np

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._core import Tensor
from penstock._memory.host import filled
from penstock._ops import create as _create
from penstock._ops.random import truncated_normal
from penstock._tensors.shape import TensorShape
from penstock.initializers import _fans


class Initializer:
    """The base: `initializer(shape)` makes a tensor."""

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None) -> Tensor:
        return self._make(_sizes(shape), self.dtype if dtype is None else dtypes.as_dtype(dtype))

    def _make(self, shape, dtype):
        raise NotImplementedError

    def get_config(self):
        """The arguments that recreate this initializer."""
        return {**vars(self), "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _sizes(shape):
    if isinstance(shape, _core.Tensor):
        return shape
    return TensorShape(shape).as_list()


def _floating(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return dtype


@public("v1.zeros_initializer", "v1.initializers.zeros")
class zeros_initializer(Initializer):
    """All zeros.

    Args:
      dtype: The dtype of the result.

    >>> tf.compat.v1.initializers.zeros()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def _make(self, shape, dtype):
        return _create.zeros(shape, dtype)


@public("v1.ones_initializer", "v1.initializers.ones")
class ones_initializer(Initializer):
    """All ones."""

    def _make(self, shape, dtype):
        return _create.ones(shape, dtype)


@public("v1.constant_initializer", "v1.initializers.constant")
class constant_initializer(Initializer):
    """The value, or one per element; if there are fewer, the last one is repeated."""

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected "
                "Python scalar, list or tuple of values, or numpy.ndarray."
            )
        super().__init__(dtype)
        self.value, self._verify_shape = value, verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None) -> Tensor:
        dtype = self.dtype if dtype is None else dtypes.as_dtype(dtype)
        shape = _sizes(shape)
        if np.isscalar(self.value):
            return _create.fill_with(shape, self.value, dtype)
        values = np.asarray(self.value)
        check = self._verify_shape if verify_shape is None else verify_shape
        if check and list(values.shape) != list(shape):
            raise TypeError(
                f"Expected Tensor's shape: {tuple(shape)}, but got {values.shape} for value "
                f"{self.value}."
            )
        count = math.prod(shape)
        flat = values.reshape(-1)
        if flat.size > count:
            raise ValueError(
                f"Too many elements provided. Takes at most {count}, but got {flat.size}"
            )
        return filled(flat, shape, dtype, "constant_initializer")

    def get_config(self):
        return {"value": self.value, "dtype": self.dtype.name}


@public("v1.random_uniform_initializer", "v1.initializers.random_uniform")
class random_uniform_initializer(Initializer):
    """Uniform numbers in [minval, maxval)."""

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=dtypes.float32):
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def _make(self, shape, dtype):
        from penstock import random

        return random.uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)


@public("v1.random_normal_initializer", "v1.initializers.random_normal")
class random_normal_initializer(Initializer):
    """Numbers from a normal distribution."""

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        super().__init__(_floating(dtype))
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def _make(self, shape, dtype):
        from penstock import random

        return random.normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


@public("v1.truncated_normal_initializer", "v1.initializers.truncated_normal")
class truncated_normal_initializer(random_normal_initializer):
    """Numbers from a normal distribution, none beyond two standard deviations."""

    def _make(self, shape, dtype):
        return truncated_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


@public("v1.uniform_unit_scaling_initializer", "v1.initializers.uniform_unit_scaling")
class uniform_unit_scaling_initializer(Initializer):
    """Uniform numbers that keep the scale of their inputs."""

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        super().__init__(_floating(dtype))
        self.factor, self.seed = factor, seed

    def _make(self, shape, dtype):
        from penstock import random

        inputs = max(math.prod(map(float, shape[:-1])), 1.0)
        limit = math.sqrt(3 / inputs) * self.factor
        return random.uniform(shape, -limit, limit, dtype, seed=self.seed)


@public("v1.variance_scaling_initializer", "v1.initializers.variance_scaling")
class variance_scaling_initializer(Initializer):
    """Numbers whose variance is `scale` over the number of inputs, outputs or their mean."""

    def __init__(
        self,
        scale=1.0,
        mode="fan_in",
        distribution="truncated_normal",
        seed=None,
        dtype=dtypes.float32,
    ):
        if scale <= 0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: "
                f"{mode}"
            )
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        super().__init__(_floating(dtype))
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def __call__(self, shape, dtype=None, partition_info=None) -> Tensor:
        if partition_info is not None:
            shape = partition_info.full_shape
        return super().__call__(shape, dtype)

    def _make(self, shape, dtype):
        from penstock import random

        fan_in, fan_out = _fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3 * scale)
            return random.uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random.normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        # Truncation at two deviations reduces the deviation by this factor.
        stddev = math.sqrt(scale) / 0.87962566103423978
        return truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)


@public("v1.glorot_uniform_initializer", "v1.initializers.glorot_uniform")
class glorot_uniform_initializer(variance_scaling_initializer):
    """Glorot's, uniform."""

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self):
        return {"seed": self.seed, "dtype": self.dtype.name}


@public("v1.glorot_normal_initializer", "v1.initializers.glorot_normal")
class glorot_normal_initializer(glorot_uniform_initializer):
    """Glorot's, normal.

    Args:
      seed: A number that the random numbers follow from.
      dtype: The dtype of the result.

    >>> tf.compat.v1.initializers.glorot_normal(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, seed=None, dtype=dtypes.float32):
        variance_scaling_initializer.__init__(self, 1.0, "fan_avg", "truncated_normal", seed, dtype)


@public("v1.orthogonal_initializer", "v1.initializers.orthogonal")
class orthogonal_initializer(Initializer):
    """A matrix whose rows or columns are orthogonal and of length `gain`."""

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        super().__init__(_floating(dtype))
        self.gain, self.seed = gain, seed

    def _make(self, shape, dtype):
        from penstock import random

        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        tall = [max(rows, columns), min(rows, columns)]
        q, r = raw_ops.Qr(input=random.normal(tall, dtype=dtype, seed=self.seed))
        q = q * raw_ops.Sign(x=raw_ops.MatrixDiagPartV3(input=r, k=0, padding_value=0.0))
        if rows < columns:
            q = raw_ops.MatrixTranspose(a=q)
        return self.gain * raw_ops.Reshape(tensor=q, shape=list(shape))


@public("v1.initializers.identity")
class identity_initializer(Initializer):
    """The identity matrix, times `gain`."""

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        super().__init__(_floating(dtype))
        self.gain = gain

    def _make(self, shape, dtype):
        if len(shape) != 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        return _create.eye(*shape, dtype=dtype) * self.gain


@public("v1.initializers.he_normal")
def he_normal(seed=None):
    """He's, normal."""
    return variance_scaling_initializer(2.0, "fan_in", "truncated_normal", seed)


@public("v1.initializers.he_uniform")
def he_uniform(seed=None):
    """He's, uniform."""
    return variance_scaling_initializer(2.0, "fan_in", "uniform", seed)


@public("v1.initializers.lecun_normal")
def lecun_normal(seed=None):
    """LeCun's, normal."""
    return variance_scaling_initializer(1.0, "fan_in", "truncated_normal", seed)


@public("v1.initializers.lecun_uniform")
def lecun_uniform(seed=None):
    """LeCun's, uniform."""
    return variance_scaling_initializer(1.0, "fan_in", "uniform", seed)
