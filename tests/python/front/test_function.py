"""tf.function: what is traced when, and what a call gives. Answers are TensorFlow 2.21's."""

import copy
import functools
import gc
import weakref

import numpy as np
import penstock as tf
import pytest


@pytest.fixture
def traces():
    return []


def test_a_trace_per_dtype_and_shape(traces):
    @tf.function
    def double(x):
        traces.append(x.shape)
        return x * 2

    for value in ([1.0], [2.0], [1.0, 2.0], [1], [5.0]):
        np.testing.assert_array_equal(double(tf.constant(value)), np.multiply(value, 2))
    assert traces == [[1], [2], [1]]
    assert double.experimental_get_tracing_count() == 3


def test_python_values_count_by_type_and_value(traces):
    @tf.function
    def scaled(x, by=2, *, name=None):
        traces.append((by, name))
        return x * by

    x = tf.constant([1.0, 2.0])
    scaled(x), scaled(x, 2), scaled(x, by=2), scaled(by=2, x=x)
    assert traces == [(2, None)]
    scaled(x, 3), scaled(x, 3.0), scaled(x, name="a"), scaled(x, name="a")
    assert traces[1:] == [(3, None), (3.0, None), (2, "a")]
    assert scaled(x, float("nan")).shape == [2]
    assert len(traces) == 5
    scaled(x, float("nan"))
    assert len(traces) == 5
    assert 1 / scaled(x, -0.0)[0] == -np.inf
    assert 1 / scaled(x, 0.0)[0] == np.inf


def test_arrays_become_tensors(traces):
    @tf.function
    def taken(x):
        traces.append(type(x).__name__)
        return x

    assert taken(np.ones(2)).dtype == tf.float64
    taken(np.zeros(2)), taken(tf.constant([1.0, 2.0], tf.float64))
    assert taken(np.float32(3)).shape == []
    assert traces == ["SymbolicTensor"] * 2


def test_structures(traces):
    @tf.function
    def f(d, *rest, flag=True, **more):
        traces.append(flag)
        return {"a": d["x"] + 1, "b": [d["y"], None, 3], "c": (rest, more)}

    for _ in range(2):
        got = f({"x": 1.0, "y": np.float64(2)}, tf.constant(1), 5, flag=False, z=tf.constant(2.0))
    assert traces == [False]
    assert got["a"].numpy() == 2
    assert got["b"][0].dtype == tf.float64
    assert got["b"][1] is None
    assert [each.numpy() for each in got["c"][0]] == [1, 5]
    assert got["c"][1]["z"].numpy() == 2


def test_results_are_tensors_or_none():
    got = tf.function(lambda: (np.ones(2), 1, True, None, 2.5, "abc"))()
    assert [None if t is None else t.dtype.name for t in got] == [
        *("float64", "int32", "bool", None, "float32", "string")
    ]
    assert tf.function(lambda: None)() is None
    with pytest.raises(TypeError, match=r"must return zero or more Tensors .* type object"):
        tf.function(lambda: object())()
    v = tf.Variable([1.0, 2.0])
    assert tf.is_tensor(tf.function(lambda: v)())
    assert tf.function(lambda: v)().shape == [2]


def test_objects_count_by_identity_and_are_not_kept(traces):
    class Model:
        factor = 3.0

    @tf.function
    def f(model, x):
        traces.append(model)
        return x * model.factor

    one, other, x = Model(), Model(), tf.constant(2.0)
    assert f(one, x).numpy() == 6
    f(one, x), f(other, x)
    assert traces == [one, other]
    traces.clear()
    before, alive = f.bytes(), weakref.ref(one)
    del one
    assert alive() is None
    assert f.bytes() < before
    with pytest.raises(TypeError, match="Could not generate a generic TraceType"):
        f({1, 2}, x)


def test_variables_as_arguments():
    v, w = tf.Variable(1.0), tf.Variable(10.0)
    add = tf.function(lambda a, b: a + b)
    for _ in range(2):
        assert [add(v, w).numpy(), add(w, v).numpy(), add(v, v).numpy()] == [11, 11, 2]
    v.assign(5.0)
    assert add(v, w).numpy() == 15


