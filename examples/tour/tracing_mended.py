"""The number is a tensor: one trace for all of its values."""

import tensorflow as tf


@tf.function
def smoothed(values, window):
    weights = tf.nn.softmax(values / window)
    return tf.reduce_sum(weights * values, axis=1)


values = tf.random.normal([100, 16])
for step in range(40):
    result = smoothed(values, tf.constant(step + 1.0))
