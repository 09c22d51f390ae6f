"""Functions with dimensions that are not known, sizes that depend on data, and calls of Python."""

import numpy as np
import penstock as tf
import pytest


def measured(f, *args):
    f(*args)
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info()["current"]
    result = f(*args)
    del result
    return tf.config.experimental.get_memory_info()["peak"] - before


def test_one_trace_serves_all_sizes():
    traced = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        traced.append(x.shape)
        return tf.reduce_sum(x * x, axis=0), tf.shape(x)[0]

    for n in (1, 2, 7, 2):
        x = np.arange(n * 3, dtype=np.float32).reshape(n, 3)
        total, count = f(x)
        np.testing.assert_array_equal(total, (x * x).sum(0))
        assert count == n
    assert [tuple(shape) for shape in traced] == [(None, 3)]
    assert f.experimental_get_tracing_count() == 1


def test_each_size_has_its_own_exact_plan():
    @tf.function(input_signature=[tf.TensorSpec([None, 64]), tf.TensorSpec([64, 64])])
    def f(x, w):
        return tf.nn.relu(tf.nn.relu(x @ w) @ w)

    for batch in (1, 32, 500):
        plan = f.memory_plan(tf.TensorSpec([batch, 64]), tf.TensorSpec([64, 64]))
        assert plan.is_exact
        assert plan.peak_bytes == measured(f, tf.ones([batch, 64]), tf.ones([64, 64]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes are not known"):
        f.memory_plan()
    assert f.experimental_get_tracing_count() == 1


SHAPES = [
    (lambda x: x + 1.0, [None, 3], (None, 3)),
    (lambda x: x + tf.ones([5, 3]), [None, 3], (5, 3)),
    (lambda x: tf.reshape(x, [-1, 6]), [None, 3], (None, 6)),
    (lambda x: tf.reshape(x, [tf.shape(x)[0], 1, 3]), [None, 3], (None, 1, 3)),
    (lambda x: tf.reshape(x, tf.shape(x)), [None, 3], (None, 3)),
    (lambda x: tf.reduce_sum(x, axis=0), [None, 3], (3,)),
    (lambda x: tf.reduce_mean(x), [None, 3], ()),
    (lambda x: x[:2], [None, 3], (None, 3)),
    (lambda x: x[:, 1], [None, 3], (None,)),
    (lambda x: tf.transpose(x), [None, 3], (3, None)),
    (lambda x: tf.concat([x, x], 0), [None, 3], (None, 3)),
    (lambda x: tf.concat([x, x], 1), [None, 3], (None, 6)),
    (lambda x: tf.matmul(x, tf.ones([3, 4])), [None, 3], (None, 4)),
    (lambda x: tf.matmul(x, tf.ones([3, 4])), [None, None], (None, 4)),
    (lambda x: tf.expand_dims(x, 0), [None, 3], (1, None, 3)),
    (lambda x: tf.squeeze(x, 1), [None, 1], (None,)),
    (lambda x: tf.tile(x, [2, 2]), [None, 3], (None, 6)),
    (lambda x: tf.nn.softmax(x), [None, 3], (None, 3)),
    (lambda x: tf.argmax(x, 1), [None, 3], (None,)),
    (lambda x: tf.one_hot(tf.argmax(x, 1), 3), [None, 3], (None, 3)),
    (lambda x: tf.zeros_like(x), [None, 3], (None, 3)),
    (lambda x: tf.zeros([tf.shape(x)[0], 2]), [None, 3], (None, 2)),
    (lambda x: tf.stack([x, x]), [None, 3], (2, None, 3)),
    (lambda x: tf.split(x, 3, 1)[0], [None, 3], (None, 1)),
    (lambda x: tf.gather(x, [0, 0], axis=1), [None, 3], (None, 2)),
    (lambda x: tf.boolean_mask(x, [True, False, True], axis=1), [None, 3], (None, 2)),
    (lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 1, "SAME"), [None, 8, 8, 2], (None, 8, 8, 4)),
    (lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 2, "VALID"), [None, None, None, 2], None),
    (lambda x: tf.ensure_shape(x, [None, 3]), None, (None, 3)),
    (lambda x: x * 2.0, None, None),
]


