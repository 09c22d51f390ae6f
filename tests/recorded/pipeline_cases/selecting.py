"""Which elements, how often and from where: take, skip, shard, repeat, cache, unique and others."""

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE
c = tf.constant


def counted(build):
    """Two epochs over a source that counts how often it was asked."""
    asked = []

    def source():
        for i in range(4):
            asked.append(i)
            yield i

    dataset = build(D.from_generator(source, output_signature=tf.TensorSpec([], tf.int64)))
    found = [[int(x) for x in dataset] for _ in range(2)]
    return found, asked


def options(**fields):
    made = tf.data.Options()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def cached_in_part():
    """An epoch that is left early leaves nothing in the cache."""
    asked = []

    def source():
        for i in range(4):
            asked.append(i)
            yield i

    dataset = D.from_generator(source, output_signature=tf.TensorSpec([], tf.int64)).cache()
    iterator = iter(dataset)
    found = [[int(next(iterator)) for _ in range(2)]]
    del iterator
    found += [[int(x) for x in dataset] for _ in range(2)]
    return found, len(asked) > 6


def cached_files(build):
    """What a cache on disk leaves behind, and a second dataset over it."""
    first = [[int(x) for x in build()] for _ in range(2)]
    return first, sorted(name for name in tf.io.gfile.listdir(".") if "cache" in name)


def total(x, y):
    return x + y


