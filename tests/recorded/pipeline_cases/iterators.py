"""Iterators, specs, optionals, and datasets inside of functions."""

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
Spec = tf.TensorSpec
Optional = tf.experimental.Optional


def until_end(iterator, more=2):
    """What `next` gives to the end, and twice after it; of a long one the beginning."""
    found, ends = [], 0
    while ends < more and len(found) < 20:
        try:
            found.append(next(iterator))
        except Exception as error:
            found.append(type(error).__name__)
            ends += 1
    return found


def sums(dataset):
    @tf.function
    def f(values):
        total = tf.constant(0, tf.int64)
        for x in values:
            total += x
        return total

    return f(dataset)


def with_break(dataset):
    @tf.function
    def f():
        total, count = tf.constant(0, tf.int64), 0
        for x in dataset:
            if x == 2:
                continue
            if x > 5:
                break
            total += x
            count += 1
        return total, count

    return f()


def with_return(dataset):
    @tf.function
    def f():
        for x in dataset:
            if x > 3:
                return x
        return tf.constant(-1, tf.int64)

    return f()


def structured():
    dataset = D.zip(({"a": D.range(4)}, D.range(4, 8)))

    @tf.function
    def f():
        total = tf.constant(0, tf.int64)
        for features, label in dataset:
            total += features["a"] * label
        return total

    return f()


def with_enumerate():
    @tf.function
    def f():
        found = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for i, x in enumerate(D.range(5, 9)):
            found = found.write(found.size(), tf.cast(i, tf.int64) * 100 + x)
        return found.stack()

    return f()


def with_zip():
    @tf.function
    def f():
        total = tf.constant(0, tf.int64)
        for x, y in zip(D.range(3), D.range(10, 14)):
            total = total * 100 + x * y
        return total

    return f()


def nested_loops():
    @tf.function
    def f():
        total = tf.constant(0, tf.int64)
        for x in D.range(3):
            for y in D.range(x + 1):
                total += x * 10 + y
        return total

    return f()


def iterator_as_argument():
    """A function that takes two elements at each call."""
    iterator = iter(D.range(7))

    @tf.function
    def f(it):
        return next(it) * 10 + next(it)

    return [f(iterator), f(iterator), f(iterator), next(iterator)]


def iterator_loop():
    """A loop over an iterator, which is then at its end."""
    iterator = iter(D.range(5))
    first = next(iterator)

    @tf.function
    def f(it):
        total = tf.constant(0, tf.int64)
        for x in it:
            total += x
        return total

    return [first, f(iterator), f(iterator)]


def iterator_at_its_end():
    iterator = iter(D.range(1))

    @tf.function
    def f(it):
        return next(it)

    return until_end(iter(lambda: f(iterator), None))


def iterator_inside():
    @tf.function
    def f():
        iterator = iter(D.range(5))
        return next(iterator), next(iterator)

    return [f(), f()]


def optional_in_function():
    iterator = iter(D.range(3))

    @tf.function
    def f(it):
        total, more = tf.constant(0, tf.int64), tf.constant(True)
        while more:
            following = it.get_next_as_optional()
            more = following.has_value()
            if more:
                total += following.get_value()
        return total

    return f(iterator)


def with_default():
    """`next` with a default, as Python has it."""
    iterator = iter(D.range(1))
    return [next(iterator), next(iterator, "end"), next(iterator, None)]


def traces():
    """How often a function of datasets is traced."""
    calls = []

    @tf.function
    def f(dataset):
        calls.append(1)
        return dataset.reduce(np.int64(0), lambda a, b: a + b)

    found = [f(D.range(3)), f(D.range(5)), f(D.range(4).map(lambda x: x + 1))]
    found.append(f(D.range(4).batch(2).map(tf.reduce_sum)))
    return found, len(calls)


def trained():
    """A loop of gradient steps over batches."""
    w = tf.Variable([0.0, 0.0])
    x = np.arange(8, dtype=np.float32).reshape(4, 2) / 10
    dataset = D.from_tensor_slices((x, x.sum(1))).shuffle(4, seed=2).batch(2).repeat(5)

    @tf.function
    def train():
        for features, target in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(features, w) - target) ** 2)
            w.assign_sub(0.5 * tape.gradient(loss, w))
        return w.read_value()

    return train()


def tensor_of_caller(n):
    """A dataset that a function makes of its argument."""

    @tf.function
    def f(count):
        return D.range(count).map(lambda x: x * count).reduce(np.int64(0), lambda a, b: a + b)

    return f(tf.constant(n, tf.int64))


def returned():
    """A function that returns a dataset."""

    @tf.function
    def f():
        return D.range(3).map(lambda x: x * 2)

    return f()