@pytest.mark.parametrize("case", range(len(SHAPES)))
def test_shapes_are_known_as_far_as_can_be(case):
    function, declared, wanted = SHAPES[case]
    seen = []

    @tf.function(input_signature=[tf.TensorSpec(declared)])
    def f(x):
        y = function(x)
        seen.append(y.shape)
        return y

    size = [4 if dim is None else dim for dim in (declared or [None, 3])]
    if case == 1:
        size[0] = 5
    if declared == [None, None]:
        size = [4, 3]
    if declared == [None, None, None, 2]:
        size = [2, 9, 9, 2]
    x = tf.random.stateless_uniform(size, [1, 2])
    np.testing.assert_array_equal(f(x), function(x))
    if wanted is not None:
        assert seen[0].as_list() == list(wanted)
    assert f.experimental_get_tracing_count() == 1


def test_gradients_where_sizes_are_open():
    w = tf.Variable(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))
    unused = tf.Variable(1.0)

    def loss(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = tf.reduce_mean(tf.nn.relu(x @ w) ** 2 + tf.reduce_sum(x, 1, keepdims=True))
        return value, *tape.gradient(value, [x, w, unused])

    f = tf.function(loss, input_signature=[tf.TensorSpec([None, 3])])
    for n in (1, 5, 3):
        x = tf.random.stateless_uniform([n, 3], [n, 1])
        for ours, eager in zip(f(x), loss(x), strict=True):
            if eager is None:
                assert ours is None
            else:
                np.testing.assert_array_equal(ours, eager)
    assert f.experimental_get_tracing_count() == 1


def test_second_derivatives_where_sizes_are_open():
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**3)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    f = tf.function(second, input_signature=[tf.TensorSpec([None])])
    x = tf.constant([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(f(x), second(x))


def test_a_tape_around_a_call_where_sizes_are_open():
    f = tf.function(lambda x: tf.reduce_sum(x**3), input_signature=[tf.TensorSpec([None])])
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_array_equal(tape.gradient(y, x), 3 * x**2)


def test_training_where_the_batch_is_open():
    w = tf.Variable(tf.zeros([2]))
    v = tf.Variable(tf.zeros([2]))

    def step(x, y, weights):
        with tf.GradientTape() as tape:
            value = tf.reduce_mean((tf.linalg.matvec(x, weights) - y) ** 2)
        weights.assign_sub(0.1 * tape.gradient(value, weights))
        return value

    signature = [tf.TensorSpec([None, 2]), tf.TensorSpec([None])]
    f = tf.function(lambda x, y: step(x, y, w), input_signature=signature)
    for i in range(10):
        x = tf.random.stateless_normal([i % 3 + 2, 2], [i, 1])
        y = tf.linalg.matvec(x, [1.0, -2.0])
        np.testing.assert_array_equal(f(x, y), step(x, y, v))
        np.testing.assert_array_equal(w, v)
    assert f.experimental_get_tracing_count() == 1


def test_reduce_retracing_leaves_open_what_changes():
    traced = []

    @tf.function(reduce_retracing=True)
    def f(x):
        traced.append(x.shape.as_list() if x.shape.rank is not None else None)
        return tf.reduce_sum(x)

    for shape in ([2, 3], [4, 3], [5, 3], [2, 3], [5, 6], [7, 8], [3]):
        assert f(tf.ones(shape)) == np.prod(shape)
    assert traced == [[2, 3], [None, 3], [None, None], None]


def test_sizes_that_depend_on_data():
    def f(x):
        y = tf.nn.relu(x) * 2.0
        kept = tf.boolean_mask(y, y > 3.0)
        return tf.reduce_sum(kept), tf.where(y > 3.0), tf.unique(tf.cast(y, tf.int32))[0] * 2

    g = tf.function(f)
    for seed in range(3):
        x = tf.random.stateless_uniform([10], [seed, 1], -4.0, 4.0)
        for ours, eager in zip(g(x), f(x), strict=True):
            np.testing.assert_array_equal(ours, eager)
    assert g.experimental_get_tracing_count() == 1
    plan = g.memory_plan(tf.TensorSpec([10]))
    assert not plan.is_exact
    assert any(each.startswith("Where at ") for each in plan.unknown)
    assert "test_function_open.py:" in plan.unknown[0]
    assert "known only when they run" in str(plan)


def test_gradients_through_sizes_that_depend_on_data():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.boolean_mask(x * x, x > 0.0))
        return tape.gradient(y, x)

    x = tf.constant([1.0, -2.0, 3.0])
    np.testing.assert_array_equal(tf.function(f)(x), f(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x * x, x > 0.0)))(x)
    np.testing.assert_array_equal(tape.gradient(y, x), f(x))


