"""A tf.function called while a graph of TensorFlow 1 is built: all that it does, beyond giving its
results, is done whenever these are run."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default(), v1.Session():
        yield


def run(fetches, feeds=None):
    return v1.get_default_session().run(fetches, feeds)


def scalar():
    return v1.placeholder(tf.float32, [])


def positive(x):
    tf.debugging.assert_greater(x, 0.0)


def inverse(x):
    positive(x)
    return 1 / x


def nested(x):
    tf.function(positive)(x)
    return 1 / x


def asserted(x):
    with tf.control_dependencies([tf.Assert(x > 0.0, [x])]):
        return 1 / x


def in_a_branch(x):
    if x < 1.0:
        positive(x)
    return 1 / x


def in_a_loop(x):
    for _ in tf.range(2):
        positive(x)
    return 1 / x


def as_it_is(x):
    positive(x)
    return x


def a_constant(x):
    positive(x)
    return tf.constant(0.5)


def finite(x):
    tf.debugging.check_numerics(1 / x, "bad")
    return 1 / x


@tf.custom_gradient
def _own_gradient(x):
    return x * 1.0, lambda dy: dy


def with_its_own_gradient(x):
    positive(x)
    return 1 / _own_gradient(x)


CHECKED = [
    *(inverse, nested, asserted, in_a_branch, in_a_loop, as_it_is, a_constant, finite),
    with_its_own_gradient,
]


@pytest.mark.parametrize("function", CHECKED, ids=lambda each: each.__name__)
class TestAssertions:
    def test_hold_where_the_result_is_run(self, function):
        x = scalar()
        y = tf.function(function)(x)
        assert np.isfinite(run(y, {x: 2.0}))
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(y, {x: 0.0})
        assert np.isfinite(run(y, {x: 2.0}))

    def test_hold_inside_of_a_branch_and_a_loop(self, function):
        x, called = scalar(), tf.function(function)
        y = v1.cond(x < 1.0, lambda: called(x), lambda: x)
        z = v1.while_loop(lambda i, _: i < 1, lambda i, _: (i + 1, called(x)), [0, x])[1]
        assert run(y, {x: 5.0}) == 5.0
        for each in (y, z):
            with pytest.raises(tf.errors.InvalidArgumentError):
                run(each, {x: 0.0})


def test_gradients_wait_for_assertions():
    x = scalar()
    slope = v1.gradients(tf.function(lambda x: [positive(x), x * x][1])(x), x)[0]
    assert run(slope, {x: 2.0}) == 4.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(slope, {x: -1.0})


def test_an_assertion_that_nobody_asks_for_is_none():
    x = scalar()
    positive(x)
    assert run(1 / x, {x: 0.0}) == np.inf


def test_prints_once_for_all_results(capsys):
    @tf.function
    def function(x):
        tf.print("x is", x)
        return x, x + 1

    x = scalar()
    results = function(x)
    assert run(results, {x: 3.0}) == (3.0, 4.0)
    assert capsys.readouterr().err == "x is 3\n"
    assert run(results[1], {x: 4.0}) == 5.0
    assert capsys.readouterr().err == "x is 4\n"


@pytest.mark.parametrize("kind", ["py_function", "numpy_function"])
def test_functions_of_python_are_called(kind):
    seen = []

    def note(value):
        seen.append(float(value))
        return value

    @tf.function
    def function(x):
        getattr(tf, kind)(note, [x], tf.float32)
        return x + 1

    x = scalar()
    assert run(function(x), {x: 3.0}) == 4.0
    assert seen == [3.0]


class TestAssignments:
    def test_are_made_with_the_results(self):
        v, x = v1.Variable(1.0), scalar()

        @tf.function
        def function(x):
            v.assign_add(x)
            return x * 2

        y = function(x)
        run(v.initializer)
        assert run(y, {x: 3.0}) == 6.0
        assert run(v) == 4.0

    def test_are_seen_by_what_comes_after(self):
        v, x = v1.Variable(1.0), scalar()

        @tf.function
        def function(x):
            v.assign_add(x)
            return v * 2

        first = function(x)
        with tf.control_dependencies([first]):
            second = function(x)
        run(v.initializer)
        assert run([first, second], {x: 3.0}) == [8.0, 14.0]
        assert run(v) == 7.0

    def test_are_made_where_a_branch_is_taken(self):
        v, x = v1.Variable(1.0), scalar()

        @tf.function
        def function(x):
            if x > 0.0:
                v.assign(x)
            return x

        y = function(x)
        run(v.initializer)
        run(y, {x: -5.0})
        assert run(v) == 1.0
        run(y, {x: 5.0})
        assert run(v) == 5.0

    def test_are_made_though_the_result_is_a_constant(self):
        v = v1.Variable(1.0)

        @tf.function
        def function(x):
            v.assign_add(x)
            return x * 2

        y = function(tf.constant(3.0))
        run(v.initializer)
        assert run(y) == 6.0
        assert run([y, y + 1.0]) == [6.0, 7.0]
        assert run(v) == 7.0


def test_assertions_about_constants_hold():
    y = tf.function(inverse)(tf.constant(0.0))
    for each in (y, y * 2.0, [y]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(each)
    assert run(tf.function(inverse)(tf.constant(2.0))) == 0.5


def test_take_placeholders_of_unknown_rank():
    x = v1.placeholder(tf.float32)
    y = tf.function(inverse)(x)
    assert y.shape.rank is None
    assert run(y, {x: [[2.0]]}) == [[0.5]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(y, {x: 0.0})
