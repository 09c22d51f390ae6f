"""tf.random: tensors from the streams of the global seed, and from given seeds (stateless_*)."""

from __future__ import annotations

import enum
import numbers

import numpy as np

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._context.scope import scoped
from penstock._core import Tensor
from penstock._ops.convert import cast, node_of
from penstock._ops.create import dims_of
from penstock._ops.seeds import op_seeds
from penstock._tensors.shape import TensorShape

_PHILOX = 1  # TensorFlow's number of the generator; the only one here
_TINY = {"float16": 6.104e-05, "float32": 1.1754944e-38, "float64": 2.2250738585072014e-308}


def _is_number(value, number) -> bool:
    """Whether it is that number, and no tensor or array."""
    return isinstance(value, (int, float)) and value == number


def vector_of(shape):
    """The shape of random numbers, which must not be a single number."""
    is_tensor = isinstance(shape, (_core.Tensor, np.ndarray))
    if len(shape.shape) == 0 if is_tensor else isinstance(shape, numbers.Integral):
        kind = (
            errors._TracingError
            if _core.is_tracing() or _core.is_building()
            else errors.InvalidArgumentError
        )
        raise kind(None, None, "shape must be a vector of {int32,int64}, got shape []")
    return dims_of(shape)


def drawn(shape, dtype, names, *values):
    """The shape of random numbers, and the values that they are scaled by; in a graph as constants
    of these names."""
    shape = vector_of(shape)
    if not _core.is_building():
        return shape, *values
    if isinstance(shape, TensorShape):
        shape = node_of(shape, dtypes.int32, "shape")
    pairs = zip(values, names, strict=True)
    return shape, *(node_of(value, dtype, name) for value, name in pairs)


def scaled(draw, mean, stddev, name=None) -> Tensor:
    """draw() * stddev + mean: in one expression, so that it is one buffer. In a graph the nodes
    have their names from TensorFlow, and the last one `name`."""
    if name is not None and _core.is_building():
        return raw_ops.AddV2(x=draw() * stddev, y=mean, name=name)
    if _is_number(mean, 0) and _is_number(stddev, 1):
        return draw()
    return draw() * stddev + mean


@public("random.truncated_normal", "v1.truncated_normal")
@scoped("truncated_normal")
def truncated_normal(
    shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None
) -> Tensor:
    """Numbers from a normal distribution, none more than two deviations from the mean.

    Args:
      shape: The shape of the result.
      mean: The mean of the distribution.
      stddev: The standard deviation of the distribution.
      dtype: The dtype of the result.
      seed: A number that the random numbers follow from.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(tf.abs(tf.random.truncated_normal([100])) <= 2.0))
    True
    """
    seeds = op_seeds(seed)
    dtype = dtypes.as_dtype(dtype)
    shape, mean, stddev = drawn(shape, dtype, ("mean", "stddev"), mean, stddev)
    return scaled(
        lambda: raw_ops.TruncatedNormal(shape=shape, dtype=dtype, **seeds),
        mean,
        stddev,
        name,
    )


def _at_least_tiny(samples, beta):
    return raw_ops.Maximum(
        x=_core.to_tensor(_TINY[samples.dtype.name], samples.dtype), y=samples / beta
    )


@public("random.gamma", "v1.random_gamma")
@scoped("random_gamma")
def gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Numbers from gamma distributions: `shape` of them for every alpha and beta."""
    dtype = dtypes.as_dtype(dtype)
    alpha, beta = _core.to_tensor(alpha, dtype), _core.to_tensor(1 if beta is None else beta, dtype)
    seeds = op_seeds(seed)
    alpha = alpha + raw_ops.ZerosLike(x=beta)
    samples = raw_ops.RandomGamma(shape=vector_of(shape), alpha=alpha, **seeds)
    return _at_least_tiny(samples, beta)


@public("random.poisson")
def poisson(shape, lam, dtype=dtypes.float32, seed=None, name=None) -> Tensor:
    """Numbers from Poisson distributions: `shape` of them for every rate."""
    seeds = op_seeds(seed)
    return raw_ops.RandomPoissonV2(
        shape=vector_of(shape), rate=lam, dtype=dtypes.as_dtype(dtype), **seeds, name=name
    )


@public("random.categorical")
def categorical(logits, num_samples, dtype=None, seed=None, name=None) -> Tensor:
    """Classes with probabilities given by their logits."""
    seeds = op_seeds(seed)
    return raw_ops.Multinomial(
        logits=logits,
        num_samples=num_samples,
        **seeds,
        output_dtype=dtypes.int64 if dtype is None else dtypes.as_dtype(dtype),
        name=name,
    )


@public("random.shuffle", "v1.random_shuffle")
def shuffle(value, seed=None, name=None) -> Tensor:
    """`value` with the slices along its first dimension in random order.

    Args:
      value: The value.
      seed: A number that the random numbers follow from.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.random.set_seed(1)
    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    seeds = op_seeds(seed)
    return raw_ops.RandomShuffle(value=value, **seeds, name=name)


