"""Datasets, iterators and optionals inside of functions: loops, arguments and results."""

import gc
import time

import numpy as np
import penstock as tf
import pytest

D = tf.data.Dataset
INT = tf.TensorSpec([], tf.int64)


def zero():
    return tf.constant(0, tf.int64)


def test_builtin_functions_over_datasets():
    @tf.function
    def f():
        total = zero()
        for i, (a, b) in enumerate(zip(D.range(4), D.range(10, 20), strict=False), start=1):
            total += i * a * b
        for a in filter(lambda v: v > 1, map(lambda x, y: x + y, D.range(4), D.range(4))):
            total += a * 1000
        return total

    assert int(f()) == sum(i * a * (a + 10) for i, a in enumerate(range(4), 1)) + 12000


def test_builtin_functions_over_other_things_stay_pythons():
    @tf.function
    def f():
        iterator = iter(D.range(5))
        found = [x * 10 + i for i, x in zip(range(3), iterator, strict=False)]
        return [*found, *(x for x in [1]), *filter(None, [0, 2])]

    assert [int(x) for x in f()] == [0, 11, 22, 1, 2]


def test_nested_loops_break_and_continue():
    @tf.function
    def f(n):
        total = zero()
        for x in D.range(n):
            if x == 1:
                continue
            for y in D.range(x + 3):
                if y > 2:
                    break
                total = total * 10 + y
            if x > 2:
                break
        return total

    assert int(f(tf.constant(9, tf.int64))) == 12012012


def test_a_return_inside_of_a_loop_is_refused():
    """As TensorFlow does; a variable and `break` do the same."""

    @tf.function
    def first_above(dataset, limit):
        for x in dataset:
            if x > limit:
                return x
        return tf.constant(-1, tf.int64)

    @tf.function
    def found_above(dataset, limit):
        found = tf.constant(-1, tf.int64)
        for x in dataset:
            if x > limit:
                found = x
                break
        return found

    limit = tf.constant(3, tf.int64)
    with pytest.raises(NotImplementedError, match="a return statement cannot be placed inside"):
        first_above(D.range(10), limit)
    assert [int(found_above(D.range(n), limit)) for n in (10, 3)] == [4, -1]


def test_a_loop_over_an_iterator_goes_on_where_it_was():
    @tf.function
    def some(iterator, count):
        total, taken = zero(), 0
        for x in iterator:
            total += x
            taken += 1  # noqa: SIM113 (the iterator is not to be enumerated)
            if taken == count:
                break
        return total

    iterator = iter(D.range(6))
    assert [int(some(iterator, 2)), int(next(iterator)), int(some(iterator, 9))] == [1, 2, 12]


def test_windows_as_elements():
    """A dataset that is part of an element, in a loop and by next."""

    @tf.function
    def f():
        total = zero()
        for window in D.range(6).window(3):
            for x in window:
                total = total * 10 + x
        return total, next(iter(D.range(6).window(2).skip(1))).reduce(zero(), lambda a, b: a + b)

    total, second = f()
    assert (int(total), int(second)) == (12345, 5)


@pytest.mark.parametrize(
    "body",
    [lambda: [x * 2 for x in D.range(3)], lambda: list(D.range(3)), lambda: sum(iter(D.range(3)))],
    ids=["comprehension", "list", "sum"],
)
def test_a_loop_in_python_without_end_is_refused(body):
    begun = time.monotonic()
    with pytest.raises(RuntimeError, match="list comprehension"):
        tf.function(body)()
    assert time.monotonic() - begun < 30


def test_next_with_a_default():
    @tf.function
    def f(iterator):
        return next(iterator, tf.constant(-5, tf.int64))

    iterator = iter(D.range(2))
    assert [int(f(iterator)) for _ in range(4)] == [0, 1, -5, -5]


def test_seeds_begin_again_with_each_call():
    """A dataset that the function makes is a new one in each call; the caller's is not."""
    tf.random.set_seed(3)

    def order(dataset):
        found = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for x in dataset:
            found = found.write(found.size(), x)
        return found.stack()

    @tf.function
    def own():
        return order(D.range(10).shuffle(10, seed=4))

    assert own().numpy().tolist() == own().numpy().tolist()
    shuffled = D.range(10).shuffle(10, seed=4)
    callers = tf.function(lambda: order(shuffled))
    assert callers().numpy().tolist() != callers().numpy().tolist()


def test_functions_of_a_dataset_live_as_long_as_the_trace():
    @tf.function
    def f():
        total = zero()
        for x in D.range(4).map(lambda x: tf.numpy_function(lambda v: v * 10, [x], tf.int64)):
            total += tf.ensure_shape(x, [])
        return total

    @tf.function
    def reduced():
        rows = D.range(4).map(lambda x: tf.numpy_function(lambda v: v * 10, [x], tf.int64))
        return rows.reduce(zero(), lambda a, b: a + tf.ensure_shape(b, []))

    for _ in range(2):
        assert (int(f()), int(reduced())) == (60, 60)
        gc.collect()


def test_datasets_that_depend_on_a_function_as_arguments_and_results():
    total = tf.function(lambda dataset: dataset.reduce(zero(), lambda a, b: a + b))

    @tf.function
    def outer(n):
        return total(D.range(n)), D.range(n).map(lambda x: x * n)

    found, dataset = outer(tf.constant(4, tf.int64))
    assert int(found) == 6
    assert list(dataset.as_numpy_iterator()) == [0, 4, 8, 12]
    assert next(iter(dataset.batch(3).take(1).as_numpy_iterator())).tolist() == [0, 4, 8]


# Specs.


