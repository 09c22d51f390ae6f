"""Errors: TensorFlow's classes, and its words where programs look at them."""

import pickle

import penstock as tf
import pytest

A = [1, 2]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: tf.constant(A) + tf.constant([1, 2, 3]),
            r"Incompatible shapes: \[2\] vs. \[3\] \[Op:AddV2\]",
        ),
        (
            lambda: tf.ones([1, 1]) @ tf.ones([2, 1]),
            r"Matrix size-incompatible: In\[0\]: \[1,1\], In\[1\]: \[2,1\]",
        ),
        (
            lambda: tf.reshape(tf.ones([3]), [4]),
            "Input to reshape is a tensor with 3 values, but the requested shape has 4",
        ),
        (lambda: tf.gather(tf.constant(A), [5]), r"indices\[0\] = 5 is not in \[0, 2\)"),
        (lambda: tf.constant(A)[5], "slice index 5 of dimension 0 out of bounds"),
        (lambda: tf.constant(A) // 0, "Op:FloorDiv"),
        (lambda: tf.reduce_sum(tf.ones([2]), axis=3), "Op:Sum"),
        (lambda: tf.concat([tf.ones([1, 2]), tf.ones([1, 3])], 0), "Op:ConcatV2"),
    ],
)
def test_invalid_arguments(call, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text) as caught:
        call()
    assert isinstance(caught.value, tf.errors.OpError)
    assert caught.value.error_code == tf.errors.INVALID_ARGUMENT == 3
    assert caught.value.message == str(caught.value)
    assert caught.value.op is None
    assert caught.value.node_def is None


def test_the_hierarchy():
    for code, cls in tf.errors._BY_CODE.items():
        error = cls(None, None, "text")
        assert (error.error_code, str(error)) == (code, "text")
        assert isinstance(error, tf.errors.OpError)
        assert type(pickle.loads(pickle.dumps(error))) is cls
    assert issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)


def test_exhaustion():
    before = tf.config.get_memory_budget()
    tf.config.set_memory_budget("1MiB")
    try:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="Op:Fill"):
            tf.zeros([1024, 1024])
        assert tf.zeros([8]).shape == (8,)
    finally:
        tf.config.set_memory_budget(before)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.zeros([2**40, 2**40])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.config.set_memory_budget("many")


def test_every_allocation_may_fail():
    from penstock import _core

    def program():
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v + [1.0, 2.0])
        v.assign_sub(tape.gradient(y, v))
        return v.numpy().tolist()

    expected = program()
    for nth in range(1, 100):
        _core.inject_faults(nth, 0)
        try:
            result = program()
        except tf.errors.ResourceExhaustedError:
            result = None
        finally:
            counted = _core.end_injection()
        if result is not None and counted < nth:
            break
        assert result is None
    assert program() == expected


def test_missing_names():
    with pytest.raises(AttributeError, match=r"penstock does not have it.*reduce_sum"):
        tf.reduce_summ  # noqa: B018
    with pytest.raises(AttributeError, match=r"Near names: .*softmax"):
        tf.nn.softmaxx  # noqa: B018
    with pytest.raises(AttributeError, match="MatMul"):
        tf.raw_ops.MatMull  # noqa: B018
    assert not hasattr(tf, "keras")


def test_unsupported_in_eager():
    with pytest.raises(RuntimeError, match="GradientTape"):
        tf.gradients(1, 2)
