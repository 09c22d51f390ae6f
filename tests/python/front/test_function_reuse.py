"""Calls that share a trace: variables of one kind, and tensors narrower than a spec. The counts are
TensorFlow's."""

import gc

import numpy as np
import penstock as tf
import pytest

S = tf.TensorSpec


def counts(body, calls, **options):
    """How many traces there are after each call."""
    traces = []

    def traced(*args, **kwargs):
        traces.append(1)
        return body(*args, **kwargs)

    function = tf.function(traced, **options)
    found = []
    for call in calls:
        call(function)
        found.append(len(traces))
    return found


def pair():
    return tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])


def test_variables_count_by_dtype_and_shape():
    a, b = pair()
    longer, whole = tf.Variable([5.0, 6.0, 7.0]), tf.Variable([1, 2])
    fixed = tf.Variable([1.0, 2.0], trainable=False)
    results = []
    given = [a, b, longer, a, whole, fixed, tf.constant([1.0, 2.0]), b]
    calls = [lambda f, x=x: results.append(f(x).numpy().tolist()) for x in given]
    assert counts(lambda v: v * 2, calls) == [1, 1, 2, 2, 3, 4, 5, 5]
    assert results[:4] == [[2, 4], [6, 8], [10, 12, 14], [2, 4]]
    assert results[-1] == [6, 8]


def test_values_are_those_of_the_call():
    a, b = pair()
    function = tf.function(lambda v: v * 2)
    for _ in range(3):  # in C++ from the second call on
        assert function(a).numpy().tolist() == [2, 4]
        assert function(b).numpy().tolist() == [6, 8]
    a.assign([7.0, 7.0])
    assert function(a).numpy().tolist() == [14, 14]


def test_assignments_reach_the_variable_of_the_call():
    a, b = pair()

    def body(v):
        v.assign_add([1.0, 1.0])
        return v.read_value()

    results = []
    calls = [lambda f, x=x: results.append(f(x).numpy().tolist()) for x in (a, b, a, b)]
    assert counts(body, calls) == [1, 1, 1, 1]
    assert results == [[2, 3], [4, 5], [3, 4], [5, 6]]
    assert (a.numpy().tolist(), b.numpy().tolist()) == ([3, 4], [5, 6])


def test_a_variable_given_twice_is_another_trace():
    a, b = pair()

    def body(v, w):
        v.assign_add([1.0, 1.0])
        return w + 0.0

    results = []
    given = [(a, b), (a, a), (b, a), (b, b)]
    calls = [lambda f, x=x: results.append(f(*x).numpy().tolist()) for x in given]
    assert counts(body, calls) == [1, 2, 2, 2]
    assert results == [[3, 4], [3, 4], [3, 4], [5, 6]]


def test_variables_in_structures():
    a, b = pair()
    given = [[a, b], [b, a], [a, a], (a, b)]
    assert counts(lambda vs: vs[0] - vs[1], [lambda f, x=x: f(x) for x in given]) == [1, 1, 2, 3]
    given = [{"x": a, "y": b}, {"x": b, "y": a}]
    assert counts(lambda d: d["x"] - d["y"], [lambda f, x=x: f(x) for x in given]) == [1, 1]
    function = tf.function(lambda vs, k: vs[0] - vs[1] * k)
    assert function([a, b], k=2.0).numpy().tolist() == [-5, -6]
    assert function([b, a], k=2.0).numpy().tolist() == [1, 0]


def test_an_argument_that_is_also_captured():
    a, b = pair()
    function = tf.function(lambda v: v + a)
    assert function(a).numpy().tolist() == [2, 4]
    assert function(b).numpy().tolist() == [4, 6]
    assert function.experimental_get_tracing_count() == 1

    @tf.function
    def both(v):
        v.assign_add([1.0, 1.0])
        return a * 1.0

    assert both(b).numpy().tolist() == [1, 2]
    both(a)
    assert (a.numpy().tolist(), b.numpy().tolist()) == ([2, 3], [4, 5])


def test_gradients():
    a, b = pair()

    @tf.function
    def inside(v):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        assert len(tape.watched_variables()) == 1
        return tape.gradient(loss, v)

    square = tf.function(lambda v: v * v)
    for variable in (a, b, a):
        wanted = (2 * variable).numpy().tolist()
        assert inside(variable).numpy().tolist() == wanted
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(square(variable))
        assert tape.watched_variables() == (variable,)
        assert tape.gradient(loss, variable).numpy().tolist() == wanted
    assert inside.experimental_get_tracing_count() == 1
    assert square.experimental_get_tracing_count() == 1


def test_nested_functions():
    traces = []

    @tf.function
    def inner(v):
        traces.append(1)
        v.assign_add([1.0, 1.0])
        return v * 2

    @tf.function
    def outer(v, w, x):
        scaled = tf.function(lambda u: u * x)  # of a tensor of this trace
        return inner(v) + inner(w) + scaled(v) * 0.0

    p, q = tf.Variable([1.0, 2.0]), tf.Variable([10.0, 20.0])
    one = tf.constant(1.0)
    assert outer(p, q, one).numpy().tolist() == [26, 48]
    assert outer(q, p, one).numpy().tolist() == [30, 52]
    assert outer(p, p, one).numpy().tolist() == [18, 22]
    assert len(traces) == 1
    assert (p.numpy().tolist(), q.numpy().tolist()) == ([5, 6], [12, 22])