def side_effects():
    """What is assigned while a dataset runs inside of a function, in order."""
    v = tf.Variable(1, dtype=tf.int64)

    @tf.function
    def f():
        for x in D.range(4):
            v.assign(v * 2 + x)
        return v.read_value()

    return [f(), f()]


def checkpointed(build, before, after, further=3):
    """What follows after `before` elements, and what a restored iterator gives after that."""
    dataset = build()
    iterator = iter(dataset)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    start = [next(iterator) for _ in range(before)]
    path = checkpoint.write("saved")
    expected = [next(iterator) for _ in range(after)]
    checkpoint.read(path)
    again = [next(iterator) for _ in range(after)]
    other = iter(build())
    tf.train.Checkpoint(iterator=other).read(path)
    return start, expected, again, until_end(other, 1)[: after + further]


def managed():
    """The position by way of a CheckpointManager, with a step beside it."""
    iterator, step = iter(D.range(10)), tf.Variable(0)
    checkpoint = tf.train.Checkpoint(iterator=iterator, step=step)
    manager = tf.train.CheckpointManager(checkpoint, "folder", max_to_keep=2)
    found = []
    for _ in range(4):
        found.append(int(next(iterator)))
        step.assign_add(1)
        if int(step) == 2:
            manager.save()
    checkpoint.restore(manager.latest_checkpoint)
    return found, int(step), int(next(iterator))


