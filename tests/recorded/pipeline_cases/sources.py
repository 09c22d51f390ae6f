"""Where the elements come from: tensors, slices, ranges, counters and other datasets."""

import collections

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
Point = collections.namedtuple("Point", ["x", "y"])
c = tf.constant


def ordered(*pairs):
    return collections.OrderedDict(pairs)


CALLS = """
# tensors
D.from_tensors(3)
D.from_tensors(2.5)
D.from_tensors("text")
D.from_tensors(b"bytes")
D.from_tensors(True)
D.from_tensors(1 + 2j)
D.from_tensors([1, 2, 3])
D.from_tensors((1, 2.0))
D.from_tensors(([1, 2], [3, 4]))
D.from_tensors({"b": 1, "a": [2, 3]})
D.from_tensors({"a": (1, {"b": 2.0})})
D.from_tensors(Point(1, 2.0))
D.from_tensors(ordered(("z", 1), ("a", 2)))
D.from_tensors(np.zeros((2, 0, 3), np.float32))
D.from_tensors(np.arange(4, dtype=np.uint8))
D.from_tensors(np.array(["a", "bc"]))
D.from_tensors(c([1, 2], tf.int16))
D.from_tensors(tf.Variable([1.0, 2.0]))
D.from_tensors(())
D.from_tensors([])
D.from_tensors((1, [2, 3], (4,)))
D.from_tensors(1, name="one")
D.from_tensors(tf.sparse.from_dense([[0, 2], [3, 0]]))
D.from_tensors(tf.ragged.constant([[1], [2, 3]]))
D.from_tensors(D.range(3))
# slices
D.from_tensor_slices([1, 2, 3])
D.from_tensor_slices([1.5, 2.5])
D.from_tensor_slices(["a", "b", "cd"])
D.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
D.from_tensor_slices(([1, 2], [3.0, 4.0]))
D.from_tensor_slices(([1, 2], [[3.0], [4.0]], ["a", "b"]))
D.from_tensor_slices({"a": [1, 2], "b": [[1, 2], [3, 4]]})
D.from_tensor_slices(({"x": [1, 2]}, [0, 1]))
D.from_tensor_slices(Point([1, 2], [3.0, 4.0]))
D.from_tensor_slices(ordered(("z", [1, 2]), ("a", [3, 4])))
D.from_tensor_slices(np.arange(6, dtype=np.float64).reshape(3, 2))
D.from_tensor_slices(np.zeros((3, 0), np.int32))
D.from_tensor_slices([])
D.from_tensor_slices(np.array([True, False]))
D.from_tensor_slices(np.array([1, 2], np.float16))
D.from_tensor_slices((c([1, 2]), np.array([3, 4], np.int8)))
D.from_tensor_slices(tf.sparse.from_dense([[0, 2], [3, 0]]))
D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []]))
D.from_tensor_slices([c(1), c(2)])
D.from_tensor_slices(tf.Variable([[1, 2], [3, 4]]))
# ranges
D.range(5)
D.range(2, 5)
D.range(1, 10, 3)
D.range(5, 0, -2)
D.range(5, 5)
D.range(3, 8, -1)
D.range(-3, 3, 2)
D.range(3, output_type=tf.int32)
D.range(1, 4, output_type=tf.float32)
D.range(0, 10, 4, output_type=tf.uint8)
D.range(c(2), c(6))
D.range(3, name="r")
# counters
D.counter()
D.counter(10)
D.counter(start=10, step=-3)
D.counter(dtype=tf.int32)
D.counter(0.5, 0.25, dtype=tf.float32)
tf.data.experimental.Counter(3, 2).take(4)
# zipped and concatenated
D.zip((D.range(3), D.range(3, 6)))
D.zip(D.range(3), D.range(10))
D.zip(D.range(3))
D.zip((D.range(2),))
D.zip({"a": D.range(2), "b": D.from_tensor_slices([1.0, 2.0, 3.0])})
D.zip((D.range(2), (D.range(2, 4), D.range(4, 6))))
D.zip((D.range(2).repeat(), D.range(5)))
D.zip((D.range(2).repeat(), D.range(2).repeat()))
D.zip((D.range(4).filter(lambda x: x > 1), D.range(3)))
D.zip(D.range(0), D.range(3))
D.zip(datasets=(D.range(2), D.range(2)))
D.range(3).concatenate(D.range(10, 12))
D.range(2).concatenate(D.range(2)).concatenate(D.range(1))
D.range(2).batch(2).concatenate(D.range(3).batch(3))
D.from_tensors([1, 2]).concatenate(D.from_tensors([[3, 4]]))
D.range(2).repeat().concatenate(D.range(2))
D.range(2).concatenate(D.range(2).repeat())
D.range(2).concatenate(D.range(4).filter(lambda x: x > 2))
D.from_tensor_slices({"a": [1]}).concatenate(D.from_tensor_slices({"a": [2, 3]}))
D.range(0).concatenate(D.range(0))
# from a list (experimental)
tf.data.experimental.from_list([(1, "a"), (2, "b"), (3, "c")])
tf.data.experimental.from_list([{"a": 1.0}, {"a": 2.0}])
# printed forms
[repr(D.range(3)), str(D.range(3)), repr(D.from_tensors({"a": 1}))]
repr(D.from_tensor_slices(([1], [2.0])))
repr(D.zip((D.range(1), D.range(1))))
repr(D.range(3).concatenate(D.range(2)))
repr(D.counter())
repr(D.random(seed=1))
[len(D.range(7)), bool(D.range(0)), bool(D.range(2))]
[D.range(3).element_spec, D.from_tensors((1, 2)).element_spec]
list(D.range(3).as_numpy_iterator())
list(D.from_tensors({"a": (1, 2.0), "b": ["x", "y"]}).as_numpy_iterator())
list(D.from_tensors(tf.ragged.constant([[1], [2, 3]])).as_numpy_iterator())
[tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY]
[int(D.range(4).cardinality()), int(tf.data.experimental.cardinality(D.range(2)))]
D.range(3).cardinality()
"""
