"""`and`, `or`, `not`, comparisons, `assert`."""

import tensorflow as tf


def both(x, y):
    return x > 0 and y > 0


def either(x, y):
    return x > 0 or y > 0


def negated(x):
    return not x > 0


def mixed(x, y):
    return (x > 0 and not y > 0) or x == y


def chained(x):
    return 0 < x < 10


def long_chain(x, y):
    return 0 < x <= y != 7


def second_is_lazy(x):
    rows = tf.constant([1, 2, 3])
    i = 0
    while i < 3 and rows[i] < x:
        i += 1
    return i


def python_values(x):
    words = [] or ["a"]
    return len(words) and x


def with_none(x, other=None):
    if other is None and x > 0:
        return x
    return x - 1


def compared(x):
    return x == 3, x != 3


def asserted(x):
    assert len(tf.fill([2], x)) == 2, "two"
    return x


def membership(x):
    if 2 in [1, 2, 3] and "a" not in {"b": 1}:
        x = x + 1
    return x


CASES = [
    (both, (1, 2)), (both, (1, -2)), (both, (-1, 2)), (either, (-1, 2)), (either, (-1, -2)),
    (negated, (4,)), (mixed, (1, -1)), (mixed, (3, 3)), (mixed, (-3, 3)), (chained, (5,)),
    (chained, (50,)), (long_chain, (3, 4)), (long_chain, (3, 7)), (second_is_lazy, (3,)),
    (second_is_lazy, (30,)), (python_values, (3,)), (with_none, (3,)), (with_none, (-3,)),
    (compared, (3,)), (asserted, (3,)), (membership, (1,)),
]  # fmt: skip
