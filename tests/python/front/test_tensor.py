"""Tensors as Python objects: operators, indexing, printing, attributes."""

import copy
import gc
import operator
import pickle
import weakref

import numpy as np
import penstock as tf
import pytest

A = np.array([1, 2], np.int32)
M = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@pytest.mark.parametrize(
    "expression",
    [
        "a+1",
        "1+a",
        "a-1",
        "a*a",
        "2*a",
        "a/2",
        "a//2",
        "a%2",
        "a**2",
        "2**a",
        "-a",
        "abs(-a)",
        "a<2",
        "a>=2",
        "a==a",
        "a!=1",
        "m@m",
        "m+1.5",
        "[1,2]+a",
        "a+[1,2]",
        "m[0]",
        "m[:,1]",
        "m[...,None]",
        "m[-1,::-1]",
        "m[0,0]",
        "m[m>2]",
        "m[None]",
        "m[1:]",
        "m[:,:1]",
    ],
)
def test_operators_as_numpy(expression):
    expected = np.asarray(eval(expression, {"a": A, "m": M}))
    tensor = eval(expression, {"a": tf.constant(A), "m": tf.constant(M)})
    assert isinstance(tensor, tf.Tensor)
    assert tensor.shape == expected.shape
    np.testing.assert_array_equal(tensor.numpy(), expected)


def test_dtypes_of_results():
    a = tf.constant([1, 2])
    assert (a / 2).dtype == tf.float64
    assert (tf.constant([1], tf.uint8) / 2).dtype == tf.float32
    assert (a + np.float32(1.5)).numpy().tolist() == [2, 3]
    assert (tf.constant([1.0]) + np.array([1.5])).dtype == tf.float32
    assert (np.array([1.5]) + tf.constant([1.0])).dtype == tf.float32
    assert isinstance(np.array([1.5]) + tf.constant([1.0]), tf.Tensor)
    assert (tf.constant(True) & False).dtype == tf.bool


def test_no_promotion():
    a, f = tf.constant([1, 2]), tf.constant([1.0, 2.0])
    for call in (lambda: a + f, lambda: a + 1.5, lambda: a < f, lambda: tf.add(a, 1.5)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Op:"):
            call()
    for call in (
        lambda: 1.5 + a,
        lambda: a < 1.5,
        lambda: np.array([1.5]).tolist() + a,
        lambda: tf.maximum(a, 1.5),
    ):
        with pytest.raises(TypeError, match="Cannot convert"):
            call()


def test_equality_never_fails():
    a = tf.constant([1, 2])
    assert (a == None) is False  # noqa: E711
    assert (a != None) is True  # noqa: E711
    assert not bool(a == tf.constant([1, 2, 3]))
    assert bool(a != tf.constant([1, 2, 3]))
    assert tf.constant(1) in [tf.constant(1)]


def test_hash_and_reference():
    a = tf.constant([1, 2])
    with pytest.raises(TypeError, match=r"tensor\.ref\(\)"):
        hash(a)
    assert {a.ref(): 1}[a.ref()] == 1
    assert a.ref().deref() is a


def test_truth_length_iteration():
    assert bool(tf.constant(1))
    assert not tf.constant(0.0)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tf.constant([1, 2]))
    assert len(tf.ones([3, 2])) == 3
    with pytest.raises(TypeError, match="len"):
        len(tf.constant(1))
    assert [int(x) for x in tf.range(3)] == [0, 1, 2]
    with pytest.raises(TypeError, match="scalar"):
        iter(tf.constant(1))


def test_numbers():
    assert int(tf.constant(2.7)) == 2
    assert float(tf.constant(2)) == 2.0
    assert complex(tf.constant(1 + 2j)) == 1 + 2j
    assert [10, 20][tf.constant(1)] == 20
    assert operator.index(tf.constant(2**40)) == 2**40
    with pytest.raises(TypeError, match="0-dimensional"):
        float(tf.constant([1.0, 2.0]))
    with pytest.raises(TypeError, match="integer scalar"):
        operator.index(tf.constant(1.0))


def test_bad_indices():
    m = tf.ones([2, 2])
    for bad in (1.5, "x", (0, "y")):
        with pytest.raises(TypeError, match="valid indices"):
            m[bad]
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 5 of dimension 0"):
        m[5]
    with pytest.raises(tf.errors.InvalidArgumentError):
        m[0, 0, 0]
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        m[True]