def test_methods_are_functions_of_their_object(traces):
    class Model:
        def __init__(self, factor):
            self.factor = factor

        @tf.function
        def __call__(self, x):
            traces.append(self.factor)
            return x * self.factor

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def constrained(self, x):
            return x + self.factor

    a, b = Model(2.0), Model(3.0)
    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        assert a(x)[1].numpy() == 4
        assert b(x)[1].numpy() == 6
    assert traces == [2.0, 3.0]
    assert a.constrained([1, 2])[0].numpy() == 3
    alive = weakref.ref(a)
    del a
    assert alive() is None


def test_variables_are_made_on_the_first_call_only(traces):
    class Counter:
        v = None

        @tf.function
        def add(self, x):
            traces.append(x)
            if self.v is None:
                self.v = tf.Variable(tf.zeros([2]) + 1.0)
            return self.v.assign_add(x)

    counter = Counter()
    for _ in range(3):
        got = counter.add(tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(got, [4.0, 7.0])
    assert len(traces) == 2  # a second trace shows that no more are made
    traces.clear()

    with pytest.raises(ValueError, match=r"only supports singleton tf.Variables created on the"):
        tf.function(lambda: tf.Variable(1.0) + 1)()


def test_side_effects_while_tracing_only(traces):
    v = tf.Variable(0.0)

    @tf.function
    def step(x):
        traces.append("python")
        before = v.value()
        v.assign_add(x)
        return before, v.value(), v

    for k in range(3):
        assert [each.numpy() for each in step(tf.constant(1.0))] == [k, k + 1, k + 1]
    assert traces == ["python"]


def test_captured_tensors_and_closures():
    k = tf.constant([5.0, 6.0])
    assert tf.function(lambda x: x + k)(1.0).numpy().tolist() == [6, 7]

    @tf.function
    def outer(x):
        @tf.function
        def inner(y):
            return y * x

        return inner(x) + inner(tf.constant(2.0))

    assert outer(tf.constant(3.0)).numpy() == 15
    assert outer(tf.constant(4.0)).numpy() == 24


def test_an_inner_function_is_traced_once_per_signature(traces):
    @tf.function
    def inner(x):
        traces.append(x.shape)
        return x + 1

    outer = tf.function(lambda x: inner(inner(x)) * 2)
    assert outer(tf.constant(1.0)).numpy() == 6
    assert outer(tf.constant([1.0])).numpy() == [6]
    assert inner(tf.constant(5.0)).numpy() == 6
    assert traces == [[], [1]]


def test_running_eagerly(traces):
    @tf.function
    def f(x):
        traces.append(tf.executing_eagerly())
        return x + 1

    x = tf.constant(1.0)
    f(x), f(x)
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        f(x), f(x)
    finally:
        tf.config.run_functions_eagerly(False)
    f(x)
    assert traces == [False, True, True]


def test_init_scope():
    seen = []

    @tf.function
    def f(x):
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), tf.inside_function(), tf.constant(3.0).numpy()))
        seen.append((tf.executing_eagerly(), tf.inside_function(), tf.is_symbolic_tensor(x)))
        return x

    f(tf.constant(1.0))
    assert seen == [(True, True, 3.0), (False, True, True)]
    assert not tf.inside_function()
    assert not tf.is_symbolic_tensor(tf.constant(1.0))


def test_options_are_accepted():
    f = tf.function(
        lambda x: x + 1,
        autograph=False,
        jit_compile=True,
        reduce_retracing=True,
        experimental_implements="a",
        experimental_autograph_options=None,
        experimental_attributes={},
    )
    assert f(1.0).numpy() == 2
    assert f.name == "<lambda>"
    assert f.python_function(1) == 2
    with pytest.raises(TypeError, match="3 is not a callable object"):
        tf.function(3)


