"""Python's own functions, given tensors."""

import tensorflow as tf


def lengths(x):
    return len(tf.fill([3, 2], x)), len([1, 2])


def numbers(x):
    return int(x), float(x)


def absolute(x):
    return abs(-x)


def ranges(x):
    return tf.reduce_sum(range(x)), tf.reduce_sum(range(1, x + 4, 2))


def order(x):
    return sorted(tf.stack([x, x - 1, x + 1]))


def order_reversed(x):
    return sorted(tf.stack([x, x - 1, x + 1]), reverse=True)


def python_minimum(x):
    return x + min(3, 1) + max([4, 5])


def python_sums(x):
    return sum([x, x, 1]), any([False, True]), all([True, False])


def python_iterators(x):
    total = x
    for each in map(lambda v: v * 2, filter(lambda v: v > 1, [1, 2, 3])):
        total += each
    return total


def types(x):
    if isinstance(x, tf.Tensor):
        return 1
    return 2


CASES = [
    (lengths, (3,)), (numbers, (3,)), (absolute, (3,)), (ranges, (3,)), (order, (3,)),
    (order_reversed, (3,)), (python_minimum, (3,)), (python_sums, (3,)), (python_iterators, (3,)),
    (types, (3,)),
]  # fmt: skip
