"""Temporaries are reused, and nothing else ever is."""

import functools
import itertools
import operator
import threading
import weakref

import numpy as np
import penstock as tf
import pytest

N = 100_000  # large enough that reuse is worth it
BYTES = N * 4


def make(value=1.0):
    return tf.fill([N], float(value))


def peak_of(expression):
    """Bytes held at the most beyond what was there; those of a number in it do not count."""
    before = tf.config.experimental.get_memory_info()["current"]
    tf.config.experimental.reset_memory_stats()
    result = expression()
    peak = tf.config.experimental.get_memory_info()["peak"] - before
    assert result.shape == (N,)
    return peak // 8 * 8


def first(tensor):
    return float(tensor[0])


def test_a_product_takes_the_sum():
    a, b, c = make(2), make(3), make(4)
    assert peak_of(lambda: a * b + c) == BYTES
    assert peak_of(lambda: c + a * b) == BYTES
    assert peak_of(lambda: -(a * b)) == BYTES
    assert peak_of(lambda: a * b * 2.0 - 1.0) == BYTES
    assert peak_of(lambda: (a * b) * (a + c)) == BYTES
    assert first(a * b + c) == 10
    assert first(c - a * b) == -2


def test_calls_reuse_their_temporaries():
    a, b = make(2), make(3)
    assert peak_of(lambda: tf.exp(a * b)) == BYTES
    assert peak_of(lambda: tf.maximum(a * b, 0.5)) == BYTES
    assert peak_of(lambda: tf.exp(-tf.abs(a))) == BYTES
    assert first(tf.square(a + b)) == 25


def test_a_right_operand_needs_no_buffer():
    a, b = make(2), make(3)
    assert peak_of(lambda: a - tf.square(b)) == BYTES
    assert peak_of(lambda: a * b - tf.square(b)) == BYTES
    assert peak_of(lambda: a / (b * 0.25)) == BYTES
    assert peak_of(lambda: a + -b) == BYTES
    assert peak_of(lambda: 2.0 * tf.square(b)) == BYTES
    assert first(a - tf.square(b)) == -7
    assert first(a * b - tf.square(b)) == -3
    assert first(a + -b) == -1
    assert first(tf.constant(1.0) - tf.square(b)) == -8


def test_a_chain_of_expressions():
    def chain(x, y):
        z = x * y + x
        z = tf.tanh(z) * 0.5 + y
        z = tf.maximum(z, 0.1) - tf.square(x)
        return tf.exp(-tf.abs(z)) + z * 0.25

    x, y = make(0.5), make(2)
    assert peak_of(lambda: chain(x, y)) == 2 * BYTES
    z = max(np.tanh(1.5) * 0.5 + 2, 0.1) - 0.25
    assert first(chain(x, y)) == pytest.approx(np.exp(-z) + z * 0.25, 1e-6)


def test_operands_that_wait_are_like_others():
    """Deferring an op until its operator runs is not observable."""
    kept = []

    class Keeper:
        def __add__(self, other):
            kept.append(other)
            return other

        def __sub__(self, other):
            kept.append(weakref.ref(other))
            return NotImplemented

        def __mod__(self, other):
            return repr(other), other.shape, other.dtype, len(other), memoryview(other)[0]

    a = make(3)
    assert first(Keeper() + tf.square(a)) == 9
    assert [first(kept[0]), first(kept[0] + 1.0), first(kept[0])] == [9, 10, 9]
    with pytest.raises(ValueError, match="Keeper"):
        Keeper() - tf.square(a)
    text, shape, dtype, length, value = Keeper() % tf.square(a)
    assert text.startswith("<tf.Tensor: shape=(100000,), dtype=float32, numpy=array([9., 9.")
    assert (shape, dtype, length, value) == ((N,), tf.float32, N, 9)
    assert "%s" % tf.square(a) == str(a * a)  # noqa: UP031
    assert ([1.0] * N + tf.square(a)).numpy()[-1] == 10
    assert first(np.ones(N, np.float32) - tf.square(a)) == -8
    assert first(tf.Variable(a) - tf.square(a)) == -6