CALLS = """
# iterators
until_end(iter(D.range(3)))
until_end(iter(D.range(0)))
until_end(D.range(3).as_numpy_iterator())
until_end(iter(D.from_tensor_slices({"a": [1, 2]})))
until_end(iter(D.range(3).map(lambda x: 6 // x)), 3)
it = iter(D.range(3)); [it.get_next(), next(it), it.get_next()]
it = iter(D.range(1)); [it.get_next(), it.get_next()]
it = iter(D.range(3)); [it.element_spec, it.get_next_as_optional().get_value()]
it = iter(D.range(3)); [next(it), *[int(x) for x in it]]
it = iter(D.range(3)); iter(it) is it
d = D.range(3); a, b = iter(d), iter(d); [next(a), next(a), next(b), next(a), next(b)]
[type(iter(D.range(3))), type(D.range(3).as_numpy_iterator())]
isinstance(iter(D.range(3)), tf.data.Iterator)
[isinstance(D.range(3), tf.data.Dataset), isinstance(D.range(3).map(lambda x: x), D)]
[hasattr(iter(D.range(3)), "get_next"), hasattr(iter(D.range(3)), "numpy")]
with_default()
[x.numpy() for x in D.range(3)]
list(D.range(3))
[int(x) for x in D.range(3).repeat(2)]
list(zip(D.range(3), D.range(5)))
[(i, int(x)) for i, x in enumerate(D.range(3))]
[int(x) for x in iter(D.range(3).shuffle(3, seed=1))]
# specs
tf.data.DatasetSpec(Spec([], tf.int64))
tf.data.DatasetSpec(Spec([], tf.int64)).element_spec
[tf.data.DatasetSpec.from_value(D.range(3)), tf.type_spec_from_value(D.range(3).batch(2))]
tf.data.DatasetSpec(Spec([], tf.int64)) == tf.data.DatasetSpec.from_value(D.range(3))
tf.data.DatasetSpec(Spec([None], tf.int64)).is_compatible_with(D.range(3).batch(2))
tf.data.DatasetSpec(Spec([], tf.int64)).is_compatible_with(D.range(3).batch(2))
tf.data.DatasetSpec({"a": Spec([2], tf.string)})
tf.data.DatasetSpec(Spec([], tf.int64)).value_type
tf.type_spec_from_value(iter(D.range(3)))
[tf.data.IteratorSpec(Spec([2], tf.float32)), tf.data.IteratorSpec(Spec([2],
    tf.float32)).element_spec]
tf.OptionalSpec(Spec([], tf.int64))
tf.type_spec_from_value(Optional.from_value(3))
hash(tf.data.DatasetSpec(Spec([], tf.int64))) == hash(tf.data.DatasetSpec(Spec([], tf.int64)))
[tf.data.experimental.get_structure(D.range(3)),
    tf.data.experimental.get_structure(iter(D.range(3)))]
[tf.compat.v1.data.get_output_types(D.range(3)),
    tf.compat.v1.data.get_output_shapes(D.range(3).batch(2))]
tf.compat.v1.data.get_output_classes(D.from_tensors({"a": 1}))
# optionals
Optional.from_value(3)
Optional.from_value({"a": 1, "b": [2.0]}).get_value()
Optional.empty(Spec([], tf.int32))
[Optional.from_value(3).has_value(), Optional.empty(Spec([], tf.int32)).has_value()]
[Optional.from_value((1, 2)).element_spec, Optional.empty(Spec([2], tf.int32)).element_spec]
Optional.empty(Spec([], tf.int32)).get_value()
it = iter(D.range(1)); [it.get_next_as_optional(), it.get_next_as_optional(),
    it.get_next_as_optional()]
it = iter(D.range(2)); [tf.data.experimental.get_next_as_optional(it).get_value(), next(it)]
optional_in_function()
tf.data.experimental.Optional is tf.experimental.Optional
# functions
sums(D.range(5))
sums(D.range(5).map(lambda x: x * x).filter(lambda x: x > 3))
sums(D.range(0))
with_break(D.range(10))
with_break(D.range(10).repeat())
with_return(D.range(10))
with_return(D.range(2))
structured()
with_enumerate()
with_zip()
nested_loops()
iterator_as_argument()
iterator_loop()
iterator_at_its_end()
iterator_inside()
traces()
trained()
tensor_of_caller(4)
returned()
side_effects()
tf.function(lambda: D.range(4).reduce(np.int64(0), lambda a, b: a + b))()
tf.function(lambda: D.range(9).batch(9).get_single_element())()
tf.function(lambda: D.range(5).cardinality())()
tf.function(lambda d: d.map(lambda x: x + 1).reduce(np.int64(0), lambda a, b: a + b))(D.range(3))
tf.function(lambda d: d.reduce(np.int64(0), lambda a, b: a + b),
    input_signature=[tf.data.DatasetSpec(Spec([], tf.int64))])(D.range(6))
tf.function(lambda d: d.reduce(np.int64(0), lambda a, b: a + b),
    input_signature=[tf.data.DatasetSpec(Spec([], tf.int32))])(D.range(6))
# checkpoints of iterators
checkpointed(lambda: D.range(10), 3, 3)
checkpointed(lambda: D.range(10), 0, 3)
checkpointed(lambda: D.range(10).map(lambda x: x * 2).batch(2), 2, 2)
checkpointed(lambda: D.range(10).shuffle(10, seed=3), 3, 4, 10)
checkpointed(lambda: D.range(10).shuffle(4, seed=3), 3, 4, 10)
checkpointed(lambda: D.range(10).shuffle(4, seed=3, reshuffle_each_iteration=False), 3, 4, 10)
checkpointed(lambda: D.range(4).shuffle(4, seed=3).repeat(3), 6, 4, 10)
checkpointed(lambda: D.range(4).shuffle(3, seed=3).repeat(3), 6, 4, 10)
checkpointed(lambda: D.range(4).repeat(3).shuffle(6, seed=3), 5, 4, 10)
checkpointed(lambda: D.range(4).repeat(), 6, 3)
checkpointed(lambda: D.range(10).filter(lambda x: x % 2 == 1), 2, 2)
checkpointed(lambda: D.range(10).skip(2).take(6), 2, 2)
checkpointed(lambda: D.zip((D.range(5), D.range(5, 10))), 2, 2)
checkpointed(lambda: D.range(3).concatenate(D.range(10, 14)), 4, 2)
checkpointed(lambda: D.range(4).interleave(lambda x: D.range(10 * x, 10 * x + 3), 2), 5, 3)
checkpointed(lambda: D.range(4).interleave(lambda x: D.range(10 * x, 10 * x + 3), 2, 2, 2), 5, 3)
checkpointed(lambda: D.range(4).flat_map(lambda x: D.range(x)), 3, 2)
checkpointed(lambda: D.range(10).window(3).flat_map(lambda w: w.batch(3)), 1, 2)
checkpointed(lambda: D.range(10).map(lambda x: x, num_parallel_calls=3).prefetch(2), 3, 3)
checkpointed(lambda: D.range(6).cache(), 2, 2)
checkpointed(lambda: D.range(6).scan(np.int64(0), lambda s, x: (s + x, s + x)), 3, 2)
checkpointed(lambda: D.range(9).group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), 3), 1, 2)
checkpointed(lambda: D.random(seed=3), 3, 3)
checkpointed(lambda: D.sample_from_datasets([D.range(5), D.range(5, 10)], seed=1), 3, 3)
checkpointed(lambda: D.from_tensor_slices([1, 2, 3, 1, 2, 4]).unique(), 2, 1)
checkpointed(lambda: D.range(6).batch(2).unbatch(), 3, 2)
checkpointed(lambda: D.range(6).enumerate(), 3, 2)
checkpointed(lambda: D.range(6).take_while(lambda x: x < 5), 2, 2)
managed()
"""
