"""Every batch becomes a constant of the graph."""

import numpy as np
import penstock as tf

v1 = tf.compat.v1


def total(sess, batch):
    x = tf.constant(batch)  # finding: graph_growth
    y = tf.reduce_sum(tf.square(x))
    return sess.run(y)


with tf.Graph().as_default(), v1.Session() as sess:
    totals = []
    for step in range(40):
        totals.append(total(sess, np.full([100], step, np.float32) + np.arange(100)))