@public("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The generator of a stream: always Philox here."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def check_algorithm(alg):
    """Rejects algorithms other than Philox."""
    names = {algorithm.name.lower(): algorithm for algorithm in Algorithm}
    chosen = names.get(alg) if isinstance(alg, str) else Algorithm(alg)
    if chosen not in (Algorithm.PHILOX, Algorithm.AUTO_SELECT):
        raise ValueError(f"Unsupported algorithm: {alg}. Philox is the only one.")


def _keyed(op, shape, seed, alg="auto_select", **more):
    check_algorithm(alg)
    key, counter = raw_ops.StatelessRandomGetKeyCounter(seed=seed)
    run = getattr(raw_ops, op)
    return run(shape=vector_of(shape), key=key, counter=counter, alg=_PHILOX, **more)


@public("random.stateless_normal")
@scoped("stateless_random_normal")
def stateless_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"
) -> Tensor:
    """Numbers from a normal distribution that depend only on the seed.

    Args:
      shape: The shape of the result.
      seed: Two integers.
      mean: The mean of the distribution.
      stddev: The standard deviation of the distribution.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.
      alg: The algorithm: "philox" is the only one.

    Returns:
      A tensor.

    >>> a, b = (tf.random.stateless_normal([3], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """
    dtype = dtypes.as_dtype(dtype)
    return scaled(
        lambda: _keyed("StatelessRandomNormalV2", shape, seed, alg, dtype=dtype),
        mean,
        stddev,
        name,
    )


@public("random.stateless_truncated_normal")
@scoped("stateless_truncated_normal")
def stateless_truncated_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"
) -> Tensor:
    """Numbers from a truncated normal distribution that depend only on the seed."""
    dtype = dtypes.as_dtype(dtype)
    return scaled(
        lambda: _keyed("StatelessTruncatedNormalV2", shape, seed, alg, dtype=dtype),
        mean,
        stddev,
        name,
    )


def uniform_by(draw, minval, maxval, dtype, name=None) -> Tensor:
    """Numbers in [minval, maxval), where draw(op, **attributes) makes the raw ones."""
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_integer:
        maxval = 1 if maxval is None else maxval
        minval, maxval = _core.to_tensor(minval, dtype), _core.to_tensor(maxval, dtype)
        return scaled(
            lambda: draw("StatelessRandomUniformV2", dtype=dtype), minval, maxval - minval, name
        )
    if minval is None and maxval is None:
        return draw("StatelessRandomUniformFullIntV2", dtype=dtype, name=name)
    if minval is None or maxval is None:
        raise ValueError(
            f"For integer `dtype` argument {dtype.name}, argument `minval` and `maxval` must be "
            f"both None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    minval, maxval = _core.to_tensor(minval, dtype), _core.to_tensor(maxval, dtype)
    return draw("StatelessRandomUniformIntV2", minval=minval, maxval=maxval, name=name)


@public("random.stateless_uniform")
@scoped("stateless_random_uniform")
def stateless_uniform(
    shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None, alg="auto_select"
) -> Tensor:
    """Uniform numbers in [minval, maxval) that depend only on the seed.

    Args:
      shape: The shape of the result.
      seed: Two integers.
      minval: The lower end of the range.
      maxval: The upper end of the range, which is not included.
      dtype: The dtype of the result.
      name: The name of the operation in a graph.
      alg: The algorithm: "philox" is the only one.

    Returns:
      A tensor.

    >>> a, b = (tf.random.stateless_uniform([3], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """
    return uniform_by(
        lambda op, **more: _keyed(op, shape, seed, alg, **more), minval, maxval, dtype, name
    )


@public("random.stateless_gamma")
@scoped("stateless_random_gamma")
def stateless_gamma(shape, seed, alpha, beta=None, dtype=dtypes.float32, name=None) -> Tensor:
    """Numbers from gamma distributions that depend only on the seed."""
    dtype = dtypes.as_dtype(dtype)
    alpha, beta = _core.to_tensor(alpha, dtype), _core.to_tensor(1 if beta is None else beta, dtype)
    alpha = alpha + raw_ops.ZerosLike(x=beta)
    return _at_least_tiny(_keyed("StatelessRandomGammaV3", shape, seed, alpha=alpha), beta)


@public("random.stateless_poisson")
def stateless_poisson(shape, seed, lam, dtype=dtypes.int32, name=None) -> Tensor:
    """Numbers from Poisson distributions that depend only on the seed."""
    return raw_ops.StatelessRandomPoisson(
        shape=vector_of(shape),
        seed=seed,
        lam=lam,
        dtype=dtypes.as_dtype(dtype),
        name=name,
    )


@public("random.stateless_binomial")
def stateless_binomial(shape, seed, counts, probs, output_dtype=dtypes.int32, name=None) -> Tensor:
    """Numbers from binomial distributions that depend only on the seed."""
    probs = _core.to_tensor(probs)
    return raw_ops.StatelessRandomBinomial(
        shape=vector_of(shape),
        seed=seed,
        counts=cast(counts, probs.dtype),
        probs=probs,
        dtype=dtypes.as_dtype(output_dtype),
        name=name,
    )


@public("random.stateless_categorical")
def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None) -> Tensor:
    """Classes with probabilities given by their logits, which depend only on the seed."""
    return raw_ops.StatelessMultinomial(
        logits=logits,
        num_samples=num_samples,
        seed=seed,
        output_dtype=dtypes.as_dtype(dtype),
        name=name,
    )


@public("random.experimental.stateless_shuffle")
def stateless_shuffle(value, seed, alg="auto_select", name=None) -> Tensor:
    """`value` in an order that depends only on the seed."""
    check_algorithm(alg)
    key, counter = raw_ops.StatelessRandomGetKeyCounter(seed=seed)
    return raw_ops.StatelessShuffle(value=value, key=key, counter=counter, alg=_PHILOX, name=name)


@public("random.split", "random.experimental.stateless_split")
def split(seed, num=2, alg="auto_select") -> Tensor:
    """`num` new seeds from one."""
    check_algorithm(alg)
    return raw_ops.RandomSplit(seed=seed, num=num)


@public("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed, data, alg="auto_select") -> Tensor:
    """A new seed from a seed and a number."""
    check_algorithm(alg)
    return raw_ops.RandomFoldIn(seed=seed, data=data)
