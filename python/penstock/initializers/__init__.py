"""tf.initializers: first values of weights, of a shape given later."""

from __future__ import annotations as _annotations

import math as _math

from penstock import _core
from penstock import dtypes as _dtypes
from penstock import raw_ops as _raw_ops
from penstock._ops.create import eye as _eye
from penstock._ops.create import fill_with as _fill_with
from penstock._ops.seeds import next_seeds as _next_seeds


class Initializer:
    """The base: `initializer(shape, dtype)` makes a tensor."""

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self):
        """The arguments that make this initializer again."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _dtype(dtype):
    return _dtypes.float32 if dtype is None else _dtypes.as_dtype(dtype)


class Zeros(Initializer):
    """All zeros."""

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        return _fill_with(shape, False, _dtype(dtype))


class Ones(Initializer):
    """All ones."""

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        return _fill_with(shape, True, _dtype(dtype))


class Constant(Initializer):
    """The same value everywhere."""

    def __init__(self, value=0.0):
        self.value = value

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        value = _core.to_tensor(self.value, _dtype(dtype))
        return _raw_ops.BroadcastTo(input=value, shape=list(shape))


class Identity(Initializer):
    """The identity matrix, times `gain`."""

    def __init__(self, gain=1.0):
        self.gain = gain

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. Received: "
                f"shape={tuple(shape)} of rank {len(shape)}."
            )
        return _eye(*shape, dtype=_dtype(dtype)) * self.gain


class _Random(Initializer):
    """Draws the same numbers every time it is called, as in TensorFlow: it keeps its seed."""

    def __init__(self, seed=None):
        self.seed = _next_seeds()[1] if seed is None else int(seed)

    def _normal(self, shape, mean, stddev, dtype, truncated):
        seed, shape = [self.seed, 0], list(shape)
        key, counter = _raw_ops.StatelessRandomGetKeyCounter(seed=seed)
        op = _raw_ops.StatelessTruncatedNormalV2 if truncated else _raw_ops.StatelessRandomNormalV2
        values = op(shape=shape, key=key, counter=counter, alg=1, dtype=_dtype(dtype))
        return values * stddev + mean

    def _uniform(self, shape, low, high, dtype):
        seed, shape = [self.seed, 0], list(shape)
        key, counter = _raw_ops.StatelessRandomGetKeyCounter(seed=seed)
        values = _raw_ops.StatelessRandomUniformV2(
            shape=shape, key=key, counter=counter, alg=1, dtype=_dtype(dtype)
        )
        return values * (high - low) + low


class RandomNormal(_Random):
    """Numbers from a normal distribution.

    Args:
      mean: The mean of the distribution.
      stddev: The standard deviation of the distribution.
      seed: A number that the random numbers follow from.

    >>> tf.initializers.RandomNormal(stddev=0.1)(shape=[2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        return self._normal(shape, self.mean, self.stddev, dtype, truncated=False)


class TruncatedNormal(RandomNormal):
    """Numbers from a normal distribution, none beyond two standard deviations.

    Args:
      mean: The mean of the distribution.
      stddev: The standard deviation of the distribution.
      seed: A number that the random numbers follow from.

    >>> tf.initializers.TruncatedNormal(stddev=0.1)(shape=[2, 3]).shape
    TensorShape([2, 3])
    """

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        return self._normal(shape, self.mean, self.stddev, dtype, truncated=True)


class RandomUniform(_Random):
    """Numbers from [minval, maxval), all equally likely."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        return self._uniform(shape, self.minval, self.maxval, dtype)


def _fans(shape):
    """How many inputs and outputs a unit of a layer with such weights has."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = _math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class VarianceScaling(_Random):
    """Numbers whose variance is `scale` over the number of inputs, outputs or their mean."""

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None):
        if scale <= 0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                f"Invalid `mode` argument: {mode}. Please use one of 'fan_in', 'fan_out', 'fan_avg'"
            )
        distribution = distribution.lower()
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Invalid `distribution` argument: {distribution}.")
        super().__init__(seed)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        fan_in, fan_out = _fans(list(shape))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = _math.sqrt(3 * variance)
            return self._uniform(shape, -limit, limit, dtype)
        truncated = self.distribution == "truncated_normal"
        # What is cut off at two deviations takes this much of the deviation with it.
        stddev = _math.sqrt(variance) / (0.87962566103423978 if truncated else 1)
        return self._normal(shape, 0.0, stddev, dtype, truncated)


def _scaling(name, scale, mode, distribution, doc):
    def __init__(self, seed=None):
        VarianceScaling.__init__(self, scale, mode, distribution, seed)

    def get_config(self):
        return {"seed": self.seed}

    members = {"__init__": __init__, "get_config": get_config, "__doc__": doc}
    return type(name, (VarianceScaling,), members | {"__module__": __name__})


GlorotUniform = _scaling("GlorotUniform", 1.0, "fan_avg", "uniform", "Glorot's, uniform.")
GlorotNormal = _scaling("GlorotNormal", 1.0, "fan_avg", "truncated_normal", "Glorot's, normal.")
HeUniform = _scaling("HeUniform", 2.0, "fan_in", "uniform", "He's, uniform.")
HeNormal = _scaling("HeNormal", 2.0, "fan_in", "truncated_normal", "He's, normal.")
LecunUniform = _scaling("LecunUniform", 1.0, "fan_in", "uniform", "LeCun's, uniform.")
LecunNormal = _scaling("LecunNormal", 1.0, "fan_in", "truncated_normal", "LeCun's, normal.")


class Orthogonal(_Random):
    """A matrix whose rows or columns are orthogonal and of length `gain`."""

    def __init__(self, gain=1.0, seed=None):
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape, dtype=None, **kwargs) -> _core.Tensor:
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={tuple(shape)} of rank {len(shape)}."
            )
        rows, columns = _math.prod(shape[:-1]), shape[-1]
        tall = [max(rows, columns), min(rows, columns)]
        q, r = _raw_ops.Qr(input=self._normal(tall, 0.0, 1.0, dtype, truncated=False))
        q = q * _raw_ops.Sign(x=_raw_ops.MatrixDiagPartV3(input=r, k=0, padding_value=0.0))
        if rows < columns:
            q = _raw_ops.MatrixTranspose(a=q)
        return self.gain * _raw_ops.Reshape(tensor=q, shape=list(shape))


def get(identifier):
    """The initializer of that name, such as "glorot_uniform"; None and callables as they are."""
    if identifier is None or (callable(identifier) and not isinstance(identifier, type)):
        return identifier
    if isinstance(identifier, type):
        return identifier()
    cls = globals().get("".join(part.capitalize() for part in str(identifier).split("_")))
    cls = cls or globals().get(str(identifier))
    if isinstance(cls, type) and issubclass(cls, Initializer):
        return cls()
    raise ValueError(f"Could not interpret initializer identifier: {identifier}")
