"""A training loop under one tape, which keeps every step until the end."""

import tensorflow as tf

weights = tf.Variable(tf.random.normal([200, 200], stddev=0.05))
total = 0.0
with tf.GradientTape() as tape:
    for step in range(40):
        hidden = tf.tanh(tf.random.normal([100, 200]) @ weights)
        total += tf.reduce_mean(tf.square(hidden))
weights.assign_sub(tape.gradient(total, weights))
