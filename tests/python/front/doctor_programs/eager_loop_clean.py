"""The same as a function, and a loop that carries one result."""

import penstock as tf


@tf.function
def body(x):
    centred = x - tf.reduce_mean(x)
    squared = tf.square(centred)
    scaled = squared / (1.0 + tf.reduce_max(squared))
    bent = tf.sin(scaled)
    mixed = bent * centred
    return tf.tanh(mixed)


x = tf.random.normal([1000, 800])
for step in range(30):
    x = body(x)
for step in range(30):
    x = tf.sin(x) * 0.5
