"""The traces of a function: bounded, freed with it, and explained when there are too many."""

import gc
import logging

import numpy as np
import penstock as tf
import pytest


def held():
    return tf.config.experimental.get_memory_info()["current"]


@pytest.fixture
def logged():
    records = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    tf.get_logger().addHandler(handler)
    yield records
    tf.get_logger().removeHandler(handler)


def test_ten_thousand_shapes_stay_within_the_bound(logged):
    f = tf.function(lambda x: x + 1, trace_cache_limit=64 << 10)
    largest = 0
    for n in range(10_000):
        x = tf.zeros([n % 100, n // 100])
        assert f(x).shape == x.shape
        largest = max(largest, f.bytes())
    assert 0 < largest <= 64 << 10
    assert f.experimental_get_tracing_count() == 10_000


class ManyShapes:
    """A network for many batch sizes, trained inside a function or by a tape around one."""

    def __init__(self):
        self.w, self.b = tf.Variable(tf.ones([3, 4])), tf.Variable(tf.zeros([4]))
        self.optimizer = tf.optimizers.Adam()
        self.optimizer.build([self.w, self.b])

    def loss(self, x):
        return tf.reduce_mean(tf.nn.relu(x @ self.w + self.b) ** 2)

    def step(self, x, loss=None):
        with tf.GradientTape() as tape:
            value = (loss or self.loss)(x)
        gradients = tape.gradient(value, [self.w, self.b])
        self.optimizer.apply_gradients(zip(gradients, [self.w, self.b], strict=True))


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_inside", [True, False])
def test_many_shapes_of_a_training_step(logged, count, is_inside):
    gc.collect()
    gc.disable()
    try:
        network, limit = ManyShapes(), 1 << 20
        before = held()
        f = tf.function(network.step if is_inside else network.loss, trace_cache_limit=limit)
        for n in range(1, count + 1):
            f(tf.ones([n, 3])) if is_inside else network.step(tf.ones([n, 3]), f)
            assert f.bytes() <= limit
            assert held() - before <= limit
        assert f.experimental_get_tracing_count() == count
        del f
        assert held() == before
    finally:
        gc.enable()


def test_the_least_recently_used_goes_first(logged):
    f = tf.function(lambda x: x + 1)
    used = tf.zeros([0])
    f(used)
    one = f.bytes()
    f = tf.function(lambda x: x + 1, trace_cache_limit=4 * one)
    for n in range(1, 10):
        f(used)  # by the fast way, which the cache must hear of
        f(tf.zeros([n]))
    assert f.experimental_get_tracing_count() == 10
    f(used), f(tf.zeros([9]))
    assert f.experimental_get_tracing_count() == 10
    f(tf.zeros([1]))
    assert f.experimental_get_tracing_count() == 11


def test_the_limit_of_all_functions(logged):
    before = tf.config.get_trace_cache_limit()
    assert before == 64 << 20
    tf.config.set_trace_cache_limit("1KiB")
    try:
        f = tf.function(lambda x: x + 1)
        for n in range(10):
            assert f(tf.zeros([n])).shape == [n]
        assert len(f.pretty_printed_concrete_signatures().split("\n\n")) <= 2
    finally:
        tf.config.set_trace_cache_limit(before)


def test_a_warning_names_the_argument_its_values_and_the_line(logged):
    @tf.function
    def scaled(x, step, name="n"):
        return x * step

    x = tf.constant([1.0, 2.0])
    for step in range(4):
        scaled(x, step)
    assert not logged
    for step in range(4, 20):
        scaled(x, step)
    assert len(logged) == 2
    first, *lines = logged[0].splitlines()
    assert first.startswith("5 out of the last 5 calls to <function ")
    assert "triggered tf.function retracing" in first
    assert lines[0] == "  step changes: 0, 1, 2, 3, 4"
    assert lines[1].startswith("  called at ")
    assert "test_function_cache.py:" in lines[1]
    assert "x changes" not in logged[0]
    assert "name changes" not in logged[0]


def test_shapes_that_change_are_named(logged):
    f = tf.function(lambda batch, flag: batch)
    for n in range(5):
        f({"x": tf.zeros([n, 2])}, True)
    assert "  batch changes: dict(float32[0, 2]), dict(float32[1, 2])" in logged[0]


def test_no_warning_when_calls_are_mostly_served(logged):
    f = tf.function(lambda x: x)
    for n in range(10):
        x = tf.zeros([n])
        for _ in range(3):
            f(x)
    assert not logged


def test_calls_by_the_fast_way_are_the_same_calls():
    f = tf.function(lambda a, b=None, *, c=1: (a, b, c))
    x, y = tf.constant([1.0]), tf.constant([2])
    for _ in range(2):
        for args, kwargs in [
            ((x,), {}),
            ((x, y), {}),
            ((y, x), {}),
            ((x,), {"b": y}),
            ((), {"b": y, "a": x}),
            ((), {"a": y, "b": x}),
            ((x,), {"c": 2}),
            ((x,), {"c": True}),
            ((x, 0.0), {}),
            ((x, -0.0), {}),
            ((np.ones(2), 3), {}),
        ]:
            wanted = dict(zip("ab", args, strict=False)) | kwargs
            a, b, c = f(*args, **kwargs)
            np.testing.assert_array_equal(a, wanted["a"])
            assert (b is None) == (wanted.get("b") is None)
            if b is not None:
                assert str(b.numpy()) == str(tf.constant(wanted["b"]).numpy())
            assert c.dtype == (tf.bool if wanted.get("c") is True else tf.int32)


def test_forms_of_results():
    x = tf.constant(1.0)
    for make, kind in [
        (lambda x: (x, x), tuple),
        (lambda x: [x, x + 1], list),
        (lambda x: {"a": x}, dict),
        (lambda x: (x, [x, None]), tuple),
        (lambda x: None, type(None)),
        (lambda x: (), tuple),
        (lambda x: [], list),
    ]:
        f = tf.function(make)
        for _ in range(3):
            assert type(f(x)) is kind


def test_one_tensor_twice_is_not_two_tensors():
    f = tf.function(lambda a, b: a - b)
    x, y = tf.constant(5.0), tf.constant(3.0)
    assert f(x, x).numpy() == 0
    assert f(x, y).numpy() == 2
    g = tf.function(lambda a, b: a - b)
    assert g(b=x, a=x).numpy() == 0
    assert g(b=x, a=y).numpy() == -2
    h = tf.function(lambda d: d["a"] - d["b"])
    assert h({"b": x, "a": x}).numpy() == 0
    assert h({"b": x, "a": y}).numpy() == -2
    assert h({"a": y, "b": x}).numpy() == -2


def test_structures_by_the_fast_way():
    f = tf.function(lambda batch, *rest, **more: (batch["x"] * 2, {"z": more["y"], "a": rest}))
    batch = {"x": np.ones(2), "n": None, "k": [1, ("a", 2.5)]}
    for k in range(4):
        batch["x"] = np.full(2, k)
        a, b = f(batch, tf.constant(k), y=[tf.constant(-k), 3])
        np.testing.assert_array_equal(a, [2 * k, 2 * k])
        assert list(b) == ["z", "a"]
        assert [each.numpy() for each in b["z"]] == [-k, 3]
        assert b["a"][0].numpy() == k
    count = f.experimental_get_tracing_count()
    batch["k"][0] = 2
    f(batch, tf.constant(1), y=[tf.constant(0), 3])
    batch["x"] = tf.ones([3])
    assert f(batch, tf.constant(1), y=[tf.constant(0), 3])[0].shape == [3]
    del batch["n"]
    f(batch, tf.constant(1), y=[tf.constant(0), 3])
    assert f.experimental_get_tracing_count() == count + 3


def test_containers_of_other_classes_count_by_what_is_in_them():
    import collections

    f = tf.function(lambda options: tf.constant(1.0) * options["by"])
    options = collections.OrderedDict(by=2.0)
    assert f(options).numpy() == 2
    assert f(options).numpy() == 2
    options["by"] = 3.0
    assert f(options).numpy() == 3
    Pair = collections.namedtuple("Pair", "a b")
    g = tf.function(lambda pair: Pair(pair.b, pair.a))
    for k in range(3):
        got = g(Pair(tf.constant(k), tf.constant(-k)))
        assert type(got) is Pair
        assert got.a.numpy() == -k


def test_results_are_new_each_time():
    f = tf.function(lambda x: [x, {"a": (x, None)}])
    x = tf.constant(1.0)
    f(x)
    first = f(x)
    first.append(3)
    first[1]["a"] = 5
    assert len(f(x)) == 2
    assert f(x)[1]["a"][1] is None
    concrete = f.get_concrete_function(x)
    concrete.structured_outputs.append(object())
    with pytest.raises(RuntimeError, match="structured_outputs of a function were changed"):
        f(x)


def test_objects_that_die_take_their_calls_along():
    class Options:
        def __init__(self, by):
            self.by = by

    f = tf.function(lambda x, options: x * options.by)
    for by in range(20):
        options = Options(float(by))
        for _ in range(2):
            assert f(tf.constant(2.0), options).numpy() == 2 * by
    assert len(f.pretty_printed_concrete_signatures().split("\n\n")) == 1
