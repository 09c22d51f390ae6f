"""Functions that are decorated once; a loop makes a few of them."""

import penstock as tf

x = tf.ones([100])
steps = []
for rate in (0.9, 0.8, 0.7):
    steps.append(tf.function(lambda x, rate=rate: x * rate))
for i in range(30):
    x = steps[i % 3](x)
