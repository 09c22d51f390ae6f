"""Weights that are made anew in every step, and a list that keeps them."""

import tensorflow as tf

history = []
inputs = tf.random.normal([64, 100])
for step in range(40):
    weights = tf.Variable(tf.random.normal([100, 100]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(inputs @ weights))
    weights.assign_sub(tape.gradient(loss, weights))
    history.append(weights)
