"""Functions of elements: map, filter, flat_map, interleave, scan, take_while and their kind."""

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE
c = tf.constant


def repeated(x):
    """A dataset of x, x times."""
    return D.from_tensors(x).repeat(x)


def tens(x):
    return D.range(10 * x, 10 * x + 5)


def branches(x):
    if x % 2 == 0:
        y = x * 10
    elif x > 4:
        y = -x
    else:
        y = x
    return y


def loops(x):
    total = tf.constant(0, tf.int64)
    for i in tf.range(x):
        total += i
    while total > 5:
        total -= 3
    return total


def logged(build):
    """The elements of a dataset over a function that counts its calls in Python."""
    calls = []

    def count(x):
        calls.append(1)
        return x + 1

    dataset = build(count)
    found = [[int(x) for x in dataset] for _ in range(2)]
    return found, len(calls)


def seen(build):
    """What a Python function saw, in which order, and what came out."""
    calls = []

    def log(x):
        calls.append(int(x))
        return x

    dataset = build(lambda x: tf.ensure_shape(tf.py_function(log, [x], tf.int64), []))
    return [int(x) for x in dataset], calls


def with_variable():
    """A variable that the function reads and updates, in two epochs."""
    v = tf.Variable(10, dtype=tf.int64)

    def add(x):
        v.assign_add(1)
        return x + v

    dataset = D.range(4).map(add)
    found = [[int(x) for x in dataset] for _ in range(2)]
    return found, int(v)


def variable_that_changes():
    """The function sees what the variable is when it runs."""
    v = tf.Variable(1, dtype=tf.int64)
    dataset = D.range(3).map(lambda x: x * v)
    found = [[int(x) for x in dataset]]
    v.assign(5)
    return [*found, [int(x) for x in dataset]]


def tensor_that_changes():
    """The function keeps the tensor that the name had."""
    y = tf.constant(2, tf.int64)
    dataset = D.range(3).map(lambda x: x * y)
    y = tf.constant(100, tf.int64)
    return dataset, y


def with_random(seed, options=None, function=None):
    """Random ops inside of a function, in two epochs."""
    if seed is not None:
        tf.random.set_seed(seed)
    dataset = D.range(4).map(function or (lambda x: tf.random.uniform([], seed=3)))
    return dataset.with_options(options) if options else dataset


def two_random(seed):
    tf.random.set_seed(seed)
    f = lambda x: (tf.random.uniform([]), tf.random.normal([], seed=1))
    return [D.range(3).map(f), D.range(3).map(lambda x: tf.random.uniform([]))]


