"""One tape for a whole epoch."""

import penstock as tf

w = tf.Variable(tf.ones([64, 64]))
total = tf.zeros([])
with tf.GradientTape() as tape:  # finding: long_tape
    for step in range(40):
        y = tf.nn.tanh(tf.ones([8, 64]) @ w)
        total = total + tf.reduce_mean(y)
gradient = tape.gradient(total, w)
