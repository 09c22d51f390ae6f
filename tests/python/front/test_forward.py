"""tf.autodiff.ForwardAccumulator: against finite differences, tapes and TensorFlow's rules."""

import gc

import numpy as np
import penstock as tf
import pytest

Forward = tf.autodiff.ForwardAccumulator

FUNCTIONS = {
    "product": lambda x: tf.matmul(x, x, transpose_b=True) * tf.sin(x[:, :1]),
    "softmax": lambda x: tf.nn.softmax(x) ** 2.0,
    "reductions": lambda x: tf.reduce_logsumexp(x, 0) + tf.reduce_max(x, 0) + tf.norm(x),
    "pieces": lambda x: tf.concat([x[1:], tf.gather(x, [0, 0])], 0) - tf.reverse(x, [0])[:1],
    "solve": lambda x: tf.linalg.solve(x @ tf.transpose(x) + tf.eye(3, dtype=x.dtype), x),
    "loop": lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1],
    "branch": lambda x: tf.cond(x[0, 0] > 0, lambda: x * x, lambda: tf.exp(x)),
    "recomputed": tf.recompute_grad(lambda x: tf.tanh(x) * x),
}
CONTROL = ("branch", "loop")  # which are nodes of their own in a function


def values(shape=(3, 4)):
    rng = np.random.default_rng(3)
    return rng.uniform(0.2, 1.0, shape), rng.normal(size=shape)


def pushed(f, x, v):
    with Forward(x, v) as acc:
        y = f(x)
    return acc.jvp(y)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_differences_and_the_tape(name):
    f = FUNCTIONS[name]
    at, along = values()
    x, v = tf.constant(at), tf.constant(along)
    found = pushed(f, x, v).numpy()
    step = 1e-6
    expected = (f(tf.constant(at + step * along)) - f(tf.constant(at - step * along))) / (2 * step)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-6, atol=1e-8)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    w = np.cos(np.arange(found.size)).reshape(found.shape)
    dx = tape.gradient(y, x, output_gradients=tf.constant(w))
    np.testing.assert_allclose(np.sum(w * found), np.sum(dx.numpy() * along), rtol=1e-9)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in CONTROL])
def test_inside_and_around_functions(name):
    f = FUNCTIONS[name]
    x, v = map(tf.constant, values())
    expected = pushed(f, x, v).numpy()
    inside = tf.function(lambda x, v: pushed(f, x, v))
    np.testing.assert_allclose(inside(x, v).numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(pushed(tf.function(f), x, v).numpy(), expected, rtol=1e-12)


def test_hessian_times_vector():
    v = tf.Variable([1.0, 2.0])

    def product(direction):
        with Forward(v, direction) as acc:
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(v**3.0)
            gradient = tape.gradient(y, v)
        return gradient, acc.jvp(gradient)

    for run in (product, tf.function(product)):
        gradient, along = run(tf.constant([1.0, 0.0]))
        assert gradient.numpy().tolist() == [3, 12]
        assert along.numpy().tolist() == [6, 0]

    @tf.function
    def cubes():
        return tf.reduce_sum(v**3.0)

    with Forward(v, tf.constant([0.0, 1.0])) as acc:
        with tf.GradientTape() as tape:
            y = cubes()
        gradient = tape.gradient(y, v)
    assert acc.jvp(gradient).numpy().tolist() == [0, 12]


def test_a_tape_around_an_accumulator():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with Forward(x, tf.constant([1.0, 0.0])) as acc:
            y = tf.reduce_sum(x**3.0)
        along = acc.jvp(y)
    assert float(along) == 3
    assert tape.gradient(along, x).numpy().tolist() == [6, 0]


def test_nesting_is_strict():
    x = tf.constant(1.1)
    with Forward(x, tf.constant(1.0)) as outer, Forward(x, tf.constant(1.0)) as inner:
        y = x**3.5
    np.testing.assert_allclose(float(inner.jvp(y)), 3.5 * 1.1**2.5, rtol=1e-6)
    np.testing.assert_allclose(float(outer.jvp(inner.jvp(y))), 3.5 * 2.5 * 1.1**1.5, rtol=1e-6)
    assert inner.jvp(outer.jvp(y)) is None
    with Forward(x, tf.constant(1.0)) as outer, tf.GradientTape() as tape:
        tape.watch(x)
        along = outer.jvp(x * x)
    assert tape.gradient(along, x) is None


def test_what_has_a_tangent():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    acc = Forward({"x": x}, {"x": 2 * x})
    before = x * 1.0
    with acc:
        rows = tf.gather(x, [1])
        others = [tf.stop_gradient(x), tf.argmax(x), tf.cast(x, tf.int32), before * 1.0]
    after = rows * 2.0
    assert acc.jvp(rows).numpy().tolist() == [[6, 8]]
    assert acc.jvp([before, after, *others]) == [None] * 6
    assert acc.jvp(after, unconnected_gradients="zero").numpy().tolist() == [[0, 0]]
    with acc:  # once more
        again = rows * 2.0
    assert acc.jvp({"a": (again,)})["a"][0].numpy().tolist() == [[12, 16]]


def test_variables_keep_their_tangents():
    v = tf.Variable(2.0)
    with Forward(v, tf.constant(1.0)) as acc:
        y = v * v
        v.assign(y)
        z = v * 3.0
    assert [float(acc.jvp(each)) for each in (y, z, v)] == [4, 3, 1]


def test_custom_gradients_count():
    @tf.custom_gradient
    def steps(x):
        return tf.round(x), lambda dy: 7.0 * dy

    x = tf.constant([1.2, 2.7])
    for f in (steps, tf.function(steps)):
        assert pushed(f, x, tf.constant([1.0, 0.0])).numpy().tolist() == [7, 0]


def test_mistakes():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="specified as a primal multiple times"):
        Forward([x, x], [x, x])
    for primals, tangents in [([x], x), ([x, v], [x]), (x, [1.0, 2.0])]:
        with pytest.raises(ValueError, match="don't have the same nested structure"):
            Forward(primals, tangents)
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32"):
        Forward(x, tf.constant([1.0, 2.0], tf.float64))
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        Forward(x, tf.constant([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="None"):
        Forward(x, None)
    with pytest.raises(AttributeError, match="dtype"):
        Forward(1.0, 1.0)
    acc = Forward(x, x)
    with pytest.raises(ValueError, match="already recording"), acc, acc:
        pass
    with pytest.raises(ValueError, match="'bad' is not a valid UnconnectedGradients"):
        acc.jvp(x, "bad")
    with pytest.raises(AttributeError, match="_id"):
        acc.jvp(1.0)
    images = tf.ones([1, 2, 2, 4])
    with Forward(images, images), pytest.raises(LookupError, match="no entry for: LRNGrad"):
        tf.raw_ops.LRN(input=images)


def test_tangents_go_with_their_tensors():
    x = tf.ones([1000])
    with Forward(x, x):
        y = x * x
        gc.collect()
        before = tf.config.experimental.get_memory_info("CPU:0")["current"]
        for _ in range(20):
            y = y * x
        after = tf.config.experimental.get_memory_info("CPU:0")["current"]
    assert after <= before
