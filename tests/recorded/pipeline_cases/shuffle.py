"""Orders that follow from seeds: shuffled elements, in several epochs."""

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
EPOCHS = 3


def seeded(build, seed):
    """The dataset that is built right after a global seed."""
    tf.random.set_seed(seed)
    return build()


def iterators(dataset, count, length):
    """The elements of several iterators that are alive at once, taken in turns."""
    made = [iter(dataset) for _ in range(count)]
    found = [[] for _ in made]
    for _ in range(length):
        for iterator, elements in zip(made, found, strict=True):
            elements.append(int(next(iterator)))
    return found


def epochs(dataset, count=3):
    return [[int(x) for x in dataset] for _ in range(count)]


def first(dataset, count=24):
    """The beginning of one iterator: how far it reads ahead decides on the seeds of the next."""
    return [int(x) for x in dataset.take(count)]


def left_early(dataset):
    """Epochs of which the first two are left after three elements."""
    found = []
    for _ in range(2):
        iterator = iter(dataset)
        found.append([int(next(iterator)) for _ in range(3)])
    return [*found, *epochs(dataset, 2)]


def two_datasets(source):
    """Two datasets over one shuffled one: do they share its epochs?"""
    first, second = source.map(lambda x: x + 100), source.map(lambda x: x + 200)
    return [epochs(first, 1), epochs(second, 1), epochs(source, 1), epochs(first, 1)]


def in_function(build, seed=None):
    """A dataset that is made and read inside of a function, called three times."""
    if seed is not None:
        tf.random.set_seed(seed)

    @tf.function
    def read():
        total = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        for x in build():
            total = total.write(total.size(), x)
        return total.stack()

    return [read() for _ in range(3)]


def read_in_function(dataset):
    """A dataset of the caller that a function reads, called three times."""

    @tf.function
    def read():
        total = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        for x in dataset:
            total = total.write(total.size(), x)
        return total.stack()

    return [read() for _ in range(3)]


