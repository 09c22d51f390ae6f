"""Large results, each with a name, in a loop of single ops."""

import penstock as tf

x = tf.random.normal([1000, 800])
for step in range(30):  # finding: eager_loop
    centred = x - tf.reduce_mean(x)
    squared = tf.square(centred)
    scaled = squared / (1.0 + tf.reduce_max(squared))
    bent = tf.sin(scaled)
    mixed = bent * centred
    x = tf.tanh(mixed)
