"""The graph is built once, by a loop as well, and fed."""

import numpy as np
import penstock as tf

v1 = tf.compat.v1

with tf.Graph().as_default(), v1.Session() as sess:
    x = v1.placeholder(tf.float32, [None])
    y = x
    for _ in range(12):
        y = tf.square(y) * 0.5
    y = tf.reduce_sum(y)
    totals = []
    for step in range(40):
        totals.append(sess.run(y, {x: np.full([100], step, np.float32) + np.arange(100)}))