def test_operands_that_wait_fail_as_others():
    a, few = make(3), tf.ones([3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Sub"):
        few - tf.square(a)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Sub"):
        tf.cast(a, tf.int32) - tf.square(a)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Mul"):
        few - a * tf.ones([2])
    with pytest.raises(ValueError, match="object"):
        object() - tf.square(a)
    assert first(few[0] - tf.square(a)) == -8


def test_operands_that_wait_hold_values_of_their_time():
    variable = tf.Variable(make(2))

    class Changes:
        def __add__(self, other):
            variable.assign(make(5))
            return other + 1.0

    assert first(Changes() + variable * 2.0) == 5
    assert first(variable) == 5


def test_tapes_see_right_operands():
    a = make(2)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.reduce_sum(a - tf.square(a))
    assert first(tape.gradient(y, a)) == -3


def test_small_tensors_are_left_alone():
    a = tf.constant([1.0, 2.0])
    assert (a * a + a).numpy().tolist() == [2.0, 6.0]


def test_named_values_survive():
    a, b = make(2), make(3)
    product = a * b
    assert first(product + a) == 8
    assert first(product) == 6
    (other := a * b) + a
    assert first(other) == 6


def test_closures_and_cells():
    kept = make(2)

    def use():
        return kept + 1.0

    assert first(use()) == 3
    assert first(kept) == 2


def test_attributes_and_items():
    class Box:
        pass

    box = Box()
    box.value = make(2)
    items, table = [make(3)], {"x": make(4)}
    assert first(box.value + 1.0) == 3
    assert first(items[0] + 1.0) == 4
    assert first(table["x"] + 1.0) == 5
    assert [first(box.value), first(items[0]), first(table["x"])] == [2, 3, 4]


def test_operator_functions():
    items = (make(2), make(3))
    assert first(operator.add(*items)) == 5
    assert first(operator.neg(*items[:1])) == -2
    assert [first(item) for item in items] == [2, 3]


def test_partial_holds_its_arguments():
    add_two = functools.partial(operator.add, make(2))
    assert first(add_two(make(3))) == 5
    assert first(add_two(make(4))) == 6
    function = functools.partial(tf.add, make(2))
    assert first(function(make(3))) == 5
    assert first(function(make(4))) == 6
    bound = functools.partial(tf.exp, make(0))
    assert [first(bound()), first(bound())] == [1, 1]


def test_spread_arguments():
    args = (make(2), make(3))
    assert first(tf.add(*args)) == 5
    named = {"x": make(4)}
    assert first(tf.square(**named)) == 16
    assert [first(args[0]), first(args[1]), first(named["x"])] == [2, 3, 4]


def test_reduce_sum_and_accumulate():
    values = [make(i) for i in range(1, 5)]
    assert first(functools.reduce(operator.add, values)) == 10
    assert first(sum(values, make(0))) == 10
    assert [first(t) for t in itertools.accumulate(values)] == [1, 3, 6, 10]
    assert [first(t) for t in list(itertools.accumulate(values, operator.mul))] == [1, 2, 6, 24]
    assert [first(t) for t in values] == [1, 2, 3, 4]


def test_map_and_generators():
    values = [make(1), make(2)]
    assert [first(t) for t in map(operator.add, values, values)] == [2, 4]
    assert [first(t) for t in map(tf.square, values)] == [1, 4]
    assert [first(t + 1.0) for t in (v for v in values)] == [2, 3]
    assert [first(t) for t in values] == [1, 2]


def test_arrays_of_objects():
    """NumPy holds the only references and runs our operators from inside its own."""
    left, right = np.empty(2, object), np.empty(2, object)
    for i in range(2):
        left[i], right[i] = make(i + 1), make(10)
    total = left + right
    assert [first(t) for t in total] == [11, 12]
    assert [first(t) for t in left] == [1, 2]
    assert [first(t) for t in right] == [10, 10]
    assert first(np.add.reduce(left)) == 3
    assert [first(t) for t in left] == [1, 2]


def test_objects_with_operators_of_their_own():
    class Holder:
        def __init__(self, value):
            self.value = value

        def __add__(self, other):
            return self.value + other

    holder = Holder(make(2))
    assert first(holder + make(3)) == 5
    assert first(holder.value) == 2


def test_in_place_operators():
    a = make(2)
    alias = a
    a += 1.0
    a *= 2.0
    assert [first(a), first(alias)] == [6, 2]


def test_views_keep_their_data():
    a = make(2)
    array = np.asarray(a * 2.0)
    assert array[0] == 4
    view = (a * 3.0).numpy()
    assert first(a * 3.0 + a) == 8
    assert view[0] == 6
    part = (a * 5.0)[: N // 2]
    assert first(part + 1.0) == 11
    assert first(part) == 10


def test_tapes_keep_what_they_need():
    a = make(2)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.reduce_sum((a * a) * (a + 1.0) * 2.0)
    gradient = tape.gradient(y, a)
    assert first(gradient) == pytest.approx(2 * (3 * 4 + 2 * 2))


def test_threads():
    shared = make(2)
    wrong = []

    def work():
        for _ in range(50):
            results = shared * 3.0 + shared, tf.exp(shared * 0.0) - tf.square(shared), shared
            if [first(result) for result in results] != [8, -3, 2]:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
