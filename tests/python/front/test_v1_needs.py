"""What a run of a session does beside its fetches: draws and updates, as in TensorFlow."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1

# Fetches, and whether a run of them draws where x has the shape [3], [None] or an open rank.
DRAWS = {
    "shape": (lambda x, r: tf.shape(r), [0, 0, 0]),
    "shape of a sum": (lambda x, r: tf.shape(x + r), [0, 0, 1]),
    "rank": (lambda x, r: tf.rank(x + r), [0, 0, 1]),
    "zeros": (lambda x, r: tf.zeros_like(x + r) * x, [0, 0, 1]),
    "shape as an argument": (lambda x, r: tf.fill(tf.shape(x + r), 1.0), [0, 0, 1]),
    "gradient of a sum": (lambda x, r: tf.gradients(x + r, x), [0, 0, 1]),
    "gradient of a product": (lambda x, r: tf.gradients(x * r, x), [1, 1, 1]),
    "gradient of a total": (lambda x, r: tf.gradients(tf.reduce_sum(-(x + r)), x), [0, 0, 1]),
    "gradient from given ones": (
        lambda x, r: tf.gradients(-(x + r), x, grad_ys=[tf.ones([3])]),
        [0, 0, 0],
    ),
    "gradient of a gradient": (
        lambda x, r: tf.gradients(tf.gradients(x + r, x)[0], x, unconnected_gradients="zero"),
        [0, 0, 0],
    ),
    "operation": (lambda x, r: r.op, [1, 1, 1]),
    "group": (lambda x, r: tf.group(r), [1, 1, 1]),
    "control dependency": (lambda x, r: after(r, x), [1, 1, 1]),
    "control dependency on a shape": (lambda x, r: after(tf.shape(r), x), [0, 0, 0]),
}


def after(op, x):
    with tf.control_dependencies([op]):
        return tf.identity(x)


@pytest.mark.parametrize("case", DRAWS)
def test_what_draws(case):
    make, expected = DRAWS[case]
    found = []
    for shape in ([3], [None], None):
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, shape)
            r = v1.random_normal([3], seed=1)
            fetched = make(x, r)
            with v1.Session() as session:
                draws = [session.run(r) for _ in range(2)]
            with v1.Session() as session:
                session.run(fetched, {x: [1.0, 2.0, 3.0]})
                found.append(int(np.array_equal(session.run(r), draws[1])))
    assert found == expected


def test_what_is_drawn_unread_is_no_result():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, None)
        shape = tf.shape(x + v1.random_normal([3], seed=1))
        with v1.Session() as session:
            feeds = {x: np.ones(3, np.float32)}
            assert session.run(shape, feeds) == [3]
            assert session.run({"a": shape, "b": [shape]}, feeds).keys() == {"a", "b"}


def test_updates_of_one_run_see_each_other():
    with tf.Graph().as_default():
        w = v1.get_variable("w", initializer=[1.0, 2.0])
        first = v1.assign_add(w, [10.0, 10.0])
        train = v1.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(w * 3.0))
        with tf.control_dependencies([first]):
            second = v1.assign_add(w, [100.0, 100.0])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run([first.op, second])[1].tolist() == [111.0, 112.0]
            session.run([first.op, train])
            assert session.run(w).tolist() == [118.0, 119.0]


# Gradients of values that wait for an assignment: whether running the gradient assigns.
WAITING = {
    "identity": (lambda x, w: tf.identity(w), False),
    "square": (lambda x, w: tf.square(w), True),
    "product": (lambda x, w: x * w.read_value(), True),
}


@pytest.mark.parametrize("case", WAITING)
def test_a_gradient_assigns_only_for_what_it_reads(case):
    make, is_assigned = WAITING[case]
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        w = v1.get_variable("w", initializer=[1.0, 2.0])
        with tf.control_dependencies([w.assign_add([10.0, 10.0])]):
            y = make(x, w)
        found = [each for each in tf.gradients(y, [x, w]) if each is not None]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(found, {x: [1.0, 1.0]})
            assert (session.run(w)[0] == 11.0) == is_assigned


def test_who_waits_for_a_fed_tensor_waits_for_its_node():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable(1.0)
        given = v1.placeholder(tf.float32, [])
        with tf.control_dependencies([v.assign_add(1.0)]):
            middle = tf.identity(given)
        with tf.control_dependencies([middle]):
            last = given + 5.0
        session.run(v1.global_variables_initializer())
        assert session.run(last, {middle: 3.0, given: 1.0}) == 6.0
        assert session.run(v) == 2.0
        assert session.run(middle, {middle: 3.0}) == 3.0
        assert session.run(v) == 2.0
