"""The data set is a tensor from the start; batches that are new every time are copied once."""

import numpy as np
import penstock as tf

generator = np.random.default_rng(0)
data = tf.constant(generator.normal(size=[1000, 500]).astype(np.float32))
w = tf.Variable(tf.zeros([500, 1]))
for step in range(30):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(data @ w - 1.0))
    w.assign_sub(0.1 * tape.gradient(loss, w))
for step in range(30):
    batch = generator.normal(size=[1000, 500]).astype(np.float32)
    error = tf.reduce_mean(tf.square(tf.constant(batch) @ w - 1.0))
array = generator.normal(size=[1000, 500]).astype(np.float32)
for step in range(30):  # other data every time, made of one array or read into it
    tf.reduce_mean(tf.constant(array[generator.permutation(1000)]) @ w)
    tf.reduce_mean(tf.constant(array + np.float32(step)) @ w)
    generator.random(out=array, dtype=np.float32)
    tf.reduce_mean(tf.constant(array) @ w)
