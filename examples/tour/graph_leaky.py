"""A graph that is built where it should be run."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
generator = np.random.default_rng(0)
with tf.compat.v1.Session() as sess:
    for step in range(40):
        readings = tf.constant(generator.normal(size=[2000]))
        energy = tf.reduce_sum(tf.square(readings))
        value = sess.run(energy)