def in_graph(build, seed=None):
    """A shuffled dataset of a v1 graph: its iterator initialised three times."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        if seed is not None:
            v1.set_random_seed(seed)
        iterator = v1.data.make_initializable_iterator(build())
        following = iterator.get_next()
        found = []
        with v1.Session() as session:
            for _ in range(3):
                session.run(iterator.initializer)
                found.append([])
                while True:
                    try:
                        found[-1].append(session.run(following))
                    except tf.errors.OutOfRangeError:
                        break
        return [[int(x) for x in each] for each in found]


def without_rewrites(dataset):
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)


CALLS = """
# sizes of the buffer
D.range(10).shuffle(1, seed=3)
D.range(10).shuffle(2, seed=3)
D.range(10).shuffle(5, seed=3)
D.range(10).shuffle(9, seed=3)
D.range(10).shuffle(10, seed=3)
D.range(10).shuffle(11, seed=3)
D.range(10).shuffle(1000, seed=3)
D.range(100).shuffle(16, seed=5)
D.range(100).shuffle(100, seed=5)
D.range(200).shuffle(64, seed=1)
D.range(1).shuffle(4, seed=3)
D.range(0).shuffle(4, seed=3)
D.range(10).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=3)
D.range(10).shuffle(D.range(10).cardinality(), seed=3)
D.range(10).shuffle(tf.constant(4, tf.int64), seed=3)
D.range(10).shuffle(buffer_size=4, seed=3, name="mixed")
# seeds
D.range(10).shuffle(10, seed=0)
D.range(10).shuffle(10, seed=1)
D.range(10).shuffle(10, seed=-1)
D.range(10).shuffle(10, seed=2**31 - 1)
D.range(10).shuffle(10, seed=2**31)
D.range(10).shuffle(10, seed=2**40 + 3)
D.range(10).shuffle(10, seed=tf.constant(7, tf.int64))
D.range(10).shuffle(10, seed=87654321)
seeded(lambda: D.range(10).shuffle(10), 0)
seeded(lambda: D.range(10).shuffle(10), 1)
seeded(lambda: D.range(10).shuffle(10), 42)
seeded(lambda: D.range(10).shuffle(10), 2**31 + 5)
seeded(lambda: D.range(10).shuffle(10, seed=0), 0)
seeded(lambda: D.range(10).shuffle(10, seed=0), 42)
seeded(lambda: D.range(10).shuffle(10, seed=3), 42)
seeded(lambda: D.range(10).shuffle(10, seed=3), 0)
seeded(lambda: D.range(10).shuffle(10, seed=42), 3)
seeded(lambda: D.range(10).shuffle(4), 42)
seeded(lambda: [D.range(6).shuffle(6), D.range(6).shuffle(6), D.range(6).shuffle(6)], 5)
seeded(lambda: [D.range(6).shuffle(6, seed=1), D.range(6).shuffle(6, seed=1)], 5)
seeded(lambda: [D.range(6).shuffle(6), tf.random.uniform([2]), D.range(6).shuffle(6)], 5)
# with and without reshuffling
D.range(10).shuffle(10, seed=3, reshuffle_each_iteration=True)
D.range(10).shuffle(10, seed=3, reshuffle_each_iteration=False)
D.range(10).shuffle(4, seed=3, reshuffle_each_iteration=False)
seeded(lambda: D.range(10).shuffle(10, reshuffle_each_iteration=False), 42)
seeded(lambda: D.range(10).shuffle(10, 3, False), 42)
D.range(10).shuffle(10, seed=3, reshuffle_each_iteration=None)
D.range(30).shuffle(7, seed=11, reshuffle_each_iteration=False)
# with repeat
D.range(5).shuffle(5, seed=3).repeat(3)
D.range(5).shuffle(3, seed=3).repeat(3)
D.range(5).shuffle(8, seed=3).repeat(3)
D.range(5).shuffle(1, seed=3).repeat(2)
first(D.range(5).shuffle(5, seed=3).repeat())
D.range(5).shuffle(5, seed=3).repeat(1)
D.range(5).shuffle(5, seed=3).repeat(0)
D.range(5).shuffle(5, seed=3, reshuffle_each_iteration=False).repeat(3)
D.range(5).shuffle(3, seed=3, reshuffle_each_iteration=False).repeat(3)
D.range(5).shuffle(5, seed=3, reshuffle_each_iteration=False).repeat()
D.range(5).repeat(3).shuffle(5, seed=3)
D.range(5).repeat(3).shuffle(15, seed=3)
D.range(5).repeat(3).shuffle(100, seed=3)
D.range(5).repeat().shuffle(5, seed=3)
D.range(5).repeat().shuffle(12, seed=3)
D.range(5).repeat(2).shuffle(4, seed=3, reshuffle_each_iteration=False)
without_rewrites(D.range(5).shuffle(5, seed=3).repeat(3))
without_rewrites(D.range(5).shuffle(3, seed=3).repeat(3))
seeded(lambda: D.range(5).shuffle(5).repeat(3), 42)
first(seeded(lambda: D.range(5).shuffle(3).repeat(), 42))
D.range(4).shuffle(4, seed=1).repeat(2).repeat(2)
D.range(4).shuffle(4, seed=1).repeat(2).shuffle(8, seed=2)
D.range(5).shuffle(5, seed=3).take(3).repeat(3)
D.range(5).shuffle(5, seed=3).map(lambda x: x * 10).repeat(2)
D.range(6).shuffle(6, seed=3).batch(4).repeat(2)
D.range(6).shuffle(6, seed=3).prefetch(1).repeat(2)
D.range(0).shuffle(5, seed=3).repeat(3)
D.range(5).filter(lambda x: x > 9).shuffle(5, seed=3).repeat(3)
tf.data.experimental.shuffle_and_repeat(5, 3, seed=3)(D.range(5))
D.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=3))
first(D.range(5).apply(tf.data.experimental.shuffle_and_repeat(5, seed=3)))
seeded(lambda: D.range(5).apply(tf.data.experimental.shuffle_and_repeat(5, 2)), 42)
# several shuffles, and other transformations
D.range(8).shuffle(8, seed=1).shuffle(8, seed=1)
D.range(8).shuffle(8, seed=1).shuffle(4, seed=2)
seeded(lambda: D.range(8).shuffle(8).shuffle(8), 9)
D.range(8).batch(2).shuffle(4, seed=1)
D.range(8).shuffle(4, seed=1).batch(3)
D.range(8).shuffle(4, seed=1).enumerate()
D.range(8).shuffle(8, seed=1).cache()
D.range(8).cache().shuffle(8, seed=1)
D.range(8).shuffle(8, seed=1).take(3)
D.range(8).take(5).shuffle(8, seed=1)
D.range(8).shuffle(8, seed=1).skip(3)
D.range(8).shuffle(8, seed=1).shard(2, 1)
D.zip((D.range(6).shuffle(6, seed=1), D.range(6).shuffle(6, seed=1)))
D.zip((D.range(6).shuffle(6, seed=1), D.range(6).shuffle(6, seed=2)))
D.range(3).shuffle(3, seed=1).concatenate(D.range(3, 6).shuffle(3, seed=1))
s = D.range(3).shuffle(3, seed=1); s.concatenate(s)
s = D.range(4).shuffle(4, seed=1); D.zip((s, s))
s = D.range(4).shuffle(4, seed=1, reshuffle_each_iteration=False); D.zip((s, s))
D.range(3).flat_map(lambda x: D.range(4).shuffle(4, seed=1))
D.range(3).flat_map(lambda x: D.range(4).shuffle(4, seed=1, reshuffle_each_iteration=False))
D.range(3).interleave(lambda x: D.range(4).shuffle(4, seed=1), cycle_length=2)
D.from_tensor_slices((["a", "b", "c", "d"], [1, 2, 3, 4])).shuffle(4, seed=7)
D.from_tensor_slices({"a": [1, 2, 3], "b": [[1.0], [2.0], [3.0]]}).shuffle(2, seed=7)
D.range(10).filter(lambda x: x % 3 > 0).shuffle(4, seed=3)
D.range(7).window(2).shuffle(4, seed=3)
# iterators of one dataset
iterators(D.range(6).shuffle(6, seed=3), 3, 6)
iterators(D.range(6).shuffle(6, seed=3, reshuffle_each_iteration=False), 2, 6)
iterators(D.range(6).shuffle(4, seed=3), 2, 6)
left_early(D.range(6).shuffle(6, seed=3))
left_early(D.range(6).shuffle(3, seed=3))
two_datasets(D.range(6).shuffle(6, seed=3))
two_datasets(D.range(6).shuffle(6, seed=3, reshuffle_each_iteration=False))
epochs(D.range(6).shuffle(6, seed=3), 6)
list(D.range(6).shuffle(6, seed=3).as_numpy_iterator())
s = D.range(6).shuffle(6, seed=3); [s.reduce(np.int64(0), lambda a,
    b: a * 7 % 1000 + b) for _ in range(3)]
# inside of functions, and in v1 graphs
in_function(lambda: D.range(6).shuffle(6, seed=3))
in_function(lambda: D.range(6).shuffle(6, seed=3, reshuffle_each_iteration=False))
in_function(lambda: D.range(6).shuffle(6), 42)
in_function(lambda: D.range(6).shuffle(3, seed=3).repeat(2))
read_in_function(D.range(6).shuffle(6, seed=3))
read_in_function(D.range(6).shuffle(6, seed=3, reshuffle_each_iteration=False))
in_graph(lambda: D.range(6).shuffle(6, seed=3))
in_graph(lambda: D.range(6).shuffle(6, seed=3, reshuffle_each_iteration=False))
in_graph(lambda: D.range(6).shuffle(6), 42)
in_graph(lambda: D.range(6).shuffle(6), 0)
in_graph(lambda: D.range(6).shuffle(6, seed=3), 42)
in_graph(lambda: D.range(6).shuffle(6, seed=3).repeat(2))
in_graph(lambda: D.range(6).shuffle(6).shuffle(6), 42)
in_graph(lambda: tf.compat.v1.data.Dataset.range(6).shuffle(6, seed=3))
"""
