"""Elements that Python makes."""

import collections

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
Spec = tf.TensorSpec
Point = collections.namedtuple("Point", ["x", "y"])


def made(values, *signature, **options):
    """A dataset of the values of a list."""
    return D.from_generator(lambda: iter(values), *signature, **options)


def signed(values, signature, **options):
    return made(values, output_signature=signature, **options)


def upto(n):
    yield from range(n)


def counting():
    n = 0
    while True:
        yield n
        n += 1


class Numbers:
    """Callable, and iterable each time anew."""

    def __init__(self):
        self.begun = 0

    def __call__(self):
        self.begun += 1
        return iter([self.begun, self.begun * 10])


def closed(count):
    """Whether a generator that is left early is closed."""
    states = []

    def source():
        try:
            yield from range(10)
        finally:
            states.append("closed")

    dataset = D.from_generator(source, output_signature=Spec([], tf.int32))
    found = [int(x) for x in dataset.take(count)]
    return found, states


def interleaved():
    """Generators with arguments, several of them at once."""
    source = lambda n: (n * 10 + i for i in range(3))
    return D.range(3).interleave(
        lambda n: D.from_generator(source, args=(n,), output_signature=Spec([], tf.int64)),
        cycle_length=2,
    )


CALLS = """
# by signature
signed([1, 2, 3], Spec([], tf.int32))
signed([1, 2, 3], Spec([], tf.int64))
signed([1, 2, 3], Spec([], tf.float32))
signed([1.5, 2.5], Spec([], tf.float64))
signed(["a", "b"], Spec([], tf.string))
signed([b"a", "b"], Spec((), tf.string))
signed([True, False], Spec([], tf.bool))
signed([[1, 2], [3, 4]], Spec([2], tf.int32))
signed([[1, 2], [3]], Spec([None], tf.int32))
signed([[1, 2], 3, [[4]]], Spec(None, tf.int32))
signed([np.zeros((2, 2)), np.ones((2, 2))], Spec([2, 2], tf.float32))
signed([np.float32(1.5)], Spec([], tf.float64))
signed([tf.constant(1), tf.constant(2)], Spec([], tf.int32))
signed([(1, 2.0), (3, 4.0)], (Spec([], tf.int32), Spec([], tf.float32)))
signed([[1, 2.0], [3, 4.0]], (Spec([], tf.int32), Spec([], tf.float32)))
signed([(1, [2, 3])], (Spec([], tf.int32), Spec([None], tf.int64)))
signed([{"a": 1, "b": 2}], {"a": Spec([], tf.int32), "b": Spec([], tf.int32)})
signed([{"b": 2, "a": 1}], {"a": Spec([], tf.int32), "b": Spec([], tf.int32)})
signed([({"a": 1}, 2)], ({"a": Spec([], tf.int32)}, Spec([], tf.int32)))
signed([Point(1, 2)], Point(Spec([], tf.int32), Spec([], tf.int32)))
signed([], Spec([], tf.int32))
signed([np.zeros((0, 3))], Spec([None, 3], tf.float32))
signed([tf.ragged.constant([[1], [2, 3]])], tf.RaggedTensorSpec([2, None], tf.int32))
signed([tf.sparse.from_dense([0, 1])], tf.SparseTensorSpec([2], tf.int32))
signed([1, 2, 3], Spec([], tf.int32, name="numbers"))
# by dtypes and shapes
made([1, 2, 3], tf.int32)
made([1, 2, 3], tf.int64, tf.TensorShape([]))
made([1, 2, 3], output_types=tf.float32, output_shapes=[])
made([[1, 2], [3]], tf.int32, [None])
made([[1, 2], [3]], tf.int32)
made([(1, "a")], (tf.int32, tf.string))
made([(1, "a")], (tf.int32, tf.string), ([], []))
made([{"a": 1}], {"a": tf.int32})
made([([1, 2], {"a": 1})], (tf.int32, {"a": tf.float32}), ([None], {"a": []}))
# arguments
D.from_generator(upto, args=(3,), output_signature=Spec([], tf.int32))
D.from_generator(upto, args=[np.int64(3)], output_signature=Spec([], tf.int64))
D.from_generator(lambda a, b: iter([a, b]), args=([1, 2], [3, 4]), output_signature=Spec([2],
    tf.int32))
D.from_generator(upto, tf.int32, args=(3,), name="upto")
# several epochs
D.from_generator(Numbers(), output_signature=Spec([], tf.int32))
D.from_generator(Numbers(), output_signature=Spec([], tf.int32)).repeat(2)
D.from_generator(counting, output_signature=Spec([], tf.int32)).take(4)
D.from_generator(counting, output_signature=Spec([], tf.int32)).batch(3).take(2)
signed([1, 2, 3, 4], Spec([], tf.int32)).map(lambda x: x * 2).batch(3)
signed([1, 2, 3, 4], Spec([], tf.int32)).shuffle(4, seed=1).repeat(2)
signed([1, 2, 3, 4], Spec([], tf.int32)).cache().repeat(2)
signed([[1], [1, 2], [1, 2, 3]], Spec([None], tf.int32)).padded_batch(2)
signed([1, 2, 3], Spec([], tf.int32)).prefetch(2)
interleaved()
closed(3)
D.from_generator(lambda: [1, 2, 3], output_signature=Spec([], tf.int32))
D.from_generator(lambda: {5: 1, 6: 2}, output_signature=Spec([], tf.int32))
D.from_generator(lambda: np.array([[1, 2], [3, 4]]), output_signature=Spec([2], tf.int64))
D.from_generator(lambda: zip([1, 2], [3, 4]), output_signature=(Spec([], tf.int32),) * 2)
repr(signed([1], Spec([], tf.int32)))
int(signed([1, 2], Spec([], tf.int32)).cardinality())
"""
