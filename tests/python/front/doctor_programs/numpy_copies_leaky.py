"""The whole data set becomes a tensor in every step."""

import numpy as np
import penstock as tf

data = np.random.default_rng(0).normal(size=[1000, 500]).astype(np.float32)
w = tf.Variable(tf.zeros([500, 1]))


def loss_of(w):
    x = tf.constant(data)  # finding: numpy_copies
    return tf.reduce_mean(tf.square(x @ w - 1.0))


for step in range(30):
    with tf.GradientTape() as tape:
        loss = loss_of(w)
    w.assign_sub(0.1 * tape.gradient(loss, w))