def test_elements_whose_number_is_known_later():
    m = np.arange(24.0).reshape(2, 3, 4)
    x = tf.constant(m)
    for index in [(1,), (-1, 2), (0, -2, 1)]:
        i = [tf.constant(each) for each in index]
        np.testing.assert_array_equal(tf.function(lambda x, i: x[tuple(i)])(x, i), m[index])
    one = tf.constant(1)
    for take in [
        lambda x, i: x[i],
        lambda x, i: x[:, i],
        lambda x, i: x[..., i],
        lambda x, i: x[0, ..., i, None],
        lambda x, i: x[None, i, 1:, ::-1],
        lambda x, i: x[:, i - 2, i],
    ]:
        np.testing.assert_array_equal(tf.function(take)(x, one), take(m, 1))
    v, at = tf.Variable(m), tf.Variable(1)
    np.testing.assert_array_equal(tf.function(lambda i: v[i, at])(one), m[1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda x, i: x[i])(x, tf.constant(7))


def test_copies_have_no_traces():
    f = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([2])])
    f([1.0, 2.0])
    copied = copy.deepcopy({"f": f})["f"]
    assert copied.experimental_get_tracing_count() == 0
    assert copied([1.0, 2.0]).numpy().tolist() == [2, 3]
    assert copied.input_signature == f.input_signature


def test_callables_of_all_kinds():
    class Adder:
        def __call__(self, x, y=2):
            return x + y

    for made in (Adder(), functools.partial(Adder(), y=2), Adder().__call__, staticmethod(abs)):
        f = tf.function(made)
        assert [f(tf.constant(-3.0)).numpy() for _ in range(2)] in ([-1.0] * 2, [3.0] * 2)


def test_everything_goes_with_the_function():
    gc.collect()
    gc.disable()
    try:
        before = tf.config.experimental.get_memory_info()["current"]
        f = tf.function(lambda x, w: (x @ w, tf.constant(np.ones([300, 300]))))
        for n in range(1, 20):
            f(tf.ones([n, 4]), tf.ones([4, 4]))
        assert tf.config.experimental.get_memory_info()["current"] > before
        del f
        assert tf.config.experimental.get_memory_info()["current"] == before
    finally:
        gc.enable()


def test_a_function_of_ours_can_be_traced_as_it_is():
    a = tf.constant([[2.0, 1.0], [1.0, 3.0]])
    found = tf.function(tf.linalg.solve)(a, a)
    np.testing.assert_array_equal(found.numpy(), tf.linalg.solve(a, a).numpy())


def test_a_trace_that_failed_is_none(traces):
    before = tf.config.experimental.get_memory_info()["current"]

    class Counter:
        v = None

        @tf.function
        def add(self, x, is_right):
            traces.append(x)
            y = tf.exp(x) @ x
            if not is_right:
                raise KeyError("no")
            if self.v is None:
                self.v = tf.Variable(2.0)
            return self.v + tf.reduce_sum(y)

    counter = Counter()
    for _ in range(3):
        with pytest.raises(KeyError):
            counter.add(tf.zeros([2, 2]), False)
    traces.clear()
    gc.collect()
    assert tf.config.experimental.get_memory_info()["current"] == before
    assert tf.executing_eagerly()
    assert counter.add(tf.zeros([2, 2]), True).numpy() == 2  # the first that makes variables
    assert counter.add.experimental_get_tracing_count() == 2
    traces.clear()


def test_defaults_that_change():
    options = {"by": [2.0]}
    f = tf.function(lambda x, options=options: x * options["by"][0])
    for by in (2.0, 2.0, 3.0, 2.0):
        options["by"][0] = by
        assert f(tf.constant(5.0)).numpy() == 5 * by
    assert f.experimental_get_tracing_count() == 2


def test_a_part_that_is_repeated_is_not_overwritten():
    x, v = tf.random.normal([8, 8]), tf.Variable(tf.random.normal([8, 8]))

    def parts(x):
        y = tf.tanh(x)
        y = y + y[0]  # y is not needed any more, but its first row is until the last
        z = tf.exp(x)
        z = z * tf.reshape(z, [64])[8:16]
        v.assign(v - v[3])
        return y, z, v

    before = v.numpy().copy()
    expected = [each.numpy() for each in parts(x)]
    v.assign(before)
    for got, wanted in zip(tf.function(parts)(x), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
