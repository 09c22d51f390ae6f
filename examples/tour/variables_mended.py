"""Weights that learn, and a list of numbers."""

import tensorflow as tf

history = []
inputs = tf.random.normal([64, 100])
weights = tf.Variable(tf.random.normal([100, 100]))
for step in range(40):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(inputs @ weights))
    weights.assign_sub(tape.gradient(loss, weights))
    history.append(float(loss))
