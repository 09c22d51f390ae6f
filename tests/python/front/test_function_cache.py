"""The traces of a function: bounded, freed with it, and explained when there are too many."""

import logging

import numpy as np
import penstock as tf
import pytest


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
