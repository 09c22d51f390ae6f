"""The same in a graph of TensorFlow 1."""

import numpy as np
import penstock as tf

v1 = tf.compat.v1

table = np.random.default_rng(0).normal(size=[1000, 500]).astype(np.float32)
with tf.Graph().as_default(), v1.Session() as sess:
    ids = v1.placeholder(tf.int32, [None])
    y = tf.gather(tf.constant(table), ids)  # finding: large_constants
    for step in range(20):
        sess.run(y, {ids: [1, 2, 3]})