def test_sizes_that_are_values():
    @tf.function
    def f(n, x):
        return tf.range(n) * 2, tf.zeros([n, 2]), x[:n], x[n:, tf.newaxis], x[n]

    x = tf.range(10)
    for n in (1, 4):
        doubled, empty, head, tail, one = f(tf.constant(n), x)
        np.testing.assert_array_equal(doubled, np.arange(n) * 2)
        assert empty.shape == (n, 2)
        np.testing.assert_array_equal(head, np.arange(n))
        np.testing.assert_array_equal(tail, np.arange(n, 10)[:, None])
        assert one == n
    assert f.experimental_get_tracing_count() == 1


def test_strings():
    @tf.function
    def f(names, x):
        return tf.strings.join([names, tf.strings.as_string(x)], "-"), x + 1

    joined, after = f(tf.constant(["a", "b"]), tf.constant([1, 2]))
    assert joined.numpy().tolist() == [b"a-1", b"b-2"]
    assert after.numpy().tolist() == [2, 3]


def test_whole_plans_are_asked_for_with_jit_compile():
    f = tf.function(lambda x: tf.boolean_mask(x, x > 0), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)unsupported.*Where at .*py:"):
        f(tf.constant([1.0, -1.0]))
    g = tf.function(lambda x: x * 2.0, jit_compile=True, input_signature=[tf.TensorSpec([None])])
    assert g(tf.constant([1.0])) == 2.0


def test_print_runs_at_every_call(capfd):
    @tf.function
    def f(x):
        tf.print("x is", x, {"twice": x * 2})
        print("tracing")
        return x + 1

    for i in range(2):
        assert f(tf.constant(i)) == i + 1
    out, err = capfd.readouterr()
    assert out == "tracing\n"
    assert err == "x is 0 {'twice': 0}\nx is 1 {'twice': 2}\n"


def test_calls_happen_in_order_and_needed_or_not(capfd):
    @tf.function
    def f(x):
        tf.print("first", tf.boolean_mask(x, x > 1.0))
        y = x * 2.0
        tf.print("second", y)
        tf.print("third")
        return y

    np.testing.assert_array_equal(f(tf.constant([1.0, 2.0])), [2.0, 4.0])
    assert capfd.readouterr().err == "first [2]\nsecond [2 4]\nthird\n"


def test_python_functions():
    seen = []

    def double(x):
        seen.append(x.numpy().tolist())
        return x * 2

    @tf.function
    def f(x):
        y = tf.py_function(double, [x], tf.float32)
        assert y.shape.rank is None
        y.set_shape([None])
        assert y.shape.as_list() == [None]
        z = tf.numpy_function(np.sort, [y], tf.float32)
        return tf.reduce_sum(y) + z[0]

    assert f(tf.constant([3.0, 1.0])) == 10
    assert f(tf.constant([5.0, 4.0])) == 26
    assert seen == [[3.0, 1.0], [5.0, 4.0]]


def test_a_python_function_that_fails_leaves_the_function_usable():
    def broken(x):
        if x > 1:
            raise ValueError("no more")
        return x

    f = tf.function(lambda x: tf.py_function(broken, [x], tf.float32))
    assert f(tf.constant(1.0)) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="no more"):
        f(tf.constant(2.0))
    assert f(tf.constant(0.0)) == 0