CALLS = """
# take and skip
D.range(10).take(3)
D.range(3).take(10)
D.range(3).take(0)
D.range(3).take(-1)
D.range(3).take(-5)
D.range(10).take(c(4, tf.int64))
D.range(3).repeat().take(7)
D.range(3).repeat().take(-1)
D.range(9).filter(lambda x: x > 3).take(3)
D.range(5).take(3, name="few")
D.range(10).skip(7)
D.range(3).skip(10)
D.range(3).skip(0)
D.range(3).skip(-1)
D.range(3).repeat().skip(2)
D.range(9).filter(lambda x: x > 3).skip(3)
D.range(10).skip(2).take(4)
D.range(10).take(4).skip(2)
D.range(10).take(5).take(3)
D.range(10).skip(1).skip(2)
# shard
D.range(10).shard(3, 0)
D.range(10).shard(3, 1)
D.range(10).shard(3, 2)
D.range(10).shard(1, 0)
D.range(2).shard(5, 3)
D.range(4).repeat().shard(3, 1)
D.range(10).shard(num_shards=c(2, tf.int64), index=c(1, tf.int64))
D.range(10).filter(lambda x: x > 2).shard(2, 1)
D.range(10).batch(2).shard(2, 1)
D.range(10).shard(2, 1).shard(2, 0)
# repeat
D.range(3).repeat(2)
D.range(3).repeat(0)
D.range(3).repeat(-1)
D.range(3).repeat(None)
D.range(3).repeat()
D.range(3).repeat(-4)
D.range(0).repeat(3)
D.range(0).repeat(3).repeat(2)
D.range(3).repeat(c(2, tf.int64))
D.range(2).repeat(2).repeat(3)
D.range(2).repeat().repeat(3)
D.range(2).repeat(3).repeat()
D.range(4).filter(lambda x: x > 2).repeat(3)
D.range(4).filter(lambda x: x > 2).repeat()
D.range(2).repeat(2, name="twice")
# enumerate
D.from_tensor_slices(["a", "b"]).enumerate()
D.range(3).enumerate(start=5)
D.range(3).enumerate(c(5, tf.int64))
D.range(3).enumerate(-1)
D.zip((D.range(2), D.range(2))).enumerate()
D.from_tensors({"a": 1}).enumerate()
D.range(3).apply(tf.data.experimental.enumerate_dataset(2))
D.range(2).repeat().enumerate()
# unique
D.from_tensor_slices([1, 2, 1, 3, 2, 1]).unique()
D.from_tensor_slices(["a", "b", "a"]).unique()
D.from_tensor_slices(np.array([1, 2, 1], np.int64)).unique()
D.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())
D.range(3).repeat(4).unique()
D.from_tensor_slices([1.0, 1.0, 2.0]).unique()
D.from_tensor_slices([[1, 2], [1, 2]]).unique()
# cache
D.range(4).cache()
D.range(4).map(lambda x: x * 2).cache().map(lambda x: x + 1)
D.range(4).cache(name="kept")
D.range(4).cache("")
D.range(4).cache("cached")
D.from_tensor_slices(({"a": [1, 2]}, ["x", "y"])).cache("cached")
D.range(2).repeat(2).cache().repeat(2)
D.random(seed=3, rerandomize_each_iteration=True).take(3).cache()
counted(lambda d: d)
counted(lambda d: d.cache())
counted(lambda d: d.cache("cached"))
counted(lambda d: d.repeat(2))
counted(lambda d: d.cache().repeat(2))
counted(lambda d: d.repeat(2).cache())
counted(lambda d: d.cache().shuffle(4, seed=1))
counted(lambda d: d.cache().take(4))
cached_in_part()
cached_files(lambda: D.range(4).cache("cache"))
cached_files(lambda: D.range(4).map(lambda x: x * 2).cache("cache"))
# prefetch
D.range(5).prefetch(1)
D.range(5).prefetch(0)
D.range(5).prefetch(100)
D.range(5).prefetch(AUTOTUNE)
D.range(5).prefetch(c(2, tf.int64))
D.range(5).map(lambda x: x + 1).prefetch(2).repeat(2)
D.range(5).prefetch(buffer_size=2, name="ahead")
# reduce
D.range(5).reduce(np.int64(0), total)
D.range(5).reduce(0, lambda n, _: n + 1)
D.range(0).reduce(np.int64(7), total)
D.range(5).reduce((np.int64(0), 1), lambda s, x: (s[0] + x, s[1] * 2))
D.range(5).reduce({"n": np.int64(1)}, lambda s, x: {"n": s["n"] * 2 + x})
D.zip((D.range(4), D.range(4))).reduce(np.int64(0), lambda s, x, y: s + x * y)
D.range(3).reduce(np.zeros([0], np.int64), lambda s, x: tf.concat([s, [x]], 0))
D.range(3).reduce(0.5, lambda s, x: s * 2.0)
D.range(3).reduce("", lambda s, x: s + tf.as_string(x))
D.range(4).shuffle(4, seed=1).reduce(np.int64(0), lambda s, x: s * 10 + x)
D.from_tensor_slices({"a": [1, 2]}).reduce(0, lambda s, d: s + d["a"])
D.range(4).reduce(tf.constant(0, tf.int64), lambda s, x: tf.maximum(s, x), name="most")
# one element, and elements by number
D.from_tensors(5).get_single_element()
D.range(9).batch(9).get_single_element()
D.from_tensors(({"a": 1}, "b")).get_single_element()
tf.data.experimental.get_single_element(D.from_tensors([1, 2]))
[tf.data.experimental.at(D.range(5), 3), tf.data.experimental.at(D.range(5).shuffle(5, 1), 0)]
# errors that are ignored
D.from_tensor_slices([1.0, 0.0]).map(lambda x: tf.debugging.check_numerics(1 / x, "m"))
    .ignore_errors()
D.range(5).map(lambda x: tf.ensure_shape(tf.fill([x], 1), [2])).ignore_errors()
D.range(3).map(lambda x: 6 // x).ignore_errors()
D.range(3).map(lambda x: 6 // x)
D.range(3).map(lambda x: 6 // x).ignore_errors(log_warning=True)
D.range(3).map(lambda x: 6 // x).apply(tf.data.experimental.ignore_errors())
D.range(4).map(lambda x: 6 // (x - 2)).batch(2).ignore_errors()
# cardinality
D.range(5).apply(tf.data.experimental.assert_cardinality(5))
D.range(6).filter(lambda x: x > 2).apply(tf.data.experimental.assert_cardinality(3))
D.range(6).filter(lambda x: x > 2).apply(tf.data.experimental.assert_cardinality(2))
D.range(6).filter(lambda x: x > 2).apply(tf.data.experimental.assert_cardinality(9))
len(D.range(6).batch(4))
[int(D.range(9).window(2, 3).cardinality()), int(D.range(9).window(2, 3, 1, True).cardinality())]
[int(D.range(3).flat_map(lambda x: D.range(2)).cardinality())]
[int(D.range(3).interleave(lambda x: D.range(2), 2).cardinality())]
[int(D.range(3).prefetch(1).cardinality()), int(D.range(3).cache().cardinality())]
# options
D.range(5).with_options(options(deterministic=True))
D.range(5).with_options(options(deterministic=False))
D.range(5).map(lambda x: x, 3).with_options(options(deterministic=True))
[D.range(3).options().deterministic,
    D.range(3).with_options(options(deterministic=False)).options().deterministic]
repr(D.range(3).with_options(tf.data.Options()))
tf.data.Options().deterministic
[tf.data.Options().autotune.enabled, tf.data.Options().threading.private_threadpool_size]
options(deterministic=True).merge(options(deterministic=False)).deterministic
options(deterministic=True) == options(deterministic=True)
options(deterministic=True) != options(deterministic=False)
str(tf.data.Options().experimental_distribute.auto_shard_policy)
# printed forms
[repr(D.range(3).take(2)), repr(D.range(3).skip(2)), repr(D.range(3).shard(2, 1))]
[repr(D.range(3).repeat(2)), repr(D.range(3).enumerate()), repr(D.range(3).unique())]
[repr(D.range(3).cache()), repr(D.range(3).prefetch(2)), repr(D.range(3).shuffle(2))]
[repr(D.range(3).ignore_errors())]
"""
