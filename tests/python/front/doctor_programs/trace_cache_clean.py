"""The same signatures with room for all of them."""

import penstock as tf


@tf.function
def normalised(x):
    y = x - tf.reduce_mean(x)
    return y / tf.sqrt(tf.reduce_mean(tf.square(y)) + 1e-6)


for step in range(40):
    y = normalised(tf.ones([step % 5 + 3, 4]))
