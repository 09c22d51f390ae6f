"""A function that is decorated in every iteration."""

import penstock as tf

x = tf.ones([100])
steps = []
for rate in range(30):

    @tf.function  # finding: retracing
    def step(x):
        return x * 0.9

    x = step(x)
    steps.append(step)
