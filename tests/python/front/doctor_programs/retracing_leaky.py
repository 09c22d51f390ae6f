"""The step is a Python number: each is a trace of its own."""

import penstock as tf


@tf.function
def scaled(x, step):
    return x / (1.0 + step)


x = tf.ones([100])
for step in range(50):
    y = scaled(x, step)  # finding: retracing
