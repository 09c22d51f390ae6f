"""The numbers that follow from seeds."""

SETUP = """
r = tf.random
def seeded(f, g=42):
    tf.random.set_seed(g)
    return f()
"""

CALLS = r"""
seeded(lambda: r.normal([3]))
seeded(lambda: [r.normal([2]), r.normal([2])])
seeded(lambda: r.uniform([3]))
seeded(lambda: r.uniform([3], 5, 10))
seeded(lambda: r.uniform([3], maxval=10, dtype=tf.int32))
seeded(lambda: r.uniform([3], 1, 2**40, dtype=tf.int64))
seeded(lambda: r.normal([3], seed=7))
seeded(lambda: r.normal([3], 2.0, 3.0))
seeded(lambda: r.normal([3], dtype=tf.float64))
seeded(lambda: r.normal([3], dtype=tf.float16))
seeded(lambda: r.truncated_normal([4]))
seeded(lambda: r.shuffle([1, 2, 3, 4, 5]))
seeded(lambda: r.shuffle([1, 2, 3, 4, 5], seed=3))
seeded(lambda: r.gamma([3], 2.0))
seeded(lambda: r.poisson([3], 4.0))
seeded(lambda: r.categorical([[0.1, 0.2, 0.7]], 5))
seeded(lambda: r.categorical(tf.math.log([[0.5, 0.5]]), 5, seed=1))
seeded(lambda: r.experimental.Generator.from_seed(1).normal([3]))
r.Generator.from_seed(1).normal([3])
r.Generator.from_seed(1).uniform([3])
r.Generator.from_seed(1234).uniform([3], maxval=10, dtype=tf.int32)
g = r.Generator.from_seed(1); [g.normal([2]), g.normal([2])]
g = r.Generator.from_seed(1); g.split(2)[1].normal([2])
r.Generator.from_seed(1).state
r.Generator.from_seed(1).key
r.Generator.from_seed(1).algorithm
r.Generator.from_seed(1).truncated_normal([3])
r.Generator.from_seed(1).binomial([3], 10.0, 0.5)
r.Generator.from_seed(1).make_seeds(2)
r.Generator.from_seed(1).uniform_full_int([2], tf.uint64)
r.stateless_normal([3], [1, 2])
r.stateless_uniform([3], [1, 2])
r.stateless_uniform([3], [1, 2], 0, 10, tf.int32)
r.stateless_truncated_normal([3], [1, 2])
r.stateless_categorical([[0.1, 0.9]], 4, [1, 2])
r.stateless_gamma([3], [1, 2], 2.0)
r.stateless_poisson([3], [1, 2], 4.0)
r.stateless_binomial([3], [1, 2], 10.0, 0.5)
r.experimental.stateless_shuffle([1, 2, 3, 4], [1, 2])
r.experimental.stateless_split([1, 2], 2)
r.experimental.stateless_fold_in([1, 2], 3)
r.split([1, 2], 2)
r.fold_in([1, 2], 3)
seeded(lambda: tf.nn.dropout(tf.ones([8]), 0.5))
seeded(lambda: tf.nn.dropout(tf.ones([8]), 0.5, seed=1))
seeded(lambda: tf.nn.experimental.stateless_dropout(tf.ones([8]), 0.5, [1, 2]))
seeded(lambda: tf.initializers.GlorotUniform(seed=1)([2, 2]))
seeded(lambda: tf.keras.initializers.HeNormal(seed=1)([2, 2]))
seeded(lambda: tf.Variable(r.normal([2])))
seeded(lambda: r.log_uniform_candidate_sampler([[0]], 1, 3, True, 10))
seeded(lambda: r.fixed_unigram_candidate_sampler([[0]], 1, 2, True, 4, unigrams=[1, 2, 3, 4]))
"""