def test_specs_of_values():
    iterator = iter(D.range(3))
    assert tf.type_spec_from_value(D.range(3)) == tf.data.DatasetSpec(INT)
    assert tf.type_spec_from_value(iterator) == tf.data.IteratorSpec(INT)
    optional = iterator.get_next_as_optional()
    assert tf.type_spec_from_value(optional) == tf.OptionalSpec(INT)
    assert tf.OptionalSpec(INT) != tf.data.IteratorSpec(INT)
    wide, narrow = (tf.OptionalSpec(tf.TensorSpec([n], tf.int64)) for n in (None, 2))
    assert wide.is_compatible_with(narrow)
    assert narrow.is_subtype_of(wide)
    assert not wide.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([wide]) == wide
    assert narrow.most_specific_common_supertype([tf.data.IteratorSpec(INT)]) is None


def test_specs_in_an_input_signature():
    spec = tf.TensorSpec([None], tf.float32)
    value = tf.function(lambda o: o.get_value(), input_signature=[tf.OptionalSpec(spec)])
    Optional = tf.experimental.Optional
    assert value(Optional.from_value([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
    assert value(Optional.from_value([3.0])).numpy().tolist() == [3.0]
    assert value.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="Can not cast OptionalSpec"):
        value(Optional.from_value(1))
    following = tf.function(lambda it: next(it), input_signature=[tf.data.IteratorSpec(INT)])
    iterator = iter(D.range(5))
    assert [int(following(iterator)), int(following(iterator)), int(next(iterator))] == [0, 1, 2]
    with pytest.raises(TypeError, match="Can not cast IteratorSpec"):
        following(iter(D.range(5).batch(2)))
    with pytest.raises(TypeError):
        following(D.range(5))


def test_concrete_functions_of_specs():
    first = tf.function(lambda dataset: next(iter(dataset)))
    concrete = first.get_concrete_function(tf.data.DatasetSpec(INT))
    assert int(concrete(D.range(7, 9))) == 7
    assert int(concrete(dataset=D.range(5, 9))) == 5
    assert concrete.structured_input_signature == ((tf.data.DatasetSpec(INT),), {})


# Optionals.


def test_optionals_as_results_and_arguments():
    @tf.function
    def following(iterator):
        return iterator.get_next_as_optional()

    @tf.function
    def doubled(optional):
        return tf.cond(
            optional.has_value(),
            lambda: optional.get_value() * 2,
            lambda: tf.constant(-1, tf.int64),
        )

    iterator = iter(D.range(2))
    optionals = [following(iterator) for _ in range(3)]
    assert [bool(each.has_value()) for each in optionals] == [True, True, False]
    assert [int(doubled(each)) for each in optionals] == [0, 2, -1]
    assert doubled.experimental_get_tracing_count() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        optionals[2].get_value()


def test_the_loop_of_keras():
    """Its epochs: an optional of an iterator in a function, until it is empty."""

    @tf.function
    def step(iterator):
        optional = iterator.get_next_as_optional()
        return optional, tf.cond(
            optional.has_value(), lambda: tf.reduce_sum(optional.get_value()), zero
        )

    iterator, sums = iter(D.range(5).batch(2)), []
    while True:
        optional, total = step(iterator)
        if not optional.has_value():
            break
        sums.append(int(total))
    assert sums == [1, 5, 4]


def test_an_optional_keeps_what_a_function_computed():
    @tf.function
    def pair(x):
        return tf.experimental.Optional.from_value({"a": x * 2, "b": [x, x + 1]})

    optional = pair(tf.constant(3.0))
    others = [pair(tf.constant(float(i))) for i in range(20)]
    value = optional.get_value()
    assert (float(value["a"]), value["b"].numpy().tolist()) == (6.0, [3.0, 4.0])
    assert float(others[-1].get_value()["a"]) == 38.0
    assert optional.element_spec["b"] == tf.TensorSpec([2], tf.float32)


def test_an_optional_of_a_dataset():
    optional = tf.experimental.Optional.from_value((D.range(3), 1))
    assert list(optional.get_value()[0].as_numpy_iterator()) == [0, 1, 2]
    window = iter(D.range(4).window(2)).get_next_as_optional()
    assert list(window.get_value().as_numpy_iterator()) == [0, 1]


def test_keras_recognises_a_dataset():
    """It looks for this name and a module of TensorFlow among the bases."""
    bases = type(D.range(3).batch(2)).__mro__
    assert any(
        base.__name__ == "DatasetV2" and "tensorflow.python." in base.__module__ for base in bases
    )


def test_large_numbers_are_exact():
    start = 2**62 + 1
    assert [int(x) for x in D.range(start, start + 2)] == [start, start + 1]
    assert [int(i) for i, _ in D.range(2).enumerate(start)] == [start, start + 1]
    assert np.int64(2**63 - 1) == D.range(np.iinfo(np.int64).max).cardinality().numpy()


def test_arguments_in_any_order_again_and_again():
    @tf.function
    def f(x, dataset, y, iterator, *, optional):
        total = dataset.reduce(zero(), lambda a, b: a + b)
        return x * 10000 + total * 100 + y * 10 + next(iterator) + optional.get_value()

    iterator = iter(D.range(10))
    for i in range(6):
        x, y = tf.constant(i, tf.int64), tf.constant(1, tf.int64)
        optional = tf.experimental.Optional.from_value(np.int64(2))
        found = f(x, D.range(i + 1), y, iterator, optional=optional)
        assert int(found) == i * 10000 + sum(range(i + 1)) * 100 + 10 + i + 2
    assert f.experimental_get_tracing_count() == 1
