"""Elements put together and taken apart: batch, padded_batch, unbatch, rebatch, window, groups."""

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE


def rows(*lengths):
    """Vectors of these lengths, each of its length."""
    return D.from_tensor_slices(np.array(lengths, np.int64)).map(lambda n: tf.fill([n], n))


def words(*texts):
    return D.from_generator(
        lambda: ([each] * len(each) for each in texts),
        output_signature=tf.TensorSpec([None], tf.string),
    )


def windows(dataset):
    """A dataset of datasets as one of batches."""
    return dataset.flat_map(lambda window: window.batch(100))


def pairs(*lengths):
    """Vectors with their lengths."""
    return rows(*lengths).map(lambda row: (row, tf.size(row)))


def length(row, *rest):
    return tf.shape(row)[0]


def buckets(dataset, boundaries, sizes, **options):
    return dataset.bucket_by_sequence_length(length, boundaries, sizes, **options)


def grouped(dataset, key, reduce, size=None, size_func=None):
    return dataset.group_by_window(key, reduce, window_size=size, window_size_func=size_func)


def sparse(value):
    return tf.sparse.from_dense(value)


LONG = (4, 1, 3, 2, 5, 1, 2, 9, 3, 3, 1, 6)

CALLS = """
# batch
D.range(7).batch(3)
D.range(7).batch(3, drop_remainder=True)
D.range(6).batch(3)
D.range(6).batch(3, drop_remainder=True)
D.range(2).batch(5)
D.range(2).batch(5, drop_remainder=True)
D.range(0).batch(5)
D.range(3).batch(1)
D.range(7).batch(3, num_parallel_calls=2)
D.range(7).batch(3, True, num_parallel_calls=AUTOTUNE, deterministic=True)
D.range(7).batch(2).batch(2)
D.range(8).batch(2, drop_remainder=True).batch(2, drop_remainder=True)
D.range(7).batch(2).map(tf.reduce_sum)
D.range(7).repeat(2).batch(4)
D.range(7).batch(4).repeat(2)
D.range(3).repeat().batch(4)
D.range(5).batch(tf.constant(2, tf.int64))
D.range(5).batch(tf.constant(2, tf.int64), drop_remainder=True)
D.zip((D.range(5), D.range(5).map(lambda x: [x, x]))).batch(2)
D.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]}).batch(2)
D.from_tensor_slices(np.zeros((3, 2, 0), np.float32)).batch(2)
rows(2, 2, 2).batch(2)
rows(1, 2, 3).batch(1)
D.from_tensor_slices(sparse([[0, 1], [2, 0], [3, 4]])).batch(2)
D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []])).batch(2)
D.range(6).filter(lambda x: x > 0).batch(2)
D.range(6).filter(lambda x: x > 0).batch(2, drop_remainder=True)
D.range(5).batch(2, name="pairs")
D.range(10).map(lambda x: x * 2).batch(4)
D.range(10).map(lambda x: x * 2, num_parallel_calls=2).batch(4)
D.range(10).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 4))
D.range(10).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 4, drop_remainder=True))
D.range(10).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 4, num_parallel_calls=2))
# padded_batch
rows(1, 2, 3).padded_batch(2)
rows(1, 2, 3).padded_batch(3)
rows(1, 2, 3).padded_batch(2, drop_remainder=True)
rows(1, 2, 3).padded_batch(2, padded_shapes=[None])
rows(1, 2, 3).padded_batch(2, padded_shapes=[4])
rows(1, 2, 3).padded_batch(2, padded_shapes=[-1])
rows(1, 2, 3).padded_batch(2, padded_shapes=tf.TensorShape([None]))
rows(1, 2, 3).padded_batch(2, padded_shapes=tf.constant([5], tf.int64))
rows(1, 2, 3).padded_batch(2, padding_values=np.int64(-1))
rows(1, 2, 3).padded_batch(2, padded_shapes=[4], padding_values=tf.constant(9, tf.int64))
rows(0, 0).padded_batch(2)
rows().padded_batch(2)
D.range(5).padded_batch(2)
D.range(5).padded_batch(2, padded_shapes=[])
words("a", "bcd", "ef").padded_batch(3)
words("a", "bcd", "ef").padded_batch(3, padding_values="?")
rows(1, 2).map(lambda r: tf.cast(r, tf.float32)).padded_batch(2)
rows(1, 2).map(lambda r: tf.cast(r, tf.float32)).padded_batch(2, padding_values=-0.5)
rows(1, 2).map(lambda r: r > 0).padded_batch(2)
rows(1, 2).map(lambda r: tf.cast(r, tf.complex64)).padded_batch(2)
pairs(1, 3, 2).padded_batch(2)
pairs(1, 3, 2).padded_batch(2, padded_shapes=([None], []))
pairs(1, 3, 2).padded_batch(2, padded_shapes=([4], []), padding_values=(np.int64(7), 0))
pairs(1, 3, 2).padded_batch(2, padding_values=(np.int64(7), None))
rows(1, 3).map(lambda r: {"a": r, "b": r[:1]}).padded_batch(2)
rows(1, 3).map(lambda r: {"a": r, "b": r[:1]}).padded_batch(2, {"a": [None], "b": [2]})
rows(1, 3).map(lambda r: ({"a": r}, (r, r[0]))).padded_batch(2, ({"a": [3]}, ([None], [])))
rows(1, 3, 2).map(lambda r: tf.fill([tf.size(r), 2], r[0])).padded_batch(2)
rows(1, 3, 2).map(lambda r: tf.fill([tf.size(r), 2], r[0])).padded_batch(2, [None, 3])
rows(1, 3, 2).map(lambda r: tf.fill([tf.size(r), tf.size(r)], r[0])).padded_batch(3)
rows(1, 3, 2).padded_batch(2).repeat(2)
rows(1, 3, 2).padded_batch(2, name="padded")
# unbatch and rebatch
D.range(6).batch(4).unbatch()
D.from_tensor_slices([[1, 2], [3, 4]]).unbatch()
D.from_tensors(([1, 2], [[3], [4]])).unbatch()
D.from_tensors({"a": [1, 2], "b": ["x", "y"]}).unbatch()
D.from_tensors(np.zeros((0, 2))).unbatch()
rows(2, 0, 1).unbatch()
D.range(8).batch(2).batch(2).unbatch()
D.from_tensors(sparse([[0, 1], [2, 0]])).unbatch()
D.from_tensors(tf.ragged.constant([[1], [2, 3]])).unbatch()
D.range(6).batch(2, drop_remainder=True).unbatch()
D.range(6).batch(2).repeat().unbatch()
D.range(6).batch(3).apply(tf.data.experimental.unbatch())
D.range(10).batch(4).rebatch(3)
D.range(10).batch(4).rebatch(3, drop_remainder=True)
D.range(10).batch(2).rebatch(5)
D.range(10).batch(4).rebatch([1, 3])
D.range(10).batch(4).rebatch([2, 0, 1])
D.range(10).batch(10).rebatch([3, 4], drop_remainder=True)
D.from_tensors(([1, 2, 3], ["a", "b", "c"])).rebatch(2)
D.range(4).batch(2).repeat().rebatch(3)
rows(2, 3, 1).rebatch(4)
# ragged and sparse batches
rows(1, 3, 2).ragged_batch(2)
rows(1, 3, 2).ragged_batch(2, drop_remainder=True)
rows(1, 3, 2).ragged_batch(2, row_splits_dtype=tf.int32)
D.range(3).ragged_batch(2)
rows(1, 3, 2).map(lambda r: {"a": r, "b": tf.size(r)}).ragged_batch(3)
rows(1, 3, 2).sparse_batch(2, [5])
rows(1, 3, 2).sparse_batch(2, [None])
rows(1, 3, 2).apply(tf.data.experimental.dense_to_ragged_batch(2))
rows(1, 3, 2).apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))
# window
D.range(7).window(3)
windows(D.range(7).window(3))
windows(D.range(7).window(3, drop_remainder=True))
windows(D.range(7).window(3, 1))
windows(D.range(7).window(3, shift=1, drop_remainder=True))
windows(D.range(7).window(3, shift=2))
windows(D.range(7).window(3, shift=2, drop_remainder=True))
windows(D.range(9).window(3, shift=4))
windows(D.range(9).window(3, shift=4, drop_remainder=True))
windows(D.range(9).window(3, stride=2))
windows(D.range(9).window(3, shift=1, stride=2))
windows(D.range(9).window(3, shift=1, stride=2, drop_remainder=True))
windows(D.range(9).window(2, shift=3, stride=2, drop_remainder=True))
windows(D.range(9).window(4, shift=2, stride=3, drop_remainder=False))
windows(D.range(9).window(size=2, shift=None, stride=1, drop_remainder=True, name="w"))
windows(D.range(2).window(5))
windows(D.range(2).window(5, drop_remainder=True))
windows(D.range(0).window(5))
windows(D.range(3).repeat().window(4))
D.zip((D.range(4), D.range(4, 8))).window(2)
D.from_tensor_slices({"a": [1, 2, 3], "b": [4, 5, 6]}).window(2)
D.from_tensor_slices({"a": [1, 2, 3]}).window(2).flat_map(lambda d: d["a"].batch(2))
D.range(4).window(2).flat_map(lambda w: w)
D.zip((D.range(4), D.range(4, 8))).window(2).flat_map(lambda a, b: D.zip((a.batch(2), b.batch(2))))
D.range(6).window(2).map(lambda w: w.reduce(np.int64(0), lambda a, b: a + b))
D.range(6).window(2).window(2).map(lambda w: w.reduce(np.int64(0), lambda n, v: n + 1))
D.range(6).batch(2).window(2).flat_map(lambda w: w.batch(2))
# group_by_window
grouped(D.range(10), lambda x: x % 2, lambda k, w: w.batch(5), 5)
grouped(D.range(10), lambda x: x % 2, lambda k, w: w.batch(3), 3)
grouped(D.range(10), lambda x: x % 3, lambda k, w: w.batch(2), 2)
grouped(D.range(10), lambda x: -(x % 3), lambda k, w: w.batch(2), 4)
grouped(D.range(10), lambda x: 7 - x % 3, lambda k, w: w.batch(20), 100)
grouped(D.range(10), lambda x: x % 2, lambda k, w: w.map(lambda x: (k, x)), 3)
grouped(D.range(10), lambda x: x % 2, lambda k, w: w.batch(4), None, lambda k: (k + 1) * 2)
grouped(D.range(10), lambda x: x % 2, lambda k, w: w.reduce(k, lambda a, b: a + b), 3)
grouped(D.range(10), lambda x: x % 2, lambda k, w: D.from_tensors(k), 3)
grouped(D.range(3).repeat(), lambda x: x % 2, lambda k, w: w.batch(3), 3)
grouped(D.range(10).shuffle(10, seed=1), lambda x: x % 4, lambda k, w: w.batch(2), 2)
grouped(D.range(0), lambda x: x, lambda k, w: w.batch(2), 2)
D.range(8).apply(tf.data.experimental.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2))
D.range(10).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3,
    tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s)))
# bucket_by_sequence_length
buckets(rows(*LONG), [3, 5], [2, 2, 2])
buckets(rows(*LONG), [3, 5], [3, 2, 1])
buckets(rows(*LONG), [3, 5], [2, 2, 2], drop_remainder=True)
buckets(rows(*LONG), [3, 5, 10], [2, 2, 2, 2], pad_to_bucket_boundary=True)
buckets(rows(*LONG), [3, 5], [2, 2, 2], pad_to_bucket_boundary=True)
buckets(rows(*LONG), [3, 5], [2, 2, 2], padding_values=np.int64(-1))
buckets(rows(*LONG), [3, 5], [2, 2, 2], padded_shapes=[None])
buckets(rows(*LONG), [3, 5], [2, 2, 2], padded_shapes=[10])
buckets(rows(*LONG), [4], [2, 2])
buckets(rows(*LONG), [2, 4, 6], [4, 3, 2, 1])
buckets(rows(2, 2, 3, 3, 3), [3], [2, 2], no_padding=True)
buckets(pairs(*LONG), [3, 5], [2, 2, 2])
buckets(pairs(*LONG), [3, 5], [2, 2, 2], padding_values=(np.int64(7), 0))
buckets(pairs(*LONG), [3, 5], [2, 2, 2], padded_shapes=([None], []))
buckets(rows(*LONG), [3, 5], [1, 1, 1])
buckets(rows(*LONG), [3, 5], [100, 100, 100])
buckets(words("a", "bcd", "ef", "ghij"), [2, 4], [2, 2, 2], padding_values="-")
buckets(rows(*LONG).repeat(), [3, 5], [2, 2, 2])
rows(*LONG).apply(tf.data.experimental.bucket_by_sequence_length(length, [3, 5], [2, 2, 2]))
# printed forms
repr(D.range(3).batch(2))
repr(D.range(3).batch(2, num_parallel_calls=2))
repr(rows(1, 2).padded_batch(2))
repr(D.range(3).batch(2).unbatch())
repr(D.range(3).batch(2).rebatch(2))
repr(D.range(3).window(2))
repr(grouped(D.range(3), lambda x: x, lambda k, w: w.batch(2), 2))
repr(buckets(rows(1, 2), [2], [2, 2]))
"""
