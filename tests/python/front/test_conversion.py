"""Python values as tensors: TensorFlow's dtypes, and its errors."""

import numpy as np
import penstock as tf
import pytest


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1, "int32", ()),
        (2**31, "int64", ()),
        (1.5, "float32", ()),
        (True, "bool", ()),
        (1 + 2j, "complex128", ()),
        ("x", "string", ()),
        (b"x", "string", ()),
        ([], "float32", (0,)),
        ([[]], "float32", (1, 0)),
        ([1, 2.5], "float32", (2,)),
        ([1, True], "int32", (2,)),
        ([[1, 2], [3, 4]], "int32", (2, 2)),
        ((1.0, 2.0), "float32", (2,)),
        (range(3), "int32", (3,)),
        (["a", b"b"], "string", (2,)),
        (np.int64(1), "int64", ()),
        (np.ones(2), "float64", (2,)),
        ([np.float64(1), 2.0], "float64", (2,)),
        ([np.int64(1), 2], "int32", (2,)),
        ([np.ones(2), np.ones(2)], "float64", (2, 2)),
        (np.array(["a", "bc"]), "string", (2,)),
        (np.zeros((0, 3), np.int8), "int8", (0, 3)),
    ],
)
def test_natural_dtypes(value, dtype, shape):
    tensor = tf.constant(value)
    assert (tensor.dtype, tuple(tensor.shape)) == (dtype, shape)


def test_values_arrive():
    assert tf.constant([[1, 2], [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.constant(["é", b"\x00\xff"]).numpy().tolist() == ["é".encode(), b"\x00\xff"]
    assert tf.constant(np.arange(6).reshape(2, 3).T).numpy().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert tf.constant([2**40, -1]).numpy().tolist() == [2**40, -1]
    assert tf.constant(list(range(1000))).numpy().sum() == 499500


def test_a_wanted_dtype():
    assert tf.constant(1, tf.float16).dtype == tf.float16
    assert tf.constant(True, tf.float32).numpy() == 1
    assert tf.constant(300, tf.uint8).numpy() == 44
    assert tf.constant(2**64 - 1, tf.uint64).numpy() == 2**64 - 1
    assert tf.constant(np.array([1.5]), tf.int32).numpy() == 1
    assert tf.constant([1.5, 2], tf.bfloat16).dtype == "bfloat16"
    assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32).dtype == tf.int32


@pytest.mark.parametrize(
    ("value", "dtype", "error", "text"),
    [
        (1.5, tf.int32, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        ([1.5], tf.int32, TypeError, "Cannot convert"),
        (1, tf.bool, TypeError, "Cannot convert 1"),
        ("x", tf.float32, TypeError, "Cannot convert 'x'"),
        ([[1, 2], [3]], None, ValueError, "non-rectangular"),
        ([[1, 2], 3], None, ValueError, "non-rectangular"),
        ([3, [1, 2]], None, ValueError, "non-rectangular"),
        ([True, 1], None, ValueError, "mixed types"),
        ([1, "a"], None, ValueError, "mixed types"),
        (2**64, None, ValueError, "out-of-range"),
        (None, None, ValueError, "unsupported type"),
        ([None], None, ValueError, "unsupported type"),
        (object(), None, ValueError, "unsupported type"),
        ({1: 2}, None, ValueError, "unsupported type"),
    ],
)
def test_refusals(value, dtype, error, text):
    with pytest.raises(error, match=text):
        tf.constant(value, dtype)


def test_lists_with_tensors_are_stacked():
    a = tf.constant([1.0, 2.0])
    assert tf.convert_to_tensor([a, [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.convert_to_tensor([tf.Variable(1.0), 2.0]).numpy().tolist() == [1, 2]


def test_a_tensor_keeps_its_dtype():
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype int32"):
        tf.convert_to_tensor(tf.constant([1, 2]), tf.float32)
    with pytest.raises(TypeError, match="Expected tensor"):
        tf.constant(tf.constant([1, 2]), tf.float32)


def test_shapes_of_constants():
    assert tf.constant(1, shape=(2, 2)).numpy().tolist() == [[1, 1], [1, 1]]
    assert tf.constant([1, 2, 3, 4], shape=(2, 2)).shape == (2, 2)
    with pytest.raises(TypeError, match="3 elements"):
        tf.constant([1, 2, 3], shape=(2, 2))


def test_objects_with_array():
    class Matrix:
        def __array__(self, dtype=None, copy=None):
            return np.eye(2)

    assert tf.convert_to_tensor(Matrix()).shape == (2, 2)
    assert tf.reshape(tf.ones([4]), tf.TensorShape([2, 2])).shape == (2, 2)


def test_dtypes():
    assert tf.float32 == "float32"
    assert tf.float32 == np.float32
    assert tf.float32 == tf.as_dtype(np.dtype("float32"))
    assert tf.as_dtype(float) is tf.float32
    assert tf.as_dtype(1) is tf.float32
    assert tf.int8.min == -128
    assert tf.int8.limits == (0, 127)
    assert tf.bfloat16.as_numpy_dtype.__name__ == "bfloat16"
    assert (repr(tf.float32), str(tf.float32)) == ("tf.float32", "<dtype: 'float32'>")
    for bad in (int, str, "bla", None):
        with pytest.raises(TypeError):
            tf.as_dtype(bad)
