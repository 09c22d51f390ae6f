"""Branches and loops inside each other, deeper than in handwritten programs."""

import sys
import threading

import penstock as tf
import pytest


@pytest.fixture(autouse=True)
def deep_python():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    yield
    sys.setrecursionlimit(before)


def branches(depth, x):
    if depth == 0:
        return x + 1.0
    return tf.cond(x[0] > depth, lambda: branches(depth - 1, x + 1.0), lambda: x - 1.0)


def loops(depth, x):
    if depth == 0:
        return x + 1.0
    return tf.while_loop(lambda y: y[0] < depth, lambda y: (loops(depth - 1, y) + 1.0,), [x])[0]


def function_of(nest, depth, shape=(2,)):
    return tf.function(lambda x: nest(depth, x), input_signature=[tf.TensorSpec(shape)])


@pytest.mark.parametrize("shape", [[2], [None]], ids=["known", "open"])
@pytest.mark.parametrize("nest", [branches, loops])
def test_a_thousand_deep(nest, shape):
    f = function_of(nest, 1000, shape)
    given, expected = {
        branches: ([2000.0, 2.0], [3001.0, 1003.0]),  # into the innermost one
        loops: ([998.5, 2.0], [1000.5, 4.0]),  # one step of the first two
    }[nest]
    assert f(tf.constant(given)).numpy().tolist() == expected


def test_gradients_of_nested_branches():
    f = function_of(branches, 500, [None])
    x = tf.constant([2000.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x) * 3.0
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize("depth", [2001, 10_000])
@pytest.mark.parametrize("nest", [branches, loops])
def test_too_deep(nest, depth):
    with pytest.raises(ValueError, match="nested more than 2000 deep"):
        function_of(nest, depth).get_concrete_function()


def test_a_small_stack():
    said = []

    def call():
        f = function_of(branches, 1900, [None])
        try:
            said.append(f(tf.constant([5.0, 2.0])).numpy().tolist())
        except tf.errors.ResourceExhaustedError as error:
            said.append(str(error))

    before = threading.stack_size(2**20)
    try:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert "deeper than the stack of this thread allows" in said[0]
