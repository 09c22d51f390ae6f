"""tf.random: random tensors, with TensorFlow's streams."""

from penstock import _api, _core
from penstock import dtypes as _dtypes
from penstock import raw_ops as _raw_ops
from penstock._context.scope import scoped as _scoped
from penstock._ops.random import _is_number
from penstock._ops.random import drawn as _drawn
from penstock._ops.random import scaled as _scaled
from penstock._ops.seeds import op_seeds as _op_seeds
from penstock.random import experimental


@_scoped("random_normal")
def normal(
    shape, mean=0.0, stddev=1.0, dtype=_dtypes.float32, seed=None, name=None
) -> _core.Tensor:
    """Numbers from a normal distribution.

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
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    dtype = _dtypes.as_dtype(dtype)
    seeds = _op_seeds(seed)
    shape, mean, stddev = _drawn(shape, dtype, ("mean", "stddev"), mean, stddev)
    return _scaled(
        lambda: _raw_ops.RandomStandardNormal(shape=shape, dtype=dtype, **seeds),
        mean,
        stddev,
        name,
    )


@_scoped("random_uniform")
def uniform(
    shape, minval=0, maxval=None, dtype=_dtypes.float32, seed=None, name=None
) -> _core.Tensor:
    """Uniform numbers in [minval, maxval).

    Args:
      shape: The shape of the result.
      minval: The lower end of the range.
      maxval: The upper end of the range, which is not included.
      dtype: The dtype of the result.
      seed: A number that the random numbers follow from.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.random.set_seed(1)
    >>> tf.random.uniform([2], minval=5, maxval=6).shape
    TensorShape([2])
    """
    dtype = _dtypes.as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_integer):
        raise ValueError(f"Argument `dtype` got invalid value {dtype!r}: no numbers to draw.")
    seeds = _op_seeds(seed)
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        bounds = (_core.to_tensor(bound, dtype) for bound in (minval, maxval))
        shape, minval, maxval = _drawn(shape, dtype, ("min", "max"), *bounds)
        return _raw_ops.RandomUniformInt(
            shape=shape, minval=minval, maxval=maxval, **seeds, name=name
        )
    maxval = 1 if maxval is None else maxval
    if _is_number(minval, 0) and _is_number(maxval, 1):
        (shape,), name = _drawn(shape, dtype, ()), None
    else:
        shape, minval, maxval = _drawn(shape, dtype, ("min", "max"), minval, maxval)
    return _scaled(
        lambda: _raw_ops.RandomUniform(shape=shape, dtype=dtype, **seeds),
        minval,
        maxval - minval,
        name,
    )


__getattr__, __dir__ = _api.surface("random")
