"""A tape for each step: the gradient of a sum is the sum of the gradients."""

import tensorflow as tf

weights = tf.Variable(tf.random.normal([200, 200], stddev=0.05))
gradient = tf.zeros_like(weights)
for step in range(40):
    with tf.GradientTape() as tape:
        hidden = tf.tanh(tf.random.normal([100, 200]) @ weights)
        loss = tf.reduce_mean(tf.square(hidden))
    gradient += tape.gradient(loss, weights)
weights.assign_sub(gradient)
