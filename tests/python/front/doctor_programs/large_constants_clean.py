"""The table is a tensor or a variable from outside, or an argument."""

import numpy as np
import penstock as tf

table = np.random.default_rng(0).normal(size=[1000, 500]).astype(np.float32)
weights = tf.constant(table)
variable = tf.Variable(table)


@tf.function
def embed(ids, given):
    scale = tf.constant([0.5, 2.0, 1.0])
    found = tf.gather(weights, ids) + tf.gather(variable, ids) + tf.gather(given, ids)
    return found * scale[:, tf.newaxis]


for step in range(20):
    y = embed(tf.constant([1, 2, 3]), weights)