def test_control_flow_over_an_argument():
    a, b = pair()

    @tf.function
    def body(v, n):
        for _ in tf.range(n):
            if tf.reduce_sum(v) < 20.0:
                v.assign_add(v)
        return v.read_value()

    assert body(a, tf.constant(3)).numpy().tolist() == [8, 16]
    assert body(b, tf.constant(1)).numpy().tolist() == [6, 8]
    assert body.experimental_get_tracing_count() == 1
    assert a.numpy().tolist() == [8, 16]


@pytest.mark.parametrize("kind", [tf.optimizers.SGD, tf.optimizers.Adam])
def test_optimizers_know_the_variables_themselves(kind):
    a, b = pair()
    optimizer = kind(0.5)

    @tf.function
    def step(variables):
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(v) for v in variables])
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    for _ in range(3):
        step([a, b])
    assert np.allclose([a.numpy(), b.numpy()], [[-0.5, 0.5], [1.5, 2.5]], atol=1e-4)
    assert int(optimizer.iterations) == 3
    outside = [tf.ones([2]), tf.ones([2])]
    optimizer.apply_gradients(zip(outside, [a, b], strict=True))
    assert np.allclose(a.numpy(), [-1.0, 0.0], atol=1e-4)


def test_a_variable_made_of_an_argument():
    a, b = pair()
    kept = []

    @tf.function
    def body(v):
        if not kept:
            kept.append(tf.Variable(v * 10.0))
        return v + kept[0]

    assert body(a).numpy().tolist() == [11, 22]
    assert body(b).numpy().tolist() == [13, 24]


def test_an_argument_is_none_outside():
    leaked = []
    function = tf.function(lambda v: leaked.append(v) or v * 2)
    function(tf.Variable([1.0]))
    for use in (lambda v: v + 1, lambda v: v.numpy(), lambda v: v.assign([2.0]), np.asarray):
        with pytest.raises(tf.errors.FailedPreconditionError, match="argument of a function"):
            use(leaked[0])


def test_variables_that_are_no_more():
    function = tf.function(lambda v: v * 2)
    function(tf.Variable([1.0, 5.0]))
    gc.collect()
    held = tf.config.experimental.get_memory_info()["current"]
    for _ in range(5):
        variable = tf.Variable([1.0, 5.0])
        assert function(variable).numpy().tolist() == [2, 10]
        del variable
        gc.collect()
        assert tf.config.experimental.get_memory_info()["current"] == held
    assert function.experimental_get_tracing_count() == 1


def spec_calls(*given):
    return [
        (lambda f, x=x: f.get_concrete_function(*x))
        if isinstance(x[0], S)
        else (lambda f, x=x: f(*map(tf.ones, x)))
        for x in given
    ]


F = tf.float32


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([[S([None], F)], [[2]], [[3]], [[2, 2]], [[3, 3]]], [1, 1, 1, 2, 3]),
        (
            [
                *([S([None, None], F)], [S([None, 3], F)], [S([2, 3], F)], [[2, 3]]),
                *([S(None, F)], [S([None, 3], F)], [[2]]),
            ],
            [1, 1, 1, 1, 2, 2, 2],
        ),
        ([[S(None, F)], [[2, 3]], [[]], [S([None], F)]], [1, 1, 1, 1]),
        (
            [
                *([S([None], F), S([2], F)], [S([2], F), S([None], F)]),
                *([[5], [2]], [[2], [7]], [[2], [2]], [[3], [3]]),
            ],
            [1, 2, 2, 2, 2, 3],
        ),
        ([[[2]], [S([None], F)], [[2]], [[3]]], [1, 2, 2, 2]),
        ([[S([None], F, name="q")], [S([None], F)], [[2]]], [1, 1, 1]),
        ([[S([2], F, name="q")], [[2]], [S([2], F, name="r")]], [1, 1, 2]),
    ],
)
def test_a_trace_serves_what_is_narrower(given, wanted):
    assert counts(lambda x, *rest: x * 2, spec_calls(*given)) == wanted


def test_a_trace_that_fails_serves_nothing():
    @tf.function
    def body(x):
        if x.shape[0] is None:
            raise ValueError("sizes, please")
        return x * 2

    with pytest.raises(ValueError, match="sizes"):
        body.get_concrete_function(S([None], F))
    assert body(tf.ones([2])).shape == [2]


def test_reduced_retracing_with_variables():
    a, b = pair()
    given = [([1], a), ([2], b), ([3], a)]
    calls = [lambda f, x=x: f(tf.ones(x[0]), x[1]) for x in given]
    assert counts(lambda x, v: x * 2, calls, reduce_retracing=True) == [1, 2, 2]