def test_checks_of_values():
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="not like this")
        tf.debugging.assert_less(x, 10.0)
        return tf.debugging.check_numerics(1.0 / (3.0 - x), "parts")

    assert f(tf.constant([4.0])) == -1
    with pytest.raises(tf.errors.InvalidArgumentError, match="not like this"):
        f(tf.constant([-4.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="x < y"):
        f(tf.constant([40.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="parts : Tensor had Inf"):
        f(tf.constant([3.0]))
    assert f(tf.constant([2.0])) == 1


def test_variables_stay_in_place_beside_calls(capfd):
    v = tf.Variable(tf.zeros([100_000]))

    @tf.function
    def f(x):
        v.assign_add(x)
        tf.print("sum", tf.reduce_sum(v))

    x = tf.ones([100_000])
    f(x)
    assert measured(f, x) < 400_000
    np.testing.assert_array_equal(v, 3 * np.ones(100_000))
    assert capfd.readouterr().err == "sum 100000\nsum 200000\nsum 300000\n"


def test_variables_of_open_shape():
    v = tf.Variable([1.0], shape=[None])

    @tf.function
    def f(x):
        v.assign(tf.concat([v, x], 0))
        return tf.reduce_sum(v)

    assert f(tf.constant([2.0])) == 3
    assert f(tf.constant([3.0])) == 6
    np.testing.assert_array_equal(v, [1, 2, 3])


def test_functions_inside_functions_with_open_sizes():
    traced = []

    @tf.function
    def inner(x):
        traced.append(x.shape.as_list())
        return tf.reduce_max(x, axis=0)

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def outer(x):
        return inner(x) + inner(x * 2.0)

    np.testing.assert_array_equal(outer(tf.constant([[1.0, 2.0], [3.0, 0.0]])), [9, 6])
    np.testing.assert_array_equal(outer(tf.constant([[1.0, 2.0]])), [3, 6])
    assert traced == [[None, 2]]


def test_a_concrete_function_with_open_sizes():
    f = tf.function(lambda x: x * 2.0)
    concrete = f.get_concrete_function(tf.TensorSpec([None]))
    for n in (1, 3, 20):
        np.testing.assert_array_equal(concrete(tf.ones([n])), 2 * np.ones(n))
    assert concrete.output_shapes.as_list() == [None]
    f(tf.ones([5]))
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        concrete(tf.ones([2, 2]))


def test_wrong_shapes_are_refused_while_tracing():
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        return x @ tf.ones([4, 2])

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="MatMul"):
        f(tf.ones([2, 3]))


def test_many_sizes_stay_within_the_bound():
    @tf.function(input_signature=[tf.TensorSpec([None])], trace_cache_limit="256KiB")
    def f(x):
        return tf.reduce_sum(tf.nn.relu(x) * 2.0)

    for n in range(1, 300):
        assert f(tf.ones([n])) == 2 * n
        assert f.bytes() <= 256 << 10
    assert f.experimental_get_tracing_count() == 1


def test_sizes_are_never_made_up():
    rows = tf.function(lambda x: tf.shape(tf.reshape(x, [-1, 16])), reduce_retracing=True)
    for n in (32, 48, 64):
        assert rows(tf.ones([n])).numpy().tolist() == [n // 16, 16]

    two = [tf.TensorSpec([None]), tf.TensorSpec([None])]
    rest = tf.function(lambda x, y: tf.shape(x[tf.shape(y)[0] :]), input_signature=two)
    assert rest(tf.ones([5]), tf.ones([3])) == 2
    first = tf.function(lambda x: tf.shape(x[:1]), input_signature=[tf.TensorSpec([None])])
    assert first(tf.ones([0])) == 0


def test_one_tensor_as_two_arguments_has_two_gradients():
    @tf.function
    def f(a, b):
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.boolean_mask(a * b, a > 3.5)
        return tape.gradient(y, a)

    x = tf.constant([3.0, 4.0])
    np.testing.assert_array_equal(f(x, x), [0, 4])


def test_tensors_of_functions_do_not_get_out():
    kept = []
    f = tf.function(lambda x: kept.append(x + 1.0))
    f(tf.constant([1.0]))
    v = tf.Variable([0.0])
    with pytest.raises(TypeError, match="out of scope"):
        v.assign(kept[0])
    g = tf.function(lambda x: tf.py_function(lambda a: x, [x], tf.float32))
    with pytest.raises((TypeError, tf.errors.OpError), match="out of scope"):
        g(tf.constant([1.0]))


def test_gradients_of_constants_where_sizes_are_open():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(u):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x + tf.reduce_sum(u)
        return tape.gradient(y, x)

    assert f(tf.ones([2])) == 4
