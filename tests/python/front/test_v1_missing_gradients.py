"""tf.gradients through an op without a derivative raises when it is called, as in TensorFlow."""

import penstock as tf
import pytest

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def in_a_graph():
    with tf.Graph().as_default():
        yield


def bits(x):
    return tf.bitcast(x, tf.float32)


def counted(x, body):
    """Three steps of a loop whose state is x and a sum."""
    start = [0, x, 0.0]
    return v1.while_loop(lambda i, x, total: i < 3, lambda i, *state: (i + 1, *body(*state)), start)


REFUSED = {
    "the op alone": lambda x: bits(x),
    "between others": lambda x: tf.reduce_sum(tf.sin(bits(tf.cos(x)))),
    "one of several outputs": lambda x: tf.unique(x)[0],
    "in a branch": lambda x: v1.cond(tf.reduce_sum(x) > 0, lambda: bits(x), lambda: x),
    "in a loop": lambda x: counted(x, lambda x, total: (bits(x), total))[1],
    "in a loop, beside the state that counts": lambda x: counted(
        x, lambda x, total: (2.0 * x, bits(x)[0])
    )[1],
    "in a loop, a step later": lambda x: counted(x, lambda x, total: (x, bits(x)[0]))[2],
    "in a loop in a branch": lambda x: v1.cond(
        tf.reduce_sum(x) > 0,
        lambda: counted(x, lambda x, total: (bits(x), total))[1],
        lambda: x,
    ),
    "in a function": lambda x: tf.function(bits)(x),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_when_asked(case):
    x = v1.placeholder(tf.float32, [4])
    y = REFUSED[case](x)
    with pytest.raises(LookupError, match=r"No gradient defined for operation '\S+' \(op type: "):
        tf.gradients(y, x)


def test_the_operation_is_named():
    x = v1.placeholder(tf.float32, [4])
    y = tf.bitcast(x, tf.float32, name="bits")
    with pytest.raises(LookupError, match=r"operation 'bits' \(op type: Bitcast\)"):
        tf.gradients(y, x)
    with pytest.raises(LookupError, match="'bits'"):
        v1.train.GradientDescentOptimizer(0.1).compute_gradients(y, [x])


def test_a_gradient_that_does_not_reach_the_op_is_there():
    x = v1.placeholder(tf.float32, [4])
    other = tf.constant([1.0, 2.0, 3.0, 4.0])
    bits_of_x = bits(x)
    branch = v1.cond(other[0] > 0, lambda: x * bits(other), lambda: x)
    loop = counted(x, lambda x, total: (x * bits(other), total + bits(other)[0]))[1]
    cases = [
        (tf.gradients(x * bits(other), x), [1, 2, 3, 4]),
        (tf.gradients(branch, x), [1, 2, 3, 4]),
        (tf.gradients(loop, x), [1, 8, 27, 64]),
        (tf.gradients(3.0 * x + tf.stop_gradient(bits_of_x), x), [3, 3, 3, 3]),
        (tf.gradients(3.0 * x + bits_of_x, x, stop_gradients=[bits_of_x]), [3, 3, 3, 3]),
    ]
    assert tf.gradients(tf.cast(tf.bitcast(x, tf.int32), tf.float32), x) == [None]
    assert tf.gradients(tf.cast(tf.unique(x)[1], tf.float32), x) == [None]
    with v1.Session() as session:
        for gradients, expected in cases:
            (gradient,) = session.run(gradients, {x: [0.5, 1.5, 2.5, 3.5]})
            assert gradient.tolist() == expected
