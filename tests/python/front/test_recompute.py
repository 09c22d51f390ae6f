"""tf.recompute_grad: less memory, the same gradients."""

import numpy as np
import penstock as tf
import pytest

WIDTH, COUNT = 64, 6


def blocks(wrap, dropout=0.0):
    rng = np.random.default_rng(5)
    pairs = [
        [tf.Variable(rng.normal(0, 0.1, shape).astype("f4")) for shape in shapes]
        for shapes in [((WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH))] * COUNT
    ]

    def block(inner, outer):
        def run(x):
            h = tf.nn.relu(tf.matmul(x, inner))
            h = tf.nn.dropout(tf.tanh(h) * tf.sin(h), dropout)
            return x + tf.matmul(h, outer)

        return run

    variables = [each for pair in pairs for each in pair]
    return [wrap(block(*pair)) for pair in pairs], variables


def step_of(wrap, dropout=0.0):
    stack, variables = blocks(wrap, dropout)

    def step(x):
        with tf.GradientTape() as tape:
            y = x
            for block in stack:
                y = block(y)
            loss = tf.reduce_sum(y * y)
        return [loss, *tape.gradient(loss, variables)]

    return step


def peak_of(call, x):
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    tf.config.experimental.reset_memory_stats("CPU:0")
    found = call(x)
    peak = tf.config.experimental.get_memory_info("CPU:0")["peak"] - before
    return [each.numpy() for each in found], peak


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_a_function_plans_less():
    x = tf.constant(np.random.default_rng(1).normal(size=(128, WIDTH)).astype("f4"))
    found, planned, plans = {}, {}, {}
    for name, wrap in {"plain": lambda f: f, "again": tf.recompute_grad}.items():
        step = tf.function(step_of(wrap))
        plans[name] = step.get_concrete_function(x).memory_plan()
        planned[name] = plans[name].peak_bytes
        step(x)
        found[name], measured = peak_of(step, x)
        assert measured == planned[name]
    assert same(found["plain"], found["again"])
    assert plans["again"].arena_bytes < 0.45 * plans["plain"].arena_bytes


def test_eager_holds_less():
    x = tf.constant(np.random.default_rng(1).normal(size=(128, WIDTH)).astype("f4"))
    plain, most = peak_of(step_of(lambda f: f), x)
    again, less = peak_of(step_of(tf.recompute_grad), x)
    assert same(plain, again)
    assert less < 0.6 * most


@pytest.mark.parametrize("around", [lambda f: f, tf.function])
def test_random_ops_draw_the_same(around):
    x = tf.ones([8, WIDTH])
    found = []
    for wrap in (lambda f: f, tf.recompute_grad):
        tf.random.set_seed(7)
        step = around(step_of(wrap, dropout=0.5))
        found += [[[each.numpy() for each in step(x)] for _ in range(2)]]
    plain, again = found
    assert same(plain[0], again[0])
    assert same(plain[1], again[1])
    assert not same(plain[0], plain[1])


@pytest.mark.parametrize("around", [lambda f: f, tf.function])
def test_a_generator_goes_on_once(around):
    generator = tf.random.Generator.from_seed(3)
    other = tf.random.Generator.from_seed(3)
    noisy = tf.recompute_grad(lambda x: x * x * generator.normal([2]))

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = noisy(x)
        return tape.gradient(y, x)

    step, x = around(step), tf.constant([1.0, 2.0])
    for _ in range(2):
        np.testing.assert_array_equal(step(x), 2 * x * other.normal([2]))
    np.testing.assert_array_equal(generator.state.numpy(), other.state.numpy())


def test_runs_again_for_the_gradient_only():
    runs = []

    def inner(x):
        runs.append(len(runs))
        return x * x

    def outer(x):
        return tf.recompute_grad(inner)(x) + x

    f = tf.recompute_grad(outer)
    assert f.__wrapped__ is outer
    assert f.__name__ == "outer"
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert len(runs) == 1
    assert float(tape.gradient(y, x)) == 7
    assert len(runs) == 3


@pytest.mark.parametrize("around", [lambda f: f, tf.function])
def test_arguments_and_results(around):
    v = tf.Variable(2.0)

    @tf.recompute_grad
    def f(first, index, *, scale=1.0):
        rows = tf.gather(first["x"], index)
        return {"a": rows * v * scale, "b": rows + 1.0}

    def use(x, unused):
        with tf.GradientTape() as tape:
            tape.watch([x, unused])
            made = f({"x": x, "y": unused}, tf.constant([0, 0]), scale=3.0)
            y = tf.reduce_sum(made["a"]) + tf.reduce_sum(made["b"])
        return tape.gradient(y, [x, unused, v])

    dx, nothing, dv = around(use)(tf.constant([1.0, 5.0]), tf.constant(1.0))
    assert tf.convert_to_tensor(dx).numpy().tolist() == [14, 0]
    assert float(nothing) == 0
    assert float(dv) == 6


def test_second_order():
    f = tf.recompute_grad(lambda x: x**3)

    def twice(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            dx = inner.gradient(y, x)
        return outer.gradient(dx, x)

    for run in (twice, tf.function(twice)):
        assert run(tf.constant([1.0, 2.0])).numpy().tolist() == [6, 12]
