"""Mistakes with functions and symbolic tensors: TensorFlow's classes and words."""

import copy
import pickle

import numpy as np
import penstock as tf
import pytest

BINDING = [
    ((), {}, "missing a required argument: 'x'"),
    ((1, 2, 3), {}, "too many positional arguments"),
    ((1,), {"z": 1}, "got an unexpected keyword argument 'z'"),
    ((1,), {"x": 1}, "multiple values for argument 'x'"),
]


@pytest.mark.parametrize(("args", "kwargs", "reason"), BINDING)
def test_binding(args, kwargs, reason):
    f = tf.function(lambda x, y=2: x * y)
    with pytest.raises(TypeError) as error:
        f(*args, **kwargs)
    assert str(error.value) == (
        f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
        f"kwargs: {kwargs} for signature: (x, y=<captured_default_value>)."
    )


def leaked():
    kept = []
    tf.function(lambda x: kept.append(x + 1))(tf.constant([1.0, 2.0]))
    return kept[0]


USES = [
    lambda t: t + 1,
    lambda t: t == 1,
    lambda t: tf.reduce_sum(t),
    lambda t: tf.function(lambda x: x)(t),
    lambda t: tf.function(lambda x: x + t)(1.0),
]


@pytest.mark.parametrize("use", USES)
def test_a_tensor_outside_of_its_function(use):
    with pytest.raises(TypeError, match="shape=\\(2,\\) dtype=float32> is out of scope and cannot"):
        use(leaked())


NOT_ALLOWED = tf.errors.OperatorNotAllowedInGraphError
SYMBOLIC = [
    (bool, NOT_ALLOWED, "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"),
    (list, NOT_ALLOWED, "Iterating over a symbolic `tf.Tensor` is not allowed"),
    (len, TypeError, r"len is not well defined for a symbolic Tensor \(x:0\)"),
    (np.array, NotImplementedError, r"Cannot convert a symbolic tf.Tensor \(x:0\) to a numpy"),
    (np.sin, NotImplementedError, "Cannot convert a symbolic"),
    (int, TypeError, "int.. argument must be .*, not 'SymbolicTensor'"),
    (float, TypeError, "float.. argument must be .*, not 'SymbolicTensor'"),
    (complex, TypeError, "complex.. first argument must be"),
    (range, TypeError, None),
    (hash, TypeError, "Tensor is unhashable. Instead, use tensor.ref"),
    (lambda x: x.numpy(), AttributeError, "numpy"),
    (lambda x: f"{x:.2f}", TypeError, "unsupported format string"),
    (lambda x: x.eval(), ValueError, "No default session is registered"),
    (pickle.dumps, TypeError, "cannot pickle 'SymbolicTensor'"),
]


@pytest.mark.parametrize(("use", "error", "words"), SYMBOLIC)
def test_a_symbolic_tensor_has_no_value(use, error, words):
    @tf.function(autograph=False)
    def f(x):
        with pytest.raises(error, match=words):
            use(x)
        return x

    f(tf.constant([1.0, 2.0]))


def test_what_a_symbolic_tensor_does_have():
    @tf.function
    def f(x):
        assert (x.name, str(x)) == ("x:0", 'Tensor("x:0", shape=(2,), dtype=float32)')
        assert repr(x) == "<tf.Tensor 'x:0' shape=(2,) dtype=float32>"
        assert f"{x}" == str(x)
        assert copy.copy(x) is x
        assert tf.get_static_value(x) is None
        tf.debugging.assert_shapes([(x, ("N",))])
        tf.debugging.assert_equal(tf.shape(x), [2])
        tf.debugging.assert_rank(x, 1)
        return np.ones(2) + x

    assert f(tf.constant([1.0, 2.0])).dtype == tf.float32


def test_an_error_in_the_function_leaves_no_trace():
    @tf.function
    def f(x):
        if x.shape.rank == 0:
            raise RuntimeError("mine")
        return x + 1

    with pytest.raises(RuntimeError, match="mine"):
        f(1.0 + tf.zeros([]))
    assert tf.executing_eagerly()
    assert f(tf.constant([1.0])).numpy() == [2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda a, b: tf.matmul(a, b))(tf.ones([2, 3]), tf.ones([2, 3]))
    assert tf.executing_eagerly()


def test_what_cannot_be_traced_is_a_value_error_too():
    f = tf.function(lambda x: x @ x)
    for kind in (ValueError, tf.errors.InvalidArgumentError):
        with pytest.raises(kind, match="Matrix size-incompatible") as error:
            f(tf.ones([2, 3]))
    assert pickle.loads(pickle.dumps(error.value)).message == error.value.message
    assert error.traceback[-1].path.name == "test_function_errors.py"
    found = tf.function(lambda x, i: tf.gather(x, i))
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        found(tf.ones([2]), tf.constant(7))  # when it runs
    assert not isinstance(error.value, ValueError)