CALLS = """
# map
D.range(4).map(lambda x: x * 2)
D.range(3).map(lambda x: (x, x + 1))
D.range(3).map(lambda x: [x, x + 1])
D.range(2).map(lambda x: {"a": x, "b": tf.cast(x, tf.float32) / 2})
D.range(2).map(lambda x: ({"a": x}, -x))
D.zip((D.range(3), D.range(3))).map(lambda x, y: x * 10 + y)
D.zip((D.range(2), (D.range(2), D.range(2)))).map(lambda x, yz: x + yz[0] * yz[1])
D.from_tensor_slices({"a": [1, 2], "b": [3, 4]}).map(lambda d: d["a"] + d["b"])
D.from_tensor_slices({"a": [1, 2]}).map(lambda d: {**d, "c": d["a"] * 2})
D.range(3).map(lambda x: 7)
D.range(2).map(lambda x: "text")
D.range(2).map(lambda x: 1.5)
D.range(2).map(lambda x: (x, None))
D.range(2).map(lambda x: np.array([1, 2]))
D.range(2).map(lambda x: (np.float64(1.5), [1, 2]))
D.range(3).map(lambda x: tf.fill([2, 3], x))
D.range(3).map(lambda x: tf.fill([x], x))
D.range(3).map(lambda x: tf.as_string(x))
D.range(6).map(branches)
D.range(6).map(loops)
D.range(2).map(lambda x: D.range(x + 2))
D.range(2).map(lambda x: tf.sparse.from_dense([x, 0, x + 1]))
D.range(3).map(lambda x: tf.RaggedTensor.from_row_lengths([x, x, x], [1, 2]))
D.range(3).map(tf.function(lambda x: x + 1))
D.range(3).map(lambda x: x, name="same")
D.from_tensor_slices([["a b", "c"], ["d", "e f g"]]).map(tf.strings.length)
D.range(5).map(lambda x: x + 1).map(lambda x: x * 10).map(lambda x: -x)
D.range(5).map(lambda x: x * 2, synchronous=True)
D.range(5).map(lambda x: x * 2, num_parallel_calls=1)
D.range(50).map(lambda x: x * 2, num_parallel_calls=4)
D.range(50).map(lambda x: x * 2, num_parallel_calls=AUTOTUNE)
D.range(20).map(lambda x: x * 2, num_parallel_calls=4, deterministic=True)
D.range(20).map(lambda x: x * 2, AUTOTUNE, True)
D.range(5).map(lambda x: x, num_parallel_calls=3).repeat(2)
D.range(3).map(lambda x: tf.py_function(lambda y: y + 1, [x], tf.int64))
D.range(3).map(lambda x: tf.numpy_function(lambda y: y + 1, [x], tf.int64))
D.range(3).map(lambda x: tf.ensure_shape(tf.numpy_function(lambda y: y + 1, [x], tf.int64), []))
D.range(3).map(lambda x: tf.py_function(lambda y: (y, "s"), [x], [tf.int64, tf.string]))
D.from_tensor_slices([[1.0, 2.0], [3.0, 4.0]]).map(tf.reduce_sum)
D.range(4).map(lambda x: tf.cond(x > 1, lambda: x, lambda: -x))
logged(lambda f: D.range(3).map(f))
logged(lambda f: D.range(3).map(f).map(f))
logged(lambda f: D.range(3).map(lambda x: f(f(x))))
seen(lambda f: D.range(5).map(f))
seen(lambda f: D.range(5).map(f).filter(lambda x: x % 2 == 0))
seen(lambda f: D.range(5).filter(lambda x: f(x) > 2))
seen(lambda f: D.range(5).map(f).take(2))
seen(lambda f: D.range(5).skip(2).map(f))
seen(lambda f: D.range(5).map(f).skip(2))
seen(lambda f: D.range(4).map(f).cache().repeat(2))
seen(lambda f: D.range(4).map(f).repeat(2))
seen(lambda f: D.range(4).map(f).batch(2, drop_remainder=True).unbatch())
seen(lambda f: D.range(5).map(f).shuffle(2, seed=3))
seen(lambda f: D.zip((D.range(2), D.range(5).map(f))).map(lambda x, y: y))
seen(lambda f: D.zip((D.range(5).map(f), D.range(2))).map(lambda x, y: y))
seen(lambda f: D.range(6).map(f, num_parallel_calls=1))
with_variable()
variable_that_changes()
tensor_that_changes()
with_random(None)
with_random(42)
with_random(42, function=lambda x: tf.random.uniform([]))
with_random(42, function=lambda x: tf.random.normal([2]))
with_random(42, function=lambda x: tf.random.stateless_uniform([], [x, 1]))
with_random(0, function=lambda x: tf.random.uniform([], 0, 10, tf.int64))
with_random(42, function=lambda x: tf.random.shuffle(tf.range(4)))
two_random(42)
# filter
D.range(10).filter(lambda x: x % 3 == 0)
D.range(5).filter(lambda x: x > 9)
D.range(5).filter(lambda x: True)
D.range(5).filter(lambda x: False)
D.zip((D.range(5), D.range(5, 0, -1))).filter(lambda x, y: x > y)
D.from_tensor_slices({"a": [1, 2, 3]}).filter(lambda d: d["a"] != 2)
D.from_tensor_slices([[1, 2], [3, 4]]).filter(lambda r: tf.reduce_sum(r) > 4)
D.range(10).filter(lambda x: x > 2).filter(lambda x: x < 6)
D.range(6).filter(lambda x: x % 2 == 1).map(lambda x: x * x).repeat(2)
D.range(4).filter(lambda x: x > 0, name="positive")
D.range(10).apply(lambda d: d.filter(lambda x: x > 6))
# flat_map
D.range(4).flat_map(repeated)
D.range(3).flat_map(tens)
D.range(3).flat_map(lambda x: D.zip((D.range(2), D.from_tensors(x).repeat())))
D.from_tensor_slices([[1, 2], [3, 4]]).flat_map(D.from_tensor_slices)
D.range(4).flat_map(lambda x: D.range(x)).flat_map(lambda x: D.range(x))
D.range(0).flat_map(tens)
D.range(3).flat_map(lambda x: D.range(0))
D.range(3).flat_map(lambda x: D.from_tensors({"a": x}))
D.range(2).flat_map(lambda x: D.range(2).map(lambda y: x * 10 + y))
D.range(6).window(3).flat_map(lambda w: w.batch(3))
D.range(2).flat_map(lambda x: D.range(3).repeat())
# interleave
D.range(5).interleave(tens, cycle_length=1)
D.range(5).interleave(tens, cycle_length=2)
D.range(5).interleave(tens, cycle_length=3)
D.range(5).interleave(tens, cycle_length=5)
D.range(5).interleave(tens, cycle_length=9)
D.range(5).interleave(tens, cycle_length=2, block_length=1)
D.range(5).interleave(tens, cycle_length=2, block_length=2)
D.range(5).interleave(tens, cycle_length=2, block_length=3)
D.range(5).interleave(tens, cycle_length=3, block_length=4)
D.range(5).interleave(tens, cycle_length=3, block_length=7)
D.range(5).interleave(tens, cycle_length=1, block_length=2)
D.range(1, 6).interleave(repeated, cycle_length=2)
D.range(1, 6).interleave(repeated, cycle_length=3)
D.range(1, 6).interleave(repeated, cycle_length=3, block_length=2)
D.range(1, 6).interleave(repeated, cycle_length=4, block_length=3)
D.range(6).interleave(repeated, cycle_length=3)
D.range(6).interleave(repeated, cycle_length=2, block_length=2)
D.range(5, 0, -1).interleave(repeated, cycle_length=2, block_length=2)
D.range(5, -1, -1).interleave(repeated, cycle_length=3, block_length=2)
D.range(3).interleave(lambda x: D.range(0), cycle_length=2)
D.range(0).interleave(tens, cycle_length=2)
D.range(3).interleave(lambda x: D.from_tensors(x).repeat(), cycle_length=2)
D.range(4).repeat().interleave(tens, cycle_length=2)
D.range(5).interleave(tens, cycle_length=3, num_parallel_calls=1)
D.range(5).interleave(tens, cycle_length=3, num_parallel_calls=2)
D.range(5).interleave(tens, cycle_length=3, num_parallel_calls=3)
D.range(5).interleave(tens, cycle_length=3, block_length=2, num_parallel_calls=3)
D.range(5).interleave(tens, cycle_length=3, num_parallel_calls=AUTOTUNE)
D.range(5).interleave(tens, cycle_length=2, block_length=3, num_parallel_calls=2,
    deterministic=True)
D.range(1, 6).interleave(repeated, cycle_length=2, num_parallel_calls=2)
D.range(1, 6).interleave(repeated, cycle_length=3, num_parallel_calls=3)
D.range(1, 6).interleave(repeated, cycle_length=3, block_length=2, num_parallel_calls=3)
D.range(1, 6).interleave(repeated, cycle_length=4, block_length=3, num_parallel_calls=AUTOTUNE)
D.range(6).interleave(repeated, cycle_length=3, num_parallel_calls=3)
D.range(6).interleave(repeated, cycle_length=2, block_length=2, num_parallel_calls=2)
D.range(5, -1, -1).interleave(repeated, cycle_length=3, block_length=2, num_parallel_calls=3)
D.range(12).interleave(repeated, cycle_length=5, block_length=2, num_parallel_calls=5)
D.range(12).interleave(repeated, cycle_length=5, block_length=2)
D.range(3).interleave(lambda x: D.from_tensors(x).repeat(), cycle_length=2, num_parallel_calls=2)
D.range(4).interleave(tens, cycle_length=2).repeat(2)
D.range(4).interleave(lambda x: D.from_tensors({"a": x}).repeat(2), cycle_length=2)
D.range(4).apply(tf.data.experimental.parallel_interleave(tens, cycle_length=2))
D.range(5).apply(tf.data.experimental.parallel_interleave(tens, 2, block_length=2))
D.range(1, 6).apply(tf.data.experimental.parallel_interleave(repeated, 3))
# scan
D.range(5).scan(np.int64(0), lambda s, x: (s + x, s + x))
D.range(5).scan(c(10, tf.int64), lambda s, x: (s + 1, x * s))
D.range(4).scan((np.int64(0), np.int64(1)), lambda s, x: ((s[1], s[0] + s[1]), s[0]))
D.range(4).scan({"n": np.int64(0)}, lambda s, x: ({"n": s["n"] + 1}, (x, s["n"])))
D.range(3).scan(c(0.0), lambda s, x: (s + 0.5, s))
D.range(3).scan(np.zeros((1,), np.int64), lambda s, x: (tf.concat([s, [x]], 0), s))
D.range(3).scan(initial_state=np.int64(1), scan_func=lambda s, x: (s * 2, s), name="powers")
D.range(4).apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s)))
D.range(2).repeat().scan(np.int64(0), lambda s, x: (s + 1, s))
# take_while
D.range(10).take_while(lambda x: x < 4)
D.range(10).take_while(lambda x: x < 0)
D.range(3).take_while(lambda x: x < 9)
D.counter().take_while(lambda x: x * x < 30)
D.zip((D.range(5), D.range(5))).take_while(lambda x, y: x + y < 5)
D.from_tensor_slices([1, 5, 2, 7, 1]).take_while(lambda x: x < 6)
D.range(6).apply(tf.data.experimental.take_while(lambda x: x < 2))
# apply, and printed forms
D.range(4).apply(lambda d: d.map(lambda x: x + 1).batch(2))
repr(D.range(3).map(lambda x: x))
repr(D.range(3).map(lambda x: x, num_parallel_calls=2))
repr(D.range(3).filter(lambda x: True))
repr(D.range(3).flat_map(tens))
repr(D.range(3).interleave(tens, cycle_length=2))
repr(D.range(3).interleave(tens, cycle_length=2, num_parallel_calls=2))
repr(D.range(3).scan(np.int64(0), lambda s, x: (s, x)))
repr(D.range(3).take_while(lambda x: True))
repr(D.range(3).apply(lambda d: d))
"""
