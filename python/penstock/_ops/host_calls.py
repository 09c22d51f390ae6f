"""Functions about execution. Ops run eagerly, so most of these have little to do."""

from __future__ import annotations

import contextlib

import numpy as np

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._context.trace import call_when_run
from penstock._tensors.shape import TensorShape

_NO_SHAPE = TensorShape(None)


# TensorFlow's errors for a Python function that fails as an op.
_AS_OP_ERROR = (
    ((TypeError, ValueError), errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (Exception, errors.UnknownError),
)


@contextlib.contextmanager
def _op_errors():
    try:
        yield
    except errors.OpError:
        raise
    except Exception as error:
        kind = next(kind for classes, kind in _AS_OP_ERROR if isinstance(error, classes))
        raise kind(None, None, f"{type(error).__name__}: {error}") from error


def _check_callable(func):
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )


def _outputs(result, wanted, convert) -> list:
    """The results of a function as tensors of the wanted dtypes."""
    wanted = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    values = result if isinstance(result, (list, tuple)) else [] if result is None else [result]
    if len(values) != len(wanted):
        raise ValueError(f"{len(values)} values returned, but {len(wanted)} expected")
    kinds = [dtypes.as_dtype(getattr(kind, "dtype", kind)) for kind in wanted]
    return list(map(convert, values, kinds))


def _converted(value, dtype):
    return _core.to_tensor(value, dtype)


def _own_array(value):
    """An array that the function may change; a tensor's copy is counted under the host tag."""
    is_counted = isinstance(value, _core.Tensor) and value.shape.rank
    return value.numpy() if is_counted else np.array(value)


def _as_promised(value, dtype):
    """A value as a NumPy array, which must have the declared dtype."""
    # As objects, strings keep trailing zero bytes.
    kind = object if dtype is dtypes.string and not isinstance(value, np.ndarray) else None
    tensor = _core.to_tensor(np.asarray(value, kind))
    if tensor.dtype is not dtype:
        raise TypeError(f"a value returned is {tensor.dtype.name}, but expects {dtype.name}")
    return tensor


def _types(wanted) -> list:
    """The declared (dtype, shape) of a function's results; TensorSpecs have both."""
    wanted = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    return [
        (dtypes.as_dtype(getattr(kind, "dtype", kind)), getattr(kind, "shape", _NO_SHAPE)._dims)
        for kind in wanted
    ]


@public("py_function")
def py_function(func=None, inp=None, Tout=None, name=None):
    """The results of a Python function of tensors, as tensors of the dtypes `Tout`.

    Args:
      func: The Python function; it gets eager tensors.
      inp: The tensors that the function gets.
      Tout: The dtype of the result, or a list of dtypes.
      name: The name of the operation in a graph.

    >>> @tf.function
    ... def doubled(x):
    ...     return tf.py_function(lambda t: t.numpy() * 2, [x], tf.float32)
    >>> doubled(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    """
    _check_callable(func)
    inputs = [_core.to_tensor(value) for value in inp]

    def run(tensors):
        with _op_errors():
            return _outputs(func(*tensors), Tout, _converted)

    if _core.is_tracing():
        outputs = call_when_run(
            "py_function",
            run,
            inputs,
            _types(Tout),
            passes_gradients=True,
            node=name or "EagerPyFunc",
        )
    else:
        outputs = run(inputs)
    return outputs if isinstance(Tout, (list, tuple)) else outputs[0]


@public("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """The results of a Python function of NumPy arrays, as tensors. It has no gradient."""
    _check_callable(func)
    if _core.is_tracing():
        inputs = [_core.to_tensor(value) for value in inp]

        def run(tensors):
            with _op_errors():
                return _outputs(func(*map(_own_array, tensors)), Tout, _as_promised)

        outputs = call_when_run("numpy_function", run, inputs, _types(Tout), node=name or "PyFunc")
        if not outputs:
            return None
        return outputs if isinstance(Tout, (list, tuple)) else outputs[0]
    # Run eagerly, it is an ordinary function: its results decide the dtypes.
    result = func(*map(_own_array, inp))
    if result is None or not isinstance(result, (list, tuple)):
        return result if result is None else _core.to_tensor(result)
    return [_core.to_tensor(value) for value in result]
