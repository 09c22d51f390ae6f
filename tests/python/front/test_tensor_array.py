"""tf.TensorArray beyond the recorded answers (topic tensor_arrays): memory and mistakes."""

import penstock as tf
import pytest


def held():
    return tf.config.experimental.get_memory_info()["current"]


def test_reading_lets_go():
    array = tf.TensorArray(tf.float32, 2)
    before = held()
    array = array.write(0, tf.zeros([1024])).write(1, tf.zeros([1024]))
    both = held() - before
    array.read(0)
    assert held() - before == both // 2
    array.close()
    assert held() == before


def test_a_loop():
    """The usual program: states of a recurrence, collected and differentiated."""
    w = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        states = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        state = tf.constant(1.0)
        for i in tf.range(3):
            state = state * w
            states = states.write(i, state)
        total = tf.reduce_sum(states.stack())
    assert float(total) == 0.875
    assert float(tape.gradient(total, w)) == 1 + 2 * 0.5 + 3 * 0.25


def test_sizes_that_no_memory_has():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.TensorArray(tf.float32, 2**31)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.TensorArray(tf.float32, 0, dynamic_size=True).write(2**40, 1.0)
    array = tf.TensorArray(tf.float32, 2**31 - 1, element_shape=[])
    for everything in array.stack, array.concat:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="Op:TensorArray"):
            everything()
    assert array.write(2**30, 1.0).read(2**30).numpy() == 1.0


def test_a_mistake_changes_nothing():
    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    for mistake in (
        lambda: array.write(0, [1.0]),
        lambda: array.write(5, 1.0),
        lambda: array.unstack([1.0, 2.0, 3.0]),
        lambda: array.split([1.0, 2.0], [-1, 3]),
    ):
        with pytest.raises((ValueError, tf.errors.OpError)):
            mistake()
        assert array.stack().numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_indices_of_functions_do_not_wrap(dtype):
    def array():
        return tf.TensorArray(tf.float32, 3, dynamic_size=True, element_shape=[])

    calls = [
        lambda i: array().write(i, 1.0).size(),
        lambda i: array().write(i, 1.0).stack(),
        lambda i: array().scatter([i], [1.0]).stack(),
        lambda i: array().write(0, 1.0).gather([i]),
        lambda i: array().write(0, 1.0).read(i),
    ]
    beyond = [-1, 2**31 - 1] + [2**32, 2**32 + 1] * (dtype == tf.int64)
    for call in map(tf.function, calls):
        for index in beyond:
            with pytest.raises(tf.errors.InvalidArgumentError):
                call(tf.constant(index, dtype))
        call(tf.constant(2, dtype))
