"""Branches and loop bodies that cannot work for the sizes of a call: they fail when they are taken,
with the error of the op, and not before."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1
FULL, EMPTY = [1.0, 2.0, 3.0], []


def size(x):
    return tf.shape(x)[0]


def nested(x):
    return tf.cond(
        size(x) > 0,
        lambda: tf.cond(
            size(x) > 1,
            lambda: x[0] + tf.cast(tf.reduce_sum(tf.range(0, size(x) - 1)), tf.float32),
            lambda: x[0],
        ),
        lambda: tf.reduce_sum(x) + 7.0,
    )


def reshaped(x):
    weights = tf.constant([1.0, 2.0, 3.0])
    return tf.cond(
        size(x) > 2,
        lambda: tf.reduce_sum(tf.reshape(x, [3]) * weights),
        lambda: tf.reduce_sum(x),
    )


def switched(x):
    branches = [lambda: tf.reduce_sum(x), lambda: x[0], lambda: tf.reshape(x, [3])[2] + x[1]]
    return tf.switch_case(tf.minimum(size(x), 2), branches)


def cases(x):
    pairs = [(size(x) > 2, lambda: tf.reshape(x, [3])[2]), (size(x) > 0, lambda: x[0])]
    return tf.case(pairs, default=lambda: 9.0 + tf.reduce_sum(x))


def looped(x):
    return tf.while_loop(
        lambda i, total: i < size(x),
        lambda i, total: (i + 1, total + tf.reduce_sum(tf.reshape(x, [3]))),
        [0, 0.0],
    )[1]


def loop_in_branch(x):
    return tf.cond(size(x) > 0, lambda: looped(x), lambda: 2.0 + tf.reduce_sum(x))


# What each gives for three elements and for none, and the gradient for three.
ANSWERS = {
    nested: (2.0, 7.0, [1.0, 0.0, 0.0]),
    reshaped: (14.0, 0.0, [1.0, 2.0, 3.0]),
    switched: (5.0, 0.0, [0.0, 1.0, 1.0]),
    cases: (3.0, 9.0, [0.0, 0.0, 1.0]),
    looped: (18.0, 0.0, [3.0, 3.0, 3.0]),
    loop_in_branch: (18.0, 2.0, [3.0, 3.0, 3.0]),
}
FUNCTIONS = pytest.mark.parametrize("function", ANSWERS, ids=lambda each: each.__name__)


def gradient_of(function):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return gradient


def opened(function):
    return tf.function(function, input_signature=[tf.TensorSpec([None])])


@FUNCTIONS
def test_function(function):
    full, empty, _ = ANSWERS[function]
    f = opened(function)
    for values, expected in [(EMPTY, empty), (FULL, full), (EMPTY, empty)]:
        assert f(tf.constant(values, tf.float32)).numpy() == expected


@FUNCTIONS
def test_gradients(function):
    gradient = ANSWERS[function][2]
    inside, around = opened(gradient_of(function)), gradient_of(opened(function))
    for f in (inside, around):
        np.testing.assert_array_equal(f(tf.constant(FULL)), gradient)
        assert f(tf.constant(EMPTY, tf.float32)).shape == (0,)


@FUNCTIONS
def test_v1_graph(function):
    full, empty, gradient = ANSWERS[function]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        y = function(x)
        dx = v1.gradients(y, x)[0]
        assert session.run(y, {x: EMPTY}) == empty
        assert session.run(y, {x: FULL}) == full
        assert session.run(dx, {x: EMPTY}).shape == (0,)
        np.testing.assert_array_equal(session.run(dx, {x: FULL}), gradient)


def test_a_plan_is_made_without_what_cannot_run():
    f = opened(reshaped)
    assert f.memory_plan(tf.TensorSpec([0])).unknown == []


def test_what_is_taken_fails_with_the_error_of_its_op():
    words = "Input to reshape is a tensor with 4 values, but the requested shape has 3.*Reshape"
    four = tf.constant([1.0, 2.0, 3.0, 4.0])
    for function in (reshaped, switched, cases, looped, loop_in_branch):
        f = opened(function)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            f(four)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            gradient_of(f)(four)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        y = reshaped(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(y, {x: four.numpy()})


def test_no_branch_can_work():
    f = opened(
        lambda x: tf.cond(
            x[0] > 0, lambda: tf.reshape(x, [3]), lambda: tf.reshape(tf.concat([x, x], 0), [6])[:3]
        )
    )
    for first, values in [(1.0, 2), (-1.0, 4)]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"with {values} values"):
            f(tf.constant([first, 2.0]))
    np.testing.assert_array_equal(f(tf.constant([-1.0, 2.0, 3.0])), [-1, 2, 3])


def test_what_a_branch_prints_before_it_fails_is_printed():
    printed = []

    def prints(x):
        def branch():
            tf.py_function(lambda n: printed.append(int(n)), [size(x)], [])
            return tf.reduce_sum(tf.reshape(x, [3]))

        return tf.cond(x[0] > 0, branch, lambda: tf.reduce_sum(x))

    f = opened(prints)
    assert f(tf.constant([-1.0, 2.0])).numpy() == 1.0
    assert printed == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="Reshape"):
        f(tf.constant([1.0, 2.0]))
    assert printed == [2]
