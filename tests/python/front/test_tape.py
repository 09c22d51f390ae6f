"""Gradient tapes and custom gradients."""

import numpy as np
import penstock as tf
import pytest


def test_gradients():
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * v
    dx, dv = tape.gradient(y, [x, v])
    assert (float(dx), float(dv)) == (12, 9)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, x)


def test_structures():
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = a * b
    found = tape.gradient(y, {"a": a, "rest": (b,)})
    assert float(found["a"]) == 3
    assert float(found["rest"][0]) == 2


def test_persistent_and_nested():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        first = inner.gradient(y, x)
    assert float(first) == 12
    assert float(outer.gradient(first, x)) == 12
    assert float(outer.gradient(y, x)) == 12


def test_unconnected():
    x, y = tf.Variable(1.0), tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        z = x * 2.0
    assert tape.gradient(z, y) is None
    zeros = tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zeros.numpy().tolist() == [0, 0]
    assert tape.gradient(z, y, unconnected_gradients="zero").numpy().tolist() == [0, 0]


def test_watched_variables():
    first, second = tf.Variable(1.0, name="first"), tf.Variable(2.0, name="second")
    with tf.GradientTape() as tape:
        y = second * 2.0
        tape.watch(first)
    assert [each.name for each in tape.watched_variables()] == ["first:0", "second:0"]
    tape.gradient(y, second)
    assert len(tape.watched_variables()) == 2
    assert tape.watched_variables()[0] is first


def test_custom_gradient_of_variables():
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * v
        slope = inner.gradient(y, x)

        def backward(dy, variables=None):
            assert variables[0] is v
            return dy * slope * 10.0, [dy * 7.0]

        return y, backward

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x) * 1.0
    assert float(y) == 6
    assert list(map(float, tape.gradient(y, [x, v]))) == [30, 7]


def test_recompute_grad():
    v, x = tf.Variable(3.0), tf.constant([1.0, 2.0])
    f = tf.recompute_grad(lambda x, scale=1.0: tf.reduce_sum(x * x * v) * scale)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, scale=2.0)
    dx, dv = tape.gradient(y, [x, v])
    assert dx.numpy().tolist() == [12, 24]
    assert float(dv) == 10


def test_what_is_watched():
    v, frozen = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * 2.0
    assert tape.gradient(y, v) is None
    with tf.GradientTape() as tape:
        y = v * frozen
    assert tape.gradient(y, [v, frozen])[1] is None
    with tf.GradientTape() as tape, pytest.raises(ValueError, match=r"not tf\.Tensor"):
        tape.watch(3.0)


def test_stop_and_reset():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * x * x
        w = y * x
    assert tape.gradient(z, x) is None
    assert float(tape.gradient(w, x)) == 12
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        y = y * x
    assert float(tape.gradient(y, x)) == 4


def test_reentering():
    x = tf.Variable(3.0)
    tape = tf.GradientTape()
    with tape:
        y = x * x
    with tape:
        w = y * 2.0
    assert float(tape.gradient(w, x)) == 12


def test_output_gradients():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0])).numpy().tolist() == [
        2,
        40,
    ]


def test_jacobians():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.jacobian(y, x).numpy().tolist() == [[2, 0], [0, 4]]
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(m)
        y = m * m
    expected = [[[2, 0], [0, 4]], [[6, 0], [0, 8]]]
    assert tape.batch_jacobian(y, m).numpy().tolist() == expected


def test_sparse_gradients():
    table = tf.Variable(tf.ones([4, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 1, 3]))
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    dense = tf.convert_to_tensor(gradient)
    assert dense.numpy().tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]


def test_custom_gradient():
    @tf.custom_gradient
    def clipped(x):
        def backward(dy):
            return dy * 10.0

        return tf.identity(x), backward

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = clipped(x) * 3.0
    assert float(tape.gradient(y, x)) == 30


def test_custom_gradient_errors_pass_through():
    @tf.custom_gradient
    def broken(x):
        def backward(dy):
            raise KeyError("mine")

        return x * 2.0, backward

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = broken(x)
    with pytest.raises(KeyError, match="mine"):
        tape.gradient(y, x)


def test_stop_gradient():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x * x) * x
    assert float(tape.gradient(y, x)) == 4


def test_training_returns_to_where_it_began():
    rng = np.random.default_rng(0)
    x = tf.constant(rng.standard_normal((32, 8)), tf.float32)
    w, b = tf.Variable(tf.zeros([8, 4])), tf.Variable(tf.zeros([4]))
    target = tf.constant(rng.integers(0, 4, 32), tf.int32)
    losses = []

    def step():
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, w) + b
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
            )
        for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.1 * gradient)
        losses.append(float(loss))

    step()
    before = tf.config.experimental.get_memory_info()["current"]
    for _ in range(20):
        step()
    assert tf.config.experimental.get_memory_info()["current"] == before
    assert losses[-1] < losses[0]


def test_a_source_that_is_not_watched_has_no_gradient():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    for body in (lambda x, y: x * y, lambda x, y: tf.sin(tf.exp(y)) * x):
        for function in (body, tf.function(body)):
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = function(a, b)
            first, second = tape.gradient(y, [a, b])
            assert first is not None
            assert second is None


def test_rows_as_a_target():
    """A gradient that is IndexedSlices can be differentiated again: its rows count."""
    table = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(table)
        with tf.GradientTape() as tape:
            tape.watch(table)
            picked = tf.gather(table, [0, 1, 1])
            loss = tf.reduce_sum(picked * picked)
        rows = tape.gradient(loss, table)
    assert isinstance(rows, tf.IndexedSlices)
    assert outer.gradient([rows], table).values.numpy().tolist() == [2.0, 2.0, 2.0]


MISSING = {
    "LRNGrad": (lambda x: tf.nn.local_response_normalization(x), [1, 1, 2, 3], 2),
    "IgammaGradA": (lambda x: tf.math.igamma(x, 2.0), [2, 3], 2),
    "RandomGammaGrad": (lambda x: tf.random.stateless_gamma([4, 2], [1, 2], x), [2], 2),
    "ResizeArea": (lambda x: tf.raw_ops.ResizeArea(images=x, size=[2, 2]), [1, 3, 3, 1], 1),
    "Unique": (lambda x: tf.unique(x)[0], [3], 1),
    "Bitcast": (lambda x: tf.bitcast(x, tf.float32), [3], 1),
    "TruncateMod": (lambda x: tf.truncatemod(x, 0.7), [3], 1),
}


@pytest.mark.parametrize("op", MISSING)
def test_a_derivative_that_nobody_has_written_down_is_refused(op):
    f, shape, order = MISSING[op]
    x = tf.ones(shape)

    def derivative(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            y = f(x)
            if order == 2:
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = f(x)
                y = tape.gradient(y, x)
        return outer.gradient(y, x)

    for run in (derivative, tf.function(derivative)):
        with pytest.raises(LookupError, match=f"no entry for: {op}"):
            run(x)


def test_slopes_that_jump_have_a_derivative_of_zero():
    x = tf.constant([[-1.0, 2.0, 0.5, 7.0]])
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    pool = lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID")  # noqa: E731
    for f, at in [(tf.nn.relu, x), (tf.nn.relu6, x), (tf.nn.leaky_relu, x), (pool, image)]:
        with tf.GradientTape() as outer:
            outer.watch(at)
            with tf.GradientTape() as tape:
                tape.watch(at)
                y = f(at)
            first = tape.gradient(y, at)
        assert not np.any(outer.gradient(first, at))
