"""Programs with branches, loops and arrays: the same values and gradients however they are run."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


def powers(x):
    return tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), (0, x))[1]


def structure(x):
    start = (0, {"a": x, "b": x * 2.0})
    body = lambda i, s: (i + 1, {"a": s["b"] * x, "b": s["a"] + 1.0})  # noqa: E731
    return tf.while_loop(lambda i, s: i < 3, body, start)[1]["a"]


def at_most(x):
    return tf.while_loop(
        lambda y: True, lambda y: (y * x,), (x,), maximum_iterations=tf.constant(3)
    )[0]


def growing(x):
    return tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, tf.concat([y, y * x[0]], 0)),
        (0, x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
    )[1][:3]


def nested(x):
    def outer(i, y):
        inner = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x + 1.0), (0, y))
        return i + 1, inner[1]

    return tf.while_loop(lambda i, y: i < 4, outer, (0, x))[1]


def branch_in_loop(x):
    def body(i, y):
        return i + 1, tf.cond(tf.reduce_sum(y) > 3.0, lambda: y * x, lambda: y + x)

    return tf.while_loop(lambda i, y: i < 5, body, (0, x))[1]


def loop_in_branch(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: powers(x), lambda: -x)


def picked(x):
    index = tf.cast(tf.reduce_sum(x), tf.int32)
    return tf.switch_case(index, [lambda: x, lambda: x * 2.0, lambda: x * x, lambda: -x])


def first_true(x):
    total = tf.reduce_sum(x)
    return tf.case([(total < 1.0, lambda: x), (total < 5.0, lambda: x * x)], default=lambda: -x)


def mapped(x):
    return tf.map_fn(lambda v: v * tf.stack([v, v]), x)


def mapped_pair(x):
    signature = (tf.float32, tf.TensorSpec([], tf.float32))
    return tf.map_fn(lambda v: (v, v * v), x, fn_output_signature=signature)[1]


def scanned(x):
    return tf.scan(lambda a, v: a * v + 1.0, x)


def scanned_back(x):
    return tf.scan(lambda a, v: (a[0] * v, a[1] + v), x, (1.0, 0.0), reverse=True)[0]


def folded(x):
    return tf.foldl(lambda a, v: a * v + 1.0, x) + tf.foldr(lambda a, v: a * v - 1.0, x, 2.0)


def vectorized(x):
    return tf.vectorized_map(lambda v: v * v, x)


def collected(x):
    def body(i, y, states):
        y = tf.tanh(y * x)
        return i + 1, y, states.write(i, y)

    start = (0, x, tf.TensorArray(tf.float32, 4))
    return tf.while_loop(lambda i, *_: i < 4, body, start)[2].stack()


def collected_while_growing(x):
    start = (0, tf.TensorArray(tf.float32, 0, dynamic_size=True))
    body = lambda i, a: (i + 1, a.write(a.size(), x * tf.cast(i, tf.float32)))  # noqa: E731
    return tf.while_loop(lambda i, a: i < 11, body, start)[1].stack()


def read_and_written(x):
    array = tf.TensorArray(tf.float32, 6, clear_after_read=False).write(0, x).write(1, x * 2.0)
    body = lambda i, a: (i + 1, a.write(i, a.read(i - 1) * a.read(i - 2)))  # noqa: E731
    return tf.while_loop(lambda i, a: i < 6, body, (2, array))[1].gather([5, 2])


def unstacked(x):
    rows = tf.TensorArray(tf.float32, 2).unstack(x)
    body = lambda i, y: (i + 1, y * rows.read(i))  # noqa: E731
    return tf.while_loop(lambda i, y: i < 2, body, (0, tf.constant(1.0)))[1]


def written_in_a_branch(x):
    def body(i, a):
        return i + 1, tf.cond(i % 2 == 0, lambda: a.write(i, x * x), lambda: a)

    return tf.while_loop(lambda i, a: i < 4, body, (0, tf.TensorArray(tf.float32, 4)))[1].stack()


FUNCTIONS = [
    powers, structure, at_most, growing, nested, branch_in_loop, loop_in_branch, picked, first_true,
    mapped, mapped_pair, scanned, scanned_back, folded, vectorized, collected,
    collected_while_growing, read_and_written, unstacked, written_in_a_branch,
]  # fmt: skip


# Written as Python has it; graphs of TensorFlow 1 do not convert these.
def over_a_range(x):
    y = x
    for i in tf.range(4):
        y = y * x + tf.cast(i, tf.float32)
    return y


def over_rows(x):
    y = tf.constant(1.0)
    for row in x:
        y = y * row + 1.0
    return y


def until(x):
    y = x
    while tf.reduce_sum(y) < 100.0:
        y = y * x
        if y[0] > 50.0 or y[0] < 0.01:
            break
    return y


def filled_array(x):
    states = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    y = x
    for i in tf.range(5):
        if i == 2:
            continue
        y = y * x
        states = states.write(states.size(), y)
    return states.stack()


def array_of_arrays(x):
    rows = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        row = tf.TensorArray(tf.float32, 2)
        for j in tf.range(2):
            row = row.write(j, x[j] * tf.cast(i + 1, tf.float32))
        rows = rows.write(i, row.stack())
    return rows.stack()


def few_checkpoints(x):
    y = x
    for _ in tf.range(20):
        tf.autograph.experimental.set_loop_options(checkpoints=2, swap_memory=True)
        y = tf.sin(y * x)
    return y


STATEMENTS = [over_a_range, over_rows, until, filled_array, array_of_arrays, few_checkpoints]


OPEN = [growing, collected_while_growing, filled_array]


def eager(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


def as_function(f, x, **options):
    return eager(tf.function(f, **options), x)


def tape_inside(f, x):
    return tf.function(lambda x: eager(f, x))(x)


def as_jit(f, x):
    if f in OPEN:
        pytest.skip("shapes that only a run can tell have no plan")
    return as_function(f, x, jit_compile=True)


def open_shapes(f, x):
    return as_function(f, x, input_signature=[tf.TensorSpec([None])])


def in_graph(f, x):
    with v1.Graph().as_default(), v1.Session() as session:
        fed = v1.placeholder(tf.float32, [2])
        y = f(fed)
        return session.run([y, v1.gradients(y, fed)[0]], {fed: x.numpy()})


def check(mode, f):
    for values in [1.5, 2.0], [0.5, -0.25]:
        x = tf.constant(values)
        for got, expected in zip(mode(f, x), eager(f, x), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-6, err_msg=f.__name__)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("mode", [as_function, tape_inside, as_jit, open_shapes, in_graph])
def test_functions(mode, f):
    check(mode, f)


@pytest.mark.parametrize("f", STATEMENTS)
@pytest.mark.parametrize("mode", [as_function, tape_inside, as_jit, open_shapes])
def test_statements(mode, f):
    check(mode, f)


def test_no_gradient_goes_back():
    f = tf.function(
        lambda x: tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x), back_prop=False
        )[1]
    )
    y, slope = eager(f, tf.constant(2.0))
    assert y == 16.0
    assert slope is None
