"""Functions with their own gradients in graphs of TensorFlow 1; the numbers are TensorFlow's."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


@tf.custom_gradient
def doubled(x):
    return x * 2, lambda dy: dy * 3


@tf.custom_gradient
def two(x, y):
    return (x * y, x + y), lambda da, db: (da * 5 + db, db * 7)


def run(fetches, feeds=None):
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return session.run(fetches, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def numbers():
    x, y = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
    return x, y, {x: 3.0, y: 4.0}


@pytest.mark.parametrize("wrap", [lambda function: function, tf.function])
def test_gradients_are_what_the_function_says(wrap):
    x, _, feeds = numbers()
    assert run(v1.gradients(wrap(doubled)(x) * 10, x), feeds) == [30.0]


def test_several_results_one_after_the_other():
    x, y, feeds = numbers()
    a, b = two(x, y)
    last = two(tf.square(a), b * x)
    found = v1.gradients(last[0] + 2 * last[1], [x, y, a, b])
    assert run(found, feeds) == [980.0, 294.0, 168.0, 42.0]
    assert run(v1.gradients(a, [x, y]), feeds) == [5.0, 0.0]


def test_second_order():
    x, y, feeds = numbers()
    first = v1.gradients(tf.sin(doubled(x) * y), [x, y])
    np.testing.assert_allclose(run(first, feeds), [5.090148, 2.545074], rtol=1e-6)
    second = v1.gradients(first[0], [x, y])
    np.testing.assert_allclose(run(second, feeds), [130.40329, 66.47418], rtol=1e-6)


def test_variables_and_optimizers():
    x, _, feeds = numbers()
    v = v1.get_variable("v", initializer=2.0)
    w = v1.get_variable("w", initializer=2.0)

    @tf.custom_gradient
    def scaled(x):
        return x * w, lambda dy, variables: (dy * 2, [dy * 100 for _ in variables])

    y = scaled(x * v)
    assert run(v1.gradients(y * 3, [x, v, w]), feeds) == [12.0, 18.0, 300.0]
    step = v1.train.GradientDescentOptimizer(0.01).minimize(y * y)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(step, feeds)
        np.testing.assert_allclose(session.run([v, w]), [0.56, -22.0], rtol=1e-6)


def test_stops_and_open_sizes():
    x, y, feeds = numbers()
    c = doubled(x)
    at_result, at_input = v1.gradients(c * y, [c, x], stop_gradients=[c])
    assert run(at_result, feeds) == 4.0
    assert at_input is None
    rows = v1.placeholder(tf.float32, [None, 2])
    found = run(v1.gradients(doubled(rows) * 2, rows)[0], {rows: [[1.0, 2.0]]})
    np.testing.assert_array_equal(found, [[6.0, 6.0]])


def test_an_assertion_of_the_gradient_runs_with_it():
    @tf.custom_gradient
    def checked(x):
        def backward(dy):
            with tf.control_dependencies([tf.debugging.assert_less(dy, 5.0)]):
                return dy * 1

        return x * 2, backward

    x, y, feeds = numbers()
    assert run(v1.gradients(checked(x) * y, x), feeds) == [4.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(v1.gradients(checked(x) * y, x), {x: 1.0, y: 6.0})


def test_inside_of_a_branch_it_is_refused():
    x, _, feeds = numbers()
    y = tf.cond(x > 0, lambda: doubled(x), lambda: x)
    with pytest.raises(tf.errors.UnimplementedError, match="custom_gradient"):
        run(v1.gradients(y, x), feeds)


def test_the_result_has_the_name_of_its_node():
    x, _, _ = numbers()
    assert doubled(x).name == "IdentityN:0"


# TensorFlow's answers, at x = [0.5, -1, 2] and w = [1, 2, 3].
@pytest.mark.parametrize("shape", [[3], [None], None])
def test_tapes(shape):
    @tf.custom_gradient
    def clipped(x):
        return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    @tf.custom_gradient
    def two(x, y):
        return (x * y, x + y), lambda da, db: (da * 10.0 + db, 3.0 * da * x)

    @tf.custom_gradient
    def cube(x):
        return x**3, lambda dy: dy * 7.0 * x * x

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, shape)
        w = v1.get_variable("w", initializer=[1.0, 2.0, 3.0])
        with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
            outer.watch(x)
            tape.watch(x)
            a = 5.0 * clipped(x) + x
            b, c = two(a, x)
            d = clipped(cube(b) * 2.0) + w
            e = tf.reduce_sum(cube(w) * clipped(c))
            f = cube(tf.sin(x)) * x
            g = tape.gradient(f, x)
        found = [
            tape.gradient(a, x),
            tape.gradient(b, x),
            tape.gradient([b, c], [a, x]),
            tape.gradient(d, [x, w, b]),
            tape.gradient(e, [x, w]),
            tape.gradient(c, w, unconnected_gradients="zero"),
            outer.gradient(g, x),
        ]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = session.run(tf.nest.flatten(found), {x: [0.5, -1.0, 2.0]})
    expected = [
        [2, 2, 2],
        [20, -7, 47],
        *([11, 11, 11], [21, -6, 48]),
        *([599.5, -4031, 370945], [1, 1, 1], [31.5, 504, 8064]),
        *([2, 2, 2], [24.5, -196, 882]),
        [0, 0, 0],
        [5.0229, 4.6243, -10.9335],
    ]
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)
