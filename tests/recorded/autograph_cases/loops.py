"""`while` and `for`."""

import tensorflow as tf


def count_down(x):
    steps = 0
    while x > 0:
        x -= 2
        steps += 1
    return steps


def collatz(x):
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


def sum_of_range(x):
    total = 0
    for i in tf.range(x):
        total += i
    return total


def python_range_of_tensor(x):
    total = 0
    for i in range(x):
        total += i * i
    return total


def range_with_ends(x):
    total = 0
    for i in tf.range(2, x, 3):
        total += i
    return total


def over_rows(x):
    rows = tf.reshape(tf.range(6), [3, 2]) * x
    best = tf.zeros([2], tf.int32)
    for row in rows:
        best = tf.maximum(best, row)
    return best


def nested_loops(x):
    total = 0
    for i in tf.range(x):
        for j in tf.range(i):
            total += i * j
    return total


def python_loop_over_list(x):
    total = x
    for each in [1, 2, 3]:
        total = total * each
    return total


def python_loop_with_condition(x):
    total = 0
    for i in range(4):
        if x > i:
            total += i
    return total


def last_of_loop(x):
    for i in tf.range(x):
        last = i * 10
    return last


def pairs(x):
    a, b = 0, 1
    while a < x:
        a, b = b, a + b
    return a, b


def loop_of_structure(x):
    state = {"n": x, "parts": (1, 1)}
    while state["n"] > 0:
        state = {"n": state["n"] - 1, "parts": (state["parts"][1], state["parts"][0] * 2)}
    return state


def growing_shape(x):
    y = tf.ones([1])
    while x > 0:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y, y + 1], 0)
        x -= 1
    return y


def at_most(x):
    while x < 100:
        tf.autograph.experimental.set_loop_options(maximum_iterations=3)
        x += 1
    return x


def enumerated(x):
    total = x
    for i, each in enumerate([5, 6, 7]):
        total += i * each
    return total


def zipped(x):
    total = x
    for a, b in zip([1, 2], [3, 4]):  # noqa: B905
        total += a * b
    return total


def no_iterations(x):
    y = x
    for i in tf.range(x - x):
        y += i
    return y


CASES = [
    (count_down, (7,)), (count_down, (0,)), (collatz, (6,)), (sum_of_range, (5,)),
    (python_range_of_tensor, (4,)), (range_with_ends, (12,)), (over_rows, (2,)),
    (nested_loops, (4,)), (python_loop_over_list, (2,)), (python_loop_with_condition, (2,)),
    (last_of_loop, (3,)), (pairs, (20,)), (loop_of_structure, (3,)), (growing_shape, (3,)),
    (at_most, (5,)), (enumerated, (1,)), (zipped, (1,)), (no_iterations, (4,)),
]  # fmt: skip
