"""tf.config and the run around ops, beyond the recorded answers (topic running)."""

import numpy as np
import penstock as tf
import pytest

CPU = tf.config.list_physical_devices("CPU")[0]


def test_a_memory_limit_is_a_budget():
    before = tf.config.get_memory_budget()
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=1)
    try:
        tf.config.set_logical_device_configuration(CPU, [limit])
        assert tf.config.get_memory_budget() == 2**20
        assert tf.config.get_logical_device_configuration(CPU) == [limit]
        with pytest.raises(tf.errors.ResourceExhaustedError):
            tf.zeros([2**20])
    finally:
        tf.config.set_memory_budget(before)
        tf.config.set_logical_device_configuration(CPU, [tf.config.LogicalDeviceConfiguration()])
    assert tf.config.get_memory_budget() == before
    with pytest.raises(ValueError, match="one logical device"):
        tf.config.set_logical_device_configuration(CPU, [limit, limit])


def test_devices_that_are_not_there():
    with tf.device("GPU:0"):
        assert tf.constant(1).device.endswith("CPU:0")
    tf.config.set_soft_device_placement(False)
    try:
        with tf.device("/job:localhost/replica:0/task:0/device:CPU:0"):
            assert tf.constant(1).device.endswith("CPU:0")
        with (
            pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy"),
            tf.device("/GPU:0"),
        ):
            pass
    finally:
        tf.config.set_soft_device_placement(True)


def test_threads_change_no_bits():
    threads = tf.config.threading.get_intra_op_parallelism_threads()
    x, y = tf.random.normal([300, 701]), tf.random.normal([701, 203])
    programs = (
        lambda: tf.reduce_sum(x),
        lambda: tf.reduce_mean(x, 0),
        lambda: x @ y,
        lambda: tf.math.reduce_variance(x),
        lambda: tf.reduce_logsumexp(x),
    )
    try:
        found = []
        for count in 1, 2, 3:
            tf.config.threading.set_intra_op_parallelism_threads(count)
            assert tf.config.threading.get_intra_op_parallelism_threads() == count
            found.append([np.asarray(program()).tobytes() for program in programs])
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
    assert found[0] == found[1] == found[2]


def test_memory_info():
    tf.config.experimental.reset_memory_stats()
    before = tf.config.experimental.get_memory_info()
    x = tf.zeros([1024])
    held = tf.config.experimental.get_memory_info("CPU:0")
    assert held["current"] - before["current"] == 4096
    del x
    assert tf.config.experimental.get_memory_info()["peak"] == held["peak"]


def test_init_scope_is_not_recorded():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        with tf.init_scope():
            outside = x * x
        inside = x * x
    assert tape.gradient(outside, x) is None
    assert float(tape.gradient(inside, x)) == 4.0


def test_errors_of_python_functions_keep_their_cause():
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'a'") as caught:
        tf.py_function(lambda: {}["a"], [], tf.float32)
    assert isinstance(caught.value.__cause__, KeyError)


def test_missing_names():
    for module in tf.test, tf.config.experimental, tf.config.optimizer, tf.version:
        with pytest.raises(AttributeError, match="penstock does not have it"):
            module.nosuch  # noqa: B018
