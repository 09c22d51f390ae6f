"""The step is a tensor; a smaller last batch and a switch cost one more trace each."""

import penstock as tf


@tf.function
def scaled(x, step):
    return x / (1.0 + step)


@tf.function
def switched(x, training):
    return x * 0.5 if training else x


x = tf.ones([100])
for step in range(50):
    y = scaled(x, tf.constant(float(step)))
    z = switched(x if step < 49 else x[:7], training=step % 10 != 0)
