"""A graph that is built once and fed."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
generator = np.random.default_rng(0)
readings = tf.compat.v1.placeholder(tf.float64, [None])
energy = tf.reduce_sum(tf.square(readings))
tf.compat.v1.get_default_graph().finalize()
with tf.compat.v1.Session() as sess:
    for step in range(40):
        value = sess.run(energy, {readings: generator.normal(size=[2000])})