@pytest.mark.parametrize(
    ("value", "text", "shown"),
    [
        (
            1.0,
            "tf.Tensor(1.0, shape=(), dtype=float32)",
            "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>",
        ),
        (
            [1, 2],
            "tf.Tensor([1 2], shape=(2,), dtype=int32)",
            "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
        ),
        (
            "x",
            "tf.Tensor(b'x', shape=(), dtype=string)",
            "<tf.Tensor: shape=(), dtype=string, numpy=b'x'>",
        ),
        (
            [[1.0], [2.0]],
            "tf.Tensor(\n[[1.]\n [2.]], shape=(2, 1), dtype=float32)",
            "<tf.Tensor: shape=(2, 1), dtype=float32, numpy=\n"
            "array([[1.],\n       [2.]], dtype=float32)>",
        ),
    ],
)
def test_printing(value, text, shown):
    tensor = tf.constant(value)
    assert (str(tensor), repr(tensor)) == (text, shown)


def test_format():
    assert f"{tf.constant(1.5):.2f}" == "1.50"
    assert f"{tf.constant([1.0, 2.0])}" == "[1. 2.]"


def test_attributes_and_weak_references():
    tensor = tf.ones([2])
    tensor.note = "hello"
    assert tensor.__dict__ == {"note": "hello"}
    watch = weakref.ref(tensor)
    tensor.itself = tensor  # a cycle, for the collector
    del tensor
    gc.collect()
    assert watch() is None


def test_type_names():
    tensor = tf.ones([2])
    assert type(tensor).__name__ == "EagerTensor"
    assert isinstance(tensor, tf.Tensor)
    assert tensor.device.endswith("CPU:0")
    assert (tensor.ndim, tensor.shape, tensor.get_shape()) == (1, (2,), (2,))
    with pytest.raises(AttributeError, match="undefined when eager"):
        tensor.name  # noqa: B018
    with pytest.raises(TypeError):
        type(tensor)()


def test_copies_and_pickles():
    tensor = tf.constant([1.0, 2.0])
    assert copy.deepcopy(tensor).numpy().tolist() == [1, 2]
    assert pickle.loads(pickle.dumps(tensor)).numpy().tolist() == [1, 2]


def test_raw_ops():
    a = tf.constant([3, 1, 3])
    assert tf.raw_ops.AddV2(x=a, y=1).numpy().tolist() == [4, 2, 4]
    assert tf.raw_ops.AddV2(a, a, name="sum").numpy().tolist() == [6, 2, 6]
    unique = tf.raw_ops.Unique(x=a)
    assert type(unique).__name__ == "Unique"
    assert unique.idx.numpy().tolist() == [0, 1, 0]
    assert [int(x[0]) for x in tf.raw_ops.Split(value=a, num_split=3, axis=0)] == [3, 1, 3]
    assert tf.raw_ops.ConcatV2(values=[a, [5]], axis=0).shape == (4,)
    assert tf.raw_ops.Cast(x=a, DstT=tf.float32).dtype == tf.float32
    assert tf.raw_ops.Sum(input=a, axis=0, keep_dims=True).shape == (1,)
    for wrong in ({"x": a}, {"x": a, "y": a, "z": 1}):
        with pytest.raises(TypeError, match=r"AddV2\(\)"):
            tf.raw_ops.AddV2(**wrong)
    with pytest.raises(TypeError, match="multiple values"):
        tf.raw_ops.AddV2(a, x=a)
    assert "MatMul" in dir(tf.raw_ops)


def test_every_op_is_there():
    from penstock import _core

    for name in _core.op_names():
        assert callable(getattr(tf.raw_ops, name))


def test_attribute_conversions():
    m = tf.ones([2, 3])
    assert tf.reduce_sum(m, axis=tf.constant(1)).shape == (2,)
    assert tf.reduce_sum(m, axis=[0, 1]).shape == ()
    assert tf.reduce_sum(m, np.int64(0), True).shape == (1, 3)
    assert tf.reduce_sum(m, axis=None).shape == ()
    assert tf.transpose(m, perm=np.array([1, 0])).shape == (3, 2)
    with pytest.raises(TypeError, match="axis"):
        tf.reduce_sum(m, axis=1.5)
    with pytest.raises(TypeError, match="axis"):
        tf.reduce_sum(m, axis="x")
