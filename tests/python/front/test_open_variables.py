"""Variables of open shape, which functions and sessions give other sizes."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


@pytest.mark.parametrize("size", [1, 2, 3, 5000])
def test_functions_assign_other_sizes(size):
    variable = tf.Variable([1.0], shape=[None])

    @tf.function
    def f(p):
        variable.assign(tf.sin(p))
        return p * 1.0

    given = np.arange(size, dtype=np.float32)
    f(given)
    np.testing.assert_allclose(variable.numpy(), np.sin(given), rtol=1e-5)
    f(given[:1])
    np.testing.assert_allclose(variable.numpy(), np.sin(given[:1]), rtol=1e-5)


def test_functions_read_what_they_assigned():
    variable = tf.Variable([1.0], shape=[None])

    @tf.function
    def f(p):
        variable.assign(p * 2.0)
        variable.assign_add(p)
        return variable * 1.0

    for size in (2, 4, 1):
        given = np.arange(size, dtype=np.float32)
        np.testing.assert_array_equal(f(given), given * 3)
        np.testing.assert_array_equal(variable.numpy(), given * 3)


def test_functions_with_branches():
    variable = tf.Variable([1.0], shape=[None])

    @tf.function
    def f(p, longer):
        if longer:
            variable.assign(tf.concat([p, p], 0))
        else:
            variable.assign(p * 2.0)
        return variable.read_value()

    for longer, wanted in ((True, [1, 2, 1, 2]), (False, [2, 4]), (True, [1, 2, 1, 2])):
        assert f(tf.constant([1.0, 2.0]), tf.constant(longer)).numpy().tolist() == wanted
        assert variable.numpy().tolist() == wanted


def test_sessions_assign_other_sizes():
    with tf.Graph().as_default(), v1.Session() as session:
        variable = tf.Variable([3.0], shape=[None])
        session.run(variable.initializer)
        assert session.run([variable, variable + 1.0])[1].tolist() == [4.0]
        assert session.run(variable.assign([1.0, 2.0, 3.0])).tolist() == [1, 2, 3]
        assert session.run(variable).tolist() == [1, 2, 3]
        p = v1.placeholder(tf.float32, [2])
        assert session.run(variable.assign(p * 2.0), {p: [5, 6]}).tolist() == [10, 12]
        assert session.run(variable).tolist() == [10, 12]


@pytest.mark.parametrize("shape", [[1], [None]])
def test_gradients_of_several_reads_in_a_graph(shape):
    with tf.Graph().as_default(), v1.Session() as session:
        variable = tf.Variable([3.0], shape=shape)
        with tf.GradientTape() as tape:
            y = variable * variable
        by_tape = tape.gradient(y, variable)
        session.run(variable.initializer)
        found = session.run([by_tape, v1.gradients(y, variable)[0]])
        assert [each.tolist() for each in found] == [[6.0], [6.0]]
