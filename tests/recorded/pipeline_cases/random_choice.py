"""Random elements, and datasets chosen at random or by another dataset."""

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
EPOCHS = 3


def seeded(build, seed):
    """The dataset that is built right after a global seed."""
    tf.random.set_seed(seed)
    return build()


def constant(value, count=None):
    """A dataset that repeats a value."""
    return D.from_tensors(np.int64(value)).repeat(count)


def sampled(weights, **options):
    """Ten elements each of as many datasets as there are weights."""
    made = [constant(number, 10) for number in range(len(weights))]
    return D.sample_from_datasets(made, weights, **options)


a, b, c = D.range(5), D.range(100, 105), D.range(200, 203)
s = D.sample_from_datasets

CALLS = """
# random numbers
D.random(seed=1)
D.random(seed=0)
D.random(seed=4).take(5)
D.random(seed=2**33)
D.random(seed=4, rerandomize_each_iteration=True).take(5)
D.random(seed=4, rerandomize_each_iteration=False).take(5)
D.random(seed=4, rerandomize_each_iteration=True).take(3).repeat(3)
D.random(seed=4).take(3).repeat(2)
D.random(seed=4, name="numbers").take(2)
seeded(lambda: D.random().take(5), 42)
seeded(lambda: D.random().take(5), 0)
seeded(lambda: D.random(seed=4).take(5), 42)
seeded(lambda: [D.random().take(3), D.random().take(3)], 42)
seeded(lambda: D.random(rerandomize_each_iteration=True).take(4), 42)
D.random(seed=4).batch(2).take(3)
D.random(seed=4).map(lambda x: x % 10).take(20)
tf.data.experimental.RandomDataset(seed=3).take(4)
D.zip((D.random(seed=4), D.random(seed=4))).take(3)
# sampled datasets
s([a, b], seed=1)
s([a, b], seed=2)
s([a, b], seed=0)
s([a, b, c], seed=1)
s([a, b], weights=[0.5, 0.5], seed=1)
s([a, b], weights=[0.9, 0.1], seed=1)
s([a, b], weights=[0.1, 0.9], seed=1)
s([a, b, c], weights=[0.2, 0.3, 0.5], seed=7)
s([a, b, c], weights=[2.0, 3.0, 5.0], seed=7)
s([a, b, c], [1.0, 1.0, 1.0], 7)
s([a, b], weights=[1.0, 0.0], seed=1)
s([a, b], weights=[0.0, 1.0], seed=1)
s([a, b], weights=[0.0, 0.0], seed=1)
s([a, b, c], weights=[0.5, 0.0, 0.5], seed=1)
s([a, b], weights=tf.constant([0.3, 0.7]), seed=1)
s([a, b], weights=tf.constant([0.3, 0.7], tf.float64), seed=1)
s([a, b], weights=np.array([0.3, 0.7]), seed=1)
s([a, b], weights=np.array([0.3, 0.7], np.float32), seed=1)
s([a, b], weights=D.from_tensors([0.5, 0.5]).repeat(), seed=1)
s([a, b], weights=D.from_tensor_slices([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]]).repeat(2), seed=1)
s([a], seed=1)
s([a], weights=[1.0], seed=1)
s([a, b, c], seed=1, stop_on_empty_dataset=True)
s([a, b, c], seed=1, stop_on_empty_dataset=False)
s([a, b, c], weights=[0.1, 0.1, 0.8], seed=3, stop_on_empty_dataset=True)
s([a, b, c], weights=[0.1, 0.1, 0.8], seed=3, stop_on_empty_dataset=False)
s([a, D.range(0)], seed=3, stop_on_empty_dataset=True)
s([a, D.range(0)], seed=3)
s([a, b], seed=1, rerandomize_each_iteration=True)
s([a, b], seed=1, rerandomize_each_iteration=False)
s([a, b], seed=1, rerandomize_each_iteration=True).repeat(2)
s([a, b], seed=1).repeat(2)
s([a.repeat(), b.repeat()], seed=1)
s([a.repeat(), b], seed=1)
s([a.repeat(), b], seed=1, stop_on_empty_dataset=True)
s([a.shuffle(5, seed=2), b.shuffle(5, seed=2)], seed=1)
s([a.filter(lambda x: x > 2), b], seed=1)
seeded(lambda: s([a, b]), 42)
seeded(lambda: s([a, b]), 0)
seeded(lambda: s([a, b], seed=1), 42)
seeded(lambda: s([a, b], weights=[0.25, 0.75]), 42)
seeded(lambda: s([a, b], rerandomize_each_iteration=True), 42)
seeded(lambda: [s([a, b]), s([a, b])], 42)
s([D.from_tensors([1]), D.from_tensors([2, 3])], seed=1)
s([D.from_tensors({"a": 1, "b": [2]}), D.from_tensors({"a": 3, "b": [4]})], seed=1)
sampled([0.1, 0.2, 0.3, 0.4], seed=3)
sampled([1e-3, 1.0], seed=3)
sampled([0.25] * 4, seed=5, stop_on_empty_dataset=True)
sampled([1.0, 2.0, 4.0, 8.0, 16.0], seed=8)
tf.data.experimental.sample_from_datasets([a, b], [0.5, 0.5], seed=1)
tf.data.Dataset.sample_from_datasets(datasets=[a, b], weights=None, seed=5)
repr(s([a, b], seed=1))
# chosen datasets
D.choose_from_datasets([a, b, c], D.range(3).repeat(2))
D.choose_from_datasets([a, b, c], D.range(3).repeat())
D.choose_from_datasets([a, b, c], D.range(3).repeat(), stop_on_empty_dataset=False)
D.choose_from_datasets([a, b], D.from_tensor_slices(np.array([0, 0, 1, 0, 1, 1], np.int64)))
D.choose_from_datasets([a, b], D.from_tensor_slices(np.array([1, 1, 1], np.int64)))
D.choose_from_datasets([a], D.range(1).repeat(3))
D.choose_from_datasets([a.repeat(), b], D.range(2).repeat(4))
D.choose_from_datasets([a.repeat(), b.repeat()], D.range(2).repeat(4))
D.choose_from_datasets([a.repeat(), b.repeat()], D.range(2).repeat())
D.choose_from_datasets([D.range(0), b], D.range(2).repeat(4))
D.choose_from_datasets([D.range(0), b], D.range(2).repeat(4), stop_on_empty_dataset=False)
D.choose_from_datasets([a, b], D.range(0))
D.choose_from_datasets([a, b], D.random(seed=4).map(lambda x: x % 2))
D.choose_from_datasets([D.from_tensors([1]), D.from_tensors([[2]])], D.range(2))
tf.data.experimental.choose_from_datasets([a, b], D.range(2).repeat(2))
# filtered by chance
D.range(20).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], seed=1)
D.range(30).rejection_resample(lambda x: tf.cast(x % 3, tf.int32), [0.1, 0.8, 0.1],
    [1 / 3, 1 / 3, 1 / 3], seed=1)
"""
