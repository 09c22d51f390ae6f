"""What turns TensorFlow 1's behaviour on: tensors as keys, and dimensions that have a value."""

import contextlib
import subprocess
import sys

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


class TestEquality:
    @pytest.fixture(autouse=True)
    def by_identity(self):
        v1.disable_tensor_equality()
        yield
        v1.enable_tensor_equality()

    def test_tensors_are_compared_by_which_they_are(self):
        a, b = tf.constant([1, 2]), tf.constant([1, 2])
        assert (a == a) is True
        assert (a == b) is False
        assert (a != b) is True
        assert (a == [1, 2]) is False
        assert a in [b, a]
        assert {a: 1, b: 2}[a] == 1
        assert len({a, b, a}) == 2

    def test_variables_as_well(self):
        v, w = tf.Variable(1.0), tf.Variable(1.0)
        assert (v == v, v == w, v != w) == (True, False, True)
        assert {v: 1, w: 2}[w] == 2

    def test_elements_are_compared_again_afterwards(self):
        v1.enable_tensor_equality()
        np.testing.assert_array_equal(tf.constant([1, 2]) == [1, 3], [True, False])
        with pytest.raises(TypeError, match="unhashable"):
            hash(tf.constant(1))


class TestShapes:
    @pytest.fixture(autouse=True)
    def dimensions(self):
        v1.disable_v2_tensorshape()
        yield
        v1.enable_v2_tensorshape()

    def test_dimensions_have_a_value(self):
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [None, 10])
            assert x.get_shape()[1].value == 10
            assert x.shape[0].value is None
            assert [each.value for each in x.shape] == [None, 10]
            assert str(x.shape) == "(?, 10)"
            assert str(x) == 'Tensor("Placeholder:0", shape=(?, 10), dtype=float32)'
            assert tf.reshape(x, [-1, x.shape[1] // 2]).shape.as_list() == [None, 5]

    def test_our_own_functions_see_integers(self):
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [None, 4, 4, 2])
            made = v1.layers.dense(v1.layers.flatten(v1.layers.conv2d(x, 3, 2)), 5)
            assert made.shape.as_list() == [None, 5]
            assert tf.unstack(made, axis=1)[0].shape.as_list() == [None]
            loss = v1.losses.softmax_cross_entropy(tf.ones_like(made), made)
            v1.train.AdamOptimizer().minimize(loss)

    def test_integers_again_afterwards(self):
        v1.enable_v2_tensorshape()
        shape = tf.TensorShape([None, 3])
        assert (shape[0], shape[1], str(shape)) == (None, 3, "(None, 3)")


PROGRAM = """
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 10], name="x")
print(x.get_shape()[1].value, x.shape, {x: "key"}[x], x == x)
w = tf.Variable(tf.zeros([x.get_shape()[1].value, 2]), name="w")
print(tf.get_default_graph().get_tensor_by_name("w/read:0").shape)
"""


@pytest.mark.parametrize("is_graph", [False, True])
def test_lists_take_dimensions(is_graph):
    three = v1.Dimension(3)
    with tf.Graph().as_default() if is_graph else contextlib.nullcontext():
        assert tf.fill([three], 1.0).shape == [3]
        assert tf.reshape(tf.range(6), [three, -1]).shape == [3, 2]
        assert tf.slice(tf.range(6), [0], [three]).shape == [3]
        assert tf.broadcast_to(1, [2, three]).shape == [2, 3]
        with pytest.raises(ValueError, match="unknown Dimension"):
            tf.fill([v1.Dimension(None)], 1.0)


def test_run_with_tf1(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "penstock", "run", "--tf1", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["10 (?, 10) key True", "(10, 2)"]
